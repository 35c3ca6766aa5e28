"""Names next to lines, in the colours of the lines, at places where no other line is nearer.

The places depend on the positions of the axes, which are known only after the layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

GAP_PT = 1.5
"""Smallest distance of a name from a line, a marker or another text, in points."""
STEP_PT = 2.5
"""Distance between the places that are tried for a name, and between the points of a line, in
points."""
LEADER_PT = 8.0
"""Cost of a leader, a thin line that connects a name with its line, in addition to its length, as a
distance in points."""
SEPARATE_PT = 8.0
"""Two lines are easy to tell apart where they are this far apart, in points."""
CLEARER, AMBIGUOUS = 1.5, 4.0
"""A name should be `CLEARER` times as far from each other line as from its own; each point that is
lacking costs as much as `AMBIGUOUS` points of distance."""
BUNDLED_PT, CROSSING_PT = 30.0, 10.0
"""Cost of a name at a part of its line that other lines cover, and of a leader that crosses another
line, as a distance in points."""
LEADER_WIDTH, LEADER_POINTS = 0.5, 10
"""Width of a leader in points, and the number of its points that are compared with lines and
texts."""
WIDE_PT, WORTH = 18.0, 0.1
"""Room around a name counts up to `WIDE_PT` points from the other lines, and a point of room is
worth `WORTH` points of distance."""


CONTRAST = 4.5
"""Smallest contrast of a name with white paper: that of text in WCAG 2.2, criterion 1.4.3."""


def readable(colour: str) -> str:
    """Return a colour for text on white paper: the same hue, dark enough to be read.

    Contrast and luminance are those of WCAG 2.2. Lines may be lighter, because they are wider than
    the strokes of letters.

    Example:
        >>> readable("#0072b2"), readable("#e69f00")
        ('#0072b2', '#9c6c00')

    """
    own = np.array(to_rgb(colour))
    for share in np.linspace(1, 0, 101):
        shown = share * own
        linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
        if 1.05 / (linear @ (0.2126, 0.7152, 0.0722) + 0.05) >= CONTRAST:
            break
    return to_hex(shown)


class Name(Text):
    """The name of a line, in a readable form of its colour; `place` moves it next to the line."""

    def __init__(self, text: str, colour: str, size_pt: float, points: Numbers) -> None:
        """Create the name of a line with points of shape (n, 2), in data coordinates."""
        super().__init__(
            text=text, color=readable(colour), ha="center", va="center", fontsize=size_pt
        )
        self.points = points
        self.set_in_layout(False)


def place(picture: Picture) -> None:
    """Move the names of a picture's lines next to their lines; the layout must be final."""
    FigureCanvasAgg(picture)  # the size of a text is known only with a canvas
    for axes in picture.axes:
        names = [artist for artist in axes.texts if isinstance(artist, Name)]
        if names:
            _place(axes, names, picture.dpi / 72)


def _place(axes: Axes, names: Sequence[Name], scale: float) -> None:
    """Place the names of one set of axes; those with the least favourable places come first."""
    bounds = axes.get_window_extent()
    pixels = [axes.transData.transform(name.points) for name in names]
    own = [_within(bounds, _filled(points, STEP_PT * scale)) for points in pixels]
    covered = np.vstack([*own, *_drawn(axes, STEP_PT * scale)])
    boxes = [text.get_window_extent() for text in axes.texts if text not in names]
    leaders = np.empty((0, 2))
    tried = []
    for number, name in enumerate(names):
        others = np.vstack([np.empty((0, 2)), *own[:number], *own[number + 1 :]])
        if len(own[number]):
            tried.append(_Places(name, own[number], others, covered, bounds, scale))
        else:
            name.set_visible(False)  # the line is outside the limits of the axes
    for places in sorted(tried, key=lambda places: -places.cost.min()):
        leaders = np.vstack([leaders, places.take(axes, boxes, leaders)])
        boxes.append(places.name.get_window_extent())


