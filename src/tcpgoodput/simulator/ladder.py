"""Times of packets and ACKs in units of the round-trip time, for a ladder diagram."""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING, Any

from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["direction", "packet", "sent_rtt", "arrives_rtt", "kind"]
KINDS = {"duplicate ack": "duplicate", "partial ack": "partial"}
SPREAD = 0.8
"""Part of a round trip that the link takes to transmit a full window."""


def ladder(
    scenario: Scenario,
    *,
    window: int,
    hit: int,
    late_rtt: float | None = None,
    rounds: float = 4.0,
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

    rows = exchange(scenario, window=window, hit=hit, late_rtt=late_rtt, rounds=rounds)
    return pd.DataFrame(rows, columns=COLUMNS)


def exchange(
    scenario: Scenario, *, window: int, hit: int, late_rtt: float | None, rounds: float
) -> list[dict[str, Any]]:
    """Return the rows of `ladder` as dictionaries, with further columns for the sender's state.

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
            is_hit = packet < hit and not again
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
