"""How far off each model is at each point of a map."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import log_error


def errors_of(rows: pd.DataFrame, model: str) -> pd.DataFrame:
    """Return a model's `log_error` at each point `x`, `y` of a map, and whether it is `at_home`.

    An error is NaN where the model or the simulation has no value.
    """
    pairs = zip(rows[f"{model}_pps"], rows["goodput_pps"], strict=True)
    found = [log_error(float(goodput), float(measured)) for goodput, measured in pairs]
    return pd.DataFrame(
        {
            "x": rows["x"],
            "y": rows["y"],
            "log_error": pd.Series(found, index=rows.index, dtype=float),
            "at_home": rows[f"{model}_status"].isin(AT_HOME),
        }
    )
