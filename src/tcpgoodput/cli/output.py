"""How commands read a scenario, what options they share, and how they answer."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from tcpgoodput.answers import Equations
from tcpgoodput.cli.listing import GAP, NARROWEST, Column, Group, listed, listed_in_groups
from tcpgoodput.configuration import Document, read, refused
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.configuration.strict_yaml import read_stream
from tcpgoodput.models.own import add_own
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.scenario.files import Asked, asked
from tcpgoodput.scenario.plausibility import Suspect

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


STANDARD_INPUT = Path("-")
ITS_NAME = "standard input"


def read_document(file: Path) -> Document:
    """Read YAML from a file, or from standard input."""
    return read_stream(sys.stdin.buffer, ITS_NAME) if file == STANDARD_INPUT else read(file)


def asked_scenario(file: Path, changes: Sequence[str] | None) -> Asked:
    """Read the scenario that a command is asked about, and warn of what looks like a slip."""
    found = asked(read_document(file), changes)
    warn(found.suspects)
    return found


def warn(found: Sequence[Suspect]) -> None:
    """Tell of values that look like slips, beside the answer and not in it."""
    for suspect in found:
        print(suspect, file=sys.stderr)


IN_A_PIPE = (80, 24)
"""Characters in a line, and lines, where there is no terminal and COLUMNS does not say."""


def print_json(content: Any) -> None:
    """Print records as JSON."""
    typer.echo(json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False))


def print_csv(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> None:
    """Print records as CSV: what is None is empty, a list's entries stand between semicolons."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(record.get(column)) for column in columns] for record in records)


def print_list(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print rows as wide as the terminal is."""
    for line in listed(columns, rows, width()):
        typer.echo(line)


def print_groups(columns: Sequence[Column], groups: Sequence[Group]) -> None:
    """Print groups of rows as wide as the terminal is."""
    for line in listed_in_groups(columns, groups, width()):
        typer.echo(line)


def print_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and what they are, one below the other where the terminal is wide enough."""
    names, values = (max(len(text) for text in texts) for texts in zip(*pairs, strict=True))
    left = width() - names - len(GAP)
    for name, value in pairs:
        if values <= left:
            typer.echo(f"{name:<{names}}{GAP}{value:>{values}}")
        elif left >= NARROWEST:
            first, *rest = textwrap.wrap(value, left, break_on_hyphens=False) or [""]
            typer.echo(f"{name:<{names}}{GAP}{first}")
            for line in rest:
                typer.echo(" " * (names + len(GAP)) + line)
        else:
            print_text(f"{name}: {value}")


def print_text(text: str, *, err: bool = False) -> None:
    """Print a sentence, broken into lines as wide as the terminal is, on standard error if asked.

    Args:
        text: the sentence.
        err: where standard output is for something else.

    """
    for line in textwrap.wrap(text, max(width(), NARROWEST), break_on_hyphens=False):
        typer.echo(line, err=err)


def width() -> int:
    """Return how many characters a line has: the terminal's, or COLUMNS, or 80 in a pipe."""
    return shutil.get_terminal_size(IN_A_PIPE).columns


def _cell(value: Any) -> Any:
    return "; ".join(value) if isinstance(value, list) else value


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """Show how far a long measurement is, where there is a terminal to show it on.

    Nothing is reported while the simulator is compiled, which it is once on a machine.
    """
    console = Console(stderr=True)
    parts = (TextColumn("{task.description}"), BarColumn(bar_width=None), MofNCompleteColumn())
    silent = not console.is_terminal
    with Progress(*parts, console=console, transient=True, disable=silent) as bar:
        task = bar.add_task("getting ready (compiling, the first time: half a minute)", total=None)
        yield lambda done, total: bar.update(
            task, description="replications", completed=done, total=total
        )
