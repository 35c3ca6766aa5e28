"""Figures with panels of lines (models), markers (engines) and explanatory marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from tcpgoodput.drawing import legends, names, theme
from tcpgoodput.drawing.marks import INK, FigureData, Points, draw_marks
from tcpgoodput.studies.schema import Axis, LineFigure, Panel, Series, VerticalLine
from tcpgoodput.style import Style

STRIP_CM = 3.0
"""Height of a strip, an additional plot of differences below a panel, with its labels, in cm."""


def has_strip(panel: Panel) -> bool:
    """Whether the panel has a strip, an additional plot of differences between two series."""
    return any(series.against for series in panel.series)


def off_reference(points: Points, reference: Points, scale: str) -> Points:
    """Return the differences of y of points from a reference curve, in per cent of the reference.

    The reference is interpolated on the scale of the x axis, `linear` or `log`. A difference is NaN
    if the reference has no positive value at the point. The intervals of the differences do not
    include the uncertainty of the reference.
    """
    known = np.isfinite(reference.y)
    along = np.log if scale == "log" else np.asarray
    ends = {"left": np.nan, "right": np.nan}
    base = np.full(points.x.shape, np.nan)
    if known.any():
        base = np.interp(along(points.x), along(reference.x[known]), reference.y[known], **ends)
    base[~(base > 0)] = np.nan
    columns = {name: 100 * (getattr(points, name) / base - 1) for name in ("y", "y_low", "y_high")}
    return replace(points, **columns)


def differences(panel: Panel, points: Mapping[str, Points]) -> dict[str, Points]:
    """Return the differences in per cent that a panel's strip (lower plot) shows, by series."""
    return {
        series.key: off_reference(points[series.key], points[series.against], panel.x.scale)
        for series in panel.series
        if series.against
    }


PALE, PALE_WIDTH = 0.6, 1.0
"""Opacity and width in points of a line where its model is out of domain."""
JOINED_WIDTH = 0.7
"""Width in points of the line that joins the markers of a series."""
SINGLE_WIDTH = 0.68
"""Width of a picture with a single column of panels, as a fraction of the text's width."""
AROUND_CM, SECOND_LINE_CM = 1.2, 0.4
"""Part of a panel's width or height for ticks and labels, and height of a label's second line, in
cm."""
ABOVE_LABEL_PT = 15
"""Distance from a panel to its title, in points, if labels of vertical lines are between them."""
WITHIN_PT = 0.8
"""Difference between the font sizes of text and of a legend within a panel, in points."""
FILLED_SIZE = 5.4
"""Size of filled markers, in points. They are larger than open markers and are drawn before them,
so that both are visible at the same place."""
STEP_PT = 1.8
"""Distance, in points, between markers of different series that are drawn side by side."""


@dataclass(frozen=True)
class Cell:
    """Content of one set of axes: a whole panel, or only its models, or one of its engines."""

    name: str
    panel: Panel
    title: str
    heading: str
    """Title of a panel that is split into several axes; it is empty except for the first axes."""
    series: Sequence[Series]
    """The series that are drawn: those of the panel that are shown, or a part of them."""


def draw(figure: LineFigure, data: FigureData, style: Style) -> Picture:
    """Draw all panels of a figure, with strips of differences, and with one or several legends."""
    return _Drawing(figure, data, style).picture()


def cells(figure: LineFigure, style: Style) -> Iterator[Cell]:
    """Yield the content of each set of axes, in the order of the panels that are shown."""
    panels = {name: panel for name, panel in figure.panels.items() if panel.shown}
    for letter, (name, panel) in zip(ascii_lowercase, panels.items(), strict=False):
        title = _title(panel.title or "", letter if len(panels) > 1 else None)
        every = [series for series in panel.series if series.shown]
        if not figure.facets:
            yield Cell(name, panel, title, "", every)
            continue
        origins: dict[str | None, list[Series]] = {}
        for series in every:
            origins.setdefault(series.engine, []).append(series)
        for number, (engine, own) in enumerate(origins.items()):
            called = style.palette.engines[engine].label if engine else legends.MODEL
            yield Cell(name, panel, called, "" if number else title, own)


