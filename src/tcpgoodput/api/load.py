"""`load`, `enter_project`, `explorer_command`, and checks of the arguments of public functions."""

from __future__ import annotations

import json
import os
import re
import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

from tcpgoodput.answers import Conditions, Equations, Precision
from tcpgoodput.configuration import ConfigurationError, Document, read, refused
from tcpgoodput.configuration.changes import problems_by_argument, with_values
from tcpgoodput.configuration.problems import alternatives, with_hint
from tcpgoodput.models import MODELS, Model
from tcpgoodput.models.outside import add_own
from tcpgoodput.project.checked import checked
from tcpgoodput.project.settings import CHANGED, DEFAULT_PATH, Configuration
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.completion import completion
from tcpgoodput.scenario.files import problems_of, with_trace_paths
from tcpgoodput.scenario.plausibility import suspects


def known(kind: str, name: str, names: Sequence[str]) -> str:
    """Return `name` if it is one of `names`.

    Raises:
        ValueError: the name is not allowed; the message suggests the nearest allowed name.

    """
    if name not in names:
        raise ValueError(f"no {kind} is called {name!r}{alternatives(str(name), names)}")
    return name


def known_models(names: str | Sequence[str] | None) -> list[Model]:
    """Return the models with the given names, without repetition, or all models."""
    wanted = [names] if isinstance(names, str) else MODELS.names() if names is None else names
    return [MODELS[known("model", name, MODELS.names())] for name in dict.fromkeys(wanted)]


def known_conditions(
    equations: str = "corrected", seed: int = 1, precision: str = "paper"
) -> Conditions:
    """Check the options that do not belong to a scenario, and return them as `Conditions`.

    Raises:
        ValueError: the equations or the precision are unknown, or the seed is negative.

    """
    known("form of the equations", equations, get_args(Equations))
    known("precision", precision, get_args(Precision))
    return Conditions(equations=equations, precision=precision, seed=whole("seed", seed, 0))  # type: ignore[arg-type]


def whole(name: str, value: int, least: int) -> int:
    """Return `value` if it is a whole number and not less than `least`.

    Raises:
        ValueError: the value is not a whole number, or it is too small.

    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} on, is {value!r}")
    return value


def enter_project(configuration: str | Path = DEFAULT_PATH) -> Path:
    """Change the current directory to the root of the project around it; return this root.

    All paths in the configuration are relative to this root. If the current directory is in no
    project, the project is that of the given settings file; with the default file, the directory is
    then not changed.

    The Python files that the settings name under `models` are executed, so that all functions know
    their models, as the commands do.

    Args:
        configuration: the settings file, from the project's root.

    Raises:
        ConfigurationError: such a file does not exist, or registers no valid model.

    Example:
        >>> import tcpgoodput
        >>> (tcpgoodput.enter_project() / "config").is_dir()
        True

    """
    here, file = Path.cwd(), Path(configuration)
    root = root_around(here)
    if root is None:
        if file == DEFAULT_PATH:
            return here
        file = file.absolute()
        root = root_around(file.parent)
    if root is None:
        raise refused(file, "", f"is in no project: no folder above it has {DEFAULT_PATH}")
    os.chdir(root)
    add_own(file, [])
    return root


def root_around(folder: Path) -> Path | None:
    """Return the root of the project that has a folder; None if it is in no project."""
    around = (folder, *folder.parents)
    return next((one for one in around if (one / DEFAULT_PATH).is_file()), None)


OF_OPTION = re.compile(r"\w+")
"""The key of the settings at the beginning of the key of a problem."""


def configured(path: str | Path, changes: Mapping[str, Any]) -> Configuration:
    """Return a checked configuration with some settings changed by parameters of a function.

    Raises:
        ConfigurationError: a file or a parameter is invalid; the message names it.

    """
    try:
        return checked(path, changes)
    except ConfigurationError as error:
        problems = error.problems
    named = []
    for problem in problems:
        if problem.file == CHANGED:
            key = OF_OPTION.match(problem.key)
            place = f"parameter {key[0]}={changes.get(key[0])!r}" if key else "parameters"
            problem = replace(problem, file=place, line=0, key="")
        named.append(problem)
    raise ConfigurationError(named)


Given: TypeAlias = Scenario | str | os.PathLike[str] | Mapping[str, Any]
"""The forms in which the public functions accept a scenario: the object, the path of its file, or a
dict of its keys."""

ITS_NAME = "scenario"
"""Name that error messages use for a scenario that was not read from a file."""


def load(source: Given, changes: Mapping[str, Any] | None = None) -> Scenario:
    """Return a scenario from a file or a dict, optionally with some keys changed.

    A warning is issued for each value that looks like a wrong unit, such as a delay of 50 seconds.

    Args:
        source: the path of a YAML file, a dict of the same keys, or a scenario.
        changes: a dict of keys such as `path.rate_bps` with new values.

    Returns:
        The checked scenario, with defaults for all keys that are not set.

    Raises:
        ConfigurationError: the scenario is invalid; the message lists every problem with its key,
            and with its line if there is a file.
        TypeError: `changes` is not a dict.

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
    if changes is not None and not isinstance(changes, Mapping):
        raise TypeError(f'changes must be a dict such as {{"path.rate_bps": 1e7}}, is {changes!r}')
    document = document_of(source)
    scenario = changed_scenario(document, changes or {})
    if not isinstance(source, Scenario):
        for suspect in suspects(with_values(document, changes or {}), scenario):
            warnings.warn(str(suspect.place), stacklevel=2)
    return scenario


