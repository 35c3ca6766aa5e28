"""What a person is told of predictions, and of all models beside the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.models.reductions import REDUCTIONS

ORDER = ("native", "reduced", "out-of-domain", "undefined")


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


def interval(record: dict[str, Any]) -> str:
    """Return the half-width of a measurement's interval in parts of the goodput."""
    half_width, goodput_bps = record["ci95_bps"], record["goodput_bps"]
    return "" if half_width is None else f"± {100 * half_width / goodput_bps:.2g} %"


def nearest(found: dict[str, Any]) -> str:
    """Return which model in domain is nearest to the simulation."""
    return f"Nearest to the simulation: {found['nearest'] or 'none, no model is in domain here'}."


def told(found: dict[str, Any]) -> Sequence[Sequence[str]]:
    """Return the rows that a person reads: the simulation, then models by their status."""
    rows: list[Sequence[str]] = []
    if simulated := found["simulation"]:
        goodput, utilisation = numbers(simulated)
        rows.append(("packet simulator", goodput, utilisation, interval(simulated), "measured", ""))
    for r in sorted(found["models"], key=lambda record: ORDER.index(record["status"])):
        error = "" if r["log_error"] is None else f"{per_cent(r['log_error']):+.1f} %"
        rows.append((r["name"], *numbers(r), error, r["status"], why(r)))
    return rows