class _Drawing:
    """Drawing of one figure: the content of each set of axes, and the sizes."""

    def __init__(self, figure: LineFigure, data: FigureData, style: Style) -> None:
        self.figure = figure
        self.data = data
        self.style = style
        self.cells = list(cells(figure, style))
        self.columns = min(figure.columns, len(self.cells))
        self.shares = figure.share_y or figure.facets
        self.width_cm = style.palette.text_width_cm * (1 if self.columns > 1 else SINGLE_WIDTH)
        self.across_cm = self.width_cm / self.columns - AROUND_CM

    def picture(self) -> Picture:
        """Draw all sets of axes and the legends, and return the picture."""
        width_cm = self.width_cm
        entries = self._entries()
        compares = any(has_strip(cell.panel) for cell in self.cells)
        depths = [self.figure.panel_height_cm, *[STRIP_CM] * compares]
        labels = [theme.label_of(cell.panel.x, self.across_cm) for cell in self.cells]
        depths[-1] += SECOND_LINE_CM * any("\n" in label for label in labels)
        heights = depths * math.ceil(len(self.cells) / self.columns)
        legend_cm = legends.rows(entries, width_cm) * legends.ROW_CM
        picture = theme.new_picture(self.style, sum(heights) + legend_cm, width_cm)
        grid = picture.add_gridspec(len(heights), self.columns, height_ratios=heights)
        first: Axes | None = None
        for number, cell in enumerate(self.cells):
            row, column = divmod(number, self.columns)
            row *= len(depths)
            end = row + (1 if has_strip(cell.panel) else len(depths))
            alike = first if self.figure.facets else None
            above = picture.add_subplot(grid[row:end, column], sharex=alike, sharey=first)
            first = above if self.shares and first is None else first
            points = {s.key: self._rows(cell.name, s) for s in cell.panel.series}
            self._panel(above, cell, points)
            if has_strip(cell.panel):
                self._strip(picture.add_subplot(grid[end, column], sharex=above), cell, points)
                _leave_out(above, "x")
            elif self.figure.facets and number + self.columns < len(self.cells):
                _leave_out(above, "x")
            if self.shares and column > 0:
                _leave_out(above, "y")
        if entries:
            legends.draw(picture, entries, width_cm)
        return picture

    def _entries(self) -> dict[str, legends.Handle]:
        """Return the entries of the legend below the panels."""
        drawn = set(self.data.points.series)
        own = [cell.series for cell in self.cells if not cell.panel.legend]
        series = [s for shown in own for s in shown if self.style.label(s) in drawn]
        entries: dict[str, legends.Handle] = {}
        match self.figure.legend:
            case "figure":
                entries = legends.by_label(series, self.style)
            case "colours":
                entries = legends.by_colour(series, self.style)
            case "names" if not self.figure.facets and legends.is_mixed(series, self.style):
                entries = legends.by_kind(series, self.style)
        if len(entries) == 1:
            entries = {}  # a single label says no more than the caption
        return entries | (legends.pale(PALE, PALE_WIDTH) if self._any_pale() else {})

    def _any_pale(self) -> bool:
        """Whether a model is drawn out of its domain at one point or more."""
        return any(
            not self.data.in_domain(cell.name, series.key, rows.x).all()
            for cell in self.cells
            for series in cell.series
            if series.model
            for rows in [self._rows(cell.name, series)]
        )

    def _rows(self, panel: str, series: Series) -> Points:
        """Return the points of a series."""
        points = self.data.points
        return points.chosen((points.panel == panel) & (points.series == self.style.label(series)))

    def _panel(self, axes: Axes, cell: Cell, points: Mapping[str, Points]) -> None:
        panel = cell.panel
        self._draw(axes, cell, points, panel.y, self.figure.panel_height_cm)
        landmarks = self.data.landmarks.get(cell.name, {})
        rows = self.data.points.chosen(self.data.points.panel == cell.name)
        last = not self.figure.facets or axes.get_subplotspec().is_last_col()
        draw_marks(axes, panel, landmarks, rows, self.style, beside=last)
        labelled = any(isinstance(mark, VerticalLine) and mark.label for mark in panel.marks)
        axes.set_title(cell.title, pad=ABOVE_LABEL_PT if labelled else None)
        if cell.heading:
            axes.set_title(f"{cell.heading}\n", loc="left")
        if panel.legend or (self.figure.legend == "panel" and len(cell.series) > 1):
            size = self.style.palette.font_size_pt - WITHIN_PT
            look = {"handlelength": 1.6, "handletextpad": 0.5, "labelspacing": 0.25}
            axes.legend(frameon=False, fontsize=size, borderaxespad=0.2, **look)

    def _strip(self, axes: Axes, cell: Cell, points: Mapping[str, Points]) -> None:
        panel = cell.panel
        y = Axis(label="Difference", unit="%", limits=panel.off_limits)
        self._draw(axes, cell, differences(panel, points), y, STRIP_CM)
        named = {series.against for series in panel.series}
        references = [series for series in panel.series if series.key in named]
        look = {"color": INK, "linewidth": 0.8}
        if len(references) == 1:
            look = theme.line_look(references[0], self.style)
        axes.axhline(0, zorder=1, **look)

    def _draw(
        self, axes: Axes, cell: Cell, points: Mapping[str, Points], y: Axis, tall_cm: float
    ) -> None:
        """Draw the series of one set of axes; series without points are left out."""
        panel, style = cell.panel, self.style
        shown = [s for s in cell.series if s.key in points and points[s.key].x.size]
        measured = [s for s in shown if s.engine]
        open_last = sorted(shown, key=lambda s: bool(s.engine) and not style.is_filled(s.marker))
        for series in open_last:
            own = points[series.key]
            if series.engine:
                place = measured.index(series) - (len(measured) - 1) / 2
                step = STEP_PT * place if self.figure.side_by_side else 0.0
                _markers(axes, series, own, step, _within(own, panel.x, y), self.style)
                if self.figure.facets:
                    look = theme.line_look(series, self.style) | {"linewidth": JOINED_WIDTH}
                    axes.plot(own.x, own.y, **look)
            else:
                in_domain = self.data.in_domain(cell.name, series.key, own.x)
                _line(axes, series, own, in_domain, self.style)
        if self.figure.legend == "names":
            self._names(axes, shown, points)
        theme.set_axis(axes, "x", panel.x, self.across_cm)
        theme.set_axis(axes, "y", y, tall_cm - AROUND_CM)
        if not panel.frame:
            axes.grid(False)
            if panel.x.ticks is None:
                axes.set_xticks([])
            if panel.y.ticks is None:
                axes.set_yticks([])
        axes.spines[["top", "right"]].set_visible(False)

    def _names(self, axes: Axes, shown: Sequence[Series], points: Mapping[str, Points]) -> None:
        """Add the name of each colour to axes, for its first series: the model, if there is one."""
        first: dict[str, Series] = {}
        for series, name in legends.named(shown, self.style):
            first.setdefault(name, series)
        for name, series in first.items():
            own = points[series.key]
            xy = np.column_stack([own.x, own.y])
            colour, size = self.style.look(series).colour, self.style.palette.font_size_pt
            axes.add_artist(names.Name(name, colour, size - WITHIN_PT, xy))


