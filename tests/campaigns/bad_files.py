"""Generator of bad configuration files, each with a known fault.

A valid file is changed at one place, and written as YAML so that the line of every key is known. So
the expected error message is known without the project's checker, which is tested with these files.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

Key = tuple[str | int, ...]


class Raw(str):
    """Text that is written into the YAML file unchanged, without quotes or escapes."""


@dataclass(frozen=True)
class Bad:
    """A bad file, and what the checker's report on it must contain."""

    spoiled: str
    """Name of the class of errors, such as `a tab`."""
    content: bytes
    key: str = ""
    """Last part of the key in the error message; empty for an error of the whole file."""
    line: int = 0
    """Line number that the report must name; 0 if none."""
    words: tuple[str, ...] = ()
    """Words of which the report must contain one, such as an allowed value; may be empty."""


@dataclass(frozen=True)
class Site:
    """A key of a valid file, and what the file's schema allows at this key."""

    key: Key
    annotation: Any
    metadata: list[Any]
    required: bool
    nullable: bool
    siblings: tuple[str, ...]
    """All keys that the schema allows in the mapping that contains `key`."""

    @property
    def name(self) -> str:
        return str(self.key[-1])


@dataclass
class Sites:
    """Keys and mappings of a valid file at which an error can be inserted."""

    fields: list[Site] = field(default_factory=list)
    parts: list[tuple[Key, tuple[str, ...]]] = field(default_factory=list)
    """Key of each mapping, and the keys that the schema allows in it."""


def sites(schema: type[BaseModel], data: dict[str, Any]) -> Sites:
    """Return the keys and mappings of a valid file at which an error can be inserted."""
    found = Sites()
    _visit(schema, data, (), found)
    return found


def _visit(schema: type[BaseModel], data: dict[str, Any], key: Key, found: Sites) -> None:
    names = tuple(info.alias or name for name, info in schema.model_fields.items())
    found.parts.append((key, names))
    for name, info in schema.model_fields.items():
        name = info.alias or name
        if name not in data:
            continue
        place = (*key, name)
        annotation, metadata = _stripped(info.annotation, list(info.metadata))
        members = _members(annotation)
        alone = [member for member in members if member is not NoneType]
        one = _stripped(alone[0], metadata) if len(alone) == 1 else (annotation, metadata)
        found.fields.append(
            Site(place, *one, info.is_required(), NoneType in members or not alone, names)
        )
        _descend(annotation, data[name], place, found)


def _descend(annotation: Any, data: Any, key: Key, found: Sites) -> None:
    annotation, _ = _stripped(annotation, [])
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(data, list) and origin is list:
        for position, item in enumerate(data):
            _descend(arguments[0], item, (*key, position), found)
    elif isinstance(data, dict) and origin is dict:
        for name, item in data.items():
            _descend(arguments[1], item, (*key, name), found)
    elif isinstance(data, dict):
        for member in _members(annotation):
            member, _ = _stripped(member, [])
            if _fits(member, data):
                _visit(member, data, key, found)
                return


def _fits(member: Any, data: dict[str, Any]) -> bool:
    if not (isinstance(member, type) and issubclass(member, BaseModel)):
        return False
    known = {info.alias or name: info for name, info in member.model_fields.items()}
    choices = {
        name: get_args(info.annotation)
        for name, info in known.items()
        if get_origin(info.annotation) is Literal
    }
    needed = {name for name, info in known.items() if info.is_required()}
    return needed <= data.keys() <= known.keys() and all(
        data[name] in choices[name] for name in choices if name in data
    )


def _stripped(annotation: Any, metadata: list[Any]) -> tuple[Any, list[Any]]:
    """Return a field's type without `Annotated`, and `metadata` with that of `Annotated` added."""
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        metadata = [*metadata, *more]
    flat = [c for m in metadata for c in (m.metadata if isinstance(m, FieldInfo) else [m])]
    return annotation, flat


def _members(annotation: Any) -> tuple[Any, ...]:
    is_union = get_origin(annotation) in (Union, UnionType)
    return get_args(annotation) if is_union else (annotation,)


# Data as YAML text in which the line of each key is known


def written(data: Any) -> tuple[str, dict[Key, int]]:
    """Return data as YAML text, and line numbers by key (tuple of names and positions in lists)."""
    lines: list[str] = []
    places: dict[Key, int] = {(): 1}
    _write(data, (), "", lines, places)
    return "\n".join(lines) + "\n", places


