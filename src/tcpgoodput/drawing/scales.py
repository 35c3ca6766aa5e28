"""How pictures show errors: colours of their classes, heat maps, and dots along an axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.errors import BOUNDS, SPREAD_LEVELS, per_cent, quantile

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


LINEAR, WIDEST = 5.0, 250.0
"""Largest error on the linear part of the axis, and error at the ends of the axis, in per cent."""
TICKS = (-100, -25, -10, 0, 10, 25, 100)
CHARACTER = 0.062
"""Estimated mean width of a character of a scenario's name, in the units that `_place` defines."""
MOST_NAMES = 4
NAME_PT = 8.2
LABEL = "Error, 100 ln(model / simulated) [%]"
INSIDE, OUT_OF_DOMAIN = "in domain", "out of domain"
BLUE, GREY, DARK_GREY = "#0072B2", "#9A9A9A", "#6E6E6E"
FEW_TICKS = (-100, -10, 0, 10, 100)


def draw_dots(
    axes: Axes, rows: pd.DataFrame, lines: Mapping[str, str], short: Mapping[str, str]
) -> None:
    """Draw a dot for each error, and the scenario's name above each dot of a model in domain.

    `rows` has `log_error`, `status`, `scenario` and `line` for each dot; `lines` has the labels of
    the lines of dots, by `line`, from top to bottom.
    """
    import seaborn as sns

    error = rows["log_error"].map(per_cent).clip(-WIDEST, WIDEST).astype(float)
    in_domain = rows["status"].isin(IN_DOMAIN)
    standing = in_domain.map({True: INSIDE, False: OUT_OF_DOMAIN})
    order = [one for one in (INSIDE, OUT_OF_DOMAIN) if (standing == one).any()]
    look = {"palette": {INSIDE: BLUE, OUT_OF_DOMAIN: GREY}, "alpha": 0.8, "clip_on": False}
    own = {"x": error, "y": rows["line"], "order": list(lines), "hue": standing, "hue_order": order}
    sns.stripplot(**own, dodge=True, jitter=False, size=4.5, legend=False, ax=axes, **look)
    for number, line in enumerate(lines):
        here = in_domain & (rows["line"] == line)
        row = number - (0.2 if len(order) > 1 else 0)
        named = zip(error[here], rows["scenario"][here].map(short), strict=True)
        for x, text in _joined(sorted(named)):
            offset = {"textcoords": "offset points", "xytext": (0, 3), "in_layout": False}
            axes.annotate(text, (x, row), ha="center", va="bottom", fontsize=NAME_PT, **offset)
    prepare(axes)
    axes.set(xlabel=LABEL, ylabel="")
    axes.set_yticks(range(len(lines)), list(lines.values()))
    axes.tick_params(axis="y", length=0)


def draw_spreads(
    pair: Sequence[Axes], rows: pd.DataFrame, families: Mapping[str, str], size_pt: float
) -> None:
    """Draw the spread of each family's errors: on the first axes in domain, on the second out.

    A dot is the median; a thick line contains half of the errors, and a thin one nine in ten. The
    numbers at the right edge, of the given size, count the errors. Families are labelled from top
    to bottom.
    """
    in_domain = rows["status"].isin(IN_DOMAIN)
    parts = ((INSIDE, BLUE, in_domain), (OUT_OF_DOMAIN, DARK_GREY, ~in_domain))
    for axes, (title, colour, chosen) in zip(pair, parts, strict=True):
        prepare(axes, ticks=FEW_TICKS)
        axes.axvline(0, color=DARK_GREY, linewidth=0.8, zorder=0)
        errors = rows[chosen].dropna(subset="log_error").groupby("family")["log_error"]
        margin = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": size_pt}
        for row, family in enumerate(families):
            if family not in errors.groups:
                continue
            own = errors.get_group(family).to_numpy(float)
            spread = [per_cent(quantile(own, level)) for level in SPREAD_LEVELS.values()]
            low, lower, middle, upper, high = np.clip(spread, -WIDEST, WIDEST)
            look = {"color": colour, "solid_capstyle": "butt"}
            axes.plot([low, high], [row, row], linewidth=0.9, **look)
            axes.plot([lower, upper], [row, row], linewidth=3.2, **look)
            axes.plot(middle, row, "o", markersize=4, markeredgecolor="white", color=colour)
            axes.text(1.02, row, f"{len(own)}", **margin)
        axes.set_title(title)
        axes.set_xlabel("Error [%]")
        axes.set_yticks(range(len(families)), list(families.values()))
        axes.set_ylim(len(families) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
    pair[1].tick_params(axis="y", labelleft=False)


def prepare(axes: Axes, names: str = "x", ticks: Sequence[float] = TICKS) -> None:
    """Set up axes, `x`, `y` or `xy`, for errors in per cent: linear about 0, else logarithmic."""
    axes.grid(visible=False)
    for name in names:
        texts = [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in ticks]
        getattr(axes, f"set_{name}scale")("symlog", linthresh=LINEAR)
        axes.set(**{f"{name}lim": (-WIDEST, WIDEST)})
        getattr(axes, f"set_{name}ticks")(ticks, texts)
        line = axes.axvline if name == "x" else axes.axhline
        for bound in (0.0, *BOUNDS):
            for side in (-1, 1):
                line(side * per_cent(bound), color="#E0E0E0", linewidth=0.5, zorder=0)
    axes.minorticks_off()


def _joined(named: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return names of scenarios with positions; join names that would overlap into one text."""
    groups = [[dot] for dot in named]
    for _ in named:
        apart: list[list[tuple[float, str]]] = []
        for group in groups:
            if apart and _ends(group)[0] < _ends(apart[-1])[1]:
                apart[-1] += group
            else:
                apart.append(group)
        groups = apart
    return [(_middle(group), _text(group)) for group in groups]


def _text(group: list[tuple[float, str]]) -> str:
    names = [name for _, name in group[:MOST_NAMES]]
    more = f" +{len(group) - MOST_NAMES}" if len(group) > MOST_NAMES else ""
    return ", ".join(names) + more


def _middle(group: list[tuple[float, str]]) -> float:
    return sum(x for x, _ in group) / len(group)


def _ends(group: list[tuple[float, str]]) -> tuple[float, float]:
    """Return the positions (see `_place`) at which the text above some dots begins and ends."""
    place, half = _place(_middle(group)), CHARACTER * (len(_text(group)) + 1) / 2
    return place - half, place + half


def _place(x: float) -> float:
    """Return the position of an error on the axis.

    The linear part on each side of zero has length 1. Each decade beyond it also has length 1.
    """
    size = abs(x)
    beyond = math.log10(size / LINEAR) if size > LINEAR else 0.0
    return math.copysign(min(size, LINEAR) / LINEAR + beyond, x)
