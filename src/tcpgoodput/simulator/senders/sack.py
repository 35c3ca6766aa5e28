"""SACK: a scoreboard of what arrived, and a pipe that counts what is still under way."""

from __future__ import annotations

import math

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.senders.base import ROUNDING, Ack, Reaction, Sender


class Sack(Sender):
    """Loss recovery of RFC 6675: holes first, new packets after, as long as the pipe has room."""

    def __init__(self, tcp: Tcp, *, acked: int = -1, sent: int = -1, cwnd: float | None = None):
        super().__init__(tcp, acked=acked, sent=sent, cwnd=cwnd)
        self.in_recovery = False
        self.sacked: set[int] = set()
        self.repeated: set[int] = set()

    def on_ack(self, ack: Ack) -> Reaction:
        """Update the scoreboard, then react."""
        self.sacked |= ack.sacked
        self.sacked = {packet for packet in self.sacked if packet > max(ack.through, self.acked)}
        return super().on_ack(ack)

    def on_timeout(self) -> Reaction:
        """Leave recovery, forget what was repeated, and start over."""
        self.in_recovery = False
        self.repeated.clear()
        self.sacked.clear()  # the receiver may have dropped what it reported (RFC 2018)
        return super().on_timeout()

    def _on_new_ack(self, ack: Ack) -> Reaction:
        self.duplicates = 0
        if self.in_recovery and ack.through < self.recover:
            return Reaction(self._fill_pipe(), restarts_timer=True)
        if self.in_recovery:
            self.in_recovery = False
            self.repeated.clear()
            self.cwnd = self.ssthresh
        else:
            self._open_window()
        return Reaction(self._send_new(), restarts_timer=True)

    def _on_duplicate(self, ack: Ack) -> Reaction:
        if self.in_recovery:
            return Reaction(self._fill_pipe())
        if self.acked > self.recover and (
            self.duplicates >= self.tcp.dupthresh or self._is_lost(self.acked + 1)
        ):
            self.in_recovery = True
            self.recover = self.highest_sent
            self.ssthresh = self._half_flight()
            self.cwnd = self.ssthresh
            self.repeated = {self.acked + 1}
            return Reaction([self.acked + 1, *self._fill_pipe()], restarts_timer=True)
        return Reaction(self._limited_transmit())

    def _is_lost(self, packet: int) -> bool:
        """Tell whether dupthresh packets beyond this one have arrived (IsLost)."""
        return sum(other > packet for other in self.sacked) >= self.tcp.dupthresh

    def _pipe(self) -> int:
        """Count the packets believed to be under way (SetPipe)."""
        outstanding = range(self.acked + 1, self.highest_sent + 1)
        return sum(
            (packet not in self.sacked and not self._is_lost(packet)) + (packet in self.repeated)
            for packet in outstanding
        )

    def _fill_pipe(self) -> list[int]:
        """Send holes, then new packets, while the pipe has room (NextSeg rules 1 and 2)."""
        packets = []
        room = math.floor(self.cwnd + ROUNDING) - self._pipe()
        holes = (
            packet
            for packet in range(self.acked + 1, self.recover + 1)
            if packet not in self.sacked | self.repeated and self._is_lost(packet)
        )
        for _ in range(room):
            hole = next(holes, None)
            if hole is not None:
                self.repeated.add(hole)
                packets.append(hole)
            elif self.tcp.max_window_packets is None or self.flight < self.tcp.max_window_packets:
                self.highest_sent += 1
                self.next_packet = self.highest_sent + 1
                packets.append(self.highest_sent)
        return packets