def document_of(source: Given) -> Document:
    """Return the keys of a scenario that are set, and the name for it in error messages.

    Default values of a scenario object are left out.

    Raises:
        ConfigurationError: the file cannot be read.
        TypeError: the source is neither a scenario, a path nor a mapping.

    """
    match source:
        case Scenario():  # without defaults, because a change of `tcp.stack` may change them
            return Document(ITS_NAME, source.model_dump(exclude_unset=True))
        case Mapping():
            return Document(ITS_NAME, dict(source))
        case str() | os.PathLike():
            return read(Path(source))
    raise TypeError(f"a scenario is a path, a dict or a Scenario, not {type(source).__name__}")


def changed_scenario(document: Document, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario of a document after setting some keys to new values.

    Raises:
        ConfigurationError: the result is invalid; the message lists every problem.

    """
    changed = with_values(document, changes)
    try:
        return scenario_from(changed)
    except ConfigurationError as error:
        problems = error.problems
    if changes:
        problems = problems_by_argument(
            ConfigurationError(problems), problems_of(document), changed
        )
        if complete := completion(changed):
            problems = with_hint(problems, f"complete changes are, for example: {complete}")
    unplaced = [replace(p, line=0) if p.file == ITS_NAME else p for p in problems]
    raise ConfigurationError(unplaced)


def explorer_command(scenario: Given) -> str:
    """Return the shell command that opens the explorer on a scenario.

    The command contains the whole scenario, and so needs no results of a run, and no files but
    those of the scenario's traces, which it names by absolute paths.

    Args:
        scenario: a scenario from `load`, a dict of keys, or a YAML file.

    Returns:
        One line, for a terminal in which `tcpgoodput` is installed.

    Raises:
        ConfigurationError: the scenario is invalid.

    Example:
        >>> import tcpgoodput
        >>> link = {
        ...     "id": "mine",
        ...     "title": "A lossy link",
        ...     "tcp": {"variant": "sack", "mss_bytes": 1460},
        ...     "path": {"rate_bps": 1e7, "forward_delay_s": 0.02, "backward_delay_s": 0.02},
        ... }
        >>> tcpgoodput.explorer_command(link).endswith("| tcpgoodput explore -")
        True

    """
    keys = json.dumps(with_trace_paths(load(scenario), os.path.abspath).stated())
    # Some shells' echo interprets the backslashes of JSON.
    return f"printf '%s\\n' {shlex.quote(keys)} | tcpgoodput explore -"
