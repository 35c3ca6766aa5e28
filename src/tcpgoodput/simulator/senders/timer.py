"""The retransmission timer of RFC 6298; the round-trip time of one packet at a time is measured.

`s` is the record of the sender's state, and `now` is the time in ticks.
"""

from __future__ import annotations

import numpy as np

from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S, compiled
from tcpgoodput.simulator.senders.state import NONE

SRTT_GAIN = 1 / 8
RTTVAR_GAIN = 1 / 4
DEVIATIONS = 4
BACKOFF = 2


@compiled
def sample(s, now):  # type: ignore[no-untyped-def]
    """Update the RTO with the round-trip time of the timed packet, whose ACK has arrived."""
    rtt_s = (now - s.timed_at) / TICKS_PER_S
    s.timed_packet = NONE
    s.rtt_samples += 1
    s.rtt_sum_s += rtt_s
    estimate(s, rtt_s)


@compiled
def estimate(s, rtt_s):  # type: ignore[no-untyped-def]
    """Update the smoothed round-trip time, its variation and the RTO with a sample in seconds."""
    measured_s = max(1.0, np.floor(rtt_s / s.tick_s + 0.5)) * s.tick_s
    if s.srtt_s < 0:  # RFC 6298, (2.2): the first sample
        s.srtt_s = measured_s
        s.rttvar_s = measured_s / 2
    else:  # RFC 6298, (2.3): update RTTVAR first, with the old SRTT
        s.rttvar_s += RTTVAR_GAIN * (abs(s.srtt_s - measured_s) - s.rttvar_s)
        s.srtt_s += SRTT_GAIN * (measured_s - s.srtt_s)
    if not s.fixed_rto:
        rto_s = s.srtt_s + max(s.tick_s, DEVIATIONS * s.rttvar_s)
        set_rto(s, min(max(rto_s, s.min_rto_s), s.max_rto_s))


@compiled
def back_off(s):  # type: ignore[no-untyped-def]
    """Double the timeout, up to its largest value (RFC 6298, 5.5)."""
    if not s.fixed_rto:
        set_rto(s, min(BACKOFF * s.rto_s, s.max_rto_s))


@compiled
def restart(s, now):  # type: ignore[no-untyped-def]
    """Restart the timer, or stop it if nothing is outstanding (RFC 6298, 5.2 and 5.3)."""
    s.deadline = now + s.rto if s.highest_sent > s.acked else NEVER


@compiled
def on_sent(s, packet, now):  # type: ignore[no-untyped-def]
    """Record that a packet is sent: start the RTO timer if it is off (RFC 6298, 5.1).

    If no packet is timed yet, a new packet is timed for a round-trip sample. Retransmissions are
    never timed.
    """
    s.packets_sent += 1
    if packet > s.highest_sent:
        s.highest_sent = packet
        if s.timed_packet == NONE:
            s.timed_packet = packet
            s.timed_at = now
    else:
        s.retransmissions += 1
        s.timed_packet = NONE  # Karn's rule: no sample for a retransmission
    if s.deadline == NEVER:
        s.deadline = now + s.rto


@compiled
def set_rto(s, rto_s):  # type: ignore[no-untyped-def]
    """Set the retransmission timeout of the record, in seconds and in ticks."""
    s.rto_s = rto_s
    s.rto = int(rto_s * TICKS_PER_S + 0.5)
