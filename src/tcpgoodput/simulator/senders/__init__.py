"""TCP senders as state machines, one module per variant."""

from __future__ import annotations

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.senders.base import Ack, Reaction, Sender
from tcpgoodput.simulator.senders.newreno import NewReno
from tcpgoodput.simulator.senders.oldtahoe import OldTahoe
from tcpgoodput.simulator.senders.reno import Reno
from tcpgoodput.simulator.senders.sack import Sack
from tcpgoodput.simulator.senders.tahoe import Tahoe

SENDERS: dict[str, type[Sender]] = {
    "oldtahoe": OldTahoe,
    "tahoe": Tahoe,
    "reno": Reno,
    "newreno": NewReno,
    "sack": Sack,
}


def sender(tcp: Tcp, *, acked: int = -1, sent: int = -1, cwnd: float | None = None) -> Sender:
    """Return a sender of the scenario's variant, with packets up to `sent` on their way.

    Raises:
        ValueError: the variant has no state machine yet, or ACKs are delayed.

    """
    if tcp.variant not in SENDERS:
        raise ValueError(f"no sender steps {tcp.variant} yet; there are {', '.join(SENDERS)}")
    if tcp.ack_every != 1:
        raise ValueError("senders are stepped with an ACK per packet (ack_every: 1)")
    return SENDERS[tcp.variant](tcp, acked=acked, sent=sent, cwnd=cwnd)


__all__ = ["SENDERS", "Ack", "Reaction", "Sender", "sender"]