def _write(data: Any, key: Key, indent: str, lines: list[str], places: dict[Key, int]) -> None:
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for name, value in entries:
        place = (*key, name)
        start = f"{indent}-" if isinstance(data, list) else f"{indent}{_text(name)}:"
        if isinstance(value, dict | list) and value:
            lines.append(start)
            places[place] = len(lines) + (1 if isinstance(data, list) else 0)
            _write(value, place, f"{indent}  ", lines, places)
        else:
            lines.append(f"{start} {_text(value)}")
            places[place] = len(lines)


def _text(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str) and re.fullmatch(r"[a-z_]+", value) and value not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


_WORDS = ("null", "true", "false", "nan", "inf")


# Bad files with an error at a single key


def _changed(data: Any, key: Key, change: Callable[[Any, Any], None]) -> Any:
    """Return a copy of data, changed by `change`.

    Its arguments are the mapping or list that contains `key`, and the last part of `key`.
    """
    copied = json.loads(json.dumps(data))
    part = copied
    for step in key[:-1]:
        part = part[step]
    change(part, key[-1])
    return copied


def _set(data: Any, key: Key, value: Any) -> Any:
    return _changed(data, key, lambda part, name: part.__setitem__(name, value))


def _renamed(data: Any, key: Key, new: str) -> Any:
    def change(part: dict[str, Any], name: str) -> None:
        items = [(new if k == name else k, v) for k, v in part.items()]
        part.clear()
        part.update(items)

    return _changed(data, key, change)


def _bad(spoiled: str, data: Any, key: Key, *words: str, named: str | None = None) -> Bad:
    text, places = written(data)
    shown = named if named is not None else str(key[-1]) if key else ""
    return Bad(spoiled, text.encode(), shown, places.get(key, places.get(key[:-1], 1)), words)


def slip(draw: Random, name: str, allowed: tuple[str, ...]) -> str | None:
    """Misspell a name by omitting a letter or exchanging two letters.

    Return None if the name has fewer than five letters or each misspelling is an allowed name.
    """
    at = draw.randrange(1, len(name) - 1) if len(name) >= 5 else -1
    if at < 0:
        return None
    dropped = name[:at] + name[at + 1 :]
    swapped = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    slips = [s for s in (dropped, swapped) if s not in allowed and s != name]
    return draw.choice(slips) if slips else None


NUMBERS = "must be a number", "must be a whole number", "number"
TOO_LOW, TOO_HIGH = ("greater than", "at least", "per cent"), ("less than", "at most", "per cent")


def spoiled_values(draw: Random, site: Site, data: Any) -> Iterator[Bad]:
    """Yield copies of a valid file (`data`) in which the value of the key `site` is wrong."""
    key, kind = site.key, site.annotation
    if kind in (int, float):
        yield _bad("a word for a number", _set(data, key, draw.choice(_ADVERBS)), key, *NUMBERS)
        number = str(draw.randint(1, 99))
        yield _bad("a quoted number", _set(data, key, number), key, *NUMBERS)
        unit = f"{number}{draw.choice(['Mbps', ' ms', 'kB', '%', ' packets'])}"
        yield _bad("a number with its unit", _set(data, key, unit), key, *NUMBERS)
        yield _bad("true for a number", _set(data, key, draw.random() < 0.5), key, *NUMBERS)
        yield _bad("a list for a number", _set(data, key, [1, 2]), key, *NUMBERS)
        yield _bad("a mapping for a number", _set(data, key, {"value": 1}), key, *NUMBERS)
        lost = Raw(draw.choice([".nan", ".inf", "-.inf", "nan", "1e999", "-1e400", "9" * 400]))
        yield _bad("not finite", _set(data, key, lost), key, "finite", "too large", "digits")
        low, high = bounds(site.metadata)
        if low > -math.inf:
            below = low - draw.choice([1, 10, 1e6]) * (1 if kind is int else draw.random() + 0.1)
            below = math.floor(below) if kind is int else below
            yield _bad("below its bound", _set(data, key, below), key, *TOO_LOW)
        if high < math.inf:
            above = high * draw.uniform(1.1, 100) + 1
            above = math.ceil(above) if kind is int else above
            yield _bad("above its bound", _set(data, key, above), key, *TOO_HIGH)
        if kind is int:
            part = draw.randint(1, 50) + draw.uniform(0.1, 0.9)
            yield _bad("a fraction for a whole number", _set(data, key, part), key, "whole")
    if kind is str:
        yield _bad("a list for text", _set(data, key, ["a"]), key, "text")
        yield _bad("a number for text", _set(data, key, draw.randint(1, 99)), key, "text")
        if any(getattr(constraint, "min_length", 0) for constraint in site.metadata):
            yield _bad("empty text", _set(data, key, ""), key, "")
    if kind is bool:
        word = draw.choice(["on", "yes", "si", "ja"])
        yield _bad("a word for true or false", _set(data, key, word), key, "true")
        yield _bad("a number for true or false", _set(data, key, 1), key, "true")
    if get_origin(kind) is Literal:
        allowed = tuple(map(str, get_args(kind)))
        yield _bad(
            "no such choice", _set(data, key, draw.choice(_ADVERBS)), key, "allowed", *allowed
        )
        if (wrong := slip(draw, str(_value(data, key)), allowed)) is not None:
            yield _bad("a slip in a choice", _set(data, key, wrong), key, "did you mean")
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield _bad("a word for a mapping", _set(data, key, "none"), key, "mapping")
        yield _bad("a list for a mapping", _set(data, key, [1]), key, "mapping")
    if get_origin(kind) is list:
        yield _bad("a mapping for a list", _set(data, key, {"a": 1}), key, "list")
    if not site.nullable:
        yield _bad("null for a value", _set(data, key, None), key, "")


