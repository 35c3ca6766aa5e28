"""`tcpgoodput.sweep`: models and simulation along keys of a scenario, as tidy rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.answers import MEASURED, Conditions, Undefined
from tcpgoodput.api.load import (
    Given,
    changed_scenario,
    document_of,
    known,
    known_conditions,
    known_models,
    load,
)
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import measured_closely
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.models.base import Model
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.controls import unit_of
from tcpgoodput.studies.publish import PUBLISHED
from tcpgoodput.studies.quantities import QUANTITIES, Quantity


def sweep(
    scenario: Given,
    values: Mapping[str, Sequence[Any]],
    models: str | Sequence[str] | None = None,
    simulate: bool = True,
    quantity: str = "goodput_bps",
    equations: str = "corrected",
    seed: int = 1,
    precision: str = "paper",
) -> pd.DataFrame:
    """Ask models and the packet simulator along one key of a scenario, or along several.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.
        values: keys such as `loss.probability`, each with the values that it takes.
        models: names, as `models()` lists them; None: all.
        simulate: measure every point, too, with or without models.
        quantity: what y is: goodput_bps, goodput_kbps, goodput_Mbps, goodput_kBps, goodput_MBps,
            goodput_pps, utilisation or transfer_s.
        equations: `printed` as the sources have them, `corrected` with misprints repaired.
        seed: of all random numbers.
        precision: `paper` measures as closely as `simulate`, `draft` to a few per cent, at once.

    Returns:
        The columns of published data: `panel`, `series` (a model's or the engine's name), `origin`
        (model or packet), `x`, `x_unit`, `y`, `y_unit`, `y_low`, `y_high` (95 %), `n`
        (replications); then `status`, as of `predict`, or `measured`, and `reason`: y is empty
        where a model has no value. x is the first key. Where there are several keys every
        combination is a point, each key has a column of its own besides, and `panel` names the
        others' values.

    Raises:
        ConfigurationError: a value gives no scenario; the message names it.
        ValueError: values are no list, or there is no model, quantity or form of the equations
            of that name.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s02-independent-1e-2.yaml"
        >>> asked = {"loss.probability": [0.01, 0.04]}
        >>> rows = tcpgoodput.sweep(link, asked, models=["mathis"], precision="draft")
        >>> rows[["series", "origin", "x", "n"]]
           series  origin     x  n
        0  mathis   model  0.01  1
        1  packet  packet  0.01  8
        2  mathis   model  0.04  1
        3  packet  packet  0.04  8

    """
    asked, conditions = known_models(models), known_conditions(equations, seed, precision)
    shown = QUANTITIES[known("quantity", quantity, list(QUANTITIES))]
    for key, listed in values.items():
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise ValueError(f"{key}: needs a list of values, such as [{listed!r}]")
    keys = {key: [_plain(value) for value in listed] for key, listed in values.items()}
    if not keys or not all(keys.values()):
        raise ValueError("a sweep needs a key with values, such as {'loss.probability': [0.01]}")
    document = document_of(load(scenario))
    points = [dict(zip(keys, point, strict=True)) for point in itertools.product(*keys.values())]
    scenarios = [changed_scenario(document, point) for point in points]  # before any is asked
    rows = []
    for point, told in zip(points, scenarios, strict=True):
        place = _place(told, point)
        for answer in _answers(told, asked, simulate, conditions):
            levels = {name: _of(shown, told, answer.pop(name)) for name in LEVELS}
            low, high = sorted((levels.pop("y_low"), levels.pop("y_high")))  # a time falls
            rows.append(
                {**place, **answer, **levels, "y_low": low, "y_high": high, "y_unit": shown.unit}
            )
    own = list(keys) if len(keys) > 1 else []
    return pd.DataFrame(rows, columns=[*PUBLISHED, "status", "reason", *own])


LEVELS = ("y", "y_low", "y_high")


def _answers(
    scenario: Scenario, models: Sequence[Model], simulate: bool, conditions: Conditions
) -> Iterator[dict[str, Any]]:
    """Yield who says what of a scenario; levels are in packets per second, None: no value."""
    for model in models:
        told = predict(model, scenario, conditions)
        estimate = told.estimate
        yield {
            "series": model.name,
            "origin": "model",
            "status": told.status,
            "reason": told.reason,
            "n": estimate.replications if estimate else 1,
            "y": told.goodput_pps,
            "y_low": estimate.low_pps if estimate else None,
            "y_high": estimate.high_pps if estimate else None,
        }
    if simulate:
        yield {"series": REFERENCE, "origin": REFERENCE, **_measured(scenario, conditions)}


def _measured(scenario: Scenario, conditions: Conditions) -> dict[str, Any]:
    try:
        found: Measurement = measured_closely(scenario, conditions)
    except Undefined as undefined:
        nothing = dict.fromkeys(LEVELS)
        return {"status": "undefined", "reason": str(undefined), "n": 0, **nothing}
    goodput = found.goodput_pps
    return {
        "status": MEASURED,
        "reason": found.reason,
        "n": goodput.replications,
        "y": goodput.mean,
        "y_low": goodput.mean - goodput.half_width,
        "y_high": goodput.mean + goodput.half_width,
    }


def _of(quantity: Quantity, scenario: Scenario, pps: float | None) -> float:
    return np.nan if pps is None else quantity.at(scenario, pps)


def _place(scenario: Scenario, point: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a point lies: its x, and the panel and columns of what else is swept."""
    key, *others = point
    panel = ", ".join(f"{other} = {point[other]}" for other in others) or scenario.id
    return {**point, "panel": panel, "x": point[key], "x_unit": unit_of(key)}


def _plain(value: Any) -> Any:
    """Return a number of numpy as Python's own, which configuration is made of."""
    return value.item() if isinstance(value, np.generic) else value
