"""Pictures of the results of a census, a random sample of connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from tcpgoodput.comparison.census.evidence import EVERY, PAIRS
from tcpgoodput.comparison.census.quantities import QUANTITIES
from tcpgoodput.comparison.errors import BOUNDS, per_cent
from tcpgoodput.drawing import scales, theme
from tcpgoodput.style import Style

LINE_CM, HEAD_CM, FOOT_CM = 0.72, 2.3, 1.6
SPREAD_CM, SPREAD_HEAD_CM = 0.42, 1.9
CELL_CM, HEAT_HEAD_CM = 0.42, 2.8
"""Heights in cm of a family's row in the two parts of the picture of errors, and of the labels of
each part."""
HOME, AWAY = "in domain", "out-of-domain"
DARK, PALE = "#333333", "#9A9A9A"
SMALL_PT = 7.0
HEAT_PT, SLANT = 7.6, 30
"""Font size of the picture of errors in points, and angle of its headings in degrees."""
SPREAD = "Dot: median.  Thick: half.  Thin: nine in ten."
SPREAD_OF_GAINS = f"{SPREAD}  Black: the median's 95 % interval."
TOO_FEW = "too few connections to tell"
FEWEST_SHOWN = 20
"""Smallest number of predictions for which statistics of their errors are drawn."""


def draw(
    name: str,
    looks: Mapping[str, Any],
    table: pd.DataFrame,
    style: Style,
    errors: pd.DataFrame | None = None,
) -> Picture:
    """Draw a picture of one table of results of a census, of the same name.

    The table `errors` has `errors_by` for each `family`, `group` and `status` (in domain, or
    out-of-domain), `calibration` for each `model` and `status`, `gains` `ratios_by` for each
    `other_variant` and `group`. The picture `errors` also needs the errors, a row for each
    connection and family. `looks` are the settings of the census; see
    `comparison.census.read.to_read`.
    """
    labels = {f: label or style.model(f).label for f, label in looks["labels"].items()}
    match name:
        case "errors":
            assert errors is not None
            return _errors(table, errors, labels, looks["impairments"], style)
        case "calibration":
            return _calibration(table, style)
        case "importance":
            return _importance(table, labels, style)
        case "gains":
            return _gains(table, looks["impairments"], style)
    raise ValueError(f"no picture of a census is called {name}")


def _errors(
    table: pd.DataFrame,
    errors: pd.DataFrame,
    labels: Mapping[str, str],
    impairments: Sequence[str],
    style: Style,
) -> Picture:
    """Draw the distribution of each family's errors, and their median size by impairment."""
    families = [family for family in labels if family in set(table["family"])]
    groups = [g for g in ("nothing", *impairments, PAIRS) if g in set(table["group"])]
    heights = [SPREAD_HEAD_CM + SPREAD_CM * len(families), HEAT_HEAD_CM + CELL_CM * len(families)]
    picture = theme.new_picture(style, sum(heights))
    grid = picture.add_gridspec(2, 2, height_ratios=heights)
    first = picture.add_subplot(grid[0, 0])
    pair = (first, picture.add_subplot(grid[0, 1], sharey=first))
    scales.draw_spreads(pair, errors, {f: labels[f] for f in families}, HEAT_PT)
    _medians(picture.add_subplot(grid[1, :]), table[table["status"] == HOME], labels, groups)
    return picture


def _in_words(group: str) -> str:
    return group.replace("_", " ").replace("handoff", "hand-off")


def _medians(
    axes: Axes, rows: pd.DataFrame, labels: Mapping[str, str], groups: Sequence[str]
) -> None:
    """Draw the median size of errors in domain, in per cent, in each group of connections."""
    many = rows[rows["n"] >= FEWEST_SHOWN]
    families = [family for family in labels if family in set(rows["family"])]
    medians = many.pivot(index="family", columns="group", values="median_%")
    medians = medians.reindex(index=families, columns=groups)
    texts = medians.map(lambda v: f"{v:.{1 if v < 9.95 else 0}f}", na_action="ignore")
    scales.heat(axes, medians / 100, texts=texts, annot_kws={"fontsize": HEAT_PT})
    axes.set_yticks(axes.get_yticks(), [labels[family] for family in families], rotation=0)
    scales.headings_above(axes, [_in_words(group) for group in groups], HEAT_PT, SLANT)
    axes.set_xlabel("Median size of the errors in domain [%]")


STATUSES = {"native": ("o", DARK, DARK), "reduced": ("o", DARK, "white"), AWAY: ("x", PALE, PALE)}
"""Marker, edge colour and fill colour of each status."""


