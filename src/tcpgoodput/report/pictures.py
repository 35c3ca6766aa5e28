"""Draw the pictures in part I of the report: panels with few series, each with a label near it.

`paper/pictures.yaml` defines the pictures; their numbers come from CSV tables of the results.
"""

from __future__ import annotations

import math
from itertools import cycle
from pathlib import Path
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from pydantic import Field

from tcpgoodput.configuration import read, validated
from tcpgoodput.drawing.theme import apply, new_picture, plain_log_ticks, rendered
from tcpgoodput.scenario.types import Identifier, Part, Text
from tcpgoodput.style import Style

FILE = Path("paper/pictures.yaml")

Scale = Literal["linear", "log"]

MARKER_SIZES_PT = (6.6, 4.8, 3.0)
"""Sizes of markers in points, used in turn for the series of a panel, so that three markers at the
same position are all visible. Chosen by hand."""


class Shown(Part):
    """A series of a results table that is drawn, with its style and label."""

    series: Text = Field(description="name of the series in the table")
    style: Text = Field(description="name in the style file: of a model, engine, sender or line")
    marker: Text | None = Field(default=None, description="marker of the points; none: draw a line")
    line: Literal["-", "--", ":"] = "-"
    label: Text | None = Field(default=None, description="what is written beside it")
    at: list[float] = Field(default_factory=list, description="where: x and y of the axes")
    divided_by: Text | None = Field(
        default=None, description="a series of the panel: ratios to it are drawn, at its points"
    )


class Panel(Part):
    """A panel of a picture, with series from one panel of a results table."""

    table: Text = Field(description="path of the table below results/, without .csv")
    panel: Text = Field(description="name of the panel in the table")
    title: Text = ""
    shown: list[Shown]


class Plot(Part):
    """A picture of the report with panels in rows, and common axes."""

    height_cm: float
    width_cm: float | None = None
    x_label: Text
    y_label: Text
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    x_limits: list[float] | None = None
    y_limits: list[float] | None = None
    x_ticks: list[float] | None = None
    y_ticks: list[float] | None = None
    columns: int | None = Field(
        default=None, description="number of panels in a row; default: all panels"
    )
    level: float | None = Field(default=None, description="y of a thin horizontal line")
    panels: list[Panel]


class PicturesFile(Part):
    """Content of `paper/pictures.yaml`."""

    pictures: dict[Identifier, Plot]


def pictures(results: Path, style: Style) -> dict[str, bytes]:
    """Return each picture of part I as PDF and PNG; without its table, it has only a note."""
    apply(style)
    drawn: dict[str, bytes] = {}
    for name, plot in validated(PicturesFile, read(FILE)).pictures.items():
        files = [results / f"{panel.table}.csv" for panel in plot.panels]
        tables = [pd.read_csv(file) for file in files if file.is_file()]
        if len(tables) == len(files):
            picture = _drawn(plot, tables, style)
        else:
            picture = new_picture(style, plot.height_cm, plot.width_cm)
            picture.subplots().set_title("not in this run")
        drawn |= {name + suffix: content for suffix, content in rendered(picture).items()}
    return drawn


def _drawn(plot: Plot, tables: list[pd.DataFrame], style: Style) -> Picture:
    picture = new_picture(style, plot.height_cm, plot.width_cm)
    columns = plot.columns or len(plot.panels)
    rows = math.ceil(len(plot.panels) / columns)
    every = picture.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, panel, table in zip(every.flat, plot.panels, tables, strict=False):
        _draw(axes, plot, panel, table[table["panel"] == panel.panel], style)
    for axes in every.flat[len(plot.panels) :]:
        axes.remove()
    for axes in every[:, 0]:
        axes.set_ylabel(plot.y_label)
    for axes in every[:-1].flat:
        axes.set_xlabel("")
    return picture


def _draw(axes: Axes, plot: Plot, panel: Panel, rows: pd.DataFrame, style: Style) -> None:
    axes.set(xscale=plot.x_scale, xlabel=plot.x_label)
    axes.set_yscale(plot.y_scale)
    axes.set_title(panel.title, loc="left")
    if plot.level is not None:
        axes.axhline(plot.level, color=".4", linewidth=0.6)
    sizes_pt = cycle(MARKER_SIZES_PT)
    for shown in panel.shown:
        own, colour = rows[rows["series"] == shown.series], style.colour(shown.style)
        if shown.divided_by:
            own = _ratios(own, rows[rows["series"] == shown.divided_by])
        if plot.y_limits:
            own = own[own["y"].between(*plot.y_limits)]
        if shown.marker is None:
            axes.plot(own["x"], own["y"], color=colour, linestyle=shown.line)
        else:
            _markers(axes, shown, own, next(sizes_pt), colour)
        if shown.label:
            place = {"transform": axes.transAxes, "color": colour}
            axes.text(*shown.at, shown.label, fontsize=8, **place)
    if plot.x_limits:
        axes.set_xlim(*plot.x_limits)
    if plot.y_limits:
        axes.set_ylim(*plot.y_limits)
    for name, scale in (("x", plot.x_scale), ("y", plot.y_scale)):
        if scale == "log":
            plain_log_ticks(axes, name)
    for axis, ticks in ((axes.xaxis, plot.x_ticks), (axes.yaxis, plot.y_ticks)):
        if ticks:
            axis.set_ticks(ticks, [f"{tick:g}".replace("-", "\u2212") for tick in ticks])
            axis.set_ticks([], minor=True)


def _ratios(own: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Return the ratios of two series at the values of x that both have.

    The intervals of both series are taken as independent: their relative half-widths are added in
    quadrature.
    """
    pairs = own.merge(others, on="x", suffixes=("", "_other"))
    ratio = pairs["y"] / pairs["y_other"]
    halves = [
        ((pairs["y_high" + end] - pairs["y_low" + end]) / 2 / pairs["y" + end]).fillna(0)
        for end in ("", "_other")
    ]
    half = ratio * (halves[0] ** 2 + halves[1] ** 2) ** 0.5
    return pd.DataFrame(
        {"x": pairs["x"], "y": ratio, "y_low": ratio - half, "y_high": ratio + half}
    )


def _markers(axes: Axes, shown: Shown, own: pd.DataFrame, size_pt: float, colour: str) -> None:
    ends = own[["y_low", "y_high"]].sub(own["y"], axis=0).abs().fillna(0).to_numpy().T
    axes.errorbar(
        own["x"],
        own["y"],
        ends,
        color=colour,
        marker=shown.marker,
        markersize=size_pt,
        markerfacecolor="none",
        markeredgewidth=1,
        linestyle=":" if shown.line == ":" else "none",
        linewidth=0.8,
        elinewidth=0.8,
        capsize=1.5,
    )
