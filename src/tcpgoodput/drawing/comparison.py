"""Pictures of all models on all scenarios, maps and held-out connections."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.comparison.families import label_of, short_names
from tcpgoodput.comparison.table import Tables
from tcpgoodput.drawing import legends, matrix, scales, theme
from tcpgoodput.style import Style


def draw(name: str, tables: Tables, style: Style) -> Picture:
    """Draw the errors on all scenarios: `matrix`, `variations`, `ranking` or `sensitivity`."""
    label = label_of(tables.settings.families, style)
    names = {family: label(family) for family in tables.labels}
    regimes, again = tables.compared.regimes[""], tables.settings.variations
    match name:
        case "matrix":
            return matrix.draw(
                tables.family_rows(""), regimes, tables.compared.titles, names, style
            )
        case "variations":
            own = {v.label: tables.family_rows(variation) for variation, v in again.items()}
            return matrix.draw_again(own, names, style)
        case "ranking":
            return draw_ranking(tables.ranking, tables.family_rows(""), names, style)
        case "sensitivity":
            return draw_sensitivity(tables.changes, tables.compared.variation_labels, names, style)
    raise ValueError(f"no picture of the comparison is called {name}")


RANKING_LINE_CM, RANKING_FOOT_CM = 0.66, 1.2


def draw_ranking(
    ranking: pd.DataFrame,
    rows: pd.DataFrame,
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw the errors of each family in each regime as a line of dots, with rank and median error.

    A regime is a set of impairments. There is a dot for each unchanged scenario; see
    `Tables.family_rows`.
    """
    plain = ranking[ranking["variation"] == ""].to_dict("records")
    if not plain:
        return theme.message("no family is in domain on a scenario", style)
    sizes: dict[str, str] = {}
    lines: dict[str, str] = {}
    for one in plain:
        regime, line = one["regime"], _line(one["regime"], one["family"])
        lines.setdefault(regime, f"{regime.capitalize()} ({one['of']})")
        rank = "" if pd.isna(one["rank"]) else f"{one['rank']}. "
        lines[line] = f"{rank}{names[one['family']]} ({one['n']})"
        sizes[line] = f"{one['median_%']:.2g} %"
    in_domain = rows[rows["status"].isin(IN_DOMAIN)].dropna(subset="log_error")
    in_domain = in_domain.assign(line=_line(in_domain["regime"], in_domain["family"]))
    picture = theme.new_picture(style, RANKING_LINE_CM * len(lines) + RANKING_FOOT_CM)
    axes = picture.add_subplot()
    scales.draw_dots(axes, in_domain, lines, short_names(rows["scenario"]))
    for row, (line, text) in enumerate(zip(lines, axes.get_yticklabels(), strict=True)):
        if line in sizes:
            place = {"transform": axes.get_yaxis_transform(), "va": "center"}
            axes.text(1.01, row, sizes[line], **place)
        else:
            text.set_weight("bold")
            axes.axhline(row - 0.5, color="#BBBBBB", linewidth=0.5)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    return picture


def _line(regime: Any, family: Any) -> Any:
    """Return the name of a line of dots, `regime: family`; arguments are texts or columns."""
    return regime + ": " + family


PANELS_IN_LINE, PANEL_CM, SENSITIVITY_FOOT_CM = 3, 5.6, 1.4
TICKS = (-100, -10, 0, 10, 100)
SIMULATED, PREDICTED = "Simulated change [%]", "Change in the model [%]"


def draw_sensitivity(
    changes: pd.DataFrame, labels: Mapping[str, str], names: Mapping[str, str], style: Style
) -> Picture:
    """Draw predicted changes of goodput against simulated changes, for the families in domain.

    The change is caused by a variation of a scenario (a change of its keys), with a panel for each
    variation. Each point belongs to a scenario and a family; see `Tables.changes`. On the diagonal,
    the predicted and the simulated change are equal.
    """
    import seaborn as sns

    in_domain = changes[changes["status"].isin(IN_DOMAIN)]
    in_domain = in_domain.dropna(subset=["model_change", "simulated_change"])
    predicted, simulated, half = (
        in_domain[name].map(per_cent) for name in ("model_change", "simulated_change", "half_width")
    )
    points = pd.DataFrame(
        {
            "family": in_domain["family"].map(names),
            "variation": in_domain["variation"].map(labels),
            **{SIMULATED: simulated, PREDICTED: predicted},
            **{"low": simulated - half, "high": simulated + half},
        }
    )
    shown = [label for label in labels.values() if (points["variation"] == label).any()]
    families = [name for name in names.values() if (points["family"] == name).any()]
    if not shown:
        return theme.message("no family is in domain on a variation", style)
    lines, columns = math.ceil(len(shown) / PANELS_IN_LINE), min(PANELS_IN_LINE, len(shown))
    picture = theme.new_picture(style, PANEL_CM * lines + SENSITIVITY_FOOT_CM)
    panels = picture.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).flat
    colours = {name: style.model(family).colour for family, name in names.items()}
    look = {"hue": "family", "hue_order": families, "style": "family", "style_order": families}
    look["palette"] = colours
    for number, (label, axes) in enumerate(zip(shown, panels, strict=False)):
        own = points[points["variation"] == label]
        axes.hlines(own[PREDICTED], own["low"], own["high"], color=scales.GREY, linewidth=0.6)
        sns.scatterplot(own, x=SIMULATED, y=PREDICTED, ax=axes, s=22, alpha=0.8, **look)
        scales.prepare(axes, "xy", ticks=TICKS)
        axes.axline((0, 0), (1, 1), color=scales.GREY, linewidth=0.8, zorder=0)
        axes.set_title(label, loc="left")
        handles = axes.get_legend_handles_labels()
        axes.get_legend().remove()
        if number + columns >= len(shown):  # the lowest panel of its column
            axes.tick_params(labelbottom=True)
            axes.set_xlabel(SIMULATED, visible=True)
    for axes in panels:
        axes.remove()
    entries = dict(zip(handles[1], handles[0], strict=True))
    ncols = legends.columns(entries, style.palette.text_width_cm)
    picture.legend(*handles, loc="outside lower center", ncols=ncols, frameon=False)
    return picture


HELD_LINE_CM, HELD_FOOT_CM = 0.5, 2.0
COUNTS_PT = 7.6
"""Font size of the numbers of answers, in points."""


def draw_held(rows: pd.DataFrame, names: Mapping[str, str], style: Style) -> Picture:
    """Draw the spread of each family's errors on held-out connections, in and out of domain."""
    valued = set(rows.dropna(subset="log_error")["family"])
    families = {family: name for family, name in names.items() if family in valued}
    picture = theme.new_picture(style, HELD_LINE_CM * len(families) + HELD_FOOT_CM)
    scales.draw_spreads(picture.subplots(1, 2, sharey=True), rows, families, COUNTS_PT)
    return picture