_ADVERBS = ["fast", "quickly", "seldom", "often", "wide", "überall", "none of these"]


def _value(data: Any, key: Key) -> Any:
    for step in key:
        data = data[step]
    return data


def bounds(metadata: list[Any]) -> tuple[float, float]:
    """Return the lower and upper bound of a number by its field's constraints; ±inf if none."""
    low, high = -math.inf, math.inf
    for constraint in metadata:
        match constraint:
            case annotated_types.Ge(ge=bound) | annotated_types.Gt(gt=bound):
                low = max(low, float(bound))
            case annotated_types.Le(le=bound) | annotated_types.Lt(lt=bound):
                high = min(high, float(bound))
    return low, high


def spoiled_keys(draw: Random, site: Site, data: Any) -> Iterator[Bad]:
    """Yield copies of `data` in which the key `site` is misspelt, missing or given twice."""
    key = site.key
    if (wrong := slip(draw, site.name, site.siblings)) is not None:
        at = (*key[:-1], wrong)
        yield _bad("a slip in a key", _renamed(data, key, wrong), at, "did you mean ")
    if site.required:
        text, places = written(_changed(data, key, lambda part, name: part.pop(name)))
        line = places.get(key[:-1], 1)
        yield Bad(
            "a required key is missing", text.encode(), site.name, line, ("required", "needs")
        )
    twice = Raw(f"1\n{'  ' * (len(key) - 1)}{site.name}: 2")
    if all(isinstance(step, str) for step in key):
        bad = _bad("a key stands there twice", _set(data, key, twice), key, "duplicate")
        yield Bad(bad.spoiled, bad.content, bad.key, bad.line + 1, bad.words)


def spoiled_parts(draw: Random, key: Key, names: tuple[str, ...], data: Any) -> Iterator[Bad]:
    """Yield a copy of `data` in which the mapping at `key` has a key that is not in `names`."""
    new = draw.choice(["wonder", "comment", "x_axis_colour", "__class__", "<<", "größe", "0"])
    if new not in names:
        added = (*key, new)
        text = _set(data, added, draw.choice([1, "a", None, [1], {"a": 1}]))
        yield _bad("an unknown key", text, added, "unknown key", "allowed")


# Bad files whose text is not plain YAML


def spoiled_text(draw: Random, data: Any, keys: list[Key]) -> Iterator[Bad]:
    """Yield files that are not plain YAML data: tags, anchors, bad encoding, several documents."""
    key = draw.choice(keys)
    text, _ = written(data)

    def at(spoiled: str, value: str, *words: str) -> Bad:
        return _bad(spoiled, _set(data, key, Raw(value)), key, *words, named="")

    yield at("a tag", f"!!python/name:os.{draw.choice(['system', 'popen'])} x", "tags")
    yield at("a tag", f"!{draw.choice(['include', 'env', 'secret'])} x", "tags")
    yield at("an anchor", f"&a{draw.randint(0, 9)} x", "anchors")
    yield at("an alias", f"*a{draw.randint(0, 9)}", "anchors", "alias")
    # The YAML parser reports an unclosed bracket or quote at some later line, so accept any line.
    yield replace(at("an open bracket", "[1, 2", "not YAML"), line=0)
    yield replace(at("an open quote", '"never closed'), line=0)
    deep = draw.randint(41, 400)
    yield at("nested too deep", "[" * deep + "]" * deep, "nested deeper")
    lines = text.splitlines()
    cut = draw.randrange(1, len(lines))
    with_tab = [*lines[:cut], "\t- tab", *lines[cut:]]
    yield Bad("a tab", "\n".join(with_tab).encode(), "", cut + 1, ("not YAML",))
    second = f"{text}---\na: 1\n"
    yield Bad("a second document", second.encode(), "", len(lines) + 1, ("second",))
    where = draw.randrange(len(text))
    strange = text.encode()[:where] + draw.choice([b"\xff\xfe", b"\xc3\x28"]) + b"\n"
    yield Bad("not UTF-8", strange, "", 0, ("UTF-8",))
    control = (
        text.encode()[:where] + draw.choice([b"\x00", b"\x07", b"\x1b"]) + text.encode()[where:]
    )
    yield Bad("a control character", control, "", 0, ("not YAML", "control", "text", "character"))
    large = text.encode() + b"# " + b"x" * (1_000_000 + draw.randint(0, 10**6))
    yield Bad("too large", large, "", 0, ("larger than",))
    nothing = draw.choice([b"", b"# nothing\n", b"\n\n", b"---\n", b"...\n"])
    yield Bad("nothing in it", nothing, "", 0, ("empty", "mapping", "not YAML"))
    other = draw.choice(["- 1\n- 2\n", "just words\n", "42\n", "wonder: 1\n", "true\n"])
    yield Bad("no such kind of file", other.encode(), "", 0, ("mapping", "known by its keys"))


