"""Conversion of text with mathematics in `$...$` to LaTeX and to other markup.

Mathematics between $ signs is copied unchanged (`mathematics` defines what it may contain).
Everything else is plain text, even if it looks like markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tcpgoodput.configuration.mathematics import LETTERS, SEGMENT

_SYMBOL = re.compile(r"(?<![\w\\])([A-Za-zα-ωΓΔΘΛΠΣΦΨΩ]_[A-Za-z0-9]{1,3})(?![\w])")

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    # After a command, LaTeX would take brackets for an optional argument.
    "[": "{[}",
    "]": "{]}",
    "€": r"\texteuro{}",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "∝": r"$\propto$",
    "→": r"$\rightarrow$",
    "∞": r"$\infty$",
    "−": r"$-$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "…": r"\ldots{}",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "°": r"\textdegree{}",
    "µ": r"\textmu{}",
    "√": r"$\surd$",
    "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$",
    **{power: rf"\textsuperscript{{{n}}}" for n, power in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "½": r"\textonehalf{}",
    "¼": r"\textonequarter{}",
    "¾": r"\textthreequarters{}",
    **{subscript: rf"\textsubscript{{{n}}}" for n, subscript in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u200b": r"\allowbreak{}",
    "\n": " ",
}


def converted(
    text: str, *, prose: Callable[[str], str], mathematics: Callable[[str], str] = "${}$".format
) -> str:
    """Return a text, with one function applied to its prose and another to its mathematics.

    The function for mathematics gets a formula without its $ signs; by default it restores them.
    """
    parts = SEGMENT.split(text)
    return "".join((mathematics if i % 2 else prose)(part) for i, part in enumerate(parts))


def to_latex(text: str) -> str:
    """Return a text as LaTeX: mathematics unchanged, everything else escaped."""
    return converted(text, prose=_prose)


def _prose(text: str) -> str:
    """Return plain text as LaTeX, with names such as `T_m` as mathematical symbols."""
    parts = []
    for position, part in enumerate(_SYMBOL.split(text)):
        if position % 2:
            letter, _, index = part.partition("_")
            name = rf"\{LETTERS[letter]}" if letter in LETTERS else letter
            form = r"\{}" if index in ("min", "max") else r"\mathrm{{{}}}"
            parts.append(f"${name}_{{{index if len(index) == 1 else form.format(index)}}}$")
        else:
            parts.append(escaped(part))
    return "".join(parts)


def escaped(text: str) -> str:
    """Return plain text as LaTeX that prints exactly this text."""
    return "".join(map(_escaped_character, text))


def _escaped_character(character: str) -> str:
    if character in LETTERS:
        return rf"$\{LETTERS[character]}$"
    if character in _LATEX:
        return _LATEX[character]
    # pdfTeX would silently drop characters that its T1 fonts lack. Print their code points.
    known = ord(character) < 0x180 and character.isprintable()
    return character if known else f"{{[}}U+{ord(character):04X}{{]}}"
