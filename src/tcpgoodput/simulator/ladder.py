"""Ladder diagrams (packets and ACKs over time) of a window whose first packets are lost or late.

`late_packets` counts the packets that the sender sends in response.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable
from itertools import count, groupby, pairwise
from typing import TYPE_CHECKING, Any

from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["direction", "packet", "sent_rtt", "arrives_rtt", "kind"]
KINDS = {"duplicate ack": "duplicate", "partial ack": "partial"}
SPREAD = 0.8
"""Time that the link takes to transmit a full window, as a fraction of a round trip. Chosen by
hand."""


def ladder(
    scenario: Scenario, *, window: int, hit: int, late_rtt: float | None = None, rounds: float = 4.0
) -> pd.DataFrame:
    """Return the packets and ACKs of a full window whose first packets are lost or late.

    Args:
        scenario: the scenario with the sender's settings.
        window: cwnd in packets.
        hit: number of packets at the start of the window that are lost or late.
        late_rtt: additional delay of these packets in round trips; None: they are lost.
        rounds: end of the simulated time, in round trips.

    Returns:
        One row per packet and per ACK: `direction` (data, ack), `packet` (sequence number, or the
        packet acknowledged), `sent_rtt` and `arrives_rtt` (round trips from the start; no arrival
        for a lost packet), `kind` (data, retransmission, lost, late; ack, duplicate, partial).

    """
    import pandas as pd

    rows = exchange(scenario, window=window, hit=range(hit), late_rtt=late_rtt, rounds=rounds)
    return pd.DataFrame(rows, columns=COLUMNS)


def exchange(
    scenario: Scenario, *, window: int, hit: Collection[int], late_rtt: float | None, rounds: float
) -> list[dict[str, Any]]:
    """Return the rows of `ladder` as dictionaries, with further columns for the sender's state.

    `hit` contains the numbers of the packets that are lost or late.

    Rows of packets have `acks_before`, the number of ACKs that arrived before they were sent. Rows
    of ACKs have `cwnd_packets` and `recovering`, the state after the ACK, and `flight_packets`,
    the FlightSize before the sender sends packets in response.
    """
    from tcpgoodput.simulator.stepped import Stepped

    connection = Stepped(scenario.tcp, window=window)
    packet_time = SPREAD / window
    link_free = 0.0
    acks = 0
    sent_before: set[int] = set()
    order = count()
    arrivals: list[tuple[float, int, int]] = []
    rows: list[dict[str, Any]] = []

    def launch(packets: tuple[int, ...], now: float) -> None:
        nonlocal link_free
        for packet in packets:
            leaves = max(now, link_free)
            link_free = leaves + packet_time
            again = packet in sent_before
            is_hit = packet in hit and not again
            sent_before.add(packet)
            kind = "retransmission" if again else "data"
            if is_hit:
                kind = "lost" if late_rtt is None else "late"
            arrives = leaves + 0.5 + (late_rtt or 0.0 if is_hit else 0.0)
            row: dict[str, Any] = {"direction": "data", "packet": packet, "sent_rtt": leaves}
            rows.append({**row, "kind": kind, "acks_before": acks})
            if kind != "lost":
                rows[-1]["arrives_rtt"] = arrives
                heapq.heappush(arrivals, (arrives, next(order), packet))

    launch(connection.start(), 0.0)
    while arrivals and arrivals[0][0] <= rounds:
        arrived, _, packet = heapq.heappop(arrivals)
        reaction = connection.on_arrival(packet)
        acks += 1
        rows.append(
            {
                "direction": "ack",
                "packet": reaction.ack,
                "sent_rtt": arrived,
                "arrives_rtt": arrived + 0.5,
                "kind": KINDS.get(reaction.kind, "ack"),
                "cwnd_packets": connection.cwnd,
                "recovering": connection.recovering,
                "flight_packets": reaction.flight,
            }
        )
        if arrived + 0.5 <= rounds:
            launch(reaction.sent, arrived + 0.5)
    return rows


DUPLICATES = 3
"""Number of duplicate ACKs that begin a recovery in the study handoffs."""

FIRST_ROUND = 2.0
"""Time in round trips up to which `late_packets` counts packets of the first reaction. By then all
ACKs of the first window have arrived, except those of packets that are very late."""


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
    packets, and their delay in round trips), `new_packets` and `resent_packets` (numbers of new
    packets and of retransmissions within `FIRST_ROUND` round trips), `resent_in_all_packets`
    (retransmissions within `rounds` round trips), `silent_acks` (ACKs from
    the first retransmission to the first new packet, without the ACK that releases it),
    `recoveries` (number of fast recoveries), `window_after_packets` and `flight_after_packets`
    (cwnd and FlightSize when the first fast recovery ends), `most_duplicates_later` (the most
    duplicate ACKs in a row after those that began the recovery). Cells are empty for events that
    do not happen.
    """
    import pandas as pd

    return pd.DataFrame(
        _effects(scenario, window, range(hit), late_rtt, rounds)
        for scenario in scenarios.values()
        for hit in hits
        for late_rtt in late_rtts
    )


