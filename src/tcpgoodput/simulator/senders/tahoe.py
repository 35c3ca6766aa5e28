"""Tahoe: fast retransmit, then slow start over everything that was outstanding."""

from __future__ import annotations

from tcpgoodput.simulator.senders.base import Ack, Reaction
from tcpgoodput.simulator.senders.oldtahoe import OldTahoe


class Tahoe(OldTahoe):
    """Adds fast retransmit: duplicate ACKs do what a timeout does, at once."""

    def _on_duplicate(self, ack: Ack) -> Reaction:
        if self._may_retransmit_fast():
            return self.on_timeout()
        return Reaction(self._limited_transmit())
