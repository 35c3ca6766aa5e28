"""An exchange of packets and ACKs on a path of one round trip, as a ladder diagram shows it."""

from __future__ import annotations

import heapq
from itertools import count
from typing import TYPE_CHECKING

from tcpgoodput.models.registry import table
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.receiver import Receiver
from tcpgoodput.simulator.senders import sender

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["direction", "packet", "sent_rtt", "arrives_rtt", "kind"]
SPREAD = 0.8
"""Part of a round trip over which a full window is spread: the bottleneck's packet times."""


@table("simulator")
def ladder(
    scenario: Scenario,
    *,
    window: int,
    hit: int,
    late_rtt: float | None = None,
    rounds: float = 4.0,
) -> pd.DataFrame:
    """Step a sender whose window is full and whose first `hit` packets are lost or late.

    Returns:
        One row per packet and per ACK: `direction` (data, ack), `packet` (sequence number, or the
        packet acknowledged), `sent_rtt` and `arrives_rtt` (round trips from the start; no arrival
        for a lost packet), `kind` (data, retransmission, lost, late; ack, duplicate, partial).

    """
    import pandas as pd

    tcp = sender(scenario.tcp, cwnd=window)
    tcp.ssthresh = 0  # in congestion avoidance
    receiver = Receiver()
    packet_time = SPREAD / window
    link_free = 0.0
    sent_before: set[int] = set()
    order = count()
    events: list[tuple[float, int, str, object, dict[str, object]]] = []
    rows: list[dict[str, object]] = []

    def launch(packets: list[int], now: float) -> None:
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
            row: dict[str, object] = {"direction": "data", "packet": packet, "sent_rtt": leaves}
            rows.append({**row, "kind": kind})
            if kind != "lost":
                rows[-1]["arrives_rtt"] = arrives
                heapq.heappush(events, (arrives, next(order), "packet", packet, rows[-1]))

    launch(tcp.start(), 0.0)
    while events and events[0][0] <= rounds:
        now, _, what, content, row = heapq.heappop(events)
        if what == "packet":
            ack = receiver.on_packet(int(content))  # type: ignore[call-overload]
            row = {"direction": "ack", "packet": ack.through, "sent_rtt": now}
            rows.append({**row, "arrives_rtt": now + 0.5, "kind": "ack"})
            heapq.heappush(events, (now + 0.5, next(order), "ack", ack, rows[-1]))
        else:
            repairing, recover = getattr(tcp, "in_recovery", False), tcp.recover
            if content.through == tcp.acked:  # type: ignore[attr-defined]
                row["kind"] = "duplicate"
            elif repairing and content.through < recover:  # type: ignore[attr-defined]
                row["kind"] = "partial"
            launch(tcp.on_ack(content).packets, now)  # type: ignore[arg-type]
    return pd.DataFrame(rows, columns=COLUMNS)
