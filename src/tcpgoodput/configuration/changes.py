"""Changes of keys in configuration data, by the option `--set KEY=VALUE` or from Python."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tcpgoodput.configuration.problems import ConfigurationError, Problem, refused
from tcpgoodput.configuration.strict_yaml import Document, Key, dotted, parse

OPTION = "--set"


def with_changes(document: Document, changes: Sequence[str]) -> Document:
    """Return a copy of a document with some keys set by texts `KEY=VALUE`, in the given order.

    If a key such as `handoffs.late_s` lies within a mapping that is missing or null, the mapping is
    created.

    Raises:
        ConfigurationError: a change is impossible; the message quotes it as it was given.

    """
    changed = _copied(document)
    # If the document is not a mapping, leave the error to validation, which reports it.
    if isinstance(document.data, dict):
        for change in changes:
            _make(change, changed)
    return changed


def with_values(document: Document, values: Mapping[str, Any]) -> Document:
    """Return a copy of a document in which some keys such as `path.rate_bps` have new values.

    Raises:
        ConfigurationError: a key cannot be set; the message names it with its value.

    """
    changed = _copied(document)
    for name, value in values.items():
        _put(tuple(name.split(".")), value, f"{name} = {value}", changed)
    return changed


def problems_by_argument(
    error: ConfigurationError, without_changes: Sequence[Problem], changed: Document
) -> list[Problem]:
    """Return the problems of a changed document, each with the argument or file that causes it.

    A problem that the unchanged file has, too, names the file. Any other problem of the file names
    the command-line arguments that may cause it: those that set a key of the same part or a key in
    the message.

    Args:
        error: the error with the problems of the changed document.
        without_changes: the problems of the file without the changes.
        changed: the changed document.

    """
    problems: list[Problem] = []
    known = set(without_changes)
    for problem in error.problems:
        if problem.file == changed.file and problem not in known:
            part = problem.key.partition(".")[0]
            touching = [
                given
                for key, given in changed.given.items()
                if key[0] == part or (len(key) > 1 and dotted(key) in problem.message)
            ]
            arguments = " ".join(touching or changed.given.values())
            problem = replace(problem, file=arguments, line=0)
        problems.append(problem)
    return problems


def _copied(document: Document) -> Document:
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
    """Set a key of a document to a value, and record the argument that set it."""
    part = document.data
    for depth, step in enumerate(key):
        if not isinstance(part, dict):
            raise refused(argument, "", f"{dotted(key[:depth])} is {part!r}, which has no keys")
        if depth < len(key) - 1:
            if part.get(step) is None:
                part[step] = {}
            part = part[step]
    part[key[-1]] = copy.deepcopy(value)  # another change may set a key in it
    # Remove the problems and arguments that were recorded for the old value.
    for record in (document.problems, document.given):
        for other in [k for k in record if k[: len(key)] == key]:
            del record[other]
    document.given[key] = argument
