"""The columns of predictions, and what is said of models that failed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer

from tcpgoodput.census.expected import Advice, heading, notes, rows
from tcpgoodput.cli.listing import Column
from tcpgoodput.cli.output import print_list, print_text

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

NAME, GOODPUT, UTILISATION = (
    Column("model"),
    Column("goodput,\nkbit/s", numbers=True),
    Column("utilisation", numbers=True),
)
STATUS, WHY = Column("status"), Column("", prose=True)

FAILED = "failed: "
"""How the reason begins of a model that broke down, where others decline."""


ADVICE = (
    Column("model"),
    Column("status"),
    Column("median\nerror", numbers=True),
    Column("nine of ten\nwithin", numbers=True),
    Column("random\nconnections", numbers=True),
)


def print_advice(advice: Advice) -> None:
    """Print the models in domain, with the errors that a random sample found of them."""
    typer.echo()
    print_text(heading(advice))
    if known := rows(advice):
        print_list(ADVICE, known)
    for note in notes(advice):
        print_text(note)


def status_of(records: Sequence[dict[str, Any]]) -> int:
    """Return 1, and say which, if models broke down; else 0."""
    broken = [r["name"] for r in records if (r["reason"] or "").startswith(FAILED)]
    if not broken:
        return 0
    them = "model" if len(broken) == 1 else "models"
    print(f"tcpgoodput: {len(broken)} {them} failed: {', '.join(broken)}", file=sys.stderr)
    return 1
