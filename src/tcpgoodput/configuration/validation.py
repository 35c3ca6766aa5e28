"""Conversion of data to checked objects of a pydantic schema, with errors in plain words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import pydantic
from pydantic import BaseModel

from tcpgoodput.configuration.documentation import entries_of, members_of
from tcpgoodput.configuration.problems import (
    ConfigurationError,
    Problem,
    WrongKey,
    alternatives,
    choices,
)
from tcpgoodput.configuration.strict_yaml import Document, Key, dotted
from tcpgoodput.configuration.units import in_its_unit, number_in_its_unit, number_with_point
from tcpgoodput.configuration.unreadable import no_mapping

M = TypeVar("M", bound=BaseModel)

MISSING = "is required"

DEEPEST = 4
"""Largest depth of the search in a schema for a mapping that allows a key, in levels of keys.
Without a limit the search might not end, because schemas may be recursive. Chosen by hand."""

CONTROL_CHARACTERS = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
)
"""Characters that texts must not contain, as a part of a regular expression: a terminal may take
them as commands, or they change the order of the other characters."""

MOST_EXPLAINED = 30
"""Most errors of a schema for which the allowed and the similar names are looked for, which takes a
millisecond each; chosen by hand. A report shows fewer."""

TYPES = {
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
}
"""What a value must be, by pydantic's name of the error, if the message says no more."""

_SUGGESTION = re.compile(r"unknown key; did you mean (\w+)")
_DECIMALS = re.compile(r"\d+([eE][-+]?\d+)?")


def validated(schema: type[M], document: Document, at: Key = ()) -> M:
    """Return the mapping of a document at the key `at` as a checked object of a schema.

    Raises:
        ConfigurationError: the data are invalid; each problem has its line.

    """
    data = document.data
    for part in at:
        data = data[part]
    if not isinstance(data, dict):
        raise ConfigurationError([document.problem(at, no_mapping(data, is_whole=not at))])
    problems = {key[len(at) :]: p for key, p in document.problems.items() if key[: len(at)] == at}
    data = _without(data, problems)
    bereft = _parts_of(problems)
    while True:
        try:
            model = schema.model_validate(data)
            break
        except pydantic.ValidationError as error:
            found, known = _found(schema, error, data, document, at)
            # If a wrong value was removed, the mapping around it may lack a required key; do not
            # report this.
            found = {key: p for key, p in found.items() if key not in bereft}
            bereft |= _parts_of(known)
            new = found.keys() - problems.keys()
            problems = found | problems
            if not new:
                break
            # An error in one value hides errors in others, so remove that value and validate again.
            data = _without(data, found)
    if problems:
        raise ConfigurationError(_without_misspelt_missing(problems))
    return model


def _found(
    schema: type[BaseModel], error: pydantic.ValidationError, data: Any, document: Document, at: Key
) -> tuple[dict[Key, Problem], set[Key]]:
    """Return pydantic's errors as problems by key, and the keys of those not about unknown keys."""
    problems: dict[Key, Problem] = {}
    known: set[Key] = set()
    for count, details in enumerate(error.errors(include_url=False)):
        if count < MOST_EXPLAINED:
            key = _key_of(schema, details, data)
            problems[key] = _problem(schema, details, data, document, at)
        else:
            key = _key_in_file(details["loc"], data, details["type"])
            problems.setdefault(key, document.problem((*at, *key), _unexplained(details)))
        if details["type"] != "extra_forbidden":
            known.add(key)
    return problems, known


def _without_misspelt_missing(problems: dict[Key, Problem]) -> list[Problem]:
    """Return the problems, without those of missing keys that other problems report as misspelt."""
    suggested = {
        (*key[:-1], hint[1])
        for key, problem in problems.items()
        if (hint := _SUGGESTION.match(problem.message))
    }
    return [
        problem
        for key, problem in problems.items()
        if key not in suggested or not problem.message.startswith(MISSING)
    ]


def _parts_of(keys: Iterable[Key]) -> set[Key]:
    """Return the keys of all mappings and lists below the document that contain some keys."""
    return {key[:length] for key in keys for length in range(1, len(key))}


def _without(data: Any, keys: Container[Key], at: Key = ()) -> Any:
    """Return a copy of the data, which are at the key `at` of a document, without some keys."""
    if isinstance(data, dict):
        kept = {name: value for name, value in data.items() if (*at, name) not in keys}
        return {name: _without(value, keys, (*at, name)) for name, value in kept.items()}
    if isinstance(data, list):
        return [_without(value, keys, (*at, number)) for number, value in enumerate(data)]
    return data


def _problem(
    schema: type[BaseModel], details: Any, data: Any, document: Document, at: Key
) -> Problem:
    key = _key_of(schema, details, data)
    message = _of_decimal_comma(details, data, key) or _message(schema, details)
    return document.problem((*at, *key), message)


