"""`tcpgoodput.sweep`: models and simulation over a range of values of a scenario's keys."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.answers import MEASURED, Conditions, Prediction, Undefined
from tcpgoodput.api.load import (
    Given,
    changed_scenario,
    document_of,
    known,
    known_conditions,
    known_models,
    load,
)
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.closeness import measured_closely
from tcpgoodput.models.predict import predictions
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.controls import unit_of
from tcpgoodput.storage import as_published
from tcpgoodput.studies.answering import PUBLISHED
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
    """Evaluate models and the packet simulator over ranges of one or several keys of a scenario.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.
        values: the keys to vary, such as `loss.probability`, each with a list of values. Numbers
            are rounded to 12 significant digits.
        models: one name or several, as `models()` lists them; None: all models.
        simulate: whether to measure every point with the packet simulator.
        quantity: the quantity on the y axis: goodput_bps, goodput_kbps, goodput_Mbps, goodput_kBps,
            goodput_MBps, goodput_pps, utilisation or transfer_s.
        equations: `printed` uses the equations as published, `corrected` repairs their misprints.
        seed: seed of all random numbers.
        precision: `paper` measures as precisely as `simulate`; `draft` takes a fraction of a second
            and has an error of a few per cent.

    Returns:
        One row for each point and series, with these columns: `panel`, `series` (the name of the
        model or engine), `origin` (model or packet), `x`, `x_unit`, `y`, `y_unit`, `y_low`,
        `y_high` (95 % interval), `n` (replications), `status` (a status of `predict`, or
        `measured`) and `reason`. y is NaN if a model has no value. x is the value of the first key.
        With several keys every combination of their values is a point, each key also has a column,
        and `panel` names the values of the other keys. `attrs["key"]` is the first key, and
        `attrs["quantity"]` the title of the quantity; `plot` labels its axes with them.

    Raises:
        ConfigurationError: a value makes the scenario invalid; the message names the value.
        ValueError: the values of a key are not a list, or a model, the quantity or the form of the
            equations is unknown.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s02-independent-1e-2.yaml"
        >>> values = {"loss.probability": [0.01, 0.04]}
        >>> rows = tcpgoodput.sweep(link, values, models=["mathis"], precision="draft")
        >>> rows[["series", "origin", "x", "n"]]
           series  origin     x  n
        0  mathis   model  0.01  1
        1  packet  packet  0.01  8
        2  mathis   model  0.04  1
        3  packet  packet  0.04  8

    """
    wanted, conditions = known_models(models), known_conditions(equations, seed, precision)
    shown = QUANTITIES[known("quantity", quantity, list(QUANTITIES))]
    for key, listed in values.items():
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise ValueError(f"{key}: needs a list of values, such as [{listed!r}]")
    keys = {key: [_plain(value) for value in listed] for key, listed in values.items()}
    if not keys or not all(keys.values()):
        raise ValueError("a sweep needs a key with values, such as {'loss.probability': [0.01]}")
    document = document_of(load(scenario))
    points = [dict(zip(keys, point, strict=True)) for point in itertools.product(*keys.values())]
    # Make all scenarios first, so that an invalid one is refused before anything is computed.
    scenarios = [changed_scenario(document, point) for point in points]
    predicted = [predictions(model, scenarios, conditions) for model in wanted]
    rows = []
    for number, (point, point_scenario) in enumerate(zip(points, scenarios, strict=True)):
        place = _place(point_scenario, point)
        own = (of_model[number] for of_model in predicted)
        for answer in _answers(point_scenario, own, simulate, conditions):
            levels = {name: _of(shown, point_scenario, answer.pop(name)) for name in LEVELS}
            # A transfer time falls as the goodput rises, which swaps the ends of its interval.
            low, high = sorted((levels.pop("y_low"), levels.pop("y_high")))
            rows.append(
                {**place, **answer, **levels, "y_low": low, "y_high": high, "y_unit": shown.unit}
            )
    own = list(keys) if len(keys) > 1 else []
    table = pd.DataFrame(rows, columns=[*PUBLISHED, "status", "reason", *own])
    # The columns are those of a figure's data, which name neither the key nor the quantity.
    table.attrs |= {"key": next(iter(keys)), "quantity": shown.title}
    return table


LEVELS = ("y", "y_low", "y_high")


def _answers(
    scenario: Scenario, predicted: Iterable[Prediction], simulate: bool, conditions: Conditions
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and the simulator; `y` is the goodput in packets/s or None."""
    for answer in predicted:
        estimate = answer.estimate
        yield {
            "series": answer.name,
            "origin": "model",
            "status": answer.status,
            "reason": answer.reason,
            "n": estimate.replications if estimate else 1,
            "y": answer.goodput_pps,
            "y_low": estimate.low_pps if estimate else None,
            "y_high": estimate.high_pps if estimate else None,
        }
    if simulate:
        yield {"series": PACKET, "origin": PACKET, **_measured(scenario, conditions)}


def _measured(scenario: Scenario, conditions: Conditions) -> dict[str, Any]:
    try:
        found = measured_closely(scenario, conditions)
    except Undefined as undefined:
        nothing = dict.fromkeys(LEVELS)
        return {"status": "undefined", "reason": str(undefined), "n": 0, **nothing}
    levels = dict(zip(LEVELS, found.ends_pps, strict=True))
    return {"status": MEASURED, "reason": found.reason, "n": found.replications, **levels}


def _of(quantity: Quantity, scenario: Scenario, pps: float | None) -> float:
    return np.nan if pps is None else quantity.at(scenario, pps)


def _place(scenario: Scenario, point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that locate a point: x, its unit, the panel, and the other swept keys."""
    key, *others = point
    panel = ", ".join(f"{other} = {point[other]}" for other in others) or scenario.id
    return {**point, "panel": panel, "x": point[key], "x_unit": unit_of(key)}


def _plain(value: Any) -> Any:
    """Convert a numpy scalar to a Python number, as configuration requires; round a float."""
    plain = value.item() if isinstance(value, np.generic) else value
    return as_published(plain) if isinstance(plain, float) else plain
