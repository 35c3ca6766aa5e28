"""The state of the explorer's page in its URL, and the scenario that the URL selects.

`?scenario=ID&handoffs.late_s=0.5` selects the scenario ID with one key changed, as in `tcpgoodput
compare FILE --set handoffs.late_s=0.5`. The value of a number may have a unit (`500 ms`). Names in
the URL that are not keys of a scenario are settings of the page, such as the key to sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tcpgoodput.cli.explorer.page import Preset
from tcpgoodput.configuration import ConfigurationError, Document, refused
from tcpgoodput.configuration.changes import OPTION, with_changes
from tcpgoodput.configuration.problems import Problem, choices, nearest
from tcpgoodput.configuration.units import number_in_its_unit
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.controls import numbers
from tcpgoodput.scenario.files import ScenarioRequest, scenario_request

SCENARIO = "scenario"

Pairs = Sequence[tuple[str, str]]
"""Names and values of a URL's query, in the order of the URL."""

MOST_CHANGES, LONGEST_VALUE = 60, 2000
"""Largest number of keys that a URL may change, and largest number of characters in a change
`KEY=VALUE`. Both were chosen by hand."""


def scenario_of_url(pairs: Pairs, presets: Mapping[str, Preset]) -> ScenarioRequest:
    """Return the scenario that a URL selects.

    Raises:
        ConfigurationError: the scenario is unknown or invalid; the message names the wrong key.

    """
    names = dict(pairs)
    name = names.get(SCENARIO, "")
    if name not in presets:
        hint = nearest(name, list(presets))
        raise refused(SCENARIO, "", f"no scenario is called {name!r}{hint}")
    changes = [f"{key}={_without_unit(key, value)}" for key, value in pairs if is_key(key)]
    if len(changes) > MOST_CHANGES or any(len(change) > LONGEST_VALUE for change in changes):
        limits = f"{MOST_CHANGES} changes of {LONGEST_VALUE} characters"
        raise refused("address", "", f"is too long: at most {limits}")
    document = presets[name].document
    try:
        _keep_the_files(with_changes(document, changes), document)
        return scenario_request(document, changes)
    except ConfigurationError as error:
        raise ConfigurationError(map(_without_option, error.problems)) from None


def _without_unit(key: str, text: str) -> str:
    """Return the value of a key for a text that the user has typed, such as `30 ms`."""
    is_number = any(control["key"] == key for control in numbers())
    return (is_number and number_in_its_unit(key.rpartition(".")[2], text)) or text


def _without_option(problem: Problem) -> Problem:
    """Return a problem in the words of the page, which has no command-line option `--set`."""
    file, message = (text.replace(f"{OPTION} ", "") for text in (problem.file, problem.message))
    return replace(problem, file=file, message=message)


def is_key(name: str) -> bool:
    """Whether a name in a URL is a key of a scenario."""
    return name.partition(".")[0] in Scenario.model_fields


def own(pairs: Pairs, known: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the page, such as the key to sweep: defaults and those of a URL.

    Raises:
        ConfigurationError: a name is neither a setting nor a key of a scenario.

    """
    found = {name: value for name, value in pairs if not is_key(name) and name != SCENARIO}
    for name in found:
        if name not in known:
            raise refused(name, "", f"is no key{nearest(name, [*known])} ({choices(known)})")
    return {**known, **found}


def _keep_the_files(changed: Document, document: Document) -> None:
    """Refuse changes by a URL that would make the server read another trace file."""
    for part in ("capacity", "delay"):
        file = _file_of(part, changed.data)
        if file is not None and file != _file_of(part, document.data):
            raise refused(
                f"{part}.file", "", "the page reads no other file than the scenario's own"
            )


def _file_of(name: str, data: Any) -> Any:
    part = data.get(name) if isinstance(data, dict) else None
    return part.get("file") if isinstance(part, dict) else None
