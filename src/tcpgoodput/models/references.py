"""Checks of the models' texts that the report prints, and of the references that models cite.

References are in `paper/references.bib`; a model may add a reference of its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tcpgoodput.configuration import Problem
from tcpgoodput.configuration.mathematics import misplaced_markup
from tcpgoodput.configuration.problems import nearest
from tcpgoodput.models.base import Model
from tcpgoodput.models.outside import place_of

REFERENCES = Path("paper") / "references.bib"

FIELDS = ("author", "title", "year")
"""Fields of a BibTeX entry that `reference` shows."""

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
    return f"no entry of {REFERENCES} is called {citation!r}{nearest(citation, known)}"


def unprintable(models: Iterable[Model], references: Sequence[str] | None) -> Iterator[Problem]:
    """Yield problems in models' texts and citations that prevent the report from showing them.

    Args:
        models: all models.
        references: BibTeX keys of the project's references; None: citations are not checked.

    """
    for model in models:
        wrong = {name: misplaced_markup(getattr(model, name)) for name in ("title", "domain")}
        wrong["bibtex"] = _wrong_entry(model)
        if references is not None and not model.bibtex:
            wrong["citation"] = _not_found(model, references)
        for attribute, message in wrong.items():
            if message:
                yield Problem(*place_of(model, attribute), f"{model.name}: {attribute}", message)


def entries_of(models: Iterable[Model], references: Iterable[str]) -> str:
    """Return the text of a BibTeX file of the models' own entries that are not in `references`.

    `references` has the keys of the project's own BibTeX file.
    """
    known = set(references)
    entries: dict[str, str] = {}
    for model in models:
        if model.bibtex and model.citation not in known:
            entries.setdefault(model.citation, inspect.cleandoc(model.bibtex))
    heading = "% What models cite and bring an entry of."
    return "\n\n".join([heading, *entries.values()]) + "\n"


def reference(model: Model) -> str | None:
    """Return author, title and year of the work that a model cites, as a line of text, or None.

    None: neither the model nor `REFERENCES` has an entry with the model's citation key.
    """
    text = model.bibtex or (REFERENCES.read_text(encoding="utf-8") if REFERENCES.is_file() else "")
    parts = re.split(r"(?m)^(?=@)", text)
    for part in parts:
        if _ENTRY.findall(part) == [model.citation]:
            found = (re.search(rf"(?m)^\s*{name}\s*=\s*{{(.*)}},?\s*$", part) for name in FIELDS)
            fields = ", ".join(re.sub(r"[{}]", "", field[1]) for field in found if field)
            return f"{fields} ({model.citation})"
    return None


def _not_found(model: Model, references: Sequence[str]) -> str | None:
    """Return a message if the BibTeX keys `references` lack a model's citation, else None."""
    message = unknown_citation(model.citation, references)
    return f"{message}; a model may bring its own as the attribute bibtex" if message else None


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
