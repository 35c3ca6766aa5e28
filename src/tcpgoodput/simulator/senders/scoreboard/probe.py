"""Tail loss probe: two round trips without an ACK send a new packet or the last one again.

RFC 8985, section 7. Losses at the end of a window cause no duplicate ACKs, but the ACK of the probe
can report them. `s` is the record of the sender's state, `a` are the arrays of the run, and `now`
is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders.scoreboard import reduction, timers
from tcpgoodput.simulator.senders.scoreboard.marks import EVER_REPEATED, mark_repeated
from tcpgoodput.simulator.senders.scoreboard_state import PROBE, TIMEOUT_TIMER
from tcpgoodput.simulator.senders.state import NONE


@compiled
def on_timer(s, a, now):  # type: ignore[no-untyped-def]
    """Send a probe unless one is outstanding."""
    if s.probe_high != NONE:
        timers.restart(s, a, now)
    else:
        s.action = PROBE


@compiled
def send(s, a, now):  # type: ignore[no-untyped-def]
    """Return the probe: a new packet if the receiver allows one, else the last packet again."""
    packet = s.highest_sent + 1
    s.probe_repeats = packet >= s.transfer or packet - s.acked > s.max_window
    if s.probe_repeats:
        packet = s.highest_sent
    s.probe_high = max(packet, s.highest_sent) + 1
    timers.start(s, TIMEOUT_TIMER, s.rto, now)
    return packet


@compiled
def note_repeat(s, a, packet, now):  # type: ignore[no-untyped-def]
    """Record that a probe repeats a packet; the probe does not count as a packet in flight."""
    mark_repeated(s, a, packet, EVER_REPEATED, now)
    s.packets_sent += 1
    s.retransmissions += 1


@compiled
def on_ack(s, advanced, reported, twice):  # type: ignore[no-untyped-def]
    """Reduce the window if an ACK shows that the probe repaired a loss (RFC 8985, 7.4).

    `advanced`: whether the ACK acknowledges new packets in order. `reported`: whether it reports a
    packet above a missing one. `twice`: whether it reports by D-SACK that the probe's packet
    arrived twice, so that nothing was lost.
    """
    if s.probe_high == NONE or s.acked + 1 < s.probe_high:
        return
    if s.probe_repeats and not twice and s.acked + 1 > s.probe_high:
        reduction.begin(s)
        if not s.bbr:
            s.cwnd = s.ssthresh
    elif s.probe_repeats and not twice and (advanced or reported):
        return  # this ACK does not answer the probe
    s.probe_high = NONE
