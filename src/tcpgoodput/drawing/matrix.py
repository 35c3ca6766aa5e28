"""Heat maps of errors: of all families on all scenarios, and of each model over two parameters.

Scenarios are grouped by regime, the set of their impairments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from tcpgoodput.comparison.answers import IN_DOMAIN, errors_of
from tcpgoodput.comparison.families import regimes, short_names
from tcpgoodput.comparison.schema import Map
from tcpgoodput.drawing import room, scales, theme
from tcpgoodput.style import Style

ROW_CM, LOW_ROW_CM, FOOT_CM = 0.42, 0.28, 2.4
"""Heights of a row if there are few rows and if there are many, and of the colour bar with the
legend, in cm."""
MOST_CM = 21.6
"""Height in cm up to which rows have the height ROW_CM. With more rows the rows become lower, down
to LOW_ROW_CM, so that the picture and its caption fit on a page."""
COLUMN_CM, LEAST_TITLE_CM = 0.73, 4.0
"""Smallest width of a column, and smallest width of the titles of rows, in cm. Titles that are too
wide are cut. With very many columns, columns are narrower."""
FOUR_CM = 0.82
"""Width of a column, in cm, in which a bold number of four characters fits at the size NUMBER_PT.
In narrower columns numbers are smaller."""
MOST_NAME_CM = 3.2
"""Largest length of a family's name above its column, in cm; longer names are cut."""
EDGES_CM = 0.4
"""Width of the picture's edges and of the space before the first column, in cm."""
RISE, RUN = 0.8, 0.64
"""Height and width of a slanted name over its length."""
NUMBER_PT, TITLE_PT = 7.2, 7.0
WIDER_CM = 2.0
"""Width of the picture beyond that of the text, in cm, so that numbers of four characters fit."""
NOTE = "no steady state"
OUT_OF_DOMAIN = ["out-of-domain"]
GREY, WHITE = "#707070", ("white",) * len(scales.COLOURS)
LEGEND = "Bold: native.  Grey, without a colour: out of domain.  Empty: no value."
AGAIN_LEGEND = "Bold: native.  Empty: out of domain, or no value."

PANEL_ROW_CM, PANEL_TITLE_CM, PANELS = 0.34, 0.7, 2
"""Heights of a row and of the title of a small panel, in cm; number of panels side by side."""


