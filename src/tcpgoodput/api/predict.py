"""`tcpgoodput.predict` and `advise`: predictions of models, and recommended models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import Given, known_conditions, known_models, load
from tcpgoodput.comparison.census.expected import advice_for
from tcpgoodput.comparison.compare import ORDER
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict as prediction

COLUMNS = [
    *("name", "status", "goodput_bps", "goodput_pps", "utilisation"),
    *("reduction", "reason", "scenario"),
]


def predict(
    scenario: Given, models: str | Sequence[str] | None = None, equations: str = "corrected"
) -> pd.DataFrame:
    """Predict the goodput of a scenario with all models, or with the named ones.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.
        models: one name or several, as `models()` lists them; None: all models.
        equations: `printed` uses the equations as published, `corrected` repairs their misprints.

    Returns:
        One row for each model, in the order of `models`; if `models` is None, sorted by status. The
        columns are `name`, `status` (native, reduced, out-of-domain, undefined), `goodput_bps` and
        `goodput_pps` (payload bits and packets per second), `utilisation` (goodput over the mean
        rate of the path), `reduction`, `reason`, `scenario`.

    Raises:
        ConfigurationError: the scenario is invalid; the message lists all problems.
        ValueError: a model or the form of the equations is unknown.

    Example:
        >>> import tcpgoodput
        >>> spiky = tcpgoodput.load("config/scenarios/s09-spikes-lossless.yaml")
        >>> found = tcpgoodput.predict(spiky, models=["delay_spikes.lossless", "pftk", "mathis"])
        >>> found[["name", "status", "reduction"]]
                            name     status   reduction
        0  delay_spikes.lossless     native         NaN
        1                   pftk    reduced  R-WIN+R-SP
        2                 mathis  undefined         NaN
        >>> found["reason"][2]
        'without loss the formula has no finite value'

    """
    chosen, conditions = known_models(models), known_conditions(equations)
    loaded = load(scenario)
    records = [prediction(model, loaded, conditions).record() for model in chosen]
    if models is None:
        records.sort(key=lambda record: ORDER.index(record["status"]))
    return pd.DataFrame(records, columns=COLUMNS)


ADVICE_COLUMNS = ["name", "status", "connections", "median_error", "q90_error"]


def advise(scenario: Given) -> pd.DataFrame:
    """List the models in domain, with their errors on random connections of the same kind.

    A model is in domain if it describes the scenario (`native`), or if a reduction restates the
    scenario in the model's terms (`reduced`), and its assumptions hold.

    The errors come from the random sample of connections in `data/census/`, restricted to the
    connections with the same impairments as the scenario. The scenario itself is not simulated.

    Args:
        scenario: a scenario, the path of its file, or its keys as a dict.

    Returns:
        One row for each model in domain, native before reduced, and within a status by error:
        `name`, `status`, `connections` (number of connections of the sample on which the model had
        this status), `median_error` and `q90_error` (median and 90 % quantile of the absolute value
        of ln(model / simulated) over these connections). The attribute `attrs` of the table holds
        `kind`, the impairments in words (None: the sample has no such connections), `outside`, the
        scenario's quantities that are outside the range of the sample, and `reason`, the
        explanation if no model is in domain or no errors are known. A table without rows also
        causes a warning with this reason.

    Raises:
        ConfigurationError: the scenario is invalid; the message lists all problems.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s13b-handoff-one-late-two.yaml"
        >>> advice = tcpgoodput.advise(link)
        >>> advice[["name", "status"]].head(2)
               name   status
        0  handoffs   native
        1    parvez  reduced
        >>> advice.attrs["kind"]
        'late hand-offs'

    """
    loaded, conditions = load(scenario), Conditions()
    records = [prediction(model, loaded, conditions).record() for model in MODELS.values()]
    advice = advice_for(loaded, records)
    rows = pd.DataFrame([vars(model) for model in advice.models], columns=ADVICE_COLUMNS)
    rows.attrs |= {"kind": advice.kind, "outside": advice.outside, "reason": advice.reason}
    if rows.empty:
        warnings.warn(f"{loaded.id}: {advice.reason}", stacklevel=2)
    return rows