def _of_decimal_comma(details: Any, data: Any, key: Key) -> str | None:
    """Return the message for a key `03` that is the rest of `forward_delay_s: 0,03`, or None."""
    name = str(key[-1]) if key else ""
    if details["type"] != "extra_forbidden" or details["input"] is not None:
        return None
    if not _DECIMALS.fullmatch(name):
        return None
    for step in key[:-1]:
        data = data[step]
    for (before, whole), (after, _) in pairwise(data.items()):
        if after == name and isinstance(whole, int) and not isinstance(whole, bool):
            return f"unknown key; did you mean {before}: {whole}.{name}, with a decimal point?"
    return None


def _key_of(schema: type[BaseModel], details: Any, data: Any) -> Key:
    """Return the key that caused an error; for a union, the key that selects the alternative."""
    key = _key_in_file(details["loc"], data, details["type"])
    match details["type"]:
        case "value_error" if isinstance(error := details["ctx"]["error"], WrongKey):
            return (*key, *error.key)
        case "union_tag_invalid":
            return (*key, _discriminator(details))
        case "union_tag_not_found" if wrong := _slip(schema, details):
            return (*key, wrong)
    return key


def _discriminator(details: Any) -> str:
    return str(details["ctx"]["discriminator"]).strip("'")


def _slip(schema: type[BaseModel], details: Any) -> str | None:
    """Return the user's misspelling of the key that selects a member of a union, or None."""
    found = details["input"]
    keys = found.keys() - allowed_keys(schema, details["loc"]) if isinstance(found, dict) else []
    return next(iter(difflib.get_close_matches(_discriminator(details), keys, n=1)), None)


def _key_in_file(location: Key, data: Any, kind: str) -> Key:
    """Return the key of an error's location, without the names of union members."""
    key: list[str | int] = []
    for position, part in enumerate(location):
        last = position == len(location) - 1
        inside = (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        )
        if inside:
            data = data[part]
            key.append(part)
        elif last and kind in ("missing", "union_tag_not_found"):
            key.append(part)
    return tuple(key)


def _message(schema: type[BaseModel], details: Any) -> str:
    kind, context, value = details["type"], details.get("ctx", {}), details.get("input")
    location, shown = details["loc"], _shown(details.get("input"))
    if kind in TYPES:
        is_single = TYPES[kind] == "a list" and isinstance(value, int | float | str)
        return f"is {shown} but must be {TYPES[kind]}{f', such as [{value}]' * is_single}"
    match kind:
        case "missing":
            if values := _listed(schema, location, "enum"):
                return f"{MISSING} ({choices(values)})"
            return MISSING + _such_as(schema, location)
        case "extra_forbidden":
            allowed, name = allowed_keys(schema, location[:-1]), str(location[-1])
            suggested = in_its_unit(name, value, allowed)
            elsewhere = "" if suggested else _elsewhere(schema, name)
            if set(elsewhere.split(".")) <= set(map(str, location)):
                elsewhere = ""  # the key exists for another alternative of the same part only
            hint = f"; did you mean {suggested or elsewhere}?" if suggested or elsewhere else ""
            if owners := _owners(schema, location):
                hint = f"; it belongs to {' or '.join(owners)}"
            if name.startswith("rtt") and "forward_delay_s" in allowed:
                hint = "; the round trip is the sum of forward_delay_s and backward_delay_s"
            return f"unknown key{alternatives(name, allowed, hint)}"
        case "union_tag_not_found":
            name = _discriminator(details)
            allowed = choices(_listed(schema, (*location, name), "const"))
            if _slip(schema, details):
                return f"unknown key; did you mean {name}? ({allowed})"
            return f"needs the key {name} ({allowed})"
        case "union_tag_invalid":
            tags = re.findall(r"'([^']*)'", context["expected_tags"])
            tag = value[_discriminator(details)]
            return f"is {_shown(tag)}{alternatives(str(tag or ''), tags)}"
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", context["expected"])
            return f"is {shown}{alternatives(str(value), allowed)}"
        case "value_error":
            return str(context["error"])
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            hint = ""
            if value > 1 and context.get("lt", context.get("le")) == 1:
                hint = " (probabilities are in [0, 1], never per cent)"
            return f"is {shown} but {_lowered(details['msg'])}{hint}"
        case "float_type" | "int_type" | "int_from_float" | "float_parsing" | "int_parsing":
            wanted = "a whole number" if kind.startswith("int") else "a number"
            text, hint = value if isinstance(value, str) else "", ""
            suggested = number_in_its_unit(str(location[-1]), text)
            if wanted == "a number":
                suggested = suggested or number_with_point(text)
            if suggested and (wanted == "a number" or float(suggested).is_integer()):
                hint = f"; did you mean {suggested}?"
            return f"is {shown} but must be {wanted}{hint}"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"is {shown} but must be a mapping of keys{_such_as(schema, location)}"
        case "too_short" | "too_long":
            unit = "key" if isinstance(value, dict) else "value"
            number = f"{len(value) or 'no'} {unit}{'s' * (len(value) != 1)}"
            return f"has {number} but must have {_limit_of(kind, context)}"
        case "string_too_short" | "string_too_long":
            if not value:
                return "is empty but must be text"
            return f"has {len(value)} characters but must have {_limit_of(kind, context)}"
        case "string_pattern_mismatch":
            pattern = context["pattern"]
            if control := re.search(f"[{CONTROL_CHARACTERS}]", value):
                return f"is {shown}, which has the control character {control[0]!r}; remove it"
            return f"is {shown} but must match {pattern}{_respelled(str(value), pattern)}"
        case _:
            return f"is {shown}: {_lowered(details['msg'])}"


