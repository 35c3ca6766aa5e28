"""Content and keys of a scenario, and the random numbers that depend on its content."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

import numpy as np
from pydantic import BaseModel

from tcpgoodput.configuration.strict_yaml import as_yaml, is_text
from tcpgoodput.configuration.units import plain
from tcpgoodput.scenario.types import Part
from tcpgoodput.scenario.vocabulary import AS_RECORDED, Scenario


def content_of(scenario: Scenario) -> str:
    """Return a scenario's content as JSON text, without id and title.

    A key that was added to the vocabulary after the first measurements is included only if its
    value changes the earlier behaviour, and a key whose values were renamed has the earlier ones.
    Stored measurements are found by this text, so earlier ones stay valid.
    """
    return scenario.model_dump_json(
        exclude={"id": True, "title": True, **_without_effect(scenario)}, context=AS_RECORDED
    )


PATH_OF_TCP = ("mss_bytes", "header_bytes", "max_window_packets", "ack_every", "transfer_packets")
"""Keys of `tcp` that describe packets, receiver and transfer, and so not the sender."""


def path_content_of(scenario: Scenario) -> str:
    """Return a scenario's content as JSON text, without the keys that describe the sender.

    Also id and title are left out. Of `tcp` the text has only the keys in `PATH_OF_TCP`.
    """
    sender = dict.fromkeys(type(scenario.tcp).model_fields.keys() - set(PATH_OF_TCP), True)
    without_effect = {
        key: value for key, value in _without_effect(scenario).items() if key != "tcp"
    }
    return scenario.model_dump_json(
        exclude={"id": True, "title": True, **without_effect, "tcp": sender}
    )


def _without_effect(part: BaseModel) -> dict[str, Any]:
    """Return the later keys without effect on earlier behaviour, as pydantic's `exclude`."""
    without_effect: dict[str, Any] = {}
    for name in type(part).model_fields:
        value = getattr(part, name)
        joined_later = isinstance(part, Part) and name in part.JOINED_LATER
        if joined_later and value == part.value_before(name):
            without_effect[name] = True
        elif isinstance(value, BaseModel) and (within := _without_effect(value)):
            without_effect[name] = within
    return without_effect


def random_stream(scenario: Scenario, seed: int, replication: int) -> np.random.Generator:
    """Return the random generator of one replication (simulation run) of a scenario.

    The generator depends on the scenario's content (not its id or title), the configured seed and
    the replication's number. So adding or reordering scenarios does not change the random numbers
    of other scenarios.
    """
    return random_streams(scenario, seed)(replication)


def random_streams(scenario: Scenario, seed: int) -> Callable[[int], np.random.Generator]:
    """Return a function that returns the generator of a replication; see `random_stream`."""
    # Compute the content once for all replications: it takes as long as a short simulation run.
    content = content_of(scenario)

    def stream(replication: int) -> np.random.Generator:
        key = hashlib.sha256(f"{seed}/{replication}/{content}".encode()).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(key, "big")))

    return stream


@cache
def scenario_keys() -> frozenset[str]:
    """Return the dotted names of all keys that scenarios can have, such as `path.rate_bps`.

    The names include groups of keys such as `loss`, and the keys of every loss process, capacity
    process and distribution.
    """

    def keys(annotation: Any, prefix: str) -> Iterator[str]:
        """Yield the keys of the pydantic models in a field's type: one, or those of a union."""
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            for name, field in annotation.model_fields.items():
                yield f"{prefix}{name}"
                yield from keys(field.annotation, f"{prefix}{name}.")
        for member in get_args(annotation):
            yield from keys(member, prefix)

    return frozenset(keys(Scenario, ""))


def at_key(data: Any, key: str) -> Any:
    """Return the value of a nested dict at a key such as `path.rate_bps`; None if it is missing."""
    for name in key.split("."):
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


COMMENT_COLUMN = 40

LEAST_COMMENT = 30
"""Smallest number of characters per line for a comment next to its key in `shown`. If fewer fit,
the comment stands above the key. Chosen by hand."""


def shown(scenario: Scenario, width: int = 80) -> str:
    """Return the scenario as valid YAML, with the meaning of keys, and defaults, as comments.

    Lines with comments have at most `width` characters, unless the key itself needs more.
    """
    return "\n".join(lines_of(scenario, width)) + "\n"


def stated(scenario: Scenario) -> str:
    """Return the keys that a scenario sets, without defaults, as valid YAML."""
    return as_yaml(scenario.stated())


def lines_of(
    part: BaseModel, width: int, depth: int = 0, *, has_defaults: bool = True
) -> list[str]:
    """Return the lines of a part of a scenario as YAML with comments; see `shown`.

    Args:
        part: the scenario, or a part of it.
        width: the largest number of characters of a line with a comment.
        depth: the number of parts around this one.
        has_defaults: whether keys that the part does not set are listed, too.

    """
    lines = []
    indent = "  " * depth
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        is_default = name not in part.model_fields_set
        if is_default and not has_defaults:
            continue
        text = " ".join((field.description or "").split())
        comment = f"default: {text}" if is_default else text
        if isinstance(value, BaseModel):
            lines += commented(f"{indent}{name}:", comment if is_default else "", width)
            lines += lines_of(value, width, depth + 1, has_defaults=has_defaults)
        else:
            lines += commented(f"{indent}{name}: {_yaml(value)}", comment, width)
    return lines


def commented(line: str, comment: str, width: int) -> list[str]:
    """Return a line of YAML with its comment beside it, or above if there is no room.

    Without a line, the comment begins its own lines.
    """
    if not comment:
        return [line]
    if not line:
        return _wrapped(comment, width, "# ")
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
    """Return a number, text, list or None as YAML; texts are quoted, except simple words."""
    is_word = isinstance(value, str) and value.replace("-", "").isalnum()
    if is_word and not value.lstrip("-")[:1].isdigit():
        return value if is_text(value) else json.dumps(value)
    if isinstance(value, float) and float(short := plain(value)) == value:
        return short
    return json.dumps(value, ensure_ascii=False)