def _markers(
    axes: Axes,
    series: Series,
    points: Points,
    step_pt: float,
    within: NDArray[np.bool_],
    style: Style,
) -> None:
    """Draw markers with intervals; the edge of the panel does not clip markers."""
    look, kind = style.look(series), str(series.marker)
    x, y, low, high = points.x, points.y, points.y_low, points.y_high
    bars = {"ecolor": look.colour, "elinewidth": 0.8, "capsize": 1.5}
    _, caps, intervals = axes.errorbar(
        x, y, yerr=np.vstack([y - low, high - y]), fmt="none", **bars
    ).lines
    face, marker = style.face(kind, look.colour), style.marker(kind)
    shape = {"linestyle": "", "marker": marker, "markerfacecolor": face, "color": look.colour}
    if style.is_filled(kind):
        shape["markersize"] = FILLED_SIZE
    whole = {"clip_on": False, "zorder": 3, "label": style.label(series)}
    drawn = axes.plot(x[within], y[within], **shape, **whole)
    aside = ScaledTranslation(step_pt / 72, 0, axes.figure.dpi_scale_trans)
    # Shift markers after matplotlib has set the axes' limits.
    for artist in (*drawn, *caps, *intervals):
        artist.set_transform(axes.transData + aside)


def _leave_out(axes: Axes, name: str) -> None:
    """Remove the labels of an axis that a panel shares with the panel below or on the left."""
    axes.set(**{f"{name}label": ""})
    side = "bottom" if name == "x" else "left"
    axes.tick_params(axis=name, which="both", **{f"label{side}": False})


def _within(points: Points, x: Axis, y: Axis) -> NDArray[np.bool_]:
    """Return, for each point, whether it is within the limits of both axes."""
    inside = np.ones(points.x.shape, dtype=bool)
    for values, axis in ((points.x, x), (points.y, y)):
        if axis.limits:
            inside &= (values >= min(axis.limits)) & (values <= max(axis.limits))
    return inside


def _line(
    axes: Axes, series: Series, points: Points, in_domain: NDArray[np.bool_], style: Style
) -> None:
    """Draw a line and its interval as a band; parts of the line out of domain are pale."""
    look = theme.line_look(series, style)
    x, y, low, high = points.x, points.y, points.y_low, points.y_high
    # Draw the line pale also between a point out of domain and the next point in domain.
    pale = ~in_domain
    pale[1:] |= ~in_domain[:-1]
    pale[:-1] |= ~in_domain[1:]
    axes.plot(x, np.where(pale, y, np.nan), linewidth=PALE_WIDTH, alpha=PALE, **look)
    axes.plot(x, np.where(in_domain, y, np.nan), label=style.label(series), **look)
    if np.isfinite(low).any():
        axes.fill_between(x, low, high, color=look["color"], alpha=0.2, linewidth=0)


def _title(title: str, letter: str | None) -> str:
    """Return a panel's title with its letter in front, unless it has one; None: a single panel."""
    if letter is None or title.startswith(f"({letter})"):
        return title
    return f"({letter}) {title}".rstrip()
