"""NewReno: Reno whose recovery lasts until all that was outstanding is acknowledged.

`recovery: impatient` is RFC 6582: a partial ACK takes what it acknowledges off the window, and only
the first one restarts the timer. `slow-but-steady` is the sources' form: a partial ACK sets the
window to ssthresh and restarts the timer each time.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders import reno, timer


@compiled
def on_new_ack(s, newly_acked, now):  # type: ignore[no-untyped-def]
    """Repair the next hole on a partial ACK; otherwise do as Reno does."""
    if not s.in_recovery or s.acked >= s.recover:
        reno.on_new_ack(s, newly_acked, now)
        return
    s.partial_acks += 1
    s.repeat_first = True
    if s.steady:
        s.cwnd = s.cwnd_after
    else:
        s.cwnd = max(1.0, s.cwnd - newly_acked + 1)
    if s.steady or s.partial_acks == 1:
        timer.restart(s, now)
