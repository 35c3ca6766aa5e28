"""Documentation of configuration keys, and JSON schemas for editors, from the same schemas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True)
class DocumentedKey:
    """Documentation of one key: its full name, allowed values, default and meaning."""

    key: str
    allowed: str
    default: str
    """The default as YAML; `·` for a required key."""
    text: str


def documented_keys(schema: type[BaseModel]) -> list[DocumentedKey]:
    """Return the documentation of all keys of a schema, in the order of the schema.

    The keys within a mapping follow the key of the mapping. If a key allows alternative mappings (a
    union), the keys of each alternative follow in turn.
    """
    root = schema.model_json_schema(by_alias=True)
    return list(_keys(root, "", root.get("$defs", {})))


def editor_schema(schema: type[BaseModel], title: str) -> str:
    """Return a JSON schema with which an editor completes and explains the keys of a file.

    It refuses nothing that `tcpgoodput check` accepts: no key is required, because `like` may copy
    it, and patterns that exclude control characters are left out. Each definition has a line.

    Args:
        schema: the schema that checks the file.
        title: kind of the file, such as `scenario`.

    """
    root = _lenient(schema.model_json_schema(by_alias=True))
    definitions = root.pop("$defs", {})
    head = {"$schema": DIALECT, "title": title} | root
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in definitions.items()]
    joined = ",\n".join(lines)
    return f'{json.dumps(head)[:-1]}, "$defs": {{\n{joined}\n}}}}\n'


DIALECT = "http://json-schema.org/draft-07/schema#"
"""Dialect of JSON schemas that language servers for YAML support."""

NAMED = ("properties", "patternProperties", "$defs")
"""Keywords of JSON schemas whose values are mappings of names to schemas."""

CONTROL = "x00"
"""Part of the patterns that exclude control characters."""

CHECKED_LATER = ("required", "discriminator", "title")
"""Keywords of pydantic's JSON schemas that an editor's schema leaves out."""


def _lenient(node: Any) -> Any:
    """Return a part of a JSON schema without what `check` alone can judge.

    A list of one entry may be the entry alone, and a key that `like` copies may be null.
    """
    if isinstance(node, list):
        return [_lenient(part) for part in node]
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key in NAMED:
            kept[key] = {name: _lenient(part) for name, part in value.items()}
        elif key not in CHECKED_LATER and not (key == "pattern" and CONTROL in value):
            kept["anyOf" if key == "oneOf" else key] = _lenient(value)
    if "like" in kept.get("properties", {}):
        kept["properties"] = {
            name: {"anyOf": [part, {"type": "null"}]} for name, part in kept["properties"].items()
        }
    if kept.get("type") == "array" and "items" in kept:
        return {"anyOf": [kept, kept["items"]]}
    return kept


def _keys(
    node: dict[str, Any], prefix: str, definitions: dict[str, Any]
) -> Iterator[DocumentedKey]:
    required = node.get("required", [])
    for name, given in node.get("properties", {}).items():
        key = f"{prefix}{name}"
        members = members_of(given, definitions)
        if "const" not in given:
            stated = json.dumps(given["default"]) if "default" in given else "see below"
            default = "·" if name in required else stated
            allowed = " or ".join(dict.fromkeys(map(_allowed_by, members)))
            common = members[0].get("description", "") if len(members) == 1 else ""
            text = given.get("description") or common.split("\n")[0]
            yield DocumentedKey(key, allowed, default, text)
        for member in members:
            yield from _inside(member, key, definitions)


def _inside(
    member: dict[str, Any], key: str, definitions: dict[str, Any]
) -> Iterator[DocumentedKey]:
    if "properties" in member:
        tag = _tag(member)
        yield from _keys(member, f"{key} ({tag})." if tag else f"{key}.", definitions)
    elif "items" in member:
        for item in members_of(member["items"], definitions):
            yield from _inside(item, f"{key}[]", definitions)
    else:
        for entry in entries_of(member):
            for item in members_of(entry, definitions):
                yield from _inside(item, f"{key}.NAME", definitions)


def entries_of(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the JSON schemas of a mapping's values if the user chooses the names of its keys.

    The list is empty if the schema fixes the names of the keys.
    """
    entries = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
    return [entry for entry in entries if isinstance(entry, dict)]


def members_of(node: dict[str, Any], definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the members of a union in a JSON schema, or the node itself if it is no union.

    References to definitions are resolved.
    """
    if "$ref" in node:
        return members_of(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    options = node.get("anyOf", node.get("oneOf"))
    if options is None:
        return [node]
    return [member for option in options for member in members_of(option, definitions)]


def _tag(node: dict[str, Any]) -> str | None:
    """Return the value of the key that selects a member of a union; None if it has no such key."""
    return next((part["const"] for part in node["properties"].values() if "const" in part), None)


def _allowed_by(node: dict[str, Any]) -> str:
    if "enum" in node:
        return ", ".join(str(value) for value in node["enum"])
    if "const" in node:
        return str(node["const"])
    kind = node.get("type")
    if "properties" in node:
        return str(_tag(node) or "keys")
    if kind in ("number", "integer"):
        word = "whole number" if kind == "integer" else "number"
        bounds = [f"{sign} {node[name]:g}" for name, sign in _BOUNDS.items() if name in node]
        return f"{word} {', '.join(bounds)}".strip()
    names = {"string": "text", "array": "list", "object": "keys", "boolean": "true, false"}
    if pattern := node.get("pattern", "").strip("^$"):
        return pattern if CONTROL not in pattern else "text"
    return names.get(str(kind), str(kind))


_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def markdown_table(keys: list[DocumentedKey]) -> str:
    """Return documented keys as a Markdown table."""
    rows = [(f"`{k.key}`", k.allowed, f"`{k.default}`", k.text) for k in keys]
    return markdown(("key", "allowed", "default", "meaning"), rows)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows with headings as a Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |")
    return "\n".join(lines) + "\n"
