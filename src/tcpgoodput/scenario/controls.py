"""Descriptions of input controls for every key of a scenario, from the scenario's JSON schema."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from tcpgoodput.configuration.documentation import members_of
from tcpgoodput.scenario import Scenario

Record = dict[str, Any]

LIMITS = {
    "minimum": ("low", False),
    "exclusiveMinimum": ("low", True),
    "maximum": ("high", False),
    "exclusiveMaximum": ("high", True),
}
"""Limits of numbers by their names in JSON schema: the end, and whether it is excluded itself."""

KINDS = {"number": "number", "integer": "whole", "boolean": "flag", "array": "list"}
"""Kinds of controls by JSON schema type. A key with an enumeration, or with a word besides true and
false, is a choice; any other is a text."""

FIXED = ("id", "capacity.file", "delay.file")
"""Keys that a web page with these controls shows but does not change: a scenario's name, and the
trace files that the scenario reads."""


UNITS = {
    "_s": "s",
    "_bps": "bit/s",
    "_hz": "Hz",
    "_mps": "m/s",
    "_m": "m",
    "_db": "dB",
    "_bytes": "bytes",
    "_packets": "packets",
}
"""Units of scenario keys, by the suffix of the key's name."""


def unit_of(key: str) -> str:
    """Return the unit of a key of a scenario by the key's suffix; the text "1" if it has none."""
    return next((unit for end, unit in UNITS.items() if key.endswith(end)), "1")


@cache
def controls() -> tuple[Record, ...]:
    """Return a control for each key of a scenario, in the vocabulary's order.

    Each control is a dict with `key`, `kind` (number, whole, choice, flag, list, text, fixed,
    part), `text` (the key's description), `unit`, `required`, `default` and `optional` (null is
    allowed). Numbers have `low` and `low_excluded`, `high` and `high_excluded` if they have such a
    limit. Choices have `options`. A part is a group of keys such as `loss`, with one or several
    varieties such as loss processes. Its `members` are the `text` and the `controls` of each
    variety, by the variety's name. Its `tag` is the key that selects the variety. If there is only
    one variety, its name and `tag` are empty.
    """
    schema = Scenario.model_json_schema()
    return tuple(_controls(schema, "", schema["$defs"]))


def _controls(node: Record, prefix: str, definitions: Record) -> Iterator[Record]:
    for name, given in node["properties"].items():
        if "const" in given:  # such a key, for example `loss.process`, has only one value
            continue
        key = f"{prefix}{name}"
        members = members_of(given, definitions)
        described = given.get("description") or members[0].get("description", "")
        yield {
            "key": key,
            "text": described.split("\n")[0],
            "unit": unit_of(name),
            "required": name in node.get("required", ()),
            "default": given.get("default"),
            "optional": any(member.get("type") == "null" for member in members),
            **_kind(key, [m for m in members if m.get("type") != "null"], definitions),
        }


def _kind(key: str, members: list[Record], definitions: Record) -> Record:
    first = members[0]
    if key in FIXED:
        return {"kind": "fixed"}
    if "properties" in first:
        return _part(key, members, definitions)
    if "enum" in first:
        return {"kind": "choice", "options": first["enum"]}
    if words := [member["const"] for member in members if "const" in member]:
        return {"kind": "choice", "options": [True, False, *words]}
    found: Record = {"kind": KINDS.get(first["type"], "text")}
    if found["kind"] in ("number", "whole"):
        for name, (end, is_excluded) in LIMITS.items():
            if name in first:
                found |= {end: first[name], f"{end}_excluded": is_excluded}
    return found


def _part(key: str, members: list[Record], definitions: Record) -> Record:
    tags = [
        next(((n, p["const"]) for n, p in member["properties"].items() if "const" in p), ("", ""))
        for member in members
    ]
    varieties = {
        name: {
            "text": member.get("description", "").split("\n")[0],
            "controls": list(_controls(member, f"{key}.", definitions)),
        }
        for (_, name), member in zip(tags, members, strict=True)
    }
    return {"kind": "part", "tag": tags[0][0], "members": varieties}


def numbers() -> Iterator[Record]:
    """Yield the controls whose value is a number, also within groups of keys such as `loss`."""
    yield from (c for c in every() if c["kind"] in ("number", "whole"))


def every() -> Iterator[Record]:
    """Yield all controls; the controls of keys within a group such as `loss` follow the group."""
    yield from _within(controls())


def _within(some: Any) -> Iterator[Record]:
    for control in some:
        yield control
        for member in control.get("members", {}).values():
            yield from _within(member["controls"])
