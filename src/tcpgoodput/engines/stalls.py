"""Detection of senders that wait for timeouts with far more packets outstanding than their window.

A sender with a scoreboard by RFC 6675 notices only by a timeout that a retransmission is lost.
Until then it sends new packets, as many as the receiver's window allows. If the timer is backed off
to a minute, these are thousands of packets, and hundreds of them are missing. The sender then
retransmits about one missing packet per round trip, and waits for a timeout if this packet is lost
again. No new packet is sent meanwhile, so by Karn's rule no round trip is measured and the timer
stays backed off. A connection delivers normally until it enters this state by chance. It stays in
it for hours, so its goodput falls with the simulated time. A receiver's window bounds the number of
outstanding packets, and so the duration of the state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.run import Run

STALLED = "the goodput depends on the simulated time"
"""Prefix of a measurement's `reason` if its sender has far more packets outstanding than usual."""


LARGEST_SHARE = 10
"""Largest mean number of outstanding packets beyond the usual number, relative to the mean window,
that does not count as a stall. Chosen by hand: without a receiver's window and with 10 % loss,
CUBIC reaches hundreds and SACK 70; with a window of 100 packets and up to 20 % loss they stay below
5."""


def with_stalls(measurement: Measurement, runs: Sequence[Run]) -> Measurement:
    """Return the measurement, with a reason if the sender's outstanding packets exceed its window.

    They do if the mean number of outstanding packets beyond the usual number
    (`simulation.Counts.stalled_area`) is above `LARGEST_SHARE` times the mean window.

    Args:
        measurement: the measurement.
        runs: its replications.

    """
    stalled = math.fsum(run.counts.stalled_area for run in runs)
    if stalled <= LARGEST_SHARE * math.fsum(run.counts.window_area for run in runs):
        return measurement
    packets = stalled / math.fsum(run.duration_s for run in runs)
    limit = measurement.scenario.tcp.max_window_packets
    window = "no receiver window" if limit is None else f"a receiver window of {limit} packets"
    reason = (
        f"{STALLED} ({measurement.measured_s:.3g} s) and on the receiver window: with {window} "
        f"(tcp.max_window_packets) the sender waits for timeouts after lost retransmissions, with "
        f"{packets:.0f} more packets outstanding than usual in the mean"
    )
    return replace(measurement, reason=reason, is_steady=False)
