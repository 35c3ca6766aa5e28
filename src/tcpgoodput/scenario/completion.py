"""Completion of changes such as `loss.probability=0.01` that lack other keys of their part."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import product
from typing import Any

import pydantic

from tcpgoodput.configuration import Document, parse
from tcpgoodput.configuration.strict_yaml import dotted
from tcpgoodput.scenario.vocabulary import Scenario

MOST_CHANGES = 3
"""Most changes of single keys of a part; instead of more, the whole part is set. Chosen by hand."""


def completion(changed: Document) -> dict[str, Any]:
    """Return changes of a scenario that are valid, and contain changes that are not.

    Missing keys get the values of the vocabulary's examples. Rates in bit/s are scaled, because
    none may exceed the rate of the path. Only parts that a change touches, such as `loss`, are
    completed. If a part has keys of another kind, such as another loss process, it is replaced,
    but neither `tcp` nor `path`.

    Args:
        changed: the scenario's keys after the changes.

    Returns:
        The new values by key, such as `loss.process` or `loss`; empty if no example is valid.

    """
    data = changed.data
    if not isinstance(data, dict):
        return {}
    keys = [key for key in changed.given if key[0] in Scenario.model_fields]
    given = {key: reduce(operator.getitem, key, data) for key in keys}
    names = list(dict.fromkeys(str(key[0]) for key in keys))
    for ways in product(*(_ways(data, given, name) for name in names)):
        parts = {name: part for name, (part, _) in zip(names, ways, strict=True)}
        try:
            Scenario.model_validate({**data, **parts})
        except pydantic.ValidationError:
            continue
        return {key: value for _, changes in ways for key, value in changes.items()}
    return {}


def _ways(
    data: Mapping[str, Any], given: Mapping[Any, Any], name: str
) -> list[tuple[Any, dict[str, Any]]]:
    """Return the ways to complete a part: its keys and the changes, the fewest changes first."""
    own = {dotted(key): value for key, value in given.items() if key[0] == name}
    ways: list[tuple[Any, dict[str, Any]]] = [(data[name], own)]
    if not isinstance(data[name], dict):
        return ways
    examples = [parse(text, name).data for text in Scenario.model_fields[name].examples or []]
    if name != "path":
        examples = [scaled(example, data) for example in examples]
    for example in examples:
        part = _merged(example, data[name])
        changes = {**own, **dict(_added(data[name], part, name))}
        ways.append((part, changes if len(changes) <= MOST_CHANGES else {name: part}))
    if Scenario.model_fields[name].is_required():
        return ways  # a replaced sender or path would silently lose the stated keys
    changed: dict[str, Any] = {}
    for key, value in given.items():
        if key[0] == name:
            for step in reversed(key[1:]):
                value = {step: value}
            changed = _merged(changed, value)
    for example in examples:
        part = _merged(example, changed)
        ways.append((part, {name: part}))
    return ways


def scaled(example: dict[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an example in which the largest rate is the stated one, or that of the path."""
    rates = {key: rate for key, rate in example.items() if key.endswith("_bps")}
    path, stated = data.get("path"), data.get("capacity")
    limit = path.get("rate_bps") if isinstance(path, dict) else None
    if isinstance(stated, dict):
        limit = stated.get("max_bps", stated.get("peak_bps", limit))
    if not rates or not isinstance(limit, int | float):
        return example
    scale = limit / max(rates.values())
    return {**example, **{key: float(f"{scale * rate:.3g}") for key, rate in rates.items()}}


def _merged(example: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of an example, overwritten by the keys that are stated, at all depths."""
    merged = copy.deepcopy(dict(example))
    for key, value in stated.items():
        nested = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if nested else value
    return merged


def _added(
    stated: Mapping[str, Any], filled: Mapping[str, Any], at: str
) -> Iterator[tuple[str, Any]]:
    """Yield the keys with their values that a filled part has and the stated part has not."""
    for key, value in filled.items():
        old = stated.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            yield from _added(old, value, f"{at}.{key}")
        elif old is None:
            yield f"{at}.{key}", value
