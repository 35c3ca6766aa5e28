"""Reno: fast recovery, which the first ACK of new data ends."""

from __future__ import annotations

from tcpgoodput.simulator.senders.base import Ack, Reaction, Sender


class Reno(Sender):
    """Fast retransmit and fast recovery of RFC 5681, 3.2."""

    in_recovery = False

    def on_timeout(self) -> Reaction:
        """Leave fast recovery and start over."""
        self.in_recovery = False
        return super().on_timeout()

    def _on_new_ack(self, ack: Ack) -> Reaction:
        if self.in_recovery:
            return self._on_ack_in_recovery(ack)
        self.duplicates = 0
        self._open_window()
        return Reaction(self._send_new(), restarts_timer=True)

    def _on_ack_in_recovery(self, ack: Ack) -> Reaction:
        return self._leave_recovery()

    def _leave_recovery(self) -> Reaction:
        self.in_recovery = False
        self.duplicates = 0
        self.cwnd = self.ssthresh
        return Reaction(self._send_new(), restarts_timer=True)

    def _on_duplicate(self, ack: Ack) -> Reaction:
        if self.in_recovery:  # each one is a packet that has left the path
            self.cwnd += 1
            return Reaction(self._send_new())
        if self._may_retransmit_fast():
            return self._enter_recovery()
        return Reaction(self._limited_transmit())

    def _enter_recovery(self) -> Reaction:
        self.in_recovery = True
        self.recover = self.highest_sent
        self.ssthresh = self._half_flight()
        self.cwnd = self.ssthresh + self.tcp.dupthresh  # as many packets have left the path
        return Reaction([self.acked + 1, *self._send_new()], restarts_timer=True)
