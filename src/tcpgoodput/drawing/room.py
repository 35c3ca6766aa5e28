"""Titles and numbers of axes that fit into a picture whose layout is known.

Widths of texts are known only after the layout. Titles that would run into the next panel get
several lines, and axes whose numbers would overlap get fewer numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick
from matplotlib.figure import Figure as Picture
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import TextToPath
from matplotlib.ticker import FixedFormatter, FixedLocator

BETWEEN_EM = 0.3
"""Smallest distance between two texts side by side, in units of the font size."""

CM_PER_INCH = 2.54

WORD = re.compile(r"(?:\$[^$]*\$|[^\s$])+")
"""Pattern of a word. A formula between dollar signs is one word with the letters next to it."""


def width_cm(text: str, size_pt: float) -> float:
    """Return the width of a line of text in the pictures' font."""
    font = FontProperties(size=size_pt)
    width, *_ = TextToPath().get_text_width_height_descent(text, font, ismath="$" in text)
    return float(width) / 72 * CM_PER_INCH


def cut(text: str, most_cm: float, size_pt: float) -> str:
    """Return a text, or its beginning with an ellipsis if it is wider than `most_cm`."""
    if width_cm(text, size_pt) <= most_cm:
        return text
    ends = range(len(text) - 1, 0, -1)
    shorter = (f"{text[:end].rstrip()}…" for end in ends)
    return next((one for one in shorter if width_cm(one, size_pt) <= most_cm), "…")


def fit(picture: Picture) -> bool:
    """Wrap titles and leave out numbers that do not fit; return whether anything changed."""
    changed = False
    for axes in picture.axes:
        if axes.axison:
            changed |= any([_thin_out(axes.xaxis), _thin_out(axes.yaxis)])
        for title in (axes.title, axes._left_title, axes._right_title):
            if title.get_text() and title.get_window_extent().width > (
                room := _room(title, axes, picture)
            ):
                changed |= _wrap(title, room)
    return changed


def _room(title: Text, axes: Axes, picture: Picture) -> float:
    """Return the width in pixels that the title of a panel may have."""
    box = axes.get_window_extent()
    others = [other.get_window_extent() for other in picture.axes if other is not axes]
    beside = [other for other in others if min(box.y1, other.y1) > max(box.y0, other.y0)]
    gap = BETWEEN_EM * title.get_size() * picture.dpi / 72
    end = min((other.x0 for other in beside if other.x0 >= box.x1), default=picture.bbox.x1)
    start = max((other.x1 for other in beside if other.x1 <= box.x0), default=picture.bbox.x0)
    match title.get_horizontalalignment():
        case "left":
            return end - box.x0 - gap
        case "right":
            return box.x1 - start - gap
    return box.width + min(end - box.x1, box.x0 - start) - gap


def _wrap(text: Text, room: float) -> bool:
    """Divide the lines of a text that are wider than the room; return whether one was divided."""
    lines = text.get_text().split("\n")
    wrapped = [part for line in lines for part in _parts(line, text, room)]
    text.set_text("\n".join(wrapped))
    return len(wrapped) > len(lines)


def _parts(line: str, text: Text, room: float) -> Iterator[str]:
    """Yield the parts into which a line must be divided to fit; a word is never divided."""
    part = ""
    for word in WORD.findall(line):
        longer = f"{part} {word}" if part else word
        text.set_text(longer)
        if part and text.get_window_extent().width > room:
            yield part
            longer = word
        part = longer
    yield part


def _thin_out(axis: Axis) -> bool:
    """Leave out numbers, not words, along an axis until none overlap; return whether any was."""
    drawn = axis._update_ticks()
    ticks = [tick for tick in axis.majorTicks if tick in drawn and _label(tick).get_text()]
    if not ticks or not all(map(_has_number, ticks)) or _are_apart(axis, ticks):
        return False
    chosen = _of_log_axis(axis, ticks) if axis.get_scale() == "log" else _regular(axis, ticks)
    places = [float(tick.get_loc()) for tick in chosen]
    if isinstance(axis.get_major_formatter(), FixedFormatter):
        axis.set_ticks(places, [_label(tick).get_text() for tick in chosen])
    else:
        axis.set_major_locator(FixedLocator(places))
    return True


def _of_log_axis(axis: Axis, ticks: Sequence[Tick]) -> list[Tick]:
    """Return as many ticks as fit, powers of ten before others, from left to right."""
    chosen: list[Tick] = []
    for tick in sorted(ticks, key=lambda tick: not math.log10(tick.get_loc()).is_integer()):
        if _are_apart(axis, [*chosen, tick]):
            chosen.append(tick)
    return [tick for tick in ticks if tick in chosen]


def _regular(axis: Axis, ticks: Sequence[Tick]) -> list[Tick]:
    """Return every second tick, or every third, and so on, including the middle one."""
    steps = range(2, len(ticks))
    found = (ticks[(len(ticks) - 1) // 2 % step :: step] for step in steps)
    return list(next((chosen for chosen in found if _are_apart(axis, chosen)), ticks))


def _are_apart(axis: Axis, ticks: Sequence[Tick]) -> bool:
    labels = [_label(tick) for tick in ticks]
    along = 0 if axis.axis_name == "x" else 1
    boxes = [label.get_window_extent() for label in labels if label.get_visible()]
    ends = sorted((box.min[along], box.max[along]) for box in boxes)
    gap = BETWEEN_EM * labels[0].get_size() * axis.get_figure().dpi / 72 if along == 0 else 0.0
    return all(one[1] + gap <= other[0] for one, other in pairwise(ends))


def _label(tick: Tick) -> Text:
    return tick.label2 if tick.label2.get_visible() else tick.label1


def _has_number(tick: Tick) -> bool:
    text = _label(tick).get_text()
    return re.fullmatch(r"[+−-]?[\d.]+(e[+−-]?\d+)?|\$\\mathdefault\{.*\}\$", text) is not None
