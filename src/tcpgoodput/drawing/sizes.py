"""Colours of errors: classes of errors, heat maps, and the colour bar that explains them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.errors import BOUNDS, per_cent

COLOURS = ("#9ECAE1", "#FEE391", "#FE9929", "#A63603")
"""Colours of the classes of errors, from small to large, which colour-blind readers can tell
apart."""

INKS = ("black", "black", "black", "white")

SIGNED = ("#2166AC", "#92C5DE", "#D1E5F0", "#FFFFFF", "#FDDBC7", "#F4A582", "#B2182B")
"""Colours of signed errors, ColorBrewer's RdBu: blue (model far below the simulation), white (near
zero), red (far above)."""

SIGNED_BOUNDS = (*(-bound for bound in reversed(BOUNDS)), *BOUNDS)

UPRIGHT = 90
MOST_SHOWN = 999
"""Largest size of an error in per cent that is written in full; larger ones are written like
`+2e3`."""


def words() -> list[str]:
    """Return the names of the classes of errors by size, from small to large: `below 5 %`, ..."""
    ends = [f"{per_cent(bound):g}" for bound in BOUNDS]
    between = [f"{low} to {high} %" for low, high in pairwise(ends)]
    return [f"below {ends[0]} %", *between, f"above {ends[-1]} %"]


def shown(error: float) -> str:
    """Return an error, ln(model / simulated), as a rounded percentage with its sign."""
    value = per_cent(error)
    if abs(value) > MOST_SHOWN:
        return f"{value:+.0e}".replace("e+0", "e").replace("-", "−")
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def heat(
    axes: Axes,
    errors: pd.DataFrame,
    *,
    texts: pd.DataFrame | None = None,
    colours: Sequence[str] = COLOURS,
    **look: Any,
) -> None:
    """Draw a heat map of errors, ln(model / simulated), coloured by classes of sizes or `SIGNED`.

    A cell with NaN stays empty. Further arguments are those of seaborn's `heatmap`.
    """
    import seaborn as sns

    signed = len(colours) == len(SIGNED)
    look = {"linewidths": 1, "xticklabels": True, "yticklabels": True, **look}
    scale = {"cmap": ListedColormap(colours), "norm": _norm(signed), "vmin": 0, "vmax": 1}
    values = errors if signed else errors.abs()
    sns.heatmap(values, annot=texts, fmt="", cbar=False, ax=axes, **scale, **look)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.set(xlabel="", ylabel="")


def bar(picture: Picture, *, signed: bool = False) -> None:
    """Draw the colour bar that explains the colours of errors or of sizes, below a picture."""
    colours, bounds = (SIGNED, SIGNED_BOUNDS) if signed else (COLOURS, BOUNDS)
    scale = ScalarMappable(_norm(signed), ListedColormap(colours))
    shape = {"location": "bottom", "aspect": 7 * len(colours), "shrink": 0.1 * len(colours)}
    shape |= {"spacing": "uniform", "extendfrac": "auto", "extendrect": True, "drawedges": True}
    label = "Error [%]" if signed else "Size of the error [%]"
    drawn = picture.colorbar(scale, ax=picture.axes, label=label, **shape)
    texts = [f"{per_cent(bound):{'+' * signed}g}".replace("-", "−") for bound in bounds]
    drawn.set_ticks(list(bounds), labels=texts)
    drawn.ax.tick_params(length=0)


def headings_above(axes: Axes, names: Sequence[str], size_pt: float, rotation: float = 50) -> None:
    """Write the names of a heat map's columns above it; the angle `UPRIGHT` is vertical."""
    axes.xaxis.tick_top()
    look = {"rotation": rotation, "rotation_mode": "anchor", "fontsize": size_pt}
    look |= {"ha": "left", "va": "center" if rotation == UPRIGHT else "bottom"}
    axes.set_xticks(axes.get_xticks(), names, **look)


def _norm(signed: bool) -> BoundaryNorm:
    bounds = SIGNED_BOUNDS if signed else BOUNDS
    return BoundaryNorm(bounds, len(bounds) + 1, extend="both")
