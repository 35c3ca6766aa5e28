"""Formatting of measurements as text for the terminal."""

from __future__ import annotations

from typing import Any

COLUMNS = (
    "scenario",
    "name",
    "status",
    "reduction",
    "goodput_bps",
    "goodput_pps",
    "utilisation",
    "ci95_bps",
    "replications",
    "measured_s",
    "packets_sent",
    "retransmissions",
    "timeouts",
    "fast_retransmits",
    "loss_events",
    "packets_lost",
    "packets_dropped",
    "handoffs",
    "mean_window_packets",
    "mean_rtt_s",
    "is_steady",
    "wall_s",
    "reason",
)

COUNTS = ("packets_sent", "retransmissions", "loss_events", "fast_retransmits", "timeouts")


def goodput(record: dict[str, Any]) -> str:
    """Return the goodput in kbit/s with its interval."""
    interval = record["ci95_bps"]
    around = "no interval" if interval is None else f"± {interval / 1e3:.3g}"
    return f"{record['goodput_bps'] / 1e3:.6g} {around}"


def text_pairs(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Return a measurement as pairs of a name and a formatted value."""
    rtt_s, window = record["mean_rtt_s"], record["mean_window_packets"]
    return [
        ("goodput, kbit/s", goodput(record)),
        ("utilisation", f"{record['utilisation']:.4f}"),
        ("replications", f"{record['replications']} of {record['measured_s']:.4g} s"),
        *((name.replace("_", " "), _count(record[name])) for name in COUNTS),
        ("mean window, packets", "-" if window is None else f"{window:.4g}"),
        ("mean round-trip time, s", "-" if rtt_s is None else f"{rtt_s:.4g}"),
        ("computed in, s", f"{record['wall_s']:.3g}"),
    ]


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)