def _limit_of(kind: str, context: dict[str, Any]) -> str:
    """Return the smallest or the largest length that an error's context has, in words."""
    if kind.endswith("short"):
        return f"at least {context['min_length']}"
    return f"at most {context['max_length']}"


def _unexplained(details: Any) -> str:
    """Return a short message for an error, without allowed or similar names."""
    match details["type"]:
        case "missing":
            return MISSING
        case "extra_forbidden":
            return "unknown key"
    return f"is {_shown(details['input'])}: {_lowered(details['msg'])}"


def _respelled(name: str, pattern: str) -> str:
    """Return `; did you mean ...?` with the name in small letters, if `pattern` allows it."""
    spellings = (re.sub(r"[^a-z0-9]+", mark, name.lower()).strip(mark) for mark in "-_")
    return next((f"; did you mean {s}?" for s in spellings if re.fullmatch(pattern, s)), "")


@cache
def _json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    return schema.model_json_schema(by_alias=True)


def allowed_keys(schema: type[BaseModel], location: Key) -> list[str]:
    """Return the keys that the schema allows at the location of an error."""
    return list(
        dict.fromkeys(k for node in _nodes(schema, location) for k in node.get("properties", ()))
    )


def _owners(schema: type[BaseModel], location: Key) -> list[str]:
    """Return the alternatives of a part, such as `process: periodic`, that allow an unknown key."""
    name, owners = location[-1], []
    for node in _nodes(schema, location[:-2]) if len(location) > 1 else []:
        own = node.get("properties", {})
        tags = [f"{key}: {value['const']}" for key, value in own.items() if "const" in value]
        if name in own and tags:
            owners += tags
    return owners


def _elsewhere(schema: type[BaseModel], name: str) -> str:
    """Return the first full key in the schema that ends in `name`; empty if there is none."""
    whole = _json_schema(schema)
    return next((dotted(key) for key in _paths(whole, whole, ()) if key[-1] == name), "")


def _paths(whole: dict[str, Any], node: dict[str, Any], part: Key) -> Iterator[Key]:
    """Yield every key below a node, which has the key `part`, of a whole JSON schema."""
    if "$ref" in node:
        node = whole["$defs"][node["$ref"].rsplit("/", 1)[-1]]
    for name, child in node.get("properties", {}).items():
        yield (*part, name)
        if len(part) < DEEPEST:
            yield from _paths(whole, child, (*part, name))
    for member in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from _paths(whole, member, part)


def _such_as(schema: type[BaseModel], location: Key) -> str:
    """Return the end of a message with the first example of a key; empty if there is none."""
    examples = _listed(schema, location, "examples")
    return f", such as {location[-1]}: {examples[0]}" if examples else ""


def _listed(schema: type[BaseModel], location: Key, kind: str) -> list[str]:
    """Return what a key's schema has as `kind`: `enum`, `const` or `examples`."""
    nodes = _nodes(schema, location[:-1])
    found = [node.get("properties", {}).get(str(location[-1]), {}).get(kind, []) for node in nodes]
    return [str(v) for one in found for v in (one if isinstance(one, list) else [one])]


def _nodes(schema: type[BaseModel], location: Key) -> list[dict[str, Any]]:
    """Return the nodes of the JSON schema, several for a union, at the location of an error."""
    node: Any = _json_schema(schema)
    definitions = node.get("$defs", {})

    candidates = members_of(node, definitions)
    for step in location:
        following: list[Any] = []
        for candidate in candidates:
            if isinstance(step, int):
                if "items" in candidate:
                    following += members_of(candidate["items"], definitions)
            elif step in candidate.get("properties", {}):
                following += members_of(candidate["properties"][step], definitions)
            else:
                for entry in entries_of(candidate):
                    following += members_of(entry, definitions)
        if following:
            candidates = following
            continue
        # This step is the name of a union's member, so keep only that member.
        tagged = [
            c
            for c in candidates
            if any(p.get("const") == step for p in c.get("properties", {}).values())
        ]
        candidates = tagged or candidates
    return candidates


def _shown(value: Any) -> str:
    if value is None:
        return "empty"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _lowered(message: str) -> str:
    return (message[0].lower() + message[1:]).replace("input should", "must")


def validation_messages(
    schema: type[BaseModel], data: Any, error: pydantic.ValidationError
) -> list[str]:
    """Return pydantic's errors as texts `key: message`, for data that do not come from a file."""
    document = Document("", data)
    return [
        f"{p.key}: {p.message}" if p.key else p.message
        for p in (
            _problem(schema, details, data, document, ())
            for details in error.errors(include_url=False)
        )
    ]
