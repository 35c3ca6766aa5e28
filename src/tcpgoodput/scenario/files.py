"""Scenarios from files and from other scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pydantic

from tcpgoodput.configuration import ConfigurationError, Document, read, validated
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.configuration.validation import validation_messages
from tcpgoodput.scenario.vocabulary import Scenario, Timeout, Trace


def load_scenario(path: Path | str) -> Scenario:
    """Read and check one scenario file.

    Raises:
        ConfigurationError: every problem found, with file, line and key.

    """
    return scenario_from(read(path))


def scenario_from(document: Document, at: Key = ()) -> Scenario:
    """Check a scenario that stands in a document, the files of its traces included."""
    scenario = validated(Scenario, document, at)
    found: dict[str, Any] = {}
    if isinstance(scenario.capacity, Trace):
        from tcpgoodput.scenario.capacity.trace import read_capacity_trace

        beside = _beside(document, (*at, "capacity", "file"), scenario.capacity.file)
        read_capacity_trace(beside)
        found["capacity"] = scenario.capacity.model_copy(update={"file": str(beside)})
    if scenario.delay is not None:
        from tcpgoodput.scenario.capacity.trace import read_delay_trace

        beside = _beside(document, (*at, "delay", "file"), scenario.delay.file)
        read_delay_trace(beside)
        found["delay"] = scenario.delay.model_copy(update={"file": str(beside)})
    return scenario.model_copy(update=found) if found else scenario


def _beside(document: Document, key: Key, file: str) -> Path:
    """Return a file that is named relative to a document."""
    beside = Path(document.file).parent / file
    if not beside.is_file():
        raise ConfigurationError([document.problem(key, f"no such file: {beside}")])
    return beside


def _stated(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario's keys; of `tcp` only what was said, the rest may come from a stack."""
    data = scenario.model_dump()
    data["tcp"] = scenario.tcp.model_dump(exclude_unset=True)
    data["tcp"]["rto"] = scenario.tcp.rto.model_dump(exclude_unset=scenario.tcp.stack is not None)
    return data


def _for_a_stack(data: dict[str, Any]) -> None:
    """Leave the timeout's defaults to the stack that a change has brought."""
    usual = Timeout().model_dump()
    rto = data["tcp"]["rto"]
    data["tcp"]["rto"] = {key: value for key, value in rto.items() if value != usual.get(key)}


def override(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario with keys such as `path.rate_bps` or `loss` set to new values.

    Raises:
        ValueError: the result is not a scenario; the message says which key and why.

    """
    if not changes:
        return scenario
    data = _stated(scenario)
    for name, value in changes.items():
        *parents, last = name.split(".")
        part = data
        for parent in parents:
            if not isinstance(part.get(parent), dict):
                raise ValueError(f"{name}: the scenario has no {parent} to set a key of")
            part = part[parent]
        part[last] = value
    if scenario.tcp.stack is None and data["tcp"].get("stack") is not None:
        _for_a_stack(data)
    try:
        return Scenario.model_validate(data)
    except pydantic.ValidationError as error:
        raise ValueError("; ".join(validation_messages(Scenario, data, error))) from None
