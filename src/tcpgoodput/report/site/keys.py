"""Every key of the configuration, from the schemas that check it."""

from __future__ import annotations

from pydantic import BaseModel

from tcpgoodput.configuration.documentation import DocumentedKey, documented_keys, markdown
from tcpgoodput.scenario.controls import UNITS

OF_PICTURES = {"_cm": "cm", "_pt": "pt"}
"""Units that no key of a scenario has; they are those of the style."""


def keys(schema: type[BaseModel]) -> str:
    """Return the keys of one kind of file: a table for each key that holds others."""
    sections: dict[str, list[DocumentedKey]] = {}
    for key in documented_keys(schema):
        sections.setdefault(key.key.rpartition(".")[0], []).append(key)
    return "\n".join(_section(*section) for section in sections.items())


def _section(holder: str, found: list[DocumentedKey]) -> str:
    title = f"`{holder}`" if holder else "The file itself"
    heads = ["key", "unit", "allowed", "default", "meaning"]
    rows = [[f"`{_name(k)}`", _unit(k), k.allowed, f"`{k.default}`", k.text] for k in found]
    if not any(map(_unit, found)):
        for row in (heads, *rows):
            del row[1]
    return f"## {title}\n\n{markdown(heads, rows)}"


def _name(key: DocumentedKey) -> str:
    return key.key.rpartition(".")[2]


def _unit(key: DocumentedKey) -> str:
    ends = {**UNITS, **OF_PICTURES}
    return next((unit for end, unit in ends.items() if f"_{_name(key)}".endswith(end)), "")
