"""OldTahoe: every loss is a timeout."""

from __future__ import annotations

from tcpgoodput.simulator.senders.base import Ack, Reaction, Sender


class OldTahoe(Sender):
    """TCP before fast retransmit (ns-2: `noFastRetrans_ true`)."""

    def _on_new_ack(self, ack: Ack) -> Reaction:
        self.duplicates = 0
        self._open_window()
        return Reaction(self._send_new(), restarts_timer=True)

    def _on_duplicate(self, ack: Ack) -> Reaction:
        return Reaction(self._limited_transmit())
