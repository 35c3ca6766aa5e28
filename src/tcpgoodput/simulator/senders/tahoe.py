"""OldTahoe and Tahoe, which return to slow start after a loss, and else grow cwnd as Reno does.

`s` is the record of the sender's state, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.state import OLDTAHOE
from tcpgoodput.simulator.senders.window import reduce, start_over


@compiled
def on_duplicate(s, now):  # type: ignore[no-untyped-def]
    """Return to slow start after `dupthresh` duplicate ACKs (Tahoe); return whether it happened."""
    if s.recovery != OLDTAHOE and s.duplicates == s.dupthresh and s.acked > s.recover:
        s.fast_retransmits += 1
        reduce(s)
        start_over(s)
        timer.restart(s, now)
        return True
    return False
