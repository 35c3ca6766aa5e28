"""Ratios of simulated goodput to that of ns-2 and Linux, a row for each group of connections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from tcpgoodput.drawing import theme
from tcpgoodput.engines.base import ENGINE_NAMES
from tcpgoodput.style import Style

HEAD_CM = 2.2
ROW_CM, POINT_CM, MOST_ROW_CM = 0.5, 0.02, 1.3
"""Heights in cm: the least of a row, of a point in the row with most points, and the largest of a
row."""

MOST_CM = 22.0
"""Largest height of the picture in cm, which leaves space for a caption of three lines. If the
picture has too many rows for this height, the rows are drawn closer together."""

WIDEST = 5.5
"""Largest ratio on the axis; the smallest ratio is its inverse. Other ratios are drawn at the ends
of the axis."""

TICKS = (0.2, 1 / 3, 0.5, 0.7, 1, 1.4, 2, 3, 5)
FEW_TICKS = (0.2, 0.5, 1, 2, 5)

COLUMNS = {
    "ns-2": ("ns2", False),
    "Linux": ("linux", False),
    "Linux's sender": ("linux", True),
}
"""Columns of the picture of scenarios by title: the engine, and whether the simulated sender is the
kernel's."""

NARROW_ROW_CM, LEAST_ROWS_CM = 0.5, 2.5
"""Height of a row of the picture of scenarios, and smallest height of all rows together, in cm."""

SPREAD = 0.8
"""Fraction of a row's height over which its points are spread, so that intervals do not overlap."""

MARKER = {"markersize": 3.2, "markeredgewidth": 0.7}

KINDS = ("o", "^", "s", "D", "v", "P", "X")
"""Markers of the unchanged scenario and of its variations in the picture of scenarios."""
PLAIN = "as it is"
PALE = 0.7
"""Opacity of the marker of a ratio that has no interval, because there are too few runs."""

Group = tuple[str, pd.DataFrame]
"""Name of a row of the picture, and the row's pairs of measurements by the packet simulator and by
ns-2 or Linux."""


def by_study(pairs: pd.DataFrame) -> list[Group]:
    """Return the measured pairs in groups: one for each study and each of ns-2 and Linux.

    The pairs of a group are in the order of their ratios, so that its row shows their distribution.
    """
    groups = pairs.sort_values("ratio").groupby(["source", "engine"])
    return [
        (f"{source}: {ENGINE_NAMES[engine]}".replace("_", " "), group)
        for (source, engine), group in groups
    ]


def by_scenario(pairs: pd.DataFrame, labels: Mapping[str, str]) -> list[Group]:
    """Return the pairs in groups, one for each scenario with its variations.

    A group contains the pairs with ns-2 and the pairs with Linux. The added column `kind` is `as it
    is` for the unchanged scenario, else the label of the variation.
    """
    kinds = pairs["variation"].map({**labels, "": PLAIN})
    ordered = pairs.assign(kind=kinds).sort_values("x", kind="stable")
    rows = ordered.groupby("figure", sort=False)
    groups = dict(iter(rows))
    return [(str(stem), groups[stem]) for stem in pairs["figure"].unique()]


def draw(groups: Iterable[Group], style: Style) -> Picture:
    """Draw each pair's ratio with its interval; a marker is filled if the interval excludes 1."""
    groups = list(groups)
    most = max((len(group) for _, group in groups), default=0)
    row_cm = min(max(ROW_CM, POINT_CM * most), MOST_ROW_CM)
    picture = theme.new_picture(style, min(HEAD_CM + row_cm * len(groups), MOST_CM))
    axes = picture.add_subplot()
    engines = list(dict.fromkeys(engine for _, group in groups for engine in group["engine"]))
    for row, (_, group) in enumerate(groups):
        _draw_row(axes, row, group, group["engine"].map(style.marker), style)
    if engines:
        shapes = [
            _shape(style.marker(engine), style.engine(engine).label, color=style.colour(engine))
            for engine in engines
        ]
        handles = [*shapes, *_faces(groups)]
        place = {"loc": "outside upper center", "ncols": len(handles)}
        picture.legend(handles=handles, frameon=False, columnspacing=1.2, **place)
    else:
        axes.text(1, 0, "Nothing recorded of these connections", ha="center", va="center")
    _prepare(axes, [name for name, _ in groups], TICKS)
    axes.set_xlabel("Simulated goodput / goodput in ns-2 or Linux")
    return picture


