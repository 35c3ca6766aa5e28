"""Scenarios from files and from other scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pydantic

from tcpgoodput.configuration import ConfigurationError, Document, read, validated
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.configuration.validation import validation_messages
from tcpgoodput.scenario.vocabulary import Scenario, Trace


def load_scenario(path: Path | str) -> Scenario:
    """Read and check one scenario file.

    Raises:
        ConfigurationError: every problem found, with file, line and key.

    """
    return scenario_from(read(path))


def scenario_from(document: Document, at: Key = ()) -> Scenario:
    """Check a scenario that stands in a document, the file of its capacity trace included."""
    scenario = validated(Scenario, document, at)
    if isinstance(scenario.capacity, Trace):
        from tcpgoodput.scenario.capacity.trace import read_capacity_trace

        key = (*at, "capacity", "file")
        beside = Path(document.file).parent / scenario.capacity.file
        if not beside.is_file():
            raise ConfigurationError([document.problem(key, f"no such file: {beside}")])
        read_capacity_trace(beside)
        located = scenario.capacity.model_copy(update={"file": str(beside)})
        scenario = scenario.model_copy(update={"capacity": located})
    return scenario


def override(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario with keys such as `path.rate_bps` or `loss` set to new values.

    Raises:
        ValueError: the result is not a scenario; the message says which key and why.

    """
    if not changes:
        return scenario
    data = scenario.model_dump()
    for name, value in changes.items():
        *parents, last = name.split(".")
        part = data
        for parent in parents:
            if not isinstance(part.get(parent), dict):
                raise ValueError(f"{name}: the scenario has no {parent} to set a key of")
            part = part[parent]
        part[last] = value
    try:
        return Scenario.model_validate(data)
    except pydantic.ValidationError as error:
        raise ValueError("; ".join(validation_messages(Scenario, data, error))) from None