def draw(
    rows: pd.DataFrame,
    regime_of: Mapping[str, str],
    titles: Mapping[str, str],
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw the errors of families in per cent: in colour in domain, else as grey numbers."""
    if not (families := _valued(rows, names)):
        return theme.message("no family has a value", style)
    lines = lines_of(list(rows["scenario"].unique()), regime_of)
    heads = _heads(names, families)
    head_cm = RISE * max(room.width_cm(head, NUMBER_PT) for head in heads)
    row_cm = min(ROW_CM, max(LOW_ROW_CM, (MOST_CM - head_cm - FOOT_CM) / len(lines)))
    width_cm = style.palette.text_width_cm + WIDER_CM
    picture = theme.new_picture(style, head_cm + FOOT_CM + row_cm * len(lines), width_cm)
    axes = picture.add_subplot()
    short = short_names(line for line in lines if line in titles)
    words = {s: f"{name}  {titles[s]}" for s, name in short.items()}
    needed_cm = max(room.width_cm(text, TITLE_PT) for text in words.values())
    title_cm, column_cm = _widths(width_cm, heads, needed_cm)
    _cells(axes, rows, lines, families, NUMBER_PT * min(1.0, column_cm / FOUR_CM))
    name_rows(axes, lines, {s: room.cut(text, title_cm, TITLE_PT) for s, text in words.items()})
    _note_rows(axes, rows, lines)
    scales.headings_above(axes, heads, NUMBER_PT)
    scales.bar(picture)
    picture.supxlabel(LEGEND, fontsize=NUMBER_PT)
    return picture


def draw_again(
    again: Mapping[str, pd.DataFrame], names: Mapping[str, str], style: Style
) -> Picture:
    """Draw the errors in domain on changed scenarios, with a panel for each variation's label.

    A panel has the families that are in domain on its scenarios. The panels with most rows come
    first, so that neighbours have about as many.
    """
    in_domain = {label: rows[rows["status"].isin(IN_DOMAIN)] for label, rows in again.items()}
    in_domain = {
        label: rows for label, rows in in_domain.items() if rows["log_error"].notna().any()
    }
    if not in_domain:
        return theme.message("no family is in domain on a variation", style)
    families = {label: _valued(rows, names) for label, rows in in_domain.items()}
    lines = {label: list(rows["scenario"].unique()) for label, rows in in_domain.items()}
    order = sorted(lines, key=lambda label: -len(lines[label]))
    pairs = [order[first : first + PANELS] for first in range(0, len(order), PANELS)]
    heights = [len(lines[pair[0]]) for pair in pairs]
    heads = {label: _heads(names, own) for label, own in families.items()}
    heads_cm = [
        max(room.width_cm(head, NUMBER_PT) for label in pair for head in heads[label])
        for pair in pairs
    ]
    tall = sum(heads_cm) + PANEL_ROW_CM * sum(heights) + PANEL_TITLE_CM * len(heights) + FOOT_CM
    picture = theme.new_picture(style, tall)
    grid = picture.add_gridspec(len(pairs), PANELS, height_ratios=heights)
    columns = max(map(len, families.values()))
    for number, label in enumerate(order):
        row, column = divmod(number, PANELS)
        axes = picture.add_subplot(grid[row, column])
        _cells(axes, in_domain[label], lines[label], families[label])
        name_rows(axes, lines[label], short_names(lines[label]))
        scales.headings_above(axes, heads[label], NUMBER_PT, scales.UPRIGHT)
        axes.set_title(label, loc="left")
        # All panels have cells of the same width, and both panels of a line cells of one height.
        axes.set(xlim=(0, columns), ylim=(heights[row], 0))
    scales.bar(picture)
    picture.supxlabel(AGAIN_LEGEND, fontsize=NUMBER_PT)
    return picture


def _heads(names: Mapping[str, str], families: Sequence[str]) -> list[str]:
    return [room.cut(names[family], MOST_NAME_CM, NUMBER_PT) for family in families]


def _widths(width_cm: float, heads: Sequence[str], needed_cm: float) -> tuple[float, float]:
    """Return the widths of the titles of rows (the longest needs `needed_cm`) and of a column."""
    ends = (n * COLUMN_CM + RUN * room.width_cm(h, NUMBER_PT) for n, h in enumerate(heads, 1))
    right_cm = max(ends) - len(heads) * COLUMN_CM  # the end of a slanted name
    left_cm = width_cm - EDGES_CM - right_cm
    title_cm = min(needed_cm, max(left_cm - COLUMN_CM * len(heads), LEAST_TITLE_CM))
    return title_cm, (left_cm - title_cm) / len(heads)


def _note_rows(axes: Axes, rows: pd.DataFrame, lines: Sequence[str]) -> None:
    """Write a note into the row of each scenario that was simulated but has no errors."""
    for line, own in rows.groupby("scenario"):
        if own["simulated_bps"].notna().any() and own["log_error"].isna().all():
            place = lines.index(str(line)) + 0.5
            axes.text(0.15, place, NOTE, va="center", fontsize=NUMBER_PT, color=GREY)


def _valued(rows: pd.DataFrame, names: Mapping[str, str]) -> list[str]:
    """Return the families that have an error on at least one scenario, in the order of `names`."""
    valued = set(rows.dropna(subset="log_error")["family"])
    return [family for family in names if family in valued]


def _cells(
    axes: Axes,
    rows: pd.DataFrame,
    lines: Sequence[str],
    families: Sequence[str],
    size_pt: float = NUMBER_PT,
) -> None:
    """Draw the heat map's cells: native predictions bold, those out of domain grey, uncoloured."""
    table = rows.pivot(index="scenario", columns="family", values=["log_error", "status"])
    errors = table["log_error"].astype(float).reindex(lines, columns=families)
    status = table["status"].reindex(lines, columns=families)
    for statuses, colours, look in (
        (["native"], scales.COLOURS, {"weight": "bold"}),
        (["reduced"], scales.COLOURS, {}),
        (OUT_OF_DOMAIN, WHITE, {"color": GREY}),
    ):
        own = errors.where(status.isin(statuses))
        texts, look = own.map(scales.shown, na_action="ignore"), {"fontsize": size_pt, **look}
        scales.heat(axes, own, texts=texts, colours=colours, annot_kws=look)


def lines_of(scenarios: Sequence[str], regime_of: Mapping[str, str]) -> list[str]:
    """Return the names of all rows: each regime (set of impairments), followed by its scenarios."""
    groups = {name: [s for s in scenarios if regime_of[s] == name] for name in regimes()}
    return [line for name, own in groups.items() if own for line in (name, *own)]


def name_rows(axes: Axes, lines: Sequence[str], words: Mapping[str, str]) -> None:
    """Label the rows of a heat map: scenarios with a text, and regimes in bold; see `lines_of`."""
    texts = [words.get(line, line.capitalize()) for line in lines]
    axes.set_yticks(axes.get_yticks(), texts, fontsize=TITLE_PT, rotation=0, linespacing=0.9)
    for text, line in zip(axes.get_yticklabels(), lines, strict=True):
        text.set(weight="normal" if line in words else "bold")


MAP_COLUMNS, MAP_PANEL_CM, MAP_FOOT_CM = 3, 3.9, 2.6
"""Largest number of panels in a row; heights of a row, and of colour bar and legend, in cm."""
NOTHING = "#DDDDDD"
MAP_LABEL_PT = 8.2
EDGE = "#888888"
FEWEST_TICKS = 3
"""If fewer powers of ten than this number lie on a logarithmic axis, its ticks are at 1, 2 and 5
times each power of ten."""
Array = NDArray[np.float64]


def draw_map(region: Map, models: Sequence[str], rows: pd.DataFrame, style: Style) -> Picture:
    """Draw a map of errors for each model; points out of the model's domain are hatched.

    Models that are out of domain at all points are left out. If all models are out of domain at all
    points, all models are drawn. `rows` has a row for each point of the map; see
    `comparison.answers.errors_of`.
    """
    found = {model: errors_of(rows, model) for model in models}
    shown = {model: own for model, own in found.items() if own["in_domain"].any()} or found
    columns = min(MAP_COLUMNS, len(shown))
    lines = math.ceil(len(shown) / columns)
    picture = theme.new_picture(style, MAP_PANEL_CM * lines + MAP_FOOT_CM)
    panels = picture.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (model, own) in zip(panels.flat, shown.items(), strict=False):
        _panel(axes, region, own)
        share = 100 * own["in_domain"].mean()
        title = f"{style.model(model).label} ({share:.0f} %)"
        axes.set_title(title, loc="left")
    for axes in panels.flat[len(shown) :]:
        axes.remove()
    for column in range(columns):
        last = (len(shown) - 1 - column) // columns
        panels[last, column].tick_params(labelbottom=True)
        panels[last, column].set_xlabel(theme.label_of(region.x), fontsize=MAP_LABEL_PT)
    picture.supylabel(theme.label_of(region.y), fontsize=style.palette.font_size_pt)
    scales.bar(picture, signed=True)
    label = "out of domain (in brackets: the part in domain)"
    handles = [
        Patch(facecolor="white", edgecolor=EDGE, hatch="/////", label=label),
        Patch(color=NOTHING, label="no value"),
    ]
    picture.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
    return picture


def _panel(axes: Axes, region: Map, own: pd.DataFrame) -> None:
    errors, in_domain = (
        own.pivot(index="y", columns="x", values=values) for values in ("log_error", "in_domain")
    )
    axes.set_facecolor(NOTHING)
    scales.heat(axes, errors, colours=scales.SIGNED, linewidths=0, rasterized=True)
    # Repeat each cell as 2 × 2 points, so that the contours follow the edges of cells.
    out_of_domain = np.kron(~in_domain.to_numpy(bool), np.ones((2, 2)))
    if out_of_domain.any():
        steps = (np.repeat(np.arange(n + 1), 2)[1:-1] for n in errors.T.shape)
        hatched = axes.contourf(
            *steps, out_of_domain, levels=[0.5, 1.5], colors="none", hatches=["/////"]
        )
        hatched.set(edgecolor=EDGE, linewidth=0)
    axes.invert_yaxis()
    axes.spines[:].set_visible(True)
    axes.tick_params(length=3)
    for along, axis, values in (
        (axes.xaxis, region.x, errors.columns),
        (axes.yaxis, region.y, errors.index),
    ):
        ticks, texts = ticks_of(values.to_numpy(float), axis.values.scale)
        along.set_ticks(ticks, texts, rotation=0)


def ticks_of(values: Array, scale: str) -> tuple[Array, list[str]]:
    """Return the positions and texts of ticks at round numbers along an axis of a heat map.

    The values of the cells along the axis ascend on a `linear` or `log` scale. The width of a cell
    is 1, and the first cell begins at 0.
    """
    low, high = values[[0, -1]]
    if scale == "log":
        decades = 10.0 ** np.arange(math.floor(math.log10(low)), math.log10(high) + 1)
        close = np.count_nonzero((decades >= low) & (decades <= high)) < FEWEST_TICKS
        numbers = np.outer(decades, [1, 2, 5] if close else [1]).ravel()
    else:
        numbers = MaxNLocator(4).tick_values(low, high)
    shown = numbers[(numbers >= low * (1 - 1e-9)) & (numbers <= high * (1 + 1e-9))]
    along = np.log if scale == "log" else np.asarray
    places = np.interp(along(shown), along(values), np.arange(values.size) + 0.5)
    return places, [f"{number:g}" for number in shown]
