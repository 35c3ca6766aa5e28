"""NewReno: fast recovery that lasts until everything outstanding at its start is acknowledged."""

from __future__ import annotations

from tcpgoodput.simulator.senders.base import Ack, Reaction
from tcpgoodput.simulator.senders.reno import Reno


class NewReno(Reno):
    """Repairs one hole per round trip, on partial acknowledgements (RFC 3782, RFC 6582).

    `recovery: impatient` is RFC 6582: a partial ACK takes what it acknowledges off the window, and
    only the first one restarts the timer. `slow-but-steady` is the sources' form: a partial ACK
    sets the window to ssthresh and restarts the timer each time.
    """

    _partial_acks = 0
    _acked_before = -1

    def on_ack(self, ack: Ack) -> Reaction:
        """React to an acknowledgement, knowing how much it newly covers."""
        self._acked_before = self.acked
        return super().on_ack(ack)

    def _enter_recovery(self) -> Reaction:
        self._partial_acks = 0
        return super()._enter_recovery()

    def _on_ack_in_recovery(self, ack: Ack) -> Reaction:
        if ack.through >= self.recover:
            return self._leave_recovery()
        self._partial_acks += 1
        if self.tcp.recovery == "slow-but-steady":
            self.cwnd = self.ssthresh
            restarts = True
        else:
            newly_acked = self.acked - self._acked_before
            self.cwnd = max(1.0, self.cwnd - newly_acked + 1)
            restarts = self._partial_acks == 1
        return Reaction([self.acked + 1, *self._send_new()], restarts)
