"""Data of a picture: points, rows, landmarks and domains."""

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
    """Points of lines and markers: their places, values and the ends of their intervals."""

    panel: NDArray[np.str_]
    series: NDArray[np.str_]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    y_low: NDArray[np.float64]
    y_high: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, str]]) -> Points:
        """Return the points of published rows; empty fields become NaN."""
        names = [[row[name] for row in rows] for name in ("panel", "series")]
        numbers = [
            [float(row[name] or "nan") for row in rows] for name in ("x", "y", "y_low", "y_high")
        ]
        return cls(*(np.array(n, dtype=str) for n in names), *(np.array(n) for n in numbers))

    def chosen(self, mask: NDArray[np.bool_]) -> Points:
        """Return some of the points."""
        return Points(*(column[mask] for column in vars(self).values()))


@dataclass(frozen=True)
class FigureData:
    """Data of a figure."""

    published: str
    """The table of its numbers, as CSV."""
    landmarks: dict[str, dict[str, float]]
    """Named positions on the curves of each panel, which marks may use."""
    outside: dict[str, dict[str, list[list[float]]]]
    """Ranges of x outside the domain of a series' model, by panel and series."""

    def in_domain(self, panel: str, series: str, x: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell at which x a series is not outside its model's domain."""
        home = np.ones(x.shape, dtype=bool)
        for first, last in self.outside.get(panel, {}).get(series, []):
            home &= (x < first) | (x > last)
        return home

    @cached_property
    def points(self) -> Points:
        """The rows of a figure of lines."""
        return Points.of(list(csv.DictReader(io.StringIO(self.published, newline=""))))

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The rows of any other figure."""
        return pd.read_csv(io.StringIO(self.published))
