"""Growth of the congestion window: the amount per ACK, and when the window may grow.

`s` is the record of the sender's state, and `now` is the time in ticks.
"""

from __future__ import annotations

import numpy as np

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders import window
from tcpgoodput.simulator.senders.scoreboard import hystart, linux_cubic
from tcpgoodput.simulator.senders.scoreboard.marks import in_flight, outstanding


@compiled
def open_window(s, arrived, now):  # type: ignore[no-untyped-def]
    """Increase the window for an ACK that reports `arrived` packets."""
    looks_for_end = hystart.is_on(s)
    if not s.validates or _is_limited(s):
        _open(s, arrived if s.counts_packets else 1, now)
    if looks_for_end:
        hystart.go_on(s)


@compiled
def _open(s, acked, now):  # type: ignore[no-untyped-def]
    if hystart.is_on(s):
        s.cwnd = min(s.cwnd + hystart.step(s, acked), s.grows_to)
        return
    if s.cwnd < s.ssthresh:
        opened = min(s.cwnd + acked, s.ssthresh)
        acked -= int(opened - s.cwnd)
        s.cwnd = min(opened, s.grows_to)
        if acked <= 0:
            return
    if s.whole_increment:
        _count(s, acked, linux_cubic.packets_per_growth(s, acked, now) if s.linux_cubic else s.cwnd)
        return
    for _ in range(acked):
        window.open_window(s, 1, now)


@compiled
def _count(s, acked, packets):  # type: ignore[no-untyped-def]
    """Grow cwnd by one per `packets` acknowledged packets (RFC 5681, 3.1; tcp_cong_avoid_ai)."""
    if s.counted >= packets:
        s.counted = 0.0
        s.cwnd += 1.0
    s.counted += acked
    if s.counted >= packets:
        whole = np.floor(s.counted / packets)
        s.counted -= whole * packets
        s.cwnd += whole
    s.cwnd = min(s.cwnd, s.grows_to)


@compiled
def _is_limited(s):  # type: ignore[no-untyped-def]
    """Return whether cwnd may grow: it is used up, or in slow start half used up (RFC 7661)."""
    return s.is_limited or (s.cwnd < s.ssthresh and s.cwnd < 2 * s.most_out)


@compiled
def note_use(s):  # type: ignore[no-untyped-def]
    """Record after sending whether cwnd prevented the sender from sending more (RFC 7661)."""
    limited = in_flight(s) >= int(s.cwnd + window.ROUNDING)
    if not (s.sent_any or limited):
        return
    more = not s.is_limited and outstanding(s) > s.most_out
    if s.acked + 1 >= s.usage_until or limited or more:
        s.is_limited = limited
        s.most_out = outstanding(s)
        s.usage_until = s.highest_sent + 1
