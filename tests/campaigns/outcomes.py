"""What a campaign found, as the rows that the report shows: what was asked, counted and failed.

A row is written after its check has run, with what was run: nothing is filled in beforehand.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text

FOLDER = Path(__file__).parents[2] / "data" / "trust"


@dataclass(frozen=True)
class Outcome:
    """One promise, and what came of holding the project to it."""

    promise: str
    """A sentence that can be false."""
    counted: str
    """What `asked`, `done` and `failed` count."""
    asked: int
    """How many the promise is to stand on."""
    done: int
    failed: int
    took_s: float
    worst: float | None = None
    worst_is: str = ""
    """What the worst is of, with its unit."""
    note: str = ""
    """What was not reached and why, or what the count covers."""


@dataclass(frozen=True)
class Machine:
    """Where and when it was."""

    date: str
    cpu: str
    cores: int
    kernel: str
    python: str

    @classmethod
    def here(cls) -> Machine:
        """Return this one, today."""
        return cls(
            datetime.now(UTC).date().isoformat(),
            _processor(),
            os.cpu_count() or 1,
            platform.release(),
            platform.python_version(),
        )


COLUMNS = [field.name for part in (Outcome, Machine) for field in fields(part)]


def record(campaign: str, outcomes: Sequence[Outcome]) -> Path:
    """Write a campaign's outcomes to `data/trust/CAMPAIGN.csv`, in the place of earlier ones."""
    machine = asdict(Machine.here())
    rows = [
        {**asdict(outcome), **machine, "took_s": round(outcome.took_s, 1)} for outcome in outcomes
    ]
    path = FOLDER / f"{campaign}.csv"
    write_text(path, csv_text(COLUMNS, rows))
    return path


def told(outcome: Outcome) -> str:
    """Return an outcome in a line."""
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
