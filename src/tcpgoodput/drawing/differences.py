"""Strips below panels, which show the relative differences of two series in per cent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tcpgoodput.drawing.data import Points
from tcpgoodput.studies.schema import Panel

HEIGHT_CM = 3.0
"""Height of a strip with its labels."""


def has_strip(panel: Panel) -> bool:
    """Tell whether a series of the panel is compared with another one."""
    return any(series.against for series in panel.series)


def off(points: Points, reference: Points, scale: str) -> Points:
    """Return the differences of points to an interpolated reference, in per cent of the reference.

    They are NaN if the reference has no positive value at a point. Intervals are those of the
    points alone.

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
