"""Content and keys of a scenario, and the random numbers that depend on its content."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

import numpy as np
import yaml
from pydantic import BaseModel

from tcpgoodput.scenario.types import Part
from tcpgoodput.scenario.vocabulary import Scenario


def content_of(scenario: Scenario) -> str:
    """Return a scenario's content as text, without id and title.

    A key of the scenario that was added to the vocabulary later is included only if its value
    changes the earlier behaviour. So earlier measurements stay valid under their old keys.
    """
    return scenario.model_dump_json(exclude={"id": True, "title": True, **_unsaid(scenario)})


PATH_OF_TCP = ("mss_bytes", "header_bytes", "max_window_packets", "ack_every", "transfer_packets")
"""Keys of `tcp` that describe packets and receiver, and so belong to the path, not the sender."""


def path_content_of(scenario: Scenario) -> str:
    """Return a scenario's content as text, without the keys of `tcp` that describe the sender."""
    sender = dict.fromkeys(type(scenario.tcp).model_fields.keys() - set(PATH_OF_TCP), True)
    unsaid = {key: value for key, value in _unsaid(scenario).items() if key != "tcp"}
    return scenario.model_dump_json(exclude={"id": True, "title": True, **unsaid, "tcp": sender})


def _unsaid(part: BaseModel) -> dict[str, Any]:
    """Return the keys in `JOINED_LATER` whose values leave the earlier behaviour unchanged.

    The result has the form of pydantic's argument `exclude`.
    """
    unsaid: dict[str, Any] = {}
    for name in type(part).model_fields:
        value = getattr(part, name)
        joined_later = isinstance(part, Part) and name in part.JOINED_LATER
        if joined_later and value == part.value_before(name):
            unsaid[name] = True
        elif isinstance(value, BaseModel) and (within := _unsaid(value)):
            unsaid[name] = within
    return unsaid


def random_stream(scenario: Scenario, seed: int, replication: int) -> np.random.Generator:
    """Return the random generator of one replication of a scenario.

    The generator depends on the scenario's content (not its id or title), the configured seed and
    the replication's number. So adding or reordering scenarios does not change the random numbers
    of other scenarios.
    """
    return random_streams(scenario, seed)(replication)


def random_streams(scenario: Scenario, seed: int) -> Callable[[int], np.random.Generator]:
    """Return a function from a replication's number to its generator; see `random_stream`."""
    # compute the content only once, because it takes as long as a short replication
    content = content_of(scenario)

    def stream(replication: int) -> np.random.Generator:
        key = hashlib.sha256(f"{seed}/{replication}/{content}".encode()).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(key, "big")))

    return stream


@cache
def scenario_keys() -> frozenset[str]:
    """Return every key of a scenario, including parts such as `loss` and the keys of all kinds."""
    return frozenset(_keys(Scenario, ""))


def at_key(data: Any, key: str) -> Any:
    """Return the value of a nested dict at a key such as `path.rate_bps`, or None."""
    for name in key.split("."):
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _keys(part: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in part.model_fields.items():
        yield f"{prefix}{name}"
        for member in _parts(field.annotation):
            yield from _keys(member, f"{prefix}{name}.")


def _parts(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the pydantic models in the type of a field: one, or a union's members."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for member in get_args(annotation):
        yield from _parts(member)


COMMENT_COLUMN = 40


LEAST_COMMENT = 30
"""A comment stands above its key, not next to it, if fewer characters than this fit next to it."""


def shown(scenario: Scenario, width: int = 80) -> str:
    """Return the scenario as valid YAML, with defaults marked by comments.

    Lines with comments have at most `width` characters.
    """
    return "\n".join(_lines(scenario, 0, width)) + "\n"


def stated(scenario: Scenario) -> str:
    """Return the keys that a scenario sets, without defaults, as valid YAML."""
    return str(yaml.safe_dump(scenario.stated(), sort_keys=False, allow_unicode=True))


def _lines(part: BaseModel, depth: int, width: int) -> list[str]:
    lines = []
    indent = "  " * depth
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        is_default = name not in part.model_fields_set
        text = " ".join((field.description or "").split())
        comment = f"default: {text}" if is_default else text
        if isinstance(value, BaseModel):
            lines += _commented(f"{indent}{name}:", comment if is_default else "", width)
            lines += _lines(value, depth + 1, width)
        else:
            lines += _commented(f"{indent}{name}: {_yaml(value)}", comment, width)
    return lines


def _commented(line: str, comment: str, width: int) -> list[str]:
    """Return a line with its comment, which may be next to it or above it on several lines."""
    if not comment:
        return [line]
    column = max(len(line), COMMENT_COLUMN) + 1
    if width - column - len("# ") < LEAST_COMMENT:
        indent = line[: len(line) - len(line.lstrip())] + "# "
        return [*_wrapped(comment, width, indent), line]
    first, *others = _wrapped(comment, width, " " * column + "# ")
    return [f"{line:<{column}}{first.lstrip()}", *others]


def _wrapped(comment: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        comment,
        max(width, len(indent) + LEAST_COMMENT),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _yaml(value: Any) -> str:
    """Return a plain value as YAML; texts are quoted as in JSON, except names."""
    if isinstance(value, str) and value.replace("-", "").isalnum() and not value[:1].isdigit():
        reserved = {"null", "true", "false", "nan", "inf", "infinity"}
        return json.dumps(value) if value.lower() in reserved else value
    return json.dumps(value, ensure_ascii=False)