def spread_late_packets(
    scenarios: dict[str, Scenario], *, window: int, hits: list[int], rounds: float = 6.0
) -> pd.DataFrame:
    """Count the packets that a sender sends when late packets are spread evenly over a window.

    The partial ACKs arrive at regular intervals, as the study handoffs assumes for its L (III-B.1):
    "in the remaining (W - 3) ACKs" after the third duplicate, "every ((W - 3)/d - 1) duplicate ACKs
    will be followed by one partial acknowledgment". So every (W - 3)/d-th packet from the first on
    is late, rounded down to whole packets. The first of them arrives (W - 3)/d packet times after
    the packet that brings the third duplicate; all have the same extra delay.

    Columns: those of `late_packets`.
    """
    import pandas as pd

    rows = []
    for scenario in scenarios.values():
        for hit in hits:
            interval = (window - DUPLICATES) / hit
            late = {int(number * interval) for number in range(hit)}
            third = [packet for packet in range(window) if packet not in late][DUPLICATES - 1]
            late_rtt = (third + interval) * SPREAD / window
            rows.append(_effects(scenario, window, late, late_rtt, rounds))
    return pd.DataFrame(rows)


def _effects(
    scenario: Scenario, window: int, hit: Collection[int], late_rtt: float, rounds: float
) -> dict[str, Any]:
    """Return a row of `late_packets`, in which the packets with the numbers `hit` are late."""
    first, packets = (
        exchange(scenario, window=window, hit=hit, late_rtt=late_rtt, rounds=until)
        for until in (FIRST_ROUND, rounds)
    )
    acks = [row for row in packets if row["direction"] == "ack"]
    acks.sort(key=lambda row: row["arrives_rtt"])
    return {
        "variant": scenario.tcp.variant,
        "partial_window_deflation": scenario.tcp.partial_window_deflation,
        "late_packets": len(hit),
        "late_rtt": late_rtt,
        "new_packets": len(_new(first, window)),
        "resent_packets": len(_resent(first)),
        "resent_in_all_packets": len(_resent(packets)),
        "silent_acks": _silent_acks(packets, window),
        **_recoveries(acks),
        "most_duplicates_later": max(_in_a_row(row["kind"] for row in acks)[1:], default=0),
    }


def _new(packets: list[dict[str, Any]], window: int) -> list[dict[str, Any]]:
    """Return the rows of packets sent for the first time, without those of the first window."""
    return [row for row in packets if row["kind"] == "data" and row["packet"] >= window]


def _resent(packets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in packets if row["kind"] == "retransmission"]


def _silent_acks(packets: list[dict[str, Any]], window: int) -> int | None:
    """Return how many ACKs after the first retransmission release no new packet, until one does."""
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
    """Return the number of ACKs in each series of consecutive duplicate ACKs, in order of time."""
    return [sum(1 for _ in run) for kind, run in groupby(kinds) if kind == "duplicate"]
