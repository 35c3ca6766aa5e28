"""Errors as colours, and the legend of these colours."""

from __future__ import annotations

import bisect
from itertools import pairwise

from matplotlib.patches import Patch

from tcpgoodput.comparison.errors import BOUNDS, per_cent

COLOURS = ("#9ECAE1", "#FEE391", "#FE9929", "#A63603")
"""From the smallest errors to the largest: blue, yellow, orange, brown, for any colour vision."""

INKS = ("black", "black", "black", "white")

SIGNED = ("#2166AC", "#67A9CF", "#D1E5F0", "#FFFFFF", "#FDDBC7", "#EF8A62", "#B2182B")
"""From far below, blue, to far above, red; white about zero."""

SIGNED_INKS = ("white", "black", "black", "black", "black", "black", "white")

SIGNED_BOUNDS = (*(-bound for bound in reversed(BOUNDS)), *BOUNDS)

EDGE = "#888888"


def bin_of(error: float) -> int:
    """Return the number of the bin in which the size of an error lies."""
    return bisect.bisect_right(BOUNDS, abs(error))


def signed_bin_of(error: float) -> int:
    """Return the number of the bin in which an error with its sign lies."""
    return bisect.bisect_right(SIGNED_BOUNDS, error)


def words() -> list[str]:
    """Return what the bins are called."""
    ends = [f"{per_cent(bound):g}" for bound in BOUNDS]
    between = [f"{low} to {high} %" for low, high in pairwise(ends)]
    return [f"below {ends[0]} %", *between, f"above {ends[-1]} %"]


def handles() -> list[Patch]:
    """Return the legend of the bins."""
    return [Patch(color=c, label=w) for c, w in zip(COLOURS, words(), strict=True)]


def signed_handles() -> list[Patch]:
    """Return the legend of the bins with signs."""
    ends = [f"{per_cent(bound):+g}".replace("-", "−") for bound in SIGNED_BOUNDS]
    between = [f"{low} to {high} %" for low, high in pairwise(ends)]
    told = [f"below {ends[0]} %", *between, f"above {ends[-1]} %"]
    white = SIGNED[len(SIGNED) // 2]
    edges = [EDGE if colour == white else colour for colour in SIGNED]
    looks = zip(SIGNED, edges, told, strict=True)
    return [Patch(facecolor=face, edgecolor=edge, label=label) for face, edge, label in looks]


def hollow(edge: str) -> Patch:
    """Return the legend of what is outside of its domain."""
    return Patch(facecolor="white", edgecolor=edge, label="outside its domain")
