"""Random samples that are changed copies of other ones in the same folder (`like`).

Such a file has only the keys that differ. This module adds the other keys before the file is
checked, so that nothing else needs to know `like`. The rules are:

- `scenario` is merged key by key. In `draw`, `set`, `impairments` and `precision`, an entry
  replaces the copied one of the same name in its place, and a new entry comes after the copied
  ones. The order of the quantities in `draw` decides which coordinate of a point each has.
- The value null removes a copied entry. Any other key of the file replaces the copied one.
- `title` and `paired_with` are not copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.census.schema import Census
from tcpgoodput.configuration import ConfigurationError, Document, read, validated
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.configuration.strict_yaml import SUFFIX, Key

LIKE = "like"

OWN = ("title", "paired_with", LIKE)
"""Keys of a file that are not copied, because they are about this file only."""

BY_ENTRY = ("draw", "set", "impairments", "precision")
"""Keys of mappings whose entries are replaced, not merged."""


def in_full(document: Document) -> Document:
    """Return the file of a random sample with all keys that it copies.

    The line of a copied value is that of the key `like`.

    Args:
        document: the file as it was read.

    Raises:
        ConfigurationError: there is no such file to copy, the file is a copy of itself, or the
            copied file is invalid; the message then names the copied file.

    """
    return _in_full(document, ())


def _in_full(document: Document, before: tuple[str, ...]) -> Document:
    """Return a file with all keys that it copies; `before` are the files that copy it."""
    if not isinstance(document.data, dict) or document.data.get(LIKE) is None:
        return document
    name, path = document.data[LIKE], Path(document.file)
    others = [one.stem for one in sorted(path.parent.glob(f"*{SUFFIX}")) if one.stem != path.stem]
    names = (*before, path.stem)
    wrong = None
    if name in names:
        circle = [*names[names.index(name) :], name]
        wrong = f"is a copy of itself: {' is like '.join(circle)}"
    elif name not in others:
        wrong = f"no other census is called {name!r}{alternatives(str(name), others)}"
    if wrong:
        raise ConfigurationError([document.problem((LIKE,), wrong)])
    copied = _in_full(read(path.with_name(f"{name}{SUFFIX}")), names)
    validated(Census, copied)
    own = {key: value for key, value in document.data.items() if key != LIKE}
    base = {key: value for key, value in copied.data.items() if key not in OWN}
    whole = replace(document, data=_merged(base, own), lines=dict(document.lines))
    for key in _keys(whole.data, ()):
        whole.lines.setdefault(key, document.line((LIKE,)))
    return whole


def _merged(copied: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a copied file with the changes of its copy."""
    whole = _changed(copied, own)
    for key in {"scenario", *BY_ENTRY} & copied.keys() & own.keys():
        if isinstance(copied[key], dict) and isinstance(own[key], dict):
            change = _changed if key in BY_ENTRY else _changed_deeply
            whole[key] = change(copied[key], own[key])
    return whole


def _changed(copied: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return copied entries with those of the copy; its null removes a copied entry."""
    whole = {**copied, **own}
    return {name: v for name, v in whole.items() if v is not None or name not in copied}


def _changed_deeply(copied: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return copied entries with those of the copy, as `_changed`, also in nested mappings."""
    nested = {
        name: _changed_deeply(copied[name], value)
        for name, value in own.items()
        if isinstance(value, dict) and isinstance(copied.get(name), dict)
    }
    return _changed(copied, {**own, **nested})


def _keys(data: Any, at: Key) -> Iterator[Key]:
    """Yield the key of each value in nested mappings and lists."""
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for name, value in entries:
        yield (*at, name)
        if isinstance(value, dict | list):
            yield from _keys(value, (*at, name))
