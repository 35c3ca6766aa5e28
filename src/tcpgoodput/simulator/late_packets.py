"""Count the packets that a sender sends if some packets arrive late, after newer packets."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.ladder import exchange

if TYPE_CHECKING:
    import pandas as pd

FIRST_ROUND = 2.0
"""Time in round trips by which all ACKs of the first window have arrived, including those of late
packets."""


def late_packets(
    scenarios: dict[str, Scenario],
    *,
    window: int,
    hits: list[int],
    late_rtts: list[float],
    rounds: float = 6.0,
) -> pd.DataFrame:
    """Count the packets that a sender sends when the first packets of a full window are late.

    See `ladder` for the connection and its settings.

    Columns: `variant`, `partial_window_deflation`, `late_packets` and `late_rtt` (number of late
    packets, and their delay in round trips), `new_packets` and `resent_packets` in the next round
    trip, `resent_in_all_packets` (retransmissions in all round trips), `silent_acks` (ACKs from
    the first retransmission to the first new packet, without the ACK that releases it),
    `recoveries` (number of fast recoveries), `window_after_packets` and `flight_after_packets`
    (cwnd and FlightSize when the first fast recovery ends), `most_duplicates_later` (the most
    duplicate ACKs in a row after those that began the recovery). Cells are empty for events that
    do not happen.
    """
    import pandas as pd

    rows = []
    for scenario in scenarios.values():
        for hit in hits:
            for late_rtt in late_rtts:
                first, packets = (
                    exchange(scenario, window=window, hit=hit, late_rtt=late_rtt, rounds=until)
                    for until in (FIRST_ROUND, rounds)
                )
                acks = [row for row in packets if row["direction"] == "ack"]
                acks.sort(key=lambda row: row["arrives_rtt"])
                rows.append(
                    {
                        "variant": scenario.tcp.variant,
                        "partial_window_deflation": scenario.tcp.partial_window_deflation,
                        "late_packets": hit,
                        "late_rtt": late_rtt,
                        "new_packets": len(_new(first, window)),
                        "resent_packets": len(_resent(first)),
                        "resent_in_all_packets": len(_resent(packets)),
                        "silent_acks": _silent_acks(packets, window),
                        **_recoveries(acks),
                        "most_duplicates_later": max(
                            _in_a_row(row["kind"] for row in acks)[1:], default=0
                        ),
                    }
                )
    return pd.DataFrame(rows)


def _new(packets: list[dict[str, Any]], window: int) -> list[dict[str, Any]]:
    """Return the rows of packets sent for the first time, without those of the first window."""
    return [row for row in packets if row["kind"] == "data" and row["packet"] >= window]


def _resent(packets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in packets if row["kind"] == "retransmission"]


def _silent_acks(packets: list[dict[str, Any]], window: int) -> int | None:
    """Return the number of ACKs after the first retransmission that release no new packet."""
    repairs = _resent(packets)
    if not repairs:
        return None
    starts = repairs[0]["acks_before"]
    later = [row["acks_before"] for row in _new(packets, window) if row["acks_before"] > starts]
    return min(later) - starts - 1 if later else None


def _recoveries(acks: list[dict[str, Any]]) -> dict[str, float | None]:
    """Return the number of fast recoveries, and cwnd and FlightSize when the first one ends."""
    states = [False, *(row["recovering"] for row in acks)]
    ends = (row for row, before in zip(acks, states, strict=False) if before > row["recovering"])
    end = next(ends, {})
    return {
        "recoveries": sum(after > before for before, after in pairwise(states)),
        "window_after_packets": end.get("cwnd_packets"),
        "flight_after_packets": end.get("flight_packets"),
    }


def _in_a_row(kinds: Iterable[str]) -> list[int]:
    """Return the length of each run of consecutive duplicate ACKs."""
    return [sum(1 for _ in run) for kind, run in groupby(kinds) if kind == "duplicate"]
