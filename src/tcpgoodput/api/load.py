"""`tcpgoodput.load`: a scenario from a file, from a dict, or from another scenario."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

from tcpgoodput.answers import Conditions, Equations, Precision
from tcpgoodput.configuration import ConfigurationError, Document, read
from tcpgoodput.configuration.changes import blamed, with_values
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.models import MODELS, Model
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.files import problems_of
from tcpgoodput.scenario.plausibility import suspects


def known(kind: str, name: str, names: Sequence[str]) -> str:
    """Return a name that is one of some names.

    Raises:
        ValueError: it is not; the message has the nearest one.

    """
    if name not in names:
        hint = nearest(name, names) if isinstance(name, str) else ""
        raise ValueError(f"no {kind} is called {name!r}{hint} ({choices(names)})")
    return name


def known_models(names: str | Sequence[str] | None) -> list[Model]:
    """Return the models of some names, each once, or all.

    Raises:
        ValueError: there is no model of a name.

    """
    asked = [names] if isinstance(names, str) else MODELS.names() if names is None else names
    return [MODELS[known("model", name, MODELS.names())] for name in dict.fromkeys(asked)]


def known_conditions(
    equations: str = "corrected", seed: int = 1, precision: str = "paper"
) -> Conditions:
    """Return what a caller chooses apart from the scenario.

    Raises:
        ValueError: a form or a precision of that name does not exist, or a seed is negative.

    """
    known("form of the equations", equations, get_args(Equations))
    known("precision", precision, get_args(Precision))
    return Conditions(equations=equations, precision=precision, seed=whole("seed", seed, 0))  # type: ignore[arg-type]


def whole(name: str, value: int, least: int) -> int:
    """Return a whole number that is not too small.

    Raises:
        ValueError: it is.

    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} on, is {value!r}")
    return value


def enter_project() -> Path:
    """Make the project's folder the current one, from wherever within it; return it.

    All paths of the configuration begin there. Where no project is around, nothing changes.

    Example:
        >>> import tcpgoodput
        >>> (tcpgoodput.enter_project() / "config").is_dir()
        True

    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / DEFAULT_PATH).is_file():
            os.chdir(folder)
            return folder
    return here


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
