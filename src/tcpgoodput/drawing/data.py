"""What a picture is drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class FigureData:
    """What a figure shows."""

    rows: pd.DataFrame
    """As published."""
    landmarks: dict[str, dict[str, float]]
    """By panel: the named positions that its curves offer to its marks."""