def _calibration(rows: pd.DataFrame, style: Style) -> Picture:
    """Draw, for each model and status, the share of predictions within each error bound."""
    shown = rows[(rows["n"] >= FEWEST_SHOWN) & rows["status"].isin(STATUSES)]
    models = list(shown["model"].unique())
    if not models:
        return theme.message(TOO_FEW, style)
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LINE_CM * len(models))
    every = picture.subplots(
        1, len(BOUNDS) + 1, sharey=True, width_ratios=[*[1] * len(BOUNDS), 1.3]
    )
    for axes, bound in zip(every, BOUNDS, strict=False):
        within = f"within_{per_cent(bound):g}"
        axes.set_title(f"within {per_cent(bound):g} %")
        axes.set(xlim=(-3, 103), xticks=(0, 50, 100))
        for entry in shown.to_dict("records"):
            marker, colour, face = STATUSES[entry["status"]]
            y = models.index(entry["model"]) + 0.22 * (list(STATUSES).index(entry["status"]) - 1)
            ends = [entry[f"{within}_low_%"], entry[f"{within}_high_%"]]
            axes.plot(ends, [y, y], color=colour)
            look = {"color": colour, "markerfacecolor": face, "markersize": 3.4}
            axes.plot(entry[f"{within}_%"], y, marker, **look)
        axes.set_ylim(len(models) - 0.4, -0.6)
    _answers(every[-1], shown, models)
    labels_of_models = [style.model(model).label for model in models]
    every[0].set_yticks(range(len(models)), labels_of_models)
    picture.supxlabel("Share of the answers [%]")
    size = {"linestyle": "none", "markersize": 3.4}
    handles = [
        Line2D([], [], marker=marker, color=colour, markerfacecolor=face, label=status, **size)
        for status, (marker, colour, face) in STATUSES.items()
    ]
    picture.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
    return picture


def _answers(axes: Axes, rows: pd.DataFrame, models: Sequence[str]) -> None:
    """Write, for each model, the number of predictions with each status."""
    axes.axis("off")
    axes.set(xlim=(0, len(STATUSES)))
    axes.set_title("answers")
    counts = rows.set_index(["model", "status"])["n"]
    for row, model in enumerate(models):
        for column, (status, (_, colour, _)) in enumerate(STATUSES.items()):
            text = f"{counts[model, status]}" if (model, status) in counts.index else "–"
            place = {"ha": "right", "va": "center", "fontsize": SMALL_PT, "color": colour}
            axes.text(column + 1, row, text, **place)


def _gains(table: pd.DataFrame, impairments: Sequence[str], style: Style) -> Picture:
    """Draw the distribution of the ratio of two samples' goodputs, by impairment and sender."""
    many = table[(table["n"] >= FEWEST_SHOWN) & (table["other_variant"] != EVERY)]
    groups = [g for g in (EVERY, "nothing", *impairments, PAIRS) if g in set(many["group"])]
    variants = [name for name in style.palette.variants if name in set(many["other_variant"])]
    if not groups:
        return theme.message(TOO_FEW, style)
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LINE_CM * len(groups))
    axes = picture.add_subplot()
    for number, variant in enumerate(variants):
        look = {"color": style.palette.variants[variant].colour, "solid_capstyle": "butt"}
        own = many[many["other_variant"] == variant].set_index("group")
        for row, group in enumerate(groups):
            if group not in own.index:
                continue
            y = row + 0.22 * (number - (len(variants) - 1) / 2)
            seen = own.loc[group]
            axes.plot([seen["q05"], seen["q95"]], [y, y], linewidth=0.9, **look)
            axes.plot([seen["q25"], seen["q75"]], [y, y], linewidth=3.2, **look)
            ends = [seen["q50_low"], seen["q50_high"]]
            axes.plot(ends, [y, y], linewidth=1.2, **look | {"color": "black"})
            axes.plot(seen["q50"], y, "o", markersize=3.5, markeredgecolor="white", **look)
        axes.plot([], [], "o-", markersize=3.5, label=style.palette.variants[variant].label, **look)
    axes.axvline(1, color=DARK, linewidth=0.7, zorder=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set(xlabel="Goodput / goodput of the other sender on the same path")
    axes.set_yticks(range(len(groups)), [_in_words(group) for group in groups])
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    look = {"frameon": False, "ncols": len(variants), "title": SPREAD_OF_GAINS}
    picture.legend(loc="outside upper center", **look)
    return picture


def _importance(rows: pd.DataFrame, labels: Mapping[str, str], style: Style) -> Picture:
    """Draw the permutation importance of each quantity of connections for each family's errors."""
    import seaborn as sns

    families = [family for family in labels if family in set(rows["family"])]
    share = rows.groupby("quantity")["importance"].max()
    shown = [name for name in QUANTITIES if share.get(name, 0) > 0.01]
    if not families:
        return theme.message(TOO_FEW, style)
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LINE_CM * len(families))
    axes = picture.add_subplot()
    share = rows.pivot(index="family", columns="quantity", values="importance").clip(lower=0)
    share = share.reindex(index=families, columns=shown)
    texts = share.map(lambda v: f"{100 * v:.0f}" if v >= 0.005 else "", na_action="ignore")
    look = {"cmap": "Blues", "vmin": 0, "vmax": 100, "annot_kws": {"fontsize": SMALL_PT}}
    bar = {"label": "Loss of explained variance [%]", "pad": 0.01}
    sns.heatmap(100 * share, annot=texts, fmt="", cbar_kws=bar, ax=axes, **look)
    explained = rows.groupby("family")["explained"].first()
    headings = [f"{labels[f]} ({100 * explained[f]:.0f} %)" for f in families]
    axes.set_yticks(axes.get_yticks(), headings, rotation=0)
    scales.headings_above(axes, [QUANTITIES[name].symbol for name in shown], SMALL_PT)
    axes.tick_params(length=0)
    axes.set(xlabel="", ylabel="")
    return picture
