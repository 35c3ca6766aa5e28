"""`tcpgoodput.advise`: which models to take where nothing is simulated."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import Given, load
from tcpgoodput.comparison.census.expected import advice_for
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict

COLUMNS = ["name", "status", "connections", "median_error", "q90_error"]


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
    records = [predict(model, told, conditions).record() for model in MODELS.values()]
    advice = advice_for(told, records)
    rows = pd.DataFrame([vars(model) for model in advice.models], columns=COLUMNS)
    rows.attrs |= {"kind": advice.kind, "outside": advice.outside, "reason": advice.reason}
    return rows
