"""The keys of a scenario, and a scenario as YAML with all defaults."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import yaml
from pydantic import BaseModel

from tcpgoodput.scenario.vocabulary import Scenario


@cache
def scenario_keys() -> frozenset[str]:
    """Return every key of a scenario, including parts such as `loss` and the keys of all kinds."""
    return frozenset(_keys(Scenario, ""))


def _keys(part: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in part.model_fields.items():
        yield f"{prefix}{name}"
        for member in _parts(field.annotation):
            yield from _keys(member, f"{prefix}{name}.")


def _parts(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the parts of a scenario in a type: the type itself, or the members of a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for member in get_args(annotation):
        yield from _parts(member)


COMMENT_COLUMN = 40


LEAST_COMMENT = 30
"""Smallest width of a comment next to its key, in characters; otherwise it is placed above."""


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
