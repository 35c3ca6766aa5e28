"""Heat map of errors: a row for each scenario, and a column for each family of models.

Scenarios are grouped by regime, the set of their impairments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.families import regimes, short_names
from tcpgoodput.drawing import room, sizes, theme
from tcpgoodput.style import Style

ROW_CM, LOW_ROW_CM, FOOT_CM = 0.42, 0.28, 2.4
"""Heights of a row if there are few rows and if there are many, and of the colour bar with the
legend, in cm. All were chosen by hand."""
MOST_CM = 21.6
"""Height in cm up to which rows have the height ROW_CM. With more rows the rows become lower, down
to LOW_ROW_CM, so that the picture and its caption fit on a page. Chosen by hand."""
COLUMN_CM, LEAST_TITLE_CM = 0.73, 4.0
"""Smallest width of a column, and smallest width of the titles of rows, in cm. Titles that are too
wide are cut. With very many columns, columns are narrower. Both were chosen by hand."""
FOUR_CM = 0.82
"""Width of a column, in cm, in which a bold number of four characters fits at the size NUMBER_PT.
In narrower columns numbers are smaller. Chosen by hand."""
MOST_NAME_CM = 3.2
"""Largest length of a family's name above its column, in cm; longer names are cut. Chosen by hand.
"""
EDGES_CM = 0.4
"""Width of the picture's edges and of the space before the first column, in cm; chosen by hand."""
RISE, RUN = 0.8, 0.64
"""Height and width of a slanted name over its length."""
NUMBER_PT, TITLE_PT = 7.2, 7.0
WIDER_CM = 2.0
"""Width of the picture beyond that of the text, in cm, so that numbers of four characters fit."""
NOTE = "no steady state"
OUT_OF_DOMAIN = ["out-of-domain"]
GREY, WHITE = "#707070", ("white",) * len(sizes.COLOURS)
LEGEND = "Bold: native.  Grey, without a colour: out of domain.  Empty: no value."
AGAIN_LEGEND = "Bold: native.  Empty: out of domain, or no value."

PANEL_ROW_CM, PANEL_TITLE_CM, PANELS = 0.34, 0.7, 2
"""Heights of a row and of the title of a small panel, in cm; number of panels side by side. All
were chosen by hand."""


def draw(
    rows: pd.DataFrame,
    regime_of: Mapping[str, str],
    titles: Mapping[str, str],
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw the models' errors in per cent: in colour in domain, as grey numbers out of domain.

    Args:
        rows: a row for each family and scenario; see `Tables.family_rows`.
        regime_of: the regime (set of impairments) of each scenario, by the scenario's id.
        titles: the title of each scenario, by id.
        names: labels of the families, by `family`.
        style: style of pictures, which gives the width.

    """
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
    sizes.headings_above(axes, heads, NUMBER_PT)
    sizes.bar(picture)
    picture.supxlabel(LEGEND, fontsize=NUMBER_PT)
    return picture


def draw_again(
    again: Mapping[str, pd.DataFrame], names: Mapping[str, str], style: Style
) -> Picture:
    """Draw the errors of models in domain on changed scenarios, with a panel for each variation.

    Args:
        again: a table for each variation, by the variation's label; see
            `Tables.family_rows`.
        names: labels of the families, by `family`.
        style: style of pictures, which gives the width.

    """
    in_domain = {label: rows[rows["status"].isin(IN_DOMAIN)] for label, rows in again.items()}
    in_domain = {
        label: rows for label, rows in in_domain.items() if rows["log_error"].notna().any()
    }
    if not in_domain:
        return theme.message("no family is in domain on a variation", style)
    families = _valued(pd.concat(in_domain.values()), names)
    lines = {label: list(rows["scenario"].unique()) for label, rows in in_domain.items()}
    pairs = [list(lines)[first : first + PANELS] for first in range(0, len(lines), PANELS)]
    heights = [max(len(lines[label]) for label in pair) for pair in pairs]
    upright = _heads(names, families)
    head_cm = max(room.width_cm(head, NUMBER_PT) for head in upright)
    tall = head_cm + PANEL_ROW_CM * sum(heights) + PANEL_TITLE_CM * len(heights) + FOOT_CM
    picture = theme.new_picture(style, tall)
    grid = picture.add_gridspec(len(pairs), PANELS, height_ratios=heights)
    for number, label in enumerate(lines):
        row, column = divmod(number, PANELS)
        axes = picture.add_subplot(grid[row, column])
        _cells(axes, in_domain[label], lines[label], families)
        name_rows(axes, lines[label], short_names(lines[label]))
        if row == 0:
            sizes.headings_above(axes, upright, NUMBER_PT, sizes.UPRIGHT)
        else:
            axes.set_xticks([])
        axes.set_title(label, loc="left")
        axes.set_ylim(heights[row], 0)  # give both panels of a line the same height of rows
    sizes.bar(picture)
    picture.supxlabel(AGAIN_LEGEND, fontsize=NUMBER_PT)
    return picture


def _heads(names: Mapping[str, str], families: Sequence[str]) -> list[str]:
    return [room.cut(names[family], MOST_NAME_CM, NUMBER_PT) for family in families]


def _widths(width_cm: float, heads: Sequence[str], needed_cm: float) -> tuple[float, float]:
    """Return the widths of the titles of rows and of a column, in cm.

    Args:
        width_cm: width of the picture.
        heads: the names above the columns.
        needed_cm: width of the longest title.

    """
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
        (["native"], sizes.COLOURS, {"weight": "bold"}),
        (["reduced"], sizes.COLOURS, {}),
        (OUT_OF_DOMAIN, WHITE, {"color": GREY}),
    ):
        own = errors.where(status.isin(statuses))
        texts, look = own.map(sizes.shown, na_action="ignore"), {"fontsize": size_pt, **look}
        sizes.heat(axes, own, texts=texts, colours=colours, annot_kws=look)


def lines_of(scenarios: Sequence[str], regime_of: Mapping[str, str]) -> list[str]:
    """Return the names of all rows: each regime (set of impairments), followed by its scenarios."""
    groups = {name: [s for s in scenarios if regime_of[s] == name] for name in regimes()}
    return [line for name, own in groups.items() if own for line in (name, *own)]


def name_rows(axes: Axes, lines: Sequence[str], words: Mapping[str, str]) -> None:
    """Label the rows of a heat map: scenarios with a text, and regimes in bold.

    Args:
        axes: the axes of the heat map.
        lines: the names of the rows; see `lines_of`.
        words: the text of each scenario, by id.

    """
    texts = [words.get(line, line.capitalize()) for line in lines]
    axes.set_yticks(axes.get_yticks(), texts, fontsize=TITLE_PT, rotation=0, linespacing=0.9)
    for text, line in zip(axes.get_yticklabels(), lines, strict=True):
        text.set(weight="normal" if line in words else "bold")
