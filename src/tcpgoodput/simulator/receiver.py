"""The receiver: what arrived, and the acknowledgement that says so."""

from __future__ import annotations

from tcpgoodput.simulator.senders import Ack


class Receiver:
    """Acknowledges every packet, cumulatively and with what lies beyond a hole."""

    def __init__(self, through: int = -1) -> None:
        self.through = through
        self.beyond: set[int] = set()

    def on_packet(self, packet: int) -> Ack:
        """Take a packet in and return its acknowledgement."""
        if packet > self.through:
            self.beyond.add(packet)
        while self.through + 1 in self.beyond:
            self.through += 1
            self.beyond.remove(self.through)
        return Ack(self.through, frozenset(self.beyond))
