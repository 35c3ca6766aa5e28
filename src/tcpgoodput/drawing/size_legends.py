"""Legends of errors as colours: a patch for each bin."""

from __future__ import annotations

from itertools import pairwise

from matplotlib.patches import Patch

from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.drawing import sizes


def handles() -> list[Patch]:
    """Return the legend of the bins."""
    return [Patch(color=c, label=w) for c, w in zip(sizes.COLOURS, sizes.words(), strict=True)]


def signed_handles() -> list[Patch]:
    """Return the legend of the bins with signs."""
    ends = [f"{per_cent(bound):+g}".replace("-", "−") for bound in sizes.SIGNED_BOUNDS]
    between = [f"{low} to {high} %" for low, high in pairwise(ends)]
    told = [f"below {ends[0]} %", *between, f"above {ends[-1]} %"]
    white = sizes.SIGNED[len(sizes.SIGNED) // 2]
    edges = [sizes.EDGE if colour == white else colour for colour in sizes.SIGNED]
    looks = zip(sizes.SIGNED, edges, told, strict=True)
    return [Patch(facecolor=face, edgecolor=edge, label=label) for face, edge, label in looks]


def hollow(edge: str) -> Patch:
    """Return the legend of what is outside of its domain."""
    return Patch(facecolor="white", edgecolor=edge, label="outside its domain")
