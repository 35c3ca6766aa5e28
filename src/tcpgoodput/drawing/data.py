"""Data that a figure shows: points or rows, named values, and ranges of x out of domain."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Points:
    """Points of lines and markers, as arrays of equal length; y_low and y_high may be NaN."""

    panel: NDArray[np.str_]
    series: NDArray[np.str_]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    y_low: NDArray[np.float64]
    y_high: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, str]]) -> Points:
        """Return the points from rows of a figure's table; empty fields become NaN."""
        names = [[row[name] for row in rows] for name in ("panel", "series")]
        numbers = [
            [float(row[name] or "nan") for row in rows] for name in ("x", "y", "y_low", "y_high")
        ]
        return cls(*(np.array(n, dtype=str) for n in names), *(np.array(n) for n in numbers))

    def chosen(self, mask: NDArray[np.bool_]) -> Points:
        """Return the points at which the mask is true."""
        return Points(*(column[mask] for column in vars(self).values()))


@dataclass(frozen=True)
class FigureData:
    """The table of a figure, and what else is drawn: landmarks, and ranges of x out of domain."""

    published: str
    """The figure's table of numbers, as CSV."""
    landmarks: dict[str, dict[str, float]]
    """Named positions on the curves of each panel, which marks may use."""
    outside: dict[str, dict[str, list[list[float]]]]
    """Ranges of x, as `[first, last]`, outside the domain of a series' model, by panel and key of
    the series."""

    def in_domain(self, panel: str, series: str, x: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return, for each value of x, whether the model of a series is in domain."""
        in_domain = np.ones(x.shape, dtype=bool)
        for first, last in self.outside.get(panel, {}).get(series, []):
            in_domain &= (x < first) | (x > last)
        return in_domain

    @cached_property
    def points(self) -> Points:
        """The points of all series, for a figure of lines and markers."""
        return Points.of(list(csv.DictReader(io.StringIO(self.published, newline=""))))

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The data as a table, for figures without lines and markers."""
        return pd.read_csv(io.StringIO(self.published))
