"""Table of a sender's reactions to each ACK after chosen packets of a window are lost."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Tcp

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Step:
    """An event at a sender, such as an ACK, and the sender's reaction."""

    event: str
    """Kind of the event: start, ack, partial ack, full ack, duplicate ack or timeout."""
    ack: int
    """Highest packet that is acknowledged in order after the event."""
    caused_by: int | None
    """Packet whose arrival caused the ACK; None for a timeout."""
    duplicates: int
    """Number of duplicate ACKs in a row, including this one; 0 if this ACK is no duplicate."""
    ssthresh: float | None
    """Slow-start threshold in packets; None before the first loss is detected."""
    cwnd: float
    sent: tuple[int, ...]
    lost: tuple[int, ...]
    """Packets in the field `sent` that the path loses."""
    lacking: tuple[int, ...]
    """Packets in the field `sent` that the receiver lacks, and of which no earlier copy is under
    way."""
    round: int
    """Number of the round trip in which the packets in `sent` are sent. If the packet that caused
    the ACK was sent in round trip n, this is n + 1."""


def steps(tcp: Tcp, *, acknowledged: int, window: int, lost: list[int], rows: int) -> list[Step]:
    """Return the events at a sender in congestion avoidance after chosen packets are lost.

    The first event is the ACK of packet `acknowledged`: `window − 1` packets are under way, and one
    more may be sent. Packets and ACKs are never reordered. The sender times out when packets are
    outstanding but no packet or ACK is under way.

    Args:
        tcp: the sender's settings.
        acknowledged: number of the packet that the first event acknowledges.
        window: cwnd in packets.
        lost: numbers of the packets whose first transmission is lost.
        rows: largest number of events to return.

    """
    from tcpgoodput.simulator.stepped import Stepped

    connection = Stepped(tcp, acked=acknowledged, window=window)
    to_lose = set(lost)
    under_way: deque[tuple[int, int]] = deque()  # (packet number, round trip) of each packet
    story: list[Step] = []

    def launch(packets: tuple[int, ...], round_: int) -> tuple[int, ...]:
        """Send packets; return those that are lost. Retransmissions are never lost."""
        dropped = tuple(packet for packet in packets if packet in to_lose)
        to_lose.difference_update(dropped)
        under_way.extend((packet, round_) for packet in packets if packet not in dropped)
        return dropped

    def record(
        event: str, ack: int, caused_by: int | None, packets: tuple[int, ...], round_: int
    ) -> None:
        duplicates = story[-1].duplicates + 1 if event == "duplicate ack" else 0
        coming = {packet for packet, _ in under_way}
        lacking = tuple(p for p in packets if not connection.has_arrived(p) and p not in coming)
        dropped = launch(packets, round_)
        window_now = connection.ssthresh, connection.cwnd
        story.append(
            Step(event, ack, caused_by, duplicates, *window_now, packets, dropped, lacking, round_)
        )

    first_window = connection.start()
    launch(first_window[:-1], 0)
    record("start", acknowledged, acknowledged, first_window[-1:], 1)
    while len(story) < rows and (under_way or connection.flight):
        if under_way:
            packet, sent_in = under_way.popleft()
            reaction = connection.on_arrival(packet)
            record(reaction.kind, reaction.ack, packet, reaction.sent, sent_in + 1)
        else:
            record(
                "timeout",
                connection.last_in_order,
                None,
                connection.on_timeout(),
                story[-1].round + 1,
            )
    return story


def ack_trace(
    scenario: Scenario,
    *,
    acknowledged: int = 14,
    window: int = 8,
    lost: list[int],
    rows: int = 20,
    first_row: int = 1,
) -> pd.DataFrame:
    """Return a table of a sender's reactions to each ACK (see `steps`), from `first_row` to `rows`.

    Columns: `row`, `event` (start, ack, partial ack, full ack, duplicate ack, timeout), `ack` (last
    packet acknowledged), `caused_by` (packet whose arrival caused the ACK), `duplicates` (duplicate
    ACKs in a row), `ssthresh_packets` (empty before a loss was detected), `cwnd_packets`, `sent`
    (packets sent in reaction), `lost` (packets of `sent` that are lost), `lacking_packets` (how
    many of `sent` the receiver lacks), `round` (number of the round trip in which they are sent).
    """
    import pandas as pd

    story = steps(scenario.tcp, acknowledged=acknowledged, window=window, lost=lost, rows=rows)
    records = [
        {
            "row": row,
            "event": step.event,
            "ack": step.ack,
            "caused_by": step.caused_by,
            "duplicates": step.duplicates,
            "ssthresh_packets": step.ssthresh,
            "cwnd_packets": step.cwnd,
            "sent": " ".join(map(str, step.sent)),
            "lost": " ".join(map(str, step.lost)),
            "lacking_packets": len(step.lacking),
            "round": step.round,
        }
        for row, step in enumerate(story, start=1)
    ]
    frame = pd.DataFrame(records).astype({"caused_by": "Int64"})
    return frame[frame["row"] >= first_row].reset_index(drop=True)


def recovery_rounds(
    scenarios: dict[str, Scenario],
    *,
    acknowledged: int = 14,
    window: int = 8,
    lost: list[int],
    rounds: int = 5,
) -> pd.DataFrame:
    """Return the packets that senders send in each round trip after detecting a loss (see `steps`).

    Columns: `variant`, `round` (1 begins with the first retransmission), `sent` (packet numbers),
    `lacking` (packets of `sent` that the receiver lacks), `sent_packets` and `lacking_packets`
    (their numbers), `lacking_so_far_packets` (sum since round 1), `timer_expirations`.
    """
    import pandas as pd

    table_rows = []
    for scenario in scenarios.values():
        enough = 4 * window * (rounds + 2)
        story = steps(
            scenario.tcp, acknowledged=acknowledged, window=window, lost=lost, rows=enough
        )
        detected = next(step.round for step in story if step.ssthresh is not None)
        so_far = 0
        for number in range(1, rounds + 1):
            own = [step for step in story if step.round == detected + number - 1]
            sent = [packet for step in own for packet in step.sent]
            lacking = [packet for step in own for packet in step.lacking]
            so_far += len(lacking)
            table_rows.append(
                {
                    "variant": scenario.tcp.variant,
                    "round": number,
                    "sent": " ".join(map(str, sent)),
                    "lacking": " ".join(map(str, lacking)),
                    "sent_packets": len(sent),
                    "lacking_packets": len(lacking),
                    "lacking_so_far_packets": so_far,
                    "timer_expirations": sum(step.event == "timeout" for step in own),
                }
            )
    return pd.DataFrame(table_rows)
