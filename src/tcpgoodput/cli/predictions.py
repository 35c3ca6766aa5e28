"""Predictions as a person reads them, and what is said of models that failed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tcpgoodput.cli.listing import Column
from tcpgoodput.models.reductions import REDUCTIONS

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


def why(record: dict[str, Any]) -> str:
    """Return the reductions behind a prediction, and why it is not at home."""
    return ": ".join(part for part in (record["reduction"], record["reason"]) if part)


def legend(records: Sequence[dict[str, Any]]) -> str:
    """Return what the reductions behind some predictions do, nothing if there are none."""
    taken = {name for r in records if r["reduction"] for name in r["reduction"].split("+")}
    told = (f"{r.id}: {r.of} as {r.to}" for name, r in REDUCTIONS.items() if name in taken)
    return f"Reductions: {'; '.join(told)}.".replace("--", "–") if taken else ""


def numbers(record: dict[str, Any]) -> tuple[str, str]:
    """Return a prediction's goodput and utilisation."""
    if record["goodput_bps"] is None:
        return "", ""
    return f"{record['goodput_bps'] / 1e3:.6g}", f"{record['utilisation']:.4f}"


def status_of(records: Sequence[dict[str, Any]]) -> int:
    """Return 1, and say which, if models broke down; else 0."""
    broken = [r["name"] for r in records if (r["reason"] or "").startswith(FAILED)]
    if not broken:
        return 0
    them = "model" if len(broken) == 1 else "models"
    print(f"tcpgoodput: {len(broken)} {them} failed: {', '.join(broken)}", file=sys.stderr)
    return 1
