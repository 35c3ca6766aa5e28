"""`tcpgoodput.predict` and `advise`: answers of models, and which of them to take."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import Given, known_conditions, known_models, load
from tcpgoodput.comparison.census.expected import advice_for
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict as prediction

COLUMNS = [
    *("name", "status", "goodput_bps", "goodput_pps", "utilisation"),
    *("reduction", "reason", "scenario"),
]


def predict(
    scenario: Given, models: str | Sequence[str] | None = None, equations: str = "corrected"
) -> pd.DataFrame:
    """Predict a scenario's goodput: all models, or those named.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.
        models: names, as `models()` lists them; None: all.
        equations: `printed` as the sources have them, `corrected` with misprints repaired.

    Returns:
        A row per model: `name`, `status` (native, reduced, out-of-domain, undefined),
        `goodput_bps` and `goodput_pps` (payload bits and packets per second), `utilisation` (of
        the path's mean rate), `reduction`, `reason`, `scenario`.

    Raises:
        ConfigurationError: the scenario has problems; all are told.
        ValueError: there is no model, or no form of the equations, of that name.

    Example:
        >>> import tcpgoodput
        >>> spiky = tcpgoodput.load("config/scenarios/s09-spikes-lossless.yaml")
        >>> said = tcpgoodput.predict(spiky, models=["delay_spikes.lossless", "pftk", "mathis"])
        >>> said[["name", "status", "reduction"]]
                            name     status   reduction
        0  delay_spikes.lossless     native         NaN
        1                   pftk    reduced  R-WIN+R-SP
        2                 mathis  undefined         NaN
        >>> said["reason"][2]
        'without loss the formula grows without bound'

    """
    asked, conditions = known_models(models), known_conditions(equations)
    told = load(scenario)
    records = [prediction(model, told, conditions).record() for model in asked]
    return pd.DataFrame(records, columns=COLUMNS)


ADVICE_COLUMNS = ["name", "status", "connections", "median_error", "q90_error"]


def advise(scenario: Given) -> pd.DataFrame:
    """List the models in domain, with how far off they were on random connections of this kind.

    The errors are those of the kept random sample of connections (`data/census/`), of those to
    which the same happens as to the scenario. The scenario itself is not simulated.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.

    Returns:
        A row per model in domain, native before reduced, and within a status by error: `name`,
        `status`, `connections` (of the sample, on which the model had this status),
        `median_error` and `q90_error` (median and 90 % quantile of the absolute value of
        ln(model / simulated) over them). `attrs` says of which `kind` of connections (None: the
        sample has no such), which quantities lie `outside` of the sample, and the `reason` where
        it says nothing.

    Raises:
        ConfigurationError: the scenario has problems; all are told.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s13b-handoff-one-late-two.yaml"
        >>> advice = tcpgoodput.advise(link)
        >>> advice[["name", "status"]].head(2)
               name   status
        0  handoffs   native
        1      pftk  reduced
        >>> advice.attrs["kind"]
        'late hand-offs'

    """
    told, conditions = load(scenario), Conditions()
    records = [prediction(model, told, conditions).record() for model in MODELS.values()]
    advice = advice_for(told, records)
    rows = pd.DataFrame([vars(model) for model in advice.models], columns=ADVICE_COLUMNS)
    rows.attrs |= {"kind": advice.kind, "outside": advice.outside, "reason": advice.reason}
    return rows