def draw_columns(groups: Iterable[Group], style: Style) -> Picture:
    """Draw the ratios of the groups of `by_scenario`, with a column for each engine and sender.

    The columns are ns-2, Linux, and Linux with the simulated sender of its kernel. Markers stand
    for the variations; a marker is filled if the interval of the ratio excludes 1.
    """
    groups = list(groups)
    rows_cm = max(NARROW_ROW_CM * len(groups), LEAST_ROWS_CM)
    picture = theme.new_picture(style, min(HEAD_CM + rows_cm, MOST_CM))
    names = pd.concat([group["kind"] for _, group in groups]).unique() if groups else []
    kinds = dict(zip(map(str, names), KINDS, strict=False))
    every = picture.subplots(1, len(COLUMNS), sharey=True)
    for axes, (title, (engine, is_kernels)) in zip(every, COLUMNS.items(), strict=True):
        for row, (_, group) in enumerate(groups):
            own = group[(group["engine"] == engine) & (group["sender"].notna() == is_kernels)]
            _draw_row(axes, row, own, own["kind"].map(kinds), style)
        axes.set_title(title)
        _prepare(axes, [name for name, _ in groups], FEW_TICKS)
    every[1].set_xlabel("Simulated goodput / goodput in ns-2 or Linux")
    handles = [*(_shape(marker, kind) for kind, marker in kinds.items()), *_faces(groups)]
    place = {"loc": "outside upper center", "ncols": 3}
    picture.legend(handles=handles, frameon=False, columnspacing=1.2, **place)
    return picture


def _prepare(axes: Axes, names: Sequence[str], ticks: Sequence[float]) -> None:
    """Set the axes of a picture whose rows have the given names, with a line at the ratio 1."""
    axes.axvline(1, color=theme.INK, linewidth=0.8, zorder=1)
    axes.set_xscale("log")
    axes.set_xlim(0.95 / WIDEST, 1.05 * WIDEST)
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.2g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x")
    axes.spines[["top", "right"]].set_visible(False)


def _draw_row(
    axes: Axes, row: int, group: pd.DataFrame, markers: Iterable[str], style: Style
) -> None:
    heights = row + SPREAD * (np.linspace(-0.5, 0.5, len(group) + 2)[1:-1])
    ratios = group["ratio"].clip(1 / WIDEST, WIDEST).to_numpy(float)
    ends = group[["ratio_low", "ratio_high"]].clip(1 / WIDEST, WIDEST).to_numpy(float)
    boundless = group["agrees"].isna().to_numpy()  # because of too few runs
    for place, (pair, marker) in enumerate(zip(group.itertuples(), markers, strict=True)):
        colour = style.colour(str(pair.engine))
        if not boundless[place]:
            axes.hlines(heights[place], *ends[place], color=colour, linewidth=0.6)
            for beyond, edge, arrow in (
                (pair.ratio_low < 1 / WIDEST, 1 / WIDEST, "<"),
                (pair.ratio_high > WIDEST, WIDEST, ">"),
            ):
                if beyond:
                    axes.plot(edge, heights[place], arrow, color=colour, markersize=2.2)
        look = {"linestyle": "", "marker": marker, "color": colour, **MARKER}
        look |= {"alpha": PALE if boundless[place] else 1.0}
        face = "white" if boundless[place] or pair.agrees else colour
        axes.plot(ratios[place], heights[place], markerfacecolor=face, **look)


def _shape(marker: str, label: str, **look: Any) -> Line2D:
    """Return a legend entry with a marker: hollow and dark unless `look` says otherwise."""
    look = {"linestyle": "", "color": theme.INK, "markerfacecolor": "white", **MARKER, **look}
    return Line2D([], [], marker=marker, label=label, **look)


def _faces(groups: Iterable[Group]) -> Iterator[Line2D]:
    """Yield legend entries of ratios whose interval contains 1, does not, or has no bounds."""
    yield _shape("o", "the interval contains 1")
    yield _shape("o", "it does not", markerfacecolor=theme.INK)
    if any(group["agrees"].isna().any() for _, group in groups):
        yield _shape("o", "no interval", alpha=PALE)
