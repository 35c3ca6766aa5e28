"""Keys set in place of a document's own: on the command line, `--set KEY=VALUE`, or from Python."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tcpgoodput.configuration.problems import ConfigurationError, Problem, refused
from tcpgoodput.configuration.strict_yaml import Document, Key, dotted, parse

OPTION = "--set"


def with_changes(document: Document, changes: Sequence[str]) -> Document:
    """Return a document in which some keys are set as `KEY=VALUE` says, in the order given.

    A key within a part that the file leaves out or has as null makes that part.

    Raises:
        ConfigurationError: a change that cannot be made, named as it was given.

    """
    changed = _copied(document)
    if isinstance(document.data, dict):  # else the file is told to be what it is not
        for change in changes:
            _make(change, changed)
    return changed


def with_values(document: Document, values: Mapping[str, Any]) -> Document:
    """Return a document in which some keys such as `path.rate_bps` have new values.

    Raises:
        ConfigurationError: a key that cannot be set, named with its value.

    """
    changed = _copied(document)
    for name, value in values.items():
        _put(tuple(name.split(".")), value, f"{name} = {value}", changed)
    return changed


def blamed(
    error: ConfigurationError, innocent: Sequence[Problem], changed: Document
) -> list[Problem]:
    """Return problems of a changed document, those that its file alone has not with the changes.

    Args:
        error: what is wrong with the document after its changes.
        innocent: what is wrong with the file alone.
        changed: the document after its changes.

    """
    problems: list[Problem] = []
    for problem in error.problems:
        if problem.file == changed.file and problem not in innocent:
            part = problem.key.partition(".")[0]
            touching = [given for key, given in changed.given.items() if key[0] == part]
            arguments = " ".join(touching or changed.given.values())
            problem = replace(problem, file=arguments, line=0)
        problems.append(problem)
    return problems


def _copied(document: Document) -> Document:
    """Return a document that can be changed while the other stays as it is."""
    return replace(
        document,
        data=copy.deepcopy(document.data),
        problems=dict(document.problems),
        given=dict(document.given),
    )


def _make(change: str, document: Document) -> None:
    argument = f"{OPTION} {change}"
    name, equals, text = change.partition("=")
    key: Key = tuple(name.strip().split("."))
    if not equals or not all(key):
        raise refused(argument, "", "must be KEY=VALUE, such as path.rate_bps=2e6")
    if key in document.given:
        raise refused(argument, "", f"{name} is set already: {document.given[key]}")
    if not text.strip():
        raise refused(argument, "", "needs a value; null takes a part away")
    try:
        value = parse(text, argument)
    except ConfigurationError as error:
        raise ConfigurationError([replace(p, line=0) for p in error.problems]) from None
    _put(key, value.data, argument, document)
    for inner, problem in value.problems.items():
        document.problems[(*key, *inner)] = replace(problem, line=0)


def _put(key: Key, value: Any, argument: str, document: Document) -> None:
    """Set a key, and note the argument that does."""
    part = document.data
    for depth, step in enumerate(key):
        if not isinstance(part, dict):
            raise refused(argument, "", f"{dotted(key[:depth])} is {part!r}, which has no keys")
        if depth < len(key) - 1:
            if part.get(step) is None:
                part[step] = {}
            part = part[step]
    part[key[-1]] = value
    # What stood there, right or wrong, is gone.
    for record in (document.problems, document.given):
        for other in [k for k in record if k[: len(key)] == key]:
            del record[other]
    document.given[key] = argument
