"""How commands answer: JSON, CSV, and text as wide as the terminal."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from tcpgoodput.cli.listing import GAP, NARROWEST, Column, Group, listed, listed_in_groups

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