class _Places:
    """Places for one name: a grid of boxes, each with a point of the line and a cost."""

    def __init__(
        self,
        name: Name,
        own: Numbers,
        others: Numbers,
        covered: Numbers,
        bounds: Bbox,
        scale: float,
    ) -> None:
        """Rate all places for a name.

        `own` and `others` are points in pixels, of shape (n, 2), of its line and of the other named
        lines; a name should not cover the points `covered`. `scale` is pixels per point.
        """
        self.name, self.own, self.gap = name, own, GAP_PT * scale
        box = name.get_window_extent()
        self.half = np.array([box.width, box.height]) / 2
        self.centres = _grid(bounds, self.half + self.gap, STEP_PT * scale)
        self.unit = 100 * bounds.width
        separate = np.minimum(_distance(own, np.zeros(2), others), SEPARATE_PT * scale)
        bundled = BUNDLED_PT * scale * (1 - separate / max(separate.max(), self.gap))
        from_own = _apart(self.centres, self.half, own)
        apart = from_own + bundled[None, :]
        self.anchors = np.argmin(apart, axis=1)
        near = from_own.min(axis=1)
        beside = _distance(self.centres, self.half, others)
        direct = near + AMBIGUOUS * np.maximum(0, CLEARER * near - beside)
        direct += bundled[np.argmin(from_own, axis=1)]
        direct -= WORTH * np.minimum(beside, WIDE_PT * scale)
        leader = LEADER_PT * scale + apart.min(axis=1)
        leader += CROSSING_PT * scale * self._crossings(others, scale)
        self.led = leader < direct
        self.cost = np.minimum(leader, direct)
        # A covered place costs more than any free one.
        self.cost[_distance(self.centres, self.half, covered) < self.gap] += self.unit

    def _crossings(self, others: Numbers, scale: float) -> Numbers:
        """Return, for each place, 1 if its leader crosses another line, and else 0."""
        from scipy.spatial import KDTree  # only where names are placed, to start fast

        if not len(others):
            return np.zeros(len(self.centres))
        # The leader's end is at its own line.
        close, _ = KDTree(others).query(self._leaders[:, :-1], distance_upper_bound=STEP_PT * scale)
        return np.isfinite(close).any(axis=1).astype(float)

    @cached_property
    def _leaders(self) -> Numbers:
        """Points along the leader of each place, of shape (places, points, 2)."""
        ends = self.own[self.anchors]
        starts = np.clip(ends, self.centres - self.half, self.centres + self.half)
        parts = np.linspace(0, 1, LEADER_POINTS)[None, :, None]
        return starts[:, None] + parts * (ends - starts)[:, None]

    def take(self, axes: Axes, boxes: Sequence[Bbox], leaders: Numbers) -> Numbers:
        """Move the name to its best place, and return the points of its leader, if it has one.

        Neither name nor leader should cover the boxes of other texts, and the name no other leader.
        """
        cost = self.cost + self.unit * (_distance(self.centres, self.half, leaders) < self.gap)
        for box in boxes:
            half, middle = np.array(box.size) / 2, (box.min + box.max)[None] / 2
            cost += 2 * self.unit * (_distance(self.centres, self.half + half, middle) < self.gap)
            through = [_distance(points, half, middle) for points in self._leaders.swapaxes(0, 1)]
            cost += self.unit * (self.led & (np.min(through, axis=0) < self.gap))
        best = int(np.argmin(cost))
        to_data = axes.transData.inverted()
        self.name.set_position(tuple(to_data.transform(self.centres[best])))
        if not self.led[best]:
            return np.empty((0, 2))
        xs, ys = to_data.transform(self._leaders[best]).T
        leader = Line2D(xs, ys, color=self.name.get_color(), linewidth=LEADER_WIDTH, zorder=1)
        leader.set_in_layout(False)
        axes.add_line(leader)
        return self._leaders[best]


def _drawn(axes: Axes, step: float) -> Iterator[Numbers]:
    """Yield points of everything that names should not cover: lines, markers and intervals."""
    bounds = axes.get_window_extent()
    for line in axes.lines:
        if not np.size(line.get_xdata()):
            continue
        if line.get_linestyle() == "None":
            # The four corners of each marker.
            half = line.get_markersize() / 2 * axes.figure.dpi / 72
            at = line.get_transform().transform(line.get_xydata())
            corners = [(-half, -half), (-half, half), (half, -half), (half, half)]
            yield _within(bounds, np.vstack([at + np.array(corner) for corner in corners]))
        else:
            ends = line.get_transform().transform(np.asarray(line.get_xydata(), float))
            yield _within(bounds, _filled(ends, step))
    for intervals in axes.collections:
        if isinstance(intervals, LineCollection):
            for path in intervals.get_paths():
                ends = intervals.get_transform().transform(path.vertices)
                yield _within(bounds, _filled(ends, step))


def _filled(ends: Numbers, step: float) -> Numbers:
    """Return points along a line, at most `step` apart; gaps of the line stay."""
    parts = [ends[np.isfinite(ends).all(axis=1)]]
    for start, stop in pairwise(ends):
        if np.isfinite([start, stop]).all():
            count = int(np.hypot(*(stop - start)) / step)
            parts.append(start + np.linspace(0, 1, count + 2)[1:-1, None] * (stop - start))
    return np.vstack(parts)


def _within(bounds: Bbox, points: Numbers) -> Numbers:
    return points[((points >= bounds.min) & (points <= bounds.max)).all(axis=1)]


def _grid(bounds: Bbox, half: Numbers, step: float) -> Numbers:
    """Return the centres of boxes within `bounds` that are `step` apart, of shape (n, 2)."""
    low, high = bounds.min + half, np.maximum(bounds.max - half, bounds.min + half + 1)
    xs, ys = (np.arange(low[n], high[n], step) for n in (0, 1))
    return np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)


def _apart(centres: Numbers, half: Numbers, points: Numbers) -> Numbers:
    """Return the distance of each box from each point, of shape (boxes, points)."""
    squares = np.zeros((len(centres), len(points)))
    for n in (0, 1):
        apart = np.abs(centres[:, None, n] - points[None, :, n])
        squares += np.square(np.maximum(apart - half[n], 0, out=apart), out=apart)
    return np.sqrt(squares, out=squares)


def _distance(centres: Numbers, half: Numbers, points: Numbers) -> Numbers:
    """Return the distance of each box from the nearest of some points; infinite without points."""
    return _apart(centres, half, points).min(axis=1, initial=np.inf)
