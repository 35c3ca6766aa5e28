"""A sender's story told ACK by ACK, from a window in which chosen packets are lost."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from tcpgoodput.models.registry import table
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.receiver import Receiver
from tcpgoodput.simulator.senders import sender

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["event", "ack", "caused_by", "ssthresh", "cwnd", "sent", "lost", "new_at_receiver"]


@table("simulator")
def ack_trace(
    scenario: Scenario,
    *,
    acknowledged: int = 14,
    window: int = 8,
    lost: list[int],
    rows: int = 20,
) -> pd.DataFrame:
    """Step a sender through the ACKs of a window, losing the first copies of some packets.

    The story begins when the ACK of `acknowledged` comes in, with a full window outstanding.
    Packets arrive in the order they are sent, and their ACKs come back in that order. When no
    ACK is left and packets are outstanding, the sender times out.

    Returns:
        One row per ACK or timeout: `event` (ack, partial ack, duplicate ack, timeout), `ack`
        (the packet acknowledged), `caused_by` (the packet whose arrival it reports), `ssthresh`
        and `cwnd` after it in packets, `sent` and `lost` (packets sent in reaction, those among
        them that get lost), `new_at_receiver` (packets sent that the receiver lacks).

    """
    import pandas as pd

    last = acknowledged - 1 + window
    tcp = sender(scenario.tcp, acked=acknowledged - 1, sent=last, cwnd=window)
    tcp.ssthresh = 0  # in congestion avoidance
    receiver = Receiver(acknowledged - 1)
    fates = set(lost)
    on_path: deque[int] = deque()
    known: set[int] = set()
    untouched = True  # no loss detected yet: ssthresh is what the story does not tell

    def launch(packets: list[int]) -> list[int]:
        """Send packets; return those that get lost, each the first time only."""
        dropped = [packet for packet in packets if packet in fates]
        fates.difference_update(dropped)
        on_path.extend(packet for packet in packets if packet not in dropped)
        return dropped

    launch(list(range(acknowledged, last + 1)))
    story = []
    while len(story) < rows:
        if on_path:
            packet = on_path.popleft()
            ack = receiver.on_packet(packet)
            known = set(range(ack.through + 1)) | ack.sacked
            before, recover = tcp.acked, tcp.recover
            repairing = getattr(tcp, "in_recovery", False)
            reaction = tcp.on_ack(ack)
            if ack.through == before:
                event = "duplicate ack"
            elif repairing and ack.through < recover:
                event = "partial ack"
            else:
                event = "ack"
            row = {"event": event, "ack": ack.through, "caused_by": packet}
        elif tcp.flight:
            reaction = tcp.on_timeout()
            row = {"event": "timeout", "ack": tcp.acked, "caused_by": None}
        else:
            break
        under_way = known | set(on_path)
        new = [packet for packet in reaction.packets if packet not in under_way]
        dropped = launch(reaction.packets)
        untouched = untouched and tcp.recover < acknowledged
        story.append(
            {
                **row,
                "ssthresh": None if untouched else tcp.ssthresh,
                "cwnd": tcp.cwnd,
                "sent": " ".join(map(str, reaction.packets)),
                "lost": " ".join(map(str, dropped)),
                "new_at_receiver": len(new),
            }
        )
    return pd.DataFrame(story, columns=COLUMNS)
