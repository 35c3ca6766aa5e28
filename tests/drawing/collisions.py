"""Faults of a drawn picture that its reader would see: texts that collide, and bare axes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.text import Text
from matplotlib.transforms import Bbox

TOUCHING_PT, APART_PT = 1.0, 1.5
"""The boxes of two lines of text may overlap by TOUCHING_PT, because a box is higher than most
letters. Two texts side by side must be APART_PT apart."""

FEWEST_LABELS = 2


def faults(picture: Picture) -> list[str]:
    """Return the faults of a picture whose layout is final, as sentences."""
    return [*_collisions(picture), *_beyond(picture), *_bare(picture)]


def _texts(picture: Picture) -> Iterator[tuple[Text, Bbox]]:
    """Yield the visible texts of a picture with their boxes in points.

    The text of a matplotlib axis that lies outside the limits of the axis is not drawn.
    """
    picture.set_dpi(72)
    picture.draw_without_rendering()
    unseen = {id(text) for axes in picture.axes for text in _unseen(axes)}
    for text in picture.findobj(Text):
        words = text.get_text().strip()
        if words and text.get_visible() and id(text) not in unseen:
            box = text.get_window_extent()
            lines = text.get_text().split("\n")
            empty = len(lines) - len("\n".join(lines).rstrip().split("\n"))
            low = box.y0 + box.height * empty / len(lines)
            yield text, Bbox.from_extents(box.x0, low, *box.max)


def _unseen(axes: Axes) -> Iterator[Text]:
    """Yield the labels of ticks that matplotlib does not draw, and all texts of hidden axes."""
    for axis in (axes.xaxis, axes.yaxis):
        drawn = {id(tick) for tick in axis._update_ticks()} if axes.axison else set()
        for tick in (*axis.majorTicks, *axis.minorTicks):
            if id(tick) not in drawn:
                yield from (tick.label1, tick.label2)


def _collisions(picture: Picture) -> Iterator[str]:
    for (one, box), (other, beside) in combinations(_texts(picture), 2):
        if one.get_rotation() % 90 or other.get_rotation() % 90:
            continue  # the box of a slanted text is much larger than the text
        across = min(box.x1, beside.x1) - max(box.x0, beside.x0)
        upward = min(box.y1, beside.y1) - max(box.y0, beside.y0)
        if across > -APART_PT and upward > TOUCHING_PT:
            yield f"{one.get_text()!r} collides with {other.get_text()!r}"


def _beyond(picture: Picture) -> Iterator[str]:
    """Yield a sentence for each text that leaves the picture."""
    whole = picture.bbox
    for text, box in _texts(picture):
        out = max(whole.x0 - box.x0, whole.y0 - box.y0, box.x1 - whole.x1, box.y1 - whole.y1)
        if out > TOUCHING_PT:
            yield f"{text.get_text()!r} leaves the picture by {out:.0f} pt"


def _bare(picture: Picture) -> Iterator[str]:
    """Yield a sentence for each axis with several ticks of which only one has a label."""
    for axes in picture.axes:
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            labels = [tick.label1.get_text() for tick in axis._update_ticks()]
            shown = list(filter(None, labels))
            if len(labels) > len(shown) == FEWEST_LABELS - 1:
                where = axes.get_title("left") or axes.get_title()
                yield f"the {axis.axis_name} axis of {where!r} has only the label {shown[0]}"
