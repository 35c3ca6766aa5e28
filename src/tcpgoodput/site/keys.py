"""Every key of the configuration, from the schemas that check it."""

from __future__ import annotations

from pydantic import BaseModel

from tcpgoodput.configuration.documentation import DocumentedKey, documented_keys
from tcpgoodput.site.tables import table

UNITS = {
    "bps": "bit/s",
    "bytes": "bytes",
    "cm": "cm",
    "db": "dB",
    "hz": "Hz",
    "mps": "m/s",
    "packets": "packets",
    "pt": "pt",
    "s": "s",
}
"""What the last part of a key's name says of its unit."""


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
    return f"## {title}\n\n{table(heads, rows)}"


def _name(key: DocumentedKey) -> str:
    return key.key.rpartition(".")[2]


def _unit(key: DocumentedKey) -> str:
    return UNITS.get(_name(key).rpartition("_")[2], "")
