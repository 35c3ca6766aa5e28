"""Checks of the models' texts that the report prints, and of the references that models cite.

References are in `paper/references.bib`; a model may add a reference of its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from unicodedata import normalize

from tcpgoodput.configuration import Problem
from tcpgoodput.configuration.mathematics import misplaced_markup
from tcpgoodput.configuration.problems import nearest
from tcpgoodput.models.base import Model
from tcpgoodput.models.outside import place_of

REFERENCES = Path("paper") / "references.bib"

PACKAGED_REFERENCES = Path(__file__).with_name("references.bib")
"""Link of the package to `REFERENCES`; it becomes a file in an installed package."""

ACCENTS = {
    '"': "\u0308",
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "c": "\u0327",
    "v": "\u030c",
    "u": "\u0306",
    "H": "\u030b",
    "k": "\u0328",
    "r": "\u030a",
}
"""Unicode's combining character for each accent of LaTeX."""

LETTERS = {"ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "i": "i"}
LETTERS |= {"oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "j": "j"}
"""Letters that LaTeX writes as commands. The letters i and j are without dots, for an accent."""

_LETTER = re.compile(rf"\\({'|'.join(LETTERS)})(?![A-Za-z])\s*")
_ACCENT = re.compile(r"""\\(["'`^~=.]|[cvuHkr](?![A-Za-z]))\s*(?:\{(\w)\}|(\w))""")
_FIELD = re.compile(r"(?i)[,\n]\s*([a-z]+)\s*=\s*")

_ENTRY = re.compile(r"@(?!comment|string|preamble)\w+\s*\{\s*([^\s,{}]+)\s*,", re.IGNORECASE)


def references_of(settings: Path) -> list[str] | None:
    """Return the BibTeX keys in the project's `paper/references.bib`, or None without such a file.

    The file is looked for in each folder above the settings file, then in the working directory.
    """
    for folder in (*settings.resolve().parents, Path.cwd()):
        if (file := folder / REFERENCES).is_file():
            return _ENTRY.findall(re.sub(r"(?m)^\s*%.*", "", file.read_text(encoding="utf-8")))
    return None


def unknown_citation(citation: str, known: Iterable[str]) -> str | None:
    """Return a message if a citation is not among the known BibTeX keys, else None."""
    known = list(known)
    if citation in known:
        return None
    message = f"no entry of {REFERENCES} is called {citation!r}"
    return f"{message}{nearest(citation, known) or '; add the entry there'}"


def unprintable(models: Iterable[Model], references: Sequence[str] | None) -> Iterator[Problem]:
    """Yield problems in models' texts and citations that prevent the report from showing them.

    `references` has the BibTeX keys of the project's references; None: citations are not checked.
    """
    for model in models:
        wrong = {name: misplaced_markup(getattr(model, name)) for name in ("title", "domain")}
        wrong["bibtex"] = _wrong_entry(model)
        if references is not None and not model.bibtex:
            message = unknown_citation(model.citation, references)
            more = "; a model may bring its own as the attribute bibtex"
            wrong["citation"] = message and message + more
        for attribute, fault in wrong.items():
            if fault:
                yield Problem(*place_of(model, attribute), f"{model.name}: {attribute}", fault)


def entries_of(models: Iterable[Model], references: Iterable[str]) -> str:
    """Return a BibTeX file of the models' own entries whose keys are not in `references`."""
    known = set(references)
    entries: dict[str, str] = {}
    for model in models:
        if model.bibtex and model.citation not in known:
            entries.setdefault(model.citation, inspect.cleandoc(model.bibtex))
    heading = "% What models cite and bring an entry of."
    return "\n\n".join([heading, *entries.values()]) + "\n"


def reference(model: Model) -> str | None:
    """Return the work that a model cites as a line of text; None if there is no entry of it.

    The line has author, title, place (journal, proceedings or institution), pages, year and DOI, as
    far as the entry has them.
    """
    file = REFERENCES if REFERENCES.is_file() else PACKAGED_REFERENCES
    text = model.bibtex or (file.read_text(encoding="utf-8") if file.is_file() else "")
    for part in re.split(r"(?m)^(?=\s*@)", text):
        if _ENTRY.findall(part) == [model.citation]:
            return f"{printed(fields_of(part))} ({model.citation})"
    return None


def fields_of(entry: str) -> dict[str, str]:
    """Return the fields of a BibTeX entry by name, without outer braces or quotation marks."""
    found: dict[str, str] = {}
    position = 0
    while match := _FIELD.search(entry, position):
        value, position = _value(entry, match.end())
        found[match[1].lower()] = " ".join(value.split())
    return found


def _value(entry: str, start: int) -> tuple[str, int]:
    """Return the value of a field that begins at a position of an entry, and the position after it.

    The value is in braces, in quotation marks, or ends at a comma, a brace or the end of the line.
    """
    is_quoted = entry[start : start + 1] == '"'
    first = start + is_quoted
    ends = '"' if is_quoted else ",}\n"
    depth, end = 0, first
    while end < len(entry) and (depth > 0 or entry[end] not in ends):
        depth += {"{": 1, "}": -1}.get(entry[end], 0)
        end += 1
    value = entry[first:end].strip()
    in_braces = value.startswith("{") and not is_quoted
    return (value[1:-1] if in_braces else value), end + is_quoted


def printed(fields: Mapping[str, str]) -> str:
    """Return the fields of a BibTeX entry as a line of text without LaTeX."""
    get = {name: plain_text(value) for name, value in fields.items()}.get
    place = get("journal") or get("booktitle") or get("howpublished") or get("institution") or ""
    number = f"({get('number')})" if get("number") else ""
    if get("volume"):
        place += f" {get('volume')}{number}"
    elif get("number"):
        place += f" {get('type') or 'report'} {get('number')}"
    pages = f"pages {get('pages')}" if get("pages") else ""
    doi = f"doi:{get('doi')}" if get("doi") else ""
    parts = (get("author"), get("title"), place, pages, get("year"), doi or get("url"))
    return ", ".join(part for part in parts if part)


def plain_text(latex: str) -> str:
    """Return the text of a BibTeX field: accents as letters, no braces and no commands."""
    text = _LETTER.sub(lambda match: LETTERS[match[1]], latex)
    text = _ACCENT.sub(lambda m: normalize("NFC", (m[2] or m[3]) + ACCENTS[m[1]]), text)
    text = text.replace("---", "—").replace("--", "–").replace("~", " ")
    return re.sub(r"[{}]", "", re.sub(r"\\([&%$#_])", r"\1", text))


def _wrong_entry(model: Model) -> str | None:
    """Return a message if a model's own BibTeX entry is wrong, else None."""
    if model.bibtex is None:
        return None
    keys = _ENTRY.findall(model.bibtex)
    if len(keys) != 1 or model.bibtex.count("{") != model.bibtex.count("}"):
        return "bibtex must be one entry, @type{key, …}, with its braces closed"
    if keys[0] != model.citation:
        return f"bibtex has the key {keys[0]!r}, citation is {model.citation!r}"
    return None
