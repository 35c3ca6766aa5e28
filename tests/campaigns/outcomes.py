"""Results of a campaign as rows of a table: the tested promise, the number of cases, the failures.

A row is written after its check has run, with the parameters of the run. A campaign may continue in
another session; the row then has the sums of both sessions, and its note lists all sessions.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tcpgoodput.storage import csv_text, read_rows, write_text

FOLDER = Path(__file__).parents[2] / "data" / "trust"

SESSIONS = "In sessions: "
"""First words of the note of a row that is the sum of several sessions."""


@dataclass(frozen=True)
class Outcome:
    """A promise of the project, and the result of its test."""

    promise: str
    """Statement about the project that the campaign tests, as a sentence."""
    counted: str
    """What `asked`, `done` and `failed` count, such as `kills -9 of the process group`."""
    asked: int
    """Number of cases that the campaign was to test."""
    done: int
    failed: int
    took_s: float
    worst: float | None = None
    worst_is: str = ""
    """What `worst` measures, with its unit."""
    note: str = ""
    """Remark: which cases were not tested and why, or which range the cases cover."""


@dataclass(frozen=True)
class Machine:
    """Machine and date of a campaign."""

    date: str
    cpu: str
    cores: int
    kernel: str
    python: str

    @classmethod
    def here(cls) -> Machine:
        """Return this machine and today's date."""
        return cls(
            datetime.now(UTC).date().isoformat(),
            _processor(),
            os.cpu_count() or 1,
            platform.release(),
            platform.python_version(),
        )


COLUMNS = [field.name for part in (Outcome, Machine) for field in fields(part)]


def record(campaign: str, outcomes: Sequence[Outcome], *, further: bool = False) -> Path:
    """Write a campaign's outcomes to `data/trust/CAMPAIGN.csv`.

    Args:
        campaign: name of the campaign.
        outcomes: results of this session.
        further: add the counts to those of earlier sessions instead of replacing them.

    """
    machine = asdict(Machine.here())
    rows = [
        {**asdict(outcome), **machine, "took_s": round(outcome.took_s, 1)} for outcome in outcomes
    ]
    path = FOLDER / f"{campaign}.csv"
    if further and path.is_file():
        rows = [summed(*both) for both in zip(read_rows(path), rows, strict=True)]
    write_text(path, csv_text(COLUMNS, rows))
    return path


def summed(earlier: Mapping[str, str], row: Mapping[str, Any]) -> dict[str, Any]:
    """Add the counts of a session to those of earlier sessions.

    Raises:
        ValueError: the rows are about different promises of the project, or a row has a `worst`
            value, which cannot be added.

    """
    names = ("promise", "counted", "asked")
    if any(earlier[name] != str(row[name]) for name in names):
        raise ValueError(f"another promise than {earlier['promise']}")
    if earlier["worst"] or row["worst"] is not None:
        raise ValueError(f"more than a count: {earlier['promise']}")
    before = earlier["note"] if earlier["note"].startswith(SESSIONS) else SESSIONS + _of(earlier)
    return {
        **row,
        "done": int(earlier["done"]) + row["done"],
        "failed": int(earlier["failed"]) + row["failed"],
        "took_s": round(float(earlier["took_s"]) + row["took_s"], 1),
        "note": f"{before}. {_of(row)}",
    }


def _of(session: Mapping[str, Any]) -> str:
    of = f"{session['done']} on {session['date']}, Linux {session['kernel']}"
    return f"{of}: {session['note']}" if session["note"] else of


def outcome_line(outcome: Outcome) -> str:
    worst = "" if outcome.worst is None else f", worst {outcome.worst:.3g} {outcome.worst_is}"
    return (
        f"{outcome.promise}: {outcome.failed} of {outcome.done} {outcome.counted} failed"
        f" ({outcome.asked} asked){worst}, {outcome.took_s:.0f} s"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
