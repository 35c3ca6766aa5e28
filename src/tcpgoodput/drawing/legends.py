"""Legends of lines and markers, with an entry for each label, or for each colour and marker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from matplotlib import rcParams
from matplotlib.figure import Figure as Picture
from matplotlib.font_manager import FontProperties
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D

from tcpgoodput.drawing import room, theme
from tcpgoodput.drawing.marks import INK
from tcpgoodput.studies.schema import Series
from tcpgoodput.style import Style

Handle = Line2D | tuple[Line2D, ...]

OUTSIDE = "Model out of domain"
"""The legend's name of a model's line where the scenario is out of the model's domain."""
ROW_CM = 0.42
CHARACTERS_PER_CM = 6.9
"""Mean number of characters of a legend's label per cm, to estimate the label's width."""
HANDLE_CHARACTERS = 8
"""Width of a handle (the sample of a line or marker) and the space around it, in characters."""
PT_PER_CM = 72 / 2.54
LINE_LENGTH, HANDLE_LENGTH = 2.8, 2.2
"""Length of a handle in units of the font size: `LINE_LENGTH` if every entry has one handle, else
`HANDLE_LENGTH` for each handle of an entry."""
MODEL = "Model"
"""Legend text for all lines if the legend has an entry for each kind of marker and line, not for
each label."""


def by_label(shown: Sequence[Series], style: Style) -> dict[str, Handle]:
    """Return a legend entry for each label, in the order of the series."""
    return {style.label(series): _handle(series, style) for series in shown}


def by_colour(shown: Sequence[Series], style: Style) -> dict[str, Handle]:
    """Return a legend entry for each colour, and one for each kind of line or marker.

    The entry of a colour shows the line and the markers in this colour. The entry's text is the
    label of the line's series, or the label of the markers' style if there is no line.
    """
    entries: dict[str, dict[str | None, Line2D]] = {}
    for series, name in named(shown, style):
        entries.setdefault(name, {}).setdefault(series.marker, _handle(series, style))
    drawn = {name: tuple(handles.values()) for name, handles in entries.items()}
    mixed = any(None in handles and len(handles) > 1 for handles in entries.values())
    kinds = shown if mixed else [series for series in shown if series.engine]
    return drawn | by_kind(kinds, style)


def named(shown: Sequence[Series], style: Style) -> Iterator[tuple[Series, str]]:
    """Yield each series, lines before markers, with the name of its colour.

    The name is the label of the colour's line. If there is no line, it is the group of the markers,
    or the label of their style.
    """
    called: dict[str, str] = {}
    for series in sorted(shown, key=lambda series: series.engine is not None):
        look, name = style.look(series), series.group or style.label(series)
        if series.engine:
            name = called.get(look.colour, series.group or look.label)
        yield series, called.setdefault(look.colour, name)


def is_mixed(shown: Sequence[Series], style: Style) -> bool:
    """Whether a colour stands for a line and for markers, or for markers of two engines."""
    kinds: dict[str, set[str | None]] = {}
    for series in shown:
        kinds.setdefault(style.look(series).colour, set()).add(series.marker)
    return any(len(own) > 1 for own in kinds.values())


def by_kind(shown: Sequence[Series], style: Style) -> dict[str, Handle]:
    """Return a legend entry for lines and one for each engine's markers, all in dark grey."""
    entries: dict[str, Handle] = {}
    if any(series.engine is None for series in shown):
        entries[MODEL] = Line2D([], [], color=INK)
    for kind in dict.fromkeys(series.marker for series in shown if series.marker):
        entries[style.engine(kind).label] = _marker(kind, INK, style)
    return entries


def pale(opacity: float, width_pt: float) -> dict[str, Handle]:
    """Return the legend entry of lines out of domain, with their opacity and width in points."""
    return {OUTSIDE: Line2D([], [], color=INK, alpha=opacity, linewidth=width_pt)}


def rows(entries: Mapping[str, Handle], width_cm: float) -> int:
    """Return the number of rows of a legend that is at most `width_cm` wide."""
    return -(-len(entries) // columns(entries, width_cm)) if entries else 0


def columns(entries: Mapping[str, Handle], width_cm: float) -> int:
    """Return the number of columns of a legend that is at most `width_cm` wide."""
    widest = max((shown_length(label) for label in entries), default=1)
    most = max(
        1, min(len(entries), int(width_cm * CHARACTERS_PER_CM) // (widest + HANDLE_CHARACTERS))
    )
    fitting = (n for n in range(most, 1, -1) if width_of(entries, n) <= width_cm)
    return next(fitting, 1)


def width_of(entries: Mapping[str, Handle], count: int) -> float:
    """Return the width of a legend in cm if it has `count` columns."""
    em = FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points()
    texts = [room.width_cm(label, em) * PT_PER_CM for label in entries]
    full, more = divmod(len(texts), count)  # matplotlib fills the first columns first
    ends = [sum(full + (column < more) for column in range(n)) for n in range(count + 1)]
    entry_em = _handle_length(entries) + float(rcParams["legend.handletextpad"])
    points = sum(max(texts[i:k]) for i, k in pairwise(ends))
    points += em * (count * entry_em + (count - 1) * float(rcParams["legend.columnspacing"]))
    points += (
        em * 2 * (float(rcParams["legend.borderpad"]) + float(rcParams["legend.borderaxespad"]))
    )
    return points / PT_PER_CM


def _handle_length(entries: Mapping[str, Handle]) -> float:
    most = max(len(h) if isinstance(h, tuple) else 1 for h in entries.values())
    return LINE_LENGTH if most == 1 else HANDLE_LENGTH * most


def draw(picture: Picture, entries: Mapping[str, Handle], width_cm: float) -> None:
    """Draw a legend below a picture that is `width_cm` wide."""
    handles = [handle if isinstance(handle, tuple) else (handle,) for handle in entries.values()]
    most = max(len(handle) for handle in handles)
    nothing = Line2D([], [], linestyle="")
    picture.legend(
        [(nothing,) * (most - len(handle)) + handle for handle in handles],
        list(entries),
        loc="outside lower center",
        ncols=columns(entries, width_cm),
        frameon=False,
        handlelength=_handle_length(entries),
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.3)},
    )


def _handle(series: Series, style: Style) -> Line2D:
    if series.marker:
        return _marker(series.marker, style.look(series).colour, style)
    return Line2D([], [], **theme.line_look(series, style))


def _marker(kind: str, colour: str, style: Style) -> Line2D:
    face = style.face(kind, colour)
    return Line2D([], [], color=colour, marker=style.marker(kind), mfc=face, linestyle="")


def shown_length(label: str) -> int:
    """Return about the number of visible characters of a label; a command counts as one."""
    return len(re.sub(r"[${}_^]|\\,", "", re.sub(r"\\[A-Za-z]+", "x", label)))
