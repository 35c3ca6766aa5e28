"""Lists of records for terminals of any width; columns that do not fit follow below their row.

Cells of a row are side by side, in the order of the columns, as far as the width allows. Each
further cell gets a line below the row. On a narrow terminal only the first column remains, as in a
list.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tcpgoodput.configuration.terminal import BOLD, paint

GAP = "  "
LEAST_PROSE = 20
"""Smallest width in characters to which a column of sentences is narrowed, so that it fits into a
line with other columns; chosen by hand."""

NARROWEST = 20


@dataclass(frozen=True)
class Column:
    """A column: its heading, which may have several lines, and the layout of its cells."""

    head: str
    numbers: bool = False
    prose: bool = False
    """True if the cells are sentences, which are broken into lines."""


@dataclass(frozen=True)
class Group:
    """Rows of a printed list below a common heading."""

    heading: str
    rows: Sequence[Sequence[str]] = ()
    text: str = ""
    """Text below the heading, shown in place of rows."""
    style: str = ""
    """Style of `terminal` for all lines of the group; empty: none."""
    recommended: str = ""
    """First cell of the row that is bold; empty: none is."""


def signed(value: float) -> str:
    """Return a number with one digit and its sign, which 0.0 has not."""
    return f"{value:+.1f}".replace("-", "−") if round(value, 1) else "0.0"


def listed(columns: Sequence[Column], groups: Sequence[Group], width: int) -> list[str]:
    """Return the lines of a list, headings first, none longer than `width` characters.

    All groups have the same columns. The heading of a column or a group may be empty. A column
    without heading and cells is left out. Widths below `NARROWEST` are taken as `NARROWEST`.
    """
    width = max(width, NARROWEST)
    rows = [row for group in groups for row in group.rows]
    filled = [i for i, c in enumerate(columns) if c.head or any(row[i] for row in rows)]
    columns = [columns[i] for i in filled]
    cut = [[row[i] for i in filled] for row in rows]
    widths = _column_widths(columns, cut, width)
    count = len(widths)
    lines = []
    if rows and count > 1:
        lines += _row([c.head.split("\n") for c in columns[:count]], columns, widths)
        lines.append(GAP.join("─" * w for w in widths))
    for group in groups:
        own = _broken(group.heading, width) if group.heading else []
        own += _beneath(group.text, width, GAP) if group.text else []
        for row in group.rows:
            cells = [row[i] for i in filled]
            if count > 1:
                broken = [_broken(cell, w) for cell, w in zip(cells, widths, strict=False)]
                of_row = _row(broken, columns, widths)
            else:
                of_row = _broken(cells[0], width)
            for text in _rest(columns[count:], cells[count:]):
                of_row += _beneath(text, width, 2 * GAP)
            is_bold = group.recommended and group.recommended == row[0].strip()
            own += [paint(line, BOLD) for line in of_row] if is_bold else of_row
        lines += [paint(line, group.style) for line in own] if group.style else own
    return lines


def _rest(columns: Sequence[Column], cells: Sequence[str]) -> list[str]:
    """Return the lines below a row: cells that do not fit, each with the heading of its column.

    A cell of a column without a heading is appended to the previous line.
    """
    texts: list[str] = []
    for column, cell in zip(columns, cells, strict=True):
        if cell and column.head:
            texts.append(f"{column.head}: {cell}".replace("\n", " "))
        elif cell:
            texts[-1:] = [f"{text}, {cell}" for text in texts[-1:]] or [cell]
    return texts


def _column_widths(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int
) -> list[int]:
    """Return the widths of the columns that fit side by side, from the first column on.

    Columns of sentences get the width that the other columns leave.
    """
    natural = [
        max(len(text) for text in (*column.head.split("\n"), *(row[i] for row in rows)))
        for i, column in enumerate(columns)
    ]
    least = [
        min(n, LEAST_PROSE) if column.prose else n
        for n, column in zip(natural, columns, strict=True)
    ]
    count = len(columns)
    while count > 1 and sum(least[:count]) + len(GAP) * (count - 1) > width:
        count -= 1
    widths = least[:count]
    left = width - sum(widths) - len(GAP) * (count - 1)
    prose = [i for i in range(count) if natural[i] > widths[i]]
    for position, i in enumerate(prose):
        more = min(left // (len(prose) - position), natural[i] - widths[i])
        widths[i] += max(more, 0)
        left -= more
    return widths


def _row(
    cells: Sequence[Sequence[str]], columns: Sequence[Column], widths: Sequence[int]
) -> list[str]:
    """Return the lines of one row, whose cells may have several lines."""
    lines = []
    for texts in zip_longest(*cells, fillvalue=""):
        parts = [
            text.rjust(w) if column.numbers else text.ljust(w)
            for text, column, w in zip(texts, columns, widths, strict=False)
        ]
        lines.append(GAP.join(parts).rstrip())
    return lines


def _broken(text: str, width: int) -> list[str]:
    """Return the lines of a text; lines after an indented first one are indented twice as far."""
    indent = 2 * text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _beneath(text: str, width: int, indent: str) -> list[str]:
    """Return the lines of an indented text; all but the first begin with `indent`."""
    return textwrap.wrap(
        text, width, initial_indent=GAP, subsequent_indent=indent, break_on_hyphens=False
    )