# Bad files whose keys contradict each other, or that refer to nothing


def contradictions(draw: Random, data: dict[str, Any]) -> Iterator[Bad]:
    """Yield copies of a scenario (`data`) in which two keys contradict each other."""
    small, large = sorted(10 ** draw.uniform(-2, 2) for _ in range(2))
    constant = {"distribution": "constant", "mean_s": 1}
    rate = data["path"]["rate_bps"]

    def having(part: str, value: Any, *words: str) -> Bad:
        bad = _bad("a contradiction", {**data, part: value}, (part,), *words, named="")
        # The error concerns two keys, and the checker may name the line of either: accept any line.
        return replace(bad, line=0)

    uniform = {"distribution": "uniform", "low_s": large, "high_s": small}
    pareto = {"distribution": "pareto", "mean_s": small, "shape": draw.uniform(0.1, 1)}
    late = {"interval_s": large, "packets": 1, "fate": "late"}
    lost = {"interval_s": large, "packets": 1, "fate": "lost", "late_s": small}
    varying = {"process": "sinusoid", "frequency_hz": large}
    still = {"process": "gilbert-elliott", "good_to_bad": draw.random() / 2, "bad_to_good": 0}
    yield having("spikes", {"interval": uniform, "duration": constant}, "low_s")
    yield having("spikes", {"interval": constant, "duration": pareto}, "shape")
    yield having("handoffs", late, "late_s")
    yield having("handoffs", lost, "late_s")
    yield having("capacity", {**varying, "min_bps": rate, "max_bps": rate / 2}, "below")
    yield having("capacity", {**varying, "min_bps": 1, "max_bps": 3 * rate}, "peak")
    yield having("capacity", {"process": "trace", "file": "nowhere.csv"}, "no such file")
    yield having("loss", still, "never recovers")
    path = {**data["path"], "forward_delay_s": 0, "backward_delay_s": 0}
    yield having("path", path, "no round trip")
    rto = {"min_s": large, "max_s": small}
    yield having("tcp", {**data["tcp"], "rto": rto}, "below")


def bad_names(draw: Random, data: dict[str, Any]) -> Iterator[Bad]:
    """Yield a copy of a scenario with an invalid id, such as one with a capital letter."""
    wrong = ["Upper", "a b", "../up", "a/b", "ü", "a_b", "a;b", "$(a)", "", "x" * 81, "a\nb"]
    yield _bad("a name that is none", _set(data, ("id",), draw.choice(wrong)), ("id",), "")


REFERENCES = ("scenario", "model", "curve", "engine", "figure", "series", "style", "citation")
REFERENCES += (
    "comparison",
    "scenarios",
    "held",
    "claims",
    "census",
    "figures",
    "sources",
    "models",
)


def dangling(draw: Random, site: Site, data: Any) -> Iterator[Bad]:
    """Yield files in which a reference, such as a model's name, names nothing that exists."""
    value = _value(data, site.key)
    if site.name not in REFERENCES or not isinstance(value, str | list):
        return
    if isinstance(value, list) and not (value and all(isinstance(v, str) for v in value)):
        return
    one = value if isinstance(value, str) else value[0]
    wrong = slip(draw, one, (one,)) or "nowhere"
    new = wrong if isinstance(value, str) else [wrong, *value[1:]]
    bad = _bad("a name of nothing", _set(data, site.key, new), site.key, "", named="")
    # For a list the checker may name the line of the key or that of the item: accept any line.
    yield bad if isinstance(value, str) else replace(bad, line=0)
