"""Results of a campaign as rows of a table: tested guarantee, number of trials, failures.

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

SESSIONS = "Several sessions: "
"""First words of the note in a row whose counts are sums over several sessions."""


@dataclass(frozen=True)
class Outcome:
    """A guarantee that the project gives, and the result of a campaign that tests it."""

    guarantee: str
    """The guarantee as a sentence, such as `A killed run can be resumed`."""
    trials_of: str
    """What `planned`, `trials` and `failures` count, such as `kills -9 of the process group`."""
    planned: int
    """Planned number of trials; `trials` is the number that was made."""
    trials: int
    failures: int
    duration_s: float
    worst: float | None = None
    worst_meaning: str = ""
    """What `worst` measures, with its unit."""
    note: str = ""
    """Remark: which cases were not tested and why, or which range the cases cover."""


@dataclass(frozen=True)
class Machine:
    """Machine on which a campaign ran, and its date (ISO 8601, UTC)."""

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
        campaign: name of the campaign, which is the file's name.
        outcomes: results of this session, one for each guarantee.
        further: add the counts to those of earlier sessions instead of replacing them.

    Returns:
        Path of the written file.

    """
    machine = asdict(Machine.here())
    rows = [
        {**asdict(outcome), **machine, "duration_s": round(outcome.duration_s, 1)}
        for outcome in outcomes
    ]
    path = FOLDER / f"{campaign}.csv"
    if further and path.is_file():
        rows = [summed(*both) for both in zip(read_rows(path), rows, strict=True)]
    write_text(path, csv_text(COLUMNS, rows))
    return path


def summed(earlier: Mapping[str, str], row: Mapping[str, Any]) -> dict[str, Any]:
    """Add a session's counts (`row`) to those of earlier sessions (`earlier`); return the new row.

    Raises:
        ValueError: the rows have different guarantees, or a row has a `worst` value, which cannot
            be added.

    """
    names = ("guarantee", "trials_of", "planned")
    if any(earlier[name] != str(row[name]) for name in names):
        raise ValueError(f"another guarantee than {earlier['guarantee']}")
    if earlier["worst"] or row["worst"] is not None:
        raise ValueError(f"more than a count: {earlier['guarantee']}")
    before = earlier["note"] if earlier["note"].startswith(SESSIONS) else SESSIONS + _of(earlier)
    return {
        **row,
        "trials": int(earlier["trials"]) + row["trials"],
        "failures": int(earlier["failures"]) + row["failures"],
        "duration_s": round(float(earlier["duration_s"]) + row["duration_s"], 1),
        "note": f"{before}. {_of(row)}",
    }


def _of(session: Mapping[str, Any]) -> str:
    of = f"{session['trials']} on {session['date']}, Linux {session['kernel']}"
    return f"{of}: {session['note']}" if session["note"] else of


def outcome_line(outcome: Outcome) -> str:
    worst = "" if outcome.worst is None else f", worst {outcome.worst:.3g} {outcome.worst_meaning}"
    return (
        f"{outcome.guarantee}: {outcome.failures} of {outcome.trials} {outcome.trials_of} failed"
        f" ({outcome.planned} planned){worst}, {outcome.duration_s:.0f} s"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
