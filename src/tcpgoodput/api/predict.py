"""`tcpgoodput.predict`: what models say of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from tcpgoodput.api.load import Given, load
from tcpgoodput.api.names import known_conditions, known_models
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
