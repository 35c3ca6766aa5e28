"""`tcpgoodput.load`: a scenario from a file, from a dict, or from another scenario."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from tcpgoodput.configuration import ConfigurationError, Document, read
from tcpgoodput.configuration.changes import blamed, with_values
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.asked import problems_of
from tcpgoodput.scenario.plausibility import suspects

Given: TypeAlias = Scenario | str | os.PathLike[str] | Mapping[str, Any]
"""What stands for a scenario: itself, the path of its file, or its keys as a dict."""

ITS_NAME = "scenario"
"""What problems call a scenario that stands in no file."""


def load(source: Given, changes: Mapping[str, Any] | None = None) -> Scenario:
    """Return a scenario from a file or a dict, with some keys changed.

    A value that looks like a slip of the unit is warned of.

    Args:
        source: the path of a YAML file, a dict of the same keys, or a scenario.
        changes: keys such as `path.rate_bps` with new values, as `--set` gives them.

    Raises:
        ConfigurationError: every problem found, with its key, and its line if there is a file.

    Example:
        >>> import tcpgoodput
        >>> link = tcpgoodput.load({
        ...     "id": "wireless-link",
        ...     "title": "Ten megabits, one packet in a hundred lost",
        ...     "tcp": {"variant": "sack", "mss_bytes": 1460},
        ...     "path": {"rate_bps": 1e7, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
        ...     "loss": {"process": "bernoulli", "probability": 0.01},
        ... })
        >>> link.propagation_rtt_s
        0.1
        >>> tcpgoodput.load(link, {"loss.probability": 0.02}).loss.probability
        0.02

    """
    if isinstance(source, Scenario) and not changes:
        return source
    document = document_of(source)
    scenario = changed_scenario(document, changes or {})
    if not isinstance(source, Scenario):
        for suspect in suspects(with_values(document, changes or {}), scenario):
            warnings.warn(str(suspect.place), stacklevel=2)
    return scenario


def document_of(source: Given) -> Document:
    """Return the keys that a caller states, under the name by which problems call them.

    Raises:
        ConfigurationError: the file cannot be read.
        TypeError: it is none of the things that stand for a scenario.

    """
    match source:
        case Scenario():  # what it leaves open stays open: a default is not a statement
            return Document(ITS_NAME, source.model_dump(exclude_unset=True))
        case Mapping():
            return Document(ITS_NAME, dict(source))
        case str() | os.PathLike():
            return read(Path(source))
    raise TypeError(f"a scenario is a path, a dict or a Scenario, not {type(source).__name__}")


def changed_scenario(document: Document, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario of a document in which some keys have new values.

    Raises:
        ConfigurationError: every problem found.

    """
    changed = with_values(document, changes)
    try:
        return scenario_from(changed)
    except ConfigurationError as error:
        problems = error.problems
    if changes:
        problems = blamed(ConfigurationError(problems), problems_of(document), changed)
    unplaced = [replace(p, line=0) if p.file == ITS_NAME else p for p in problems]
    raise ConfigurationError(unplaced)
