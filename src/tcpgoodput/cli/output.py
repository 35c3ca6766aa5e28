"""Common parts of the commands: reading a scenario, shared options, output."""

from __future__ import annotations

import csv
import json
import os
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
from tcpgoodput.cli.listing import GAP, NARROWEST, Column, Group, listed
from tcpgoodput.cli.stated_link import StatedLink
from tcpgoodput.configuration import Document, read, refused
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.configuration.strict_yaml import read_stream
from tcpgoodput.configuration.terminal import paint, paint_places
from tcpgoodput.models.outside import add_own
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.scenario.files import ScenarioRequest, scenario_request
from tcpgoodput.scenario.plausibility import Suspect

Form = Literal["text", "json", "csv"]
"""Format in which a command prints its results."""

ARGUMENT = "SCENARIO.yaml"
"""Name of the argument with the scenario file, in usage and messages."""

ScenarioFile = Annotated[
    Path, typer.Argument(metavar=ARGUMENT, help="a scenario file; - reads standard input")
]
ScenarioFileIfAny = Annotated[
    Path | None,
    typer.Argument(
        metavar=ARGUMENT,
        help="a scenario file; - reads standard input; without one, --rate and --rtt describe a "
        "link",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="set a key of the scenario (path.rate_bps=2e6); can be repeated",
    ),
]
EquationsName = Annotated[
    str,
    typer.Option(
        "--equations",
        metavar="FORM",
        help="equations of the models: printed: as published; corrected: without misprints",
        autocompletion=lambda: list(get_args(Equations)),
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="K", help="seed of all random numbers")]
ModelFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--models",
        metavar="FILE",
        help="a Python file with models of your own, which is executed; can be repeated",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]
AsCsv = Annotated[bool, typer.Option("--csv", help="print a CSV table with column names")]


NO_LINK = StatedLink()


def add_models(files: Sequence[Path] | None) -> None:
    """Register the user's own models: models that the settings name, and models in `files`."""
    add_own(DEFAULT_PATH, files or [])


def form_of(as_json: bool, as_csv: bool) -> Form:
    """Return the output format that the options `--json` and `--csv` select; `text` by default."""
    if as_json and as_csv:
        raise refused("--csv", "", "is not for use with --json; give one of the two")
    return "json" if as_json else "csv" if as_csv else "text"


def equations_of(name: str) -> Equations:
    """Check the value of `--equations`, `printed` or `corrected`, and return it."""
    return cast(Equations, known("--equations", "form", name, get_args(Equations)))


def known(option: str, kind: str, name: str, names: Sequence[str]) -> str:
    """Return the value of an option, `name`, if it is one of `names`.

    Raises:
        ConfigurationError: the value is unknown; the message suggests the nearest name.

    """
    if name not in names:
        raise refused(option, "", f"no {kind} is called {name!r}{alternatives(name, names)}")
    return name


STANDARD_INPUT = Path("-")
ITS_NAME = "standard input"


def read_document(file: Path) -> Document:
    """Read YAML from a file, or from standard input if the name is `-`."""
    if file != STANDARD_INPUT:
        return read(file)
    if sys.stdin is None:  # the parent process closed it
        raise refused(ITS_NAME, "", "is closed: name a file, or pipe a scenario to the command")
    return read_stream(sys.stdin.buffer, ITS_NAME)


def check_place(option: str, file: Path) -> None:
    """Refuse the place that an option names for a file, before the command begins its work."""
    if file.is_dir():
        raise refused(option, "", f"{file} is a folder; name a file in it")
    if file.exists() and not file.is_file():
        raise refused(option, "", f"{file} is a device or a pipe; name a file")
    if not file.parent.is_dir():
        raise refused(option, "", f"{file}: there is no folder {file.parent}; make it")
    if not os.access(file.parent, os.W_OK):
        raise refused(option, "", f"{file}: its folder is not writable; name another one")


