"""The first round trip when the late packets land in it: partial ACKs among duplicates (Figure 7).

As the source counts: a partial ACK takes (W - 3)/d packets out of flight and leaves cwnd alone,
though RFC 3782 would deflate it.
"""

from __future__ import annotations


def acks_before_new_packet(window: float, late_packets: float) -> float:
    """Return L, the ACKs after the third duplicate until a new packet may be sent.

    Solves W/2 + 3 + L (1 - d/(W - 3)) = W - L: duplicates inflate cwnd by one each, partial ACKs
    take L packets out of flight.
    """
    return (window**2 - 9 * window + 18) / (4 * window - 12 - 2 * late_packets)


def acks_without_partial_acks(window: float) -> float:
    """Return the same where no ACK is partial: duplicates alone inflate W/2 + 3 to W."""
    return window / 2 - 3
