"""Predictions of all models for scenarios, with the simulated goodput and the models' errors."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tcpgoodput.answers import Conditions, Prediction, is_failure
from tcpgoodput.comparison.errors import log_error, order_of_errors
from tcpgoodput.engines.base import Measurement
from tcpgoodput.models import MODELS, Model
from tcpgoodput.models.predict import predictions
from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

IN_DOMAIN = ("native", "reduced")


def simulation_record(scenario: Scenario, found: Measurement) -> dict[str, Any]:
    """Return a measurement as a JSON dict; without a goodput, `reason` says why."""
    simulation = None if found.goodput_pps is None else found.record(scenario)
    return {"scenario": scenario.id, "simulation": simulation, "reason": found.reason}


def comparison_record(
    scenario: Scenario,
    conditions: Conditions,
    found: Mapping[str, Any],
    models: Sequence[Model] | None = None,
) -> dict[str, Any]:
    """Return the dict of a simulation, extended by each model's prediction and its error.

    `found` is the dict of the simulation; see `simulation_record`. `models` are the models to
    evaluate; None: all. `log_error` is ln(model / simulated), or None if the model or the
    simulation has no value, or if the connection has no steady state. `nearest` names the model in
    domain whose goodput is closest to the simulated goodput, or is None if no model is in domain.
    """
    return with_errors(prediction_records(scenario, conditions, models), found)


def comparison_records(
    scenarios: Sequence[Scenario], conditions: Conditions, found: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the dicts of several scenarios, in the same order; see `comparison_record`.

    The dicts are the same as for each scenario alone, but some models compute several scenarios
    together faster.
    """
    predicted = zip(predictions_of_all(scenarios, conditions), found, strict=True)
    return [with_errors([one.record() for one in own], simulated) for own, simulated in predicted]


def predictions_of_all(
    scenarios: Sequence[Scenario], conditions: Conditions, models: Sequence[Model] | None = None
) -> list[tuple[Prediction, ...]]:
    """Return the predictions for each scenario, one for each of the models; None: all."""
    by_model = [predictions(m, scenarios, conditions) for m in models or MODELS.values()]
    return list(zip(*by_model, strict=True))


def prediction_records(
    scenario: Scenario, conditions: Conditions, models: Sequence[Model] | None = None
) -> list[dict[str, Any]]:
    """Evaluate all or the given models on a scenario; return a dict for each model's prediction."""
    return [one.record() for one in predictions_of_all([scenario], conditions, models)[0]]


def with_errors(records: Iterable[dict[str, Any]], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dict of a simulation with predictions and errors; see `comparison_record`."""
    simulation = found["simulation"]
    truth = simulation["goodput_pps"] if simulation and simulation["is_steady"] else None
    models = [{**r, "log_error": log_error(r["goodput_pps"], truth)} for r in records]
    near = nearest(models, relative_half_width(simulation))
    return {**found, "models": models, "nearest": near}


def relative_half_width(simulation: dict[str, Any] | None) -> float:
    """Return the half-width of a simulation's interval over its goodput; infinite if unknown."""
    if simulation is None or simulation["ci95_bps"] is None or not simulation["goodput_bps"]:
        return float("inf")
    return float(simulation["ci95_bps"] / simulation["goodput_bps"])


def nearest(records: list[dict[str, Any]], half_width: float) -> str | None:
    """Return the model in domain whose goodput is closest to the measurement, or None.

    The interval of the measurement, whose half-width is relative to the goodput, may leave open
    which of two models is closer. Then a native model is preferred to a reduced one, and of two
    models with equal status the first in the list. Without a measurement, `census.expected`
    recommends models.
    """
    in_domain = [r for r in records if r["status"] in IN_DOMAIN and r["log_error"] is not None]
    best: dict[str, Any] | None = None
    for record in sorted(in_domain, key=lambda r: IN_DOMAIN.index(r["status"])):
        if best is None or order_of_errors(record["log_error"], best["log_error"], half_width) < 0:
            best = record
    return best["name"] if best else None


def errors_of(rows: pd.DataFrame, model: str) -> pd.DataFrame:
    """Return a model's error at each point of a map, and whether the model is in domain there.

    `rows` has `x`, `y`, `goodput_pps` (simulated), `MODEL_pps` and `MODEL_status` (predicted) for
    each point. The result has `x`, `y`, `log_error` (NaN if either goodput has no value) and
    `in_domain`.
    """
    pairs = zip(rows[f"{model}_pps"], rows["goodput_pps"], strict=True)
    found = [log_error(float(goodput), float(measured)) for goodput, measured in pairs]
    in_domain = rows[f"{model}_status"].isin(IN_DOMAIN)
    return rows[["x", "y"]].assign(log_error=np.array(found, dtype=float), in_domain=in_domain)


def failures(files: Iterable[Path]) -> list[str]:
    """Return a text for each model that raised errors: how often, and the first of them."""
    reasons = defaultdict(list)
    for file in filter(Path.is_file, files):
        for row in json.loads(file.read_text(encoding="utf-8"))["rows"]:
            for answer in row["models"]:
                if is_failure(answer["reason"]):
                    case = " ".join(filter(None, (row["scenario"], row["variation"])))
                    reasons[answer["name"]].append(f"{case}: {answer['reason']}")
    return [
        f"model {name} on {len(found)} connections; first {found[0]}"
        for name, found in reasons.items()
    ]