def read_request(
    file: Path | None, changes: Sequence[str] | None, link: StatedLink = NO_LINK
) -> ScenarioRequest:
    """Read a command's scenario with its changes, and print warnings about suspicious values.

    Without a file, `link` describes the scenario.
    """
    if file is None and not link.options:
        message = "is missing: name a scenario file, or describe the link: --rate 20M --rtt 60ms"
        raise refused(ARGUMENT, "", message)
    if file is not None and link.options:
        raise link.refusal(file)
    document = read_document(file) if file is not None else link.document()
    found = scenario_request(document, changes)
    warn(found.suspects)
    return found


IPV4_HEADER_BYTES = 40
"""Header bytes of a packet of TCP over IPv4, without options."""


def print_heading(request: ScenarioRequest) -> None:
    """Print the heading of a scenario's rates, and what they count if it has no headers."""
    print_text(request.heading)
    tcp = request.scenario.tcp
    if tcp.header_bytes == 0:
        share = 100 * IPV4_HEADER_BYTES / (tcp.mss_bytes + IPV4_HEADER_BYTES)
        headers = f"tcp.header_bytes: {IPV4_HEADER_BYTES} (here 0)"
        print_text(f"Goodput counts payload; {headers} takes {share:.2g} % of the rate.")


def warn(found: Sequence[Suspect]) -> None:
    """Print warnings about suspicious values on standard error."""
    for suspect in found:
        print(paint_places(str(suspect)), file=sys.stderr)


IN_A_PIPE = (80, 24)
"""Width in characters and number of lines of the output if it does not go to a terminal and the
environment variable COLUMNS is not set."""


def print_json(content: Any) -> None:
    """Print records as indented JSON."""
    typer.echo(json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False))


def print_data(
    form: Form, content: Any, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> bool:
    """Print a result as JSON, or its records as CSV; return False if the form is text.

    In CSV, None becomes an empty cell, and the entries of a list are joined by `;`.
    """
    match form:
        case "json":
            print_json(content)
        case "csv":
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow(columns)
            for record in records:
                cells = (record.get(column) for column in columns)
                writer.writerow(["; ".join(c) if isinstance(c, list) else c for c in cells])
    return form != "text"


def print_groups(columns: Sequence[Column], groups: Sequence[Group]) -> None:
    """Print groups of rows as a list that fits into the width of the terminal."""
    for line in listed(columns, groups, width()):
        typer.echo(line)


def print_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Print pairs of a name and a value, one pair in a line if the terminal is wide enough."""
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


def print_text(text: str, *, err: bool = False, hanging: str = "", style: str = "") -> None:
    """Print a sentence, broken into lines of the terminal's width.

    All lines except the first begin with `hanging`.
    """
    wide = max(width(), NARROWEST)
    for line in textwrap.wrap(text, wide, subsequent_indent=hanging, break_on_hyphens=False):
        typer.echo(paint(line, style) if style else line, err=err)


def width() -> int:
    """Return the number of characters in a line: COLUMNS, else the terminal's width, else 80."""
    return shutil.get_terminal_size(IN_A_PIPE).columns


@contextmanager
def progress(what: str = "replications") -> Iterator[Callable[[int, int], None]]:
    """Show the progress of a long measurement if standard error is a terminal.

    The context is a function to call with the number of finished and of all replications, or of
    `what` else is counted. While the simulator is compiled, which happens once on a machine, there
    is no progress to report.
    """
    # The bar is drawn by control characters, which `sys.stderr` of the command line makes visible.
    console = Console(file=sys.__stderr__ or sys.stderr)
    parts = (TextColumn("{task.description}"), BarColumn(bar_width=None), MofNCompleteColumn())
    silent = not console.is_terminal
    with Progress(*parts, console=console, transient=True, disable=silent) as bar:
        task = bar.add_task("getting ready (compiling, the first time: up to a minute)", total=None)
        yield lambda done, total: bar.update(task, description=what, completed=done, total=total)
