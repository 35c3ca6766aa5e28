"""Draw a picture of what a census found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from tcpgoodput.comparison.census.quantities import QUANTITIES
from tcpgoodput.comparison.census.spread import EVERY, PAIRS
from tcpgoodput.drawing import census_tree, dots, sizes, theme
from tcpgoodput.style import Style

LINE_CM, HEAD_CM, FOOT_CM = 0.46, 1.9, 1.9
HOME, OUTSIDE, AWAY = "at home", "outside", "out-of-domain"
DARK, PALE = "#333333", "#9A9A9A"
TICKS = (-100, -25, -5, 0, 5, 25, 100)
FEWEST_SHOWN = 20
"""Answers of a group from which on it is shown."""


def draw(name: str, looks: Mapping[str, Any], table: pd.DataFrame, style: Style) -> Picture:
    """Draw a picture.

    Args:
        name: of the picture, and of the finding that it shows.
        looks: labels of families, names of impairments; see `census.looks`.
        table: the finding.
        style: names and colours of the models.

    Raises:
        ValueError: there is no picture of this name.

    """
    labels = {f: told or style.model(f).label for f, told in looks["labels"].items()}
    match name:
        case "errors":
            return _errors(table, labels, looks["impairments"], style)
        case "calibration":
            return _calibration(table, style)
        case "importance":
            return _importance(table, labels, style)
        case "tree":
            return census_tree.draw(table, labels, style)
    raise ValueError(f"no picture of a census is called {name}")


def _errors(
    rows: pd.DataFrame, labels: Mapping[str, str], impairments: Sequence[str], style: Style
) -> Picture:
    """Draw how each family's errors spread over all connections, and their size in each group."""
    families = [family for family in labels if family in set(rows["family"])]
    groups = [g for g in ("nothing", *impairments, PAIRS) if g in set(rows["happening"])]
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LINE_CM * len(families))
    spread, typical = picture.subplots(1, 2, sharey=True, width_ratios=(1.0, 1.1))
    _spread(spread, rows[rows["happening"] == EVERY], families)
    spread.set_yticks(range(len(families)), [labels[f] for f in families], fontsize=6)
    spread.set_ylim(len(families) - 0.4, -0.6)
    spread.tick_params(axis="y", length=0)
    _typical(typical, rows[rows["standing"] == HOME], families, groups)
    handles = [
        Line2D([], [], color=DARK, linewidth=4, label="at home: half of the errors"),
        Line2D([], [], color=DARK, linewidth=1, label="nine in ten"),
        Line2D([], [], color=PALE, linewidth=4, label="outside: half of the errors"),
        Line2D([], [], color=PALE, linewidth=1, label="nine in ten"),
        Line2D(
            [], [], marker="o", color="white", markeredgecolor=DARK, markersize=3, label="median"
        ),
    ]
    look = {"frameon": False, "fontsize": 6, "columnspacing": 1.2}
    picture.legend(handles=handles, loc="outside lower left", ncols=3, **look)
    picture.legend(handles=sizes.handles(), loc="outside lower right", ncols=2, **look)
    return picture


def _spread(axes: Axes, rows: pd.DataFrame, families: Sequence[str]) -> None:
    """Draw where half and nine in ten of each family's errors lie, beside how many there are."""
    dots.prepare(axes)
    places = {HOME: (-0.16, DARK), OUTSIDE: (0.2, PALE)}
    for row, family in enumerate(families):
        for standing, (offset, colour) in places.items():
            found = rows[(rows["family"] == family) & (rows["standing"] == standing)]
            if found.empty:
                continue
            entry = found.iloc[0]
            y = row + offset
            axes.plot([entry["q05_%"], entry["q95_%"]], [y, y], color=colour, linewidth=0.8)
            axes.plot([entry["q25_%"], entry["q75_%"]], [y, y], color=colour, linewidth=3.2)
            axes.plot(entry["q50_%"], y, "o", color="white", markersize=2.2, zorder=4)
            for end, marker in ((entry["q05_%"], "<"), (entry["q95_%"], ">")):
                if abs(end) > dots.WIDEST:
                    edge = math.copysign(dots.WIDEST, end)
                    axes.plot(edge, y, marker, color=colour, markersize=3, clip_on=False)
            place = {"transform": axes.get_yaxis_transform(), "ha": "left", "va": "center"}
            axes.text(1.025, y, f"{entry['answers']}", fontsize=4.8, color=colour, **place)
    axes.text(1.025, -0.75, "answers", fontsize=4.8, transform=axes.get_yaxis_transform())
    told = [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in TICKS]
    axes.set_xticks(TICKS, told, fontsize=5.6)
    axes.set_xlabel(
        f"Error, 100 ln(model / simulated) [%]; logarithmic beyond ±{dots.LINEAR:g}", fontsize=6
    )


