"""Text for a terminal: that of users' files made safe, and ours in bold, dim or colour."""

from __future__ import annotations

import re
import secrets
import unicodedata
from contextvars import ContextVar
from typing import Any, TextIO

HARMLESS = "\n\t\u00ad\u200c\u200d"
"""Characters that are printed although they are control or format characters: the end of a line,
the tab, the soft hyphen, and the marks by which Persian letters and emoji are joined or not."""

UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories of characters that a terminal may take as commands or that change the order of
the other characters: control and format characters, surrogates, separators of lines."""


def visible(text: str) -> str:
    r"""Return a text with escapes such as `\\u001b` in place of characters of `UNSAFE`.

    The escapes are those of JSON, so JSON text remains valid and keeps its meaning.

    Example:
        >>> print(visible("a title\x1b[2J"))
        a title\u001b[2J

    """
    return text if text.isprintable() else "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if character in HARMLESS or unicodedata.category(character) not in UNSAFE:
        return character
    pairs = character.encode("utf-16-be", errors="surrogatepass").hex()
    return "".join(rf"\u{pairs[i : i + 4]}" for i in range(0, len(pairs), 4))


BOLD, DIM, PLACE = "1", "2", "36"
"""Styles as numbers of ANSI codes: what to use, what not to use, and (cyan) a place in a file."""

_RESET = "0"
_CODE = re.compile(f"{(_MARK := secrets.token_hex(8))}<([0-9]+)>")
"""Mark of a style in text that is not printed yet. No file can contain it, as it is random."""

_PAINTS = ContextVar("paints", default=False)


def enable_painting() -> None:
    """Let `paint` mark text from now on; all of it must go through `printable`."""
    _PAINTS.set(True)


def paint(text: str, style: str) -> str:
    """Return a text with marks of a style, which `printable` turns into codes or takes away.

    Without `enable_painting` the text stays as it is.
    """
    if not (_PAINTS.get() and text):
        return text
    return f"{_MARK}<{style}>{text}{_MARK}<{_RESET}>"


def paint_places(message: str) -> str:
    """Return lines such as `FILE:LINE: KEY: ...` in which the places are painted."""
    lines = (line.partition(": ") for line in message.split("\n"))
    return "\n".join(
        f"{paint(place, PLACE)}{colon}{rest}" if colon else place for place, colon, rest in lines
    )


def is_coloured(stream: TextIO | None) -> bool:
    """Return whether a stream shows styles: it is a terminal, or FORCE_COLOR is set.

    NO_COLOR turns them off.
    """
    from rich.console import Console  # only the command line needs it

    console = Console(file=stream)
    return console.is_terminal and not console.no_color and not console.is_dumb_terminal


def rendered(text: str, *, coloured: bool) -> str:
    """Return `visible` text with the codes of its styles if it is coloured, else without them."""
    return _CODE.sub("\x1b[\\1m" if coloured else "", visible(text))


def printable(text: str, stream: TextIO | None) -> str:
    """Return a text as it is to be written to a stream: `rendered`, with styles if it shows them.

    Whether it does is looked up only for text with styles, because this takes a moment.
    """
    return rendered(text, coloured=_MARK in text and is_coloured(stream))


class VisibleStream:
    """A text stream that writes `printable` text to another stream; otherwise it is that stream."""

    def __init__(self, stream: TextIO) -> None:
        """Store the stream to which the text is written."""
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return its number of characters."""
        self.stream.write(printable(text, self.stream))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
