"""Messages about arguments of a wrong kind: what the command takes, and which command reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.configuration.packed_text import beginning_of
from tcpgoodput.configuration.problems import nearest
from tcpgoodput.configuration.strict_yaml import NAMES, YAML_SUFFIXES
from tcpgoodput.configuration.unreadable import link_to_nowhere
from tcpgoodput.models import MODELS
from tcpgoodput.project.settings import kind_of
from tcpgoodput.studies.recordings.columns import is_table
from tcpgoodput.studies.recordings.files import BEGINNING_BYTES, IPERF3_JSON, KINDS

SCENARIOS = Path("config/scenarios")
"""Folder whose scenarios are suggested for a file that does not exist."""

OF_SCENARIOS = "reads a scenario, a YAML file such as those in config/scenarios/"
TAKES = {
    **dict.fromkeys(("predict", "simulate", "compare", "inputs", "show", "explore"), OF_SCENARIOS),
    "check": "reads configuration, YAML files such as those in config/",
    "link": "reads measurements of a link, such as the output of ping and iperf3 -J",
    "trace": "reads a recorded link, such as a table of times and rates",
    "verify": "reads a manifest of results, such as results/manifest.json",
    "validate": "takes the seed of a random draw, a whole number such as 7",
    "new": "takes the name of a folder to make, such as my_wifi, or options alone",
    "models": "takes the name of a model, such as mathis",
}
"""What the argument of each command must be."""

READERS = {
    "a scenario": "tcpgoodput predict, simulate, compare, inputs, show, explore and check read it",
    "a configuration file": "tcpgoodput check FILE reads it",
    "a table or log of numbers": "if it is a measurement of a link: tcpgoodput link FILE, or for "
    "rates over time tcpgoodput trace FILE",
    "a manifest of results": "tcpgoodput verify FILE reads it",
    "a notebook": "Jupyter opens it, and ./reproduce runs the project's own",
    "Python code": "if it has models: tcpgoodput predict SCENARIO.yaml --models FILE",
    "a folder": "name a file",
}
"""The command that reads a file, by the kind of the file."""

READ_BY = {
    "a scenario": {"predict", "simulate", "compare", "inputs", "show", "explore", "check"},
    "a configuration file": {"check"},
    "a table or log of numbers": {"link", "trace"},
    "a manifest of results": {"verify"},
}

FLAGS = "--json --csv --all --bytes --short --no-browser --no-simulation --backward".split()
"""Options without a value: the word after them is an argument."""

_MANIFEST = re.compile(rb'\s*\{\s*"manifest":\s*\d+,\s*"origin":')

_ROW = re.compile(rb'"?\d[\d.:TZ -]*"?[,;\t]')
"""Beginning of a row of a table: a number or a time, and a separator."""


def wrong_kind(arguments: Sequence[str]) -> str | None:
    """Return a message if a failed command got a file of a kind for other commands, or None."""
    command, *words = arguments or [""]
    if command not in TAKES:
        return _unknown_command(command)
    for before, word in zip([command, *words], words, strict=False):
        if word.startswith("-") or (before.startswith("-") and before not in FLAGS):
            continue
        if not word:
            return f"{command}: the argument is empty; {command} {TAKES[command]}"
        kind = kind_of_file(Path(word))
        if kind is None and command in ("models", "validate") and Path(word).is_file():
            return f"{word}: is a file; {command} {TAKES[command]}"
        if kind == "a folder" and command == "new":
            return None  # the command has its own message
        if kind and command not in READ_BY.get(kind, ()):
            reader = READERS[kind].replace("FILE", word)
            return f"{word}: is {kind}; {command} {TAKES[command]}; {reader}"
        if kind is None and TAKES[command] == OF_SCENARIOS and not Path(word).exists():
            return f"{word}: no such file{link_to_nowhere(Path(word)) or _instead(command, word)}"
    return None


def kind_of_file(path: Path) -> str | None:
    """Return the kind of a file, a key of `READERS`; None if it does not exist or is unknown."""
    if path.is_dir():
        return "a folder"
    if not path.is_file():
        return None
    match path.suffix.lower():
        case ".py":
            return "Python code"
        case ".ipynb":
            return "a notebook"
        case suffix if suffix in YAML_SUFFIXES:
            try:
                return "a scenario" if kind_of(read(path)) == "scenario" else "a configuration file"
            except ConfigurationError:
                return None
    beginning = beginning_of(path, BEGINNING_BYTES)
    if _MANIFEST.match(beginning):
        return "a manifest of results"
    first, _, rest = beginning.partition(b"\n")
    rows = is_table(beginning) and _ROW.match(rest.lstrip())
    numbers = re.fullmatch(rb"[\d.,;\s-]+", first) is not None
    is_known = any(re.match(kind.begins, beginning) for kind in KINDS)
    is_log = IPERF3_JSON.match(beginning) or (is_known and beginning[:1] != b"{")
    if numbers or rows or is_log:
        return "a table or log of numbers"
    return None


def _instead(command: str, word: str) -> str:
    """Return advice for the name of a scenario file that does not exist."""
    if word in MODELS.names():
        return f"; {word} is a model: tcpgoodput predict SCENARIO.yaml --model {word}"
    files = {path.stem: path for path in sorted(SCENARIOS.glob(NAMES))}
    stem = Path(word).stem
    begun = [str(path) for name, path in files.items() if name.startswith(stem)]
    if begun:
        return f"; did you mean {begun[0]}?"
    suggested = nearest(stem, files)
    return suggested or f"; {command} {OF_SCENARIOS}"


def _unknown_command(word: str) -> str | None:
    if word.startswith("-") or not word:
        return None
    known = f"tcpgoodput has the commands {', '.join(TAKES)}"
    if word in MODELS.names():
        return f"{word}: is a model; tcpgoodput models {word} describes it"
    if kind := kind_of_file(Path(word)):
        return f"{word}: is {kind}, not a command; {READERS[kind].replace('FILE', word)}"
    return f"{word}: no such command{nearest(word, TAKES)}; {known}; --help describes them"
