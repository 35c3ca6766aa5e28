"""Scenarios from files, from folders, and from other scenarios with changed keys."""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic

from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, refused, validated
from tcpgoodput.configuration.changes import OPTION, problems_by_argument, with_changes
from tcpgoodput.configuration.problems import collecting, with_hint
from tcpgoodput.configuration.strict_yaml import NAMES, Key, misnamed, other_kind
from tcpgoodput.configuration.units import plain
from tcpgoodput.configuration.unreadable import no_such_file
from tcpgoodput.configuration.validation import validation_messages
from tcpgoodput.scenario.capacity.trace import read_capacity_trace, read_delay_trace
from tcpgoodput.scenario.completion import completion
from tcpgoodput.scenario.plausibility import Suspect, suspects
from tcpgoodput.scenario.vocabulary import Delay, Scenario, Trace


def load_scenario(path: Path | str) -> Scenario:
    """Read and check one scenario file.

    Raises:
        ConfigurationError: the file is invalid; each problem has file, line and key.

    """
    return scenario_from(read(path))


def scenario_from(document: Document, at: Key = ()) -> Scenario:
    """Return the checked scenario at the key `at` of a document; by default the whole document.

    The files of its traces are read and checked. In the document their paths are relative to its
    folder; in the result they include this folder.

    Raises:
        ConfigurationError: the scenario or a trace is invalid.

    """
    hint = other_kind(document.file)
    if hint and not at and not document.data.keys() & Scenario.model_fields.keys():
        raise refused(document.file, "", f"has no key of a scenario{hint}")
    scenario = validated(Scenario, document, at)
    found: dict[str, Any] = {}
    for name, read_trace in (("capacity", read_capacity_trace), ("delay", read_delay_trace)):
        trace = getattr(scenario, name)
        if isinstance(trace, Trace | Delay):
            path = _trace_path(document, (*at, name, "file"), trace.file)
            read_trace(path)
            found[name] = trace.model_copy(update={"file": str(path)})
    return scenario.model_copy(update=found) if found else scenario


def _trace_path(document: Document, key: Key, file: str) -> Path:
    """Return the path of a trace's file, which is relative to the document's folder."""
    path = Path(document.file).parent / file
    if path.is_file():
        return path
    is_folder = f"is a folder, not a file: {path}; name a file in it"
    wrong = is_folder if path.is_dir() else f"{path}: {no_such_file(path)}"
    raise ConfigurationError([document.problem(key, wrong)])


def with_trace_paths(scenario: Scenario, path_of: Callable[[str], str]) -> Scenario:
    """Return a scenario whose traces have other paths, for a reader in another folder.

    The paths of a scenario are relative to the current folder, those in a file to its folder.
    """
    parts = {name: getattr(scenario, name) for name in ("capacity", "delay")}
    changed = {
        name: part.model_copy(update={"file": path_of(part.file)})
        for name, part in parts.items()
        if isinstance(part, Trace | Delay)
    }
    return scenario.model_copy(update=changed) if changed else scenario


def override(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario with keys such as `path.rate_bps` or `loss` set to new values.

    Raises:
        ValueError: the result is invalid; the message says which key and why.

    """
    if not changes:
        return scenario
    # Of `tcp` only the keys that are set, so that a new stack sets the others.
    data = {**scenario.model_dump(), "tcp": scenario.tcp.model_dump(exclude_unset=True)}
    data["tcp"].setdefault("rto", {})
    for name, value in changes.items():
        *parents, last = name.split(".")
        part = data
        for parent in parents:
            if not isinstance(part.get(parent), dict):
                raise ValueError(f"{name}: the scenario has no {parent} to set a key of")
            part = part[parent]
        part[last] = copy.deepcopy(value)  # another change may set a key in it
    try:
        return Scenario.model_validate(data)
    except pydantic.ValidationError as error:
        raise ValueError("; ".join(validation_messages(Scenario, data, error))) from None


def load_scenarios(folder: Path) -> dict[str, Scenario]:
    """Read every scenario file of a folder, in the order of the files' names.

    The keys of the result are the files' names without suffix.

    Raises:
        ConfigurationError: a file is invalid, or two files have the same id.

    """
    problems = list(misnamed(folder))
    scenarios: dict[str, Scenario] = {}
    named: dict[str, Path] = {}
    for path in sorted(folder.glob(NAMES)):
        with collecting(problems):
            document = read(path)
            scenario = scenario_from(document)
            if other := named.get(scenario.id):
                message = f"{scenario.id} is the id of {other}, too"
                problems.append(Problem(str(path), document.line(("id",)), "id", message))
            named[scenario.id] = path
            scenarios[path.stem] = scenario
    if problems:
        raise ConfigurationError(problems)
    return scenarios


@dataclass(frozen=True)
class ScenarioRequest:
    """A scenario, the document from which it was read, and changes of its keys by the user.

    A change is a text such as `path.rate_bps=1e6`.
    """

    scenario: Scenario
    document: Document
    changes: Sequence[str] = ()

    @property
    def heading(self) -> str:
        """The heading of output about the scenario: id, title and changes."""
        set_to = f", with {', '.join(self.changes)}" if self.changes else ""
        return f"{self.scenario.id}: {self.scenario.title}{set_to}"

    @property
    def suspects(self) -> list[Suspect]:
        """Warnings about the scenario's values that look like mistakes, such as a wrong unit."""
        return suspects(self.document, self.scenario)


def scenario_request(document: Document, changes: Sequence[str] | None) -> ScenarioRequest:
    """Return the scenario of a document after changes of its keys, with the changed document.

    A change is a text such as `path.rate_bps=1e6`. Problems name the file, or the change that
    caused them.

    Raises:
        ConfigurationError: the scenario is invalid; the message lists every problem.

    """
    changed = with_changes(document, changes or ())
    try:
        return ScenarioRequest(scenario_from(changed), changed, tuple(changes or ()))
    except ConfigurationError as error:
        if not changes:
            raise
        problems = problems_by_argument(error, problems_of(document), changed)
        if complete := completion(changed):
            options = " ".join(shlex.join([OPTION, f"{k}={flow(v)}"]) for k, v in complete.items())
            problems = with_hint(problems, f"a complete change is, for example: {options}")
        raise ConfigurationError(problems) from None


def flow(value: Any) -> str:
    """Return a value as YAML in one line."""
    match value:
        case dict():
            return f"{{{', '.join(f'{key}: {flow(one)}' for key, one in value.items())}}}"
        case list():
            return f"[{', '.join(map(flow, value))}]"
        case bool() | None:
            return json.dumps(value)
        case float():
            return plain(value)
    return str(value)


def problems_of(document: Document) -> list[Problem]:
    """Return the problems of the scenario in a document; an empty list if it is valid."""
    try:
        scenario_from(document)
    except ConfigurationError as error:
        return error.problems
    return []
