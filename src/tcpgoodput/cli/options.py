"""Options that commands share, and names that are checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

import typer

from tcpgoodput.answers import Equations
from tcpgoodput.configuration import refused
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.models.own import add_own
from tcpgoodput.project.configuration import DEFAULT_PATH

Form = Literal["text", "json", "csv"]
"""In which a command answers."""

ScenarioFile = Annotated[
    Path, typer.Argument(metavar="SCENARIO.yaml", help="a scenario file; - reads standard input")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="set a key of the scenario (path.rate_bps=2e6); can be given again",
    ),
]
EquationsName = Annotated[
    str,
    typer.Option(
        "--equations",
        metavar="FORM",
        help="printed: as the sources have them; corrected: their misprints repaired",
        autocompletion=lambda: list(get_args(Equations)),
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="K", help="of all random numbers")]
ModelFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--models",
        metavar="FILE",
        help="a Python file with models of your own, which is run; can be given again",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="machine-readable output")]
AsCsv = Annotated[bool, typer.Option("--csv", help="a table with a line of its columns' names")]


def add_models(files: Sequence[Path] | None) -> None:
    """Make known the models of one's own: those of the settings here, and those of some files."""
    add_own(DEFAULT_PATH, files or [])


def form_of(as_json: bool, as_csv: bool) -> Form:
    """Return the form that is asked for."""
    if as_json and as_csv:
        raise refused("--csv", "", "is not for use with --json")
    return "json" if as_json else "csv" if as_csv else "text"


def equations_of(name: str) -> Equations:
    """Return the form of the equations that is called so."""
    return cast(Equations, known("--equations", "form", name, get_args(Equations)))


def known(option: str, kind: str, name: str, names: Sequence[str]) -> str:
    """Return a name that an option was given, or refuse it with the nearest one."""
    if name not in names:
        raise refused(
            option, "", f"no {kind} is called {name!r}{nearest(name, names)} ({choices(names)})"
        )
    return name


def completed(names: Callable[[], Sequence[str]]) -> Callable[[], list[str]]:
    """Return what the shell asks for the names of an option."""
    return lambda: list(names())
