"""Tables of predictions for the terminal, and the exit status when a model fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import typer

from tcpgoodput.answers import FAILED
from tcpgoodput.cli.listing import GAP, Column, Group
from tcpgoodput.cli.output import print_list, print_text
from tcpgoodput.comparison.census.expected import Advice, choice, heading, notes, rows
from tcpgoodput.comparison.compare import by_status, why
from tcpgoodput.models import MODELS

COLUMNS = (
    "scenario",
    "name",
    "status",
    "reduction",
    "goodput_bps",
    "goodput_pps",
    "utilisation",
    "reason",
)

NAME, GOODPUT, UTILISATION, ERROR, TITLE = (
    Column("model"),
    Column("goodput,\nkbit/s", numbers=True),
    Column("utili-\nsation", numbers=True),
    Column("model /\nsimulated", numbers=True),
    Column("title", prose=True),
)


ADVICE = (
    Column("model"),
    Column("status"),
    Column("median\nerror", numbers=True),
    Column("nine of ten\nwithin", numbers=True),
    Column("random\nconnections", numbers=True),
)


def groups_of(
    records: Sequence[dict[str, Any]], cells: Callable[[dict[str, Any]], Sequence[str]]
) -> list[Group]:
    """Group records by status and reason, those in domain first; show each reason once.

    Args:
        records: records of models.
        cells: function that returns the cells after a model's name, given its record.

    """
    found = []
    for (status, reason), own in groupby(by_status(records), lambda r: (r["status"], why(r))):
        heading, members = f"{status}: {reason}" if reason else status, list(own)
        if any(record["goodput_bps"] is not None for record in members):
            rows = [(GAP + r["name"], *cells(r), MODELS[r["name"]].title) for r in members]
            found.append(Group(heading, rows))
        else:
            found.append(Group(heading, text=", ".join(r["name"] for r in members)))
    return found


def print_advice(advice: Advice) -> None:
    """Print the models in domain, with their errors on a random sample of connections."""
    typer.echo()
    print_text(heading(advice))
    if known := rows(advice):
        print_list(ADVICE, known)
    for sentence in [*choice(advice), *notes(advice)]:
        print_text(sentence)


def status_of(records: Sequence[dict[str, Any]]) -> int:
    """Return 1 after printing the models that failed with an exception; return 0 if none failed."""
    broken = [r["name"] for r in records if (r["reason"] or "").startswith(FAILED)]
    if not broken:
        return 0
    them = "model" if len(broken) == 1 else "models"
    print(f"tcpgoodput: {len(broken)} {them} failed: {', '.join(broken)}", file=sys.stderr)
    return 1