def _typical(
    axes: Axes, rows: pd.DataFrame, families: Sequence[str], groups: Sequence[str]
) -> None:
    """Draw the typical size of errors at home, in per cent, in each group of connections."""
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set(xlim=(0, len(groups)))
    known = rows.set_index(["family", "happening"])
    for row, family in enumerate(families):
        for column, group in enumerate(groups):
            if (family, group) not in known.index:
                continue
            entry = known.loc[(family, group)]
            if entry["answers"] < FEWEST_SHOWN:
                continue
            size = sizes.bin_of(entry["typical_%"] / 100)
            box = Rectangle((column + 0.04, row - 0.42), 0.92, 0.84, facecolor=sizes.COLOURS[size])
            axes.add_patch(box)
            told = f"{entry['typical_%']:.{1 if entry['typical_%'] < 9.95 else 0}f}"
            look = {"ha": "center", "va": "center", "fontsize": 5.6, "color": sizes.INKS[size]}
            axes.text(column + 0.5, row, told, **look)
    axes.xaxis.tick_top()
    across = [column + 0.5 for column in range(len(groups))]
    told = [group.replace("_", " ") for group in groups]
    axes.set_xticks(across, told, rotation=40, ha="left", fontsize=5.6)
    for label in axes.get_xticklabels():
        label.set_rotation_mode("anchor")
    axes.tick_params(length=0)
    axes.set_xlabel("Typical size at home [%]", fontsize=7)


STATUSES = {"native": ("o", DARK, DARK), "reduced": ("o", DARK, "white"), AWAY: ("x", PALE, PALE)}
"""Marker, colour and filling of each."""


def _calibration(rows: pd.DataFrame, style: Style) -> Picture:
    """Draw which share of each model's answers of each status is how close."""
    shown = rows[(rows["answers"] >= FEWEST_SHOWN) & rows["status"].isin(STATUSES)]
    bounds, models = sorted(shown["bound_%"].unique()), list(shown["model"].unique())
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LINE_CM * len(models))
    if not models:
        return _nothing(picture)
    every = picture.subplots(
        1, len(bounds) + 1, sharey=True, width_ratios=[*[1] * len(bounds), 0.85]
    )
    for axes, bound in zip(every, bounds, strict=False):
        axes.set_title(f"within {bound:g} %", fontsize=7)
        axes.set(xlim=(-0.03, 1.03))
        axes.set_xticks([0, 0.5, 1], ["0", "50", "100"])
        for entry in shown[shown["bound_%"] == bound].to_dict("records"):
            marker, colour, face = STATUSES[entry["status"]]
            y = models.index(entry["model"]) + 0.22 * (list(STATUSES).index(entry["status"]) - 1)
            axes.plot([entry["share_low"], entry["share_high"]], [y, y], color=colour)
            look = {"color": colour, "markerfacecolor": face, "markersize": 3.4}
            axes.plot(entry["share"], y, marker, **look)
        axes.set_ylim(len(models) - 0.4, -0.6)
    _answers(every[-1], shown[shown["bound_%"] == bounds[0]], models)
    told = [style.model(model).label for model in models]
    every[0].set_yticks(range(len(models)), told, fontsize=6)
    picture.supxlabel("Share of the answers [%]", fontsize=7)
    handles = [
        Line2D(
            [],
            [],
            marker=marker,
            color=colour,
            markerfacecolor=face,
            linestyle="none",
            markersize=3.4,
            label=status,
        )
        for status, (marker, colour, face) in STATUSES.items()
    ]
    picture.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize=6)
    return picture


def _nothing(picture: Picture) -> Picture:
    """Say that there is nothing to draw."""
    axes = picture.add_subplot()
    axes.axis("off")
    axes.text(0.5, 0.5, "too few connections to tell", ha="center", va="center")
    return picture


def _answers(axes: Axes, rows: pd.DataFrame, models: Sequence[str]) -> None:
    """Write how many answers of each status each model has."""
    axes.axis("off")
    axes.set(xlim=(0, len(STATUSES)))
    axes.set_title("answers", fontsize=7)
    counts = rows.set_index(["model", "status"])["answers"]
    for row, model in enumerate(models):
        for column, (status, (_, colour, _)) in enumerate(STATUSES.items()):
            told = f"{counts[model, status]}" if (model, status) in counts.index else "–"
            place = {"ha": "right", "va": "center", "fontsize": 5, "color": colour}
            axes.text(column + 1, row, told, **place)


def _importance(rows: pd.DataFrame, labels: Mapping[str, str], style: Style) -> Picture:
    """Draw by how much less of each family's errors is explained without each quantity."""
    families = [family for family in labels if family in set(rows["family"])]
    share = rows.groupby("quantity")["importance"].max()
    shown = [name for name in QUANTITIES if share.get(name, 0) > 0.01]
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LINE_CM * len(families))
    if not families:
        return _nothing(picture)
    axes = picture.add_subplot()
    known = rows.set_index(["family", "quantity"])["importance"].clip(lower=0)
    grid = [[known.get((f, q), math.nan) for q in shown] for f in families]
    image = axes.imshow(grid, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.grid(visible=False)
    for row, values in enumerate(grid):
        for column, value in enumerate(values):
            if value >= 0.005:
                ink = "white" if value > 0.55 else "#222222"
                look = {"ha": "center", "va": "center", "fontsize": 5.4, "color": ink}
                axes.text(column, row, f"{value:.2f}", **look)
    explained = rows.groupby("family")["explained"].first()
    told = [f"{labels[f]} ({100 * explained[f]:.0f} %)" for f in families]
    axes.set_yticks(range(len(families)), told, fontsize=6)
    symbols = [QUANTITIES[name].symbol for name in shown]
    axes.set_xticks(range(len(shown)), symbols, fontsize=6, rotation=40, ha="left")
    axes.xaxis.tick_top()
    for label in axes.get_xticklabels():
        label.set_rotation_mode("anchor")
    axes.tick_params(length=0)
    bar = picture.colorbar(image, ax=axes, shrink=0.8, pad=0.01)
    bar.set_label("Loss of explained variance", fontsize=6)
    bar.ax.tick_params(labelsize=5.5)
    return picture
