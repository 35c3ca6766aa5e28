"""Strips below panels, which show the relative differences of two series in per cent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tcpgoodput.drawing.data import Points
from tcpgoodput.studies.schema import Panel

HEIGHT_CM = 3.0
"""Height of a strip with its labels, in cm."""


def has_strip(panel: Panel) -> bool:
    """Whether the panel has a strip of differences: a series that is compared with another one."""
    return any(series.against for series in panel.series)


def off(points: Points, reference: Points, scale: str) -> Points:
    """Return the differences of points to an interpolated reference, in per cent of the reference.

    A difference is NaN if the reference has no positive value at the point. The intervals do not
    include the uncertainty of the reference.

    Args:
        points: points of a series.
        reference: points of the series that is the reference.
        scale: scale of the x axis, `linear` or `log`, along which the reference is interpolated.

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
    """Return the differences in per cent that a panel's strip shows, by the key of the series.

    Args:
        panel: the panel; `against` names the reference of a series.
        points: the points of each series, by key.

    """
    return {
        series.key: off(points[series.key], points[series.against], panel.x.scale)
        for series in panel.series
        if series.against
    }
