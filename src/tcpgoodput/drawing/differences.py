"""Strips below panels: by how many per cent a series is off another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tcpgoodput.drawing.data import Points
from tcpgoodput.studies.schema import Panel

HEIGHT_CM = 3.0
"""Of a strip with what is written about it."""


def has_strip(panel: Panel) -> bool:
    """Tell whether anything in a panel is drawn against something else."""
    return any(series.against for series in panel.series)


def off(points: Points, reference: Points, scale: str) -> Points:
    """Return by how many per cent points are off a reference, between whose points a line runs.

    Where the reference has no value, or none above zero, there is nothing. An interval is that of
    the points alone.

    Args:
        points: of a series.
        reference: the points of another.
        scale: of the axis along which the line is straight.

    """
    known = np.isfinite(reference.y)
    along = np.log if scale == "log" else np.asarray
    ends = {"left": np.nan, "right": np.nan}
    base = np.full(points.x.shape, np.nan)
    if known.any():
        base = np.interp(along(points.x), along(reference.x[known]), reference.y[known], **ends)
    base[~(base > 0)] = np.nan
    columns = {name: 100 * (getattr(points, name) / base - 1) for name in ("y", "y_low", "y_high")}
    return replace(points, **columns)


def against(panel: Panel, points: Mapping[str, Points]) -> dict[str, Points]:
    """Return what a panel's strip shows, by the series' keys.

    Args:
        panel: with series that are drawn against others.
        points: of each series, by its key.

    """
    return {
        series.key: off(points[series.key], points[series.against], panel.x.scale)
        for series in panel.series
        if series.against
    }
