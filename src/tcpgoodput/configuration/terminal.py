"""Make text from users' files safe to print on a terminal."""

from __future__ import annotations

import unicodedata
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


class VisibleStream:
    """A text stream that writes `visible` text to another stream; otherwise it is that stream."""

    def __init__(self, stream: TextIO) -> None:
        """Store the stream to which the text is written."""
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return its number of characters."""
        self.stream.write(visible(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
