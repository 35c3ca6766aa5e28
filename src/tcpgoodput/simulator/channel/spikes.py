"""Delay spikes: the server stands still; the packet in service leaves, nothing is lost."""

from __future__ import annotations

from tcpgoodput.simulator.channel.laws import next_duration, next_interval
from tcpgoodput.simulator.compiled import compiled, entry_point

MOST_SPIKES = 1_000_000
"""That may pass before one packet's service starts."""


@entry_point
def first_spike(c, rng):  # type: ignore[no-untyped-def]
    """Place the first spike after one interval."""
    c.spike_from = next_interval(c, rng)
    c.spike_until = c.spike_from + next_duration(c, rng)


@compiled
def service_may_start(c, at, rng):  # type: ignore[no-untyped-def]
    """Return when a service can start that would start at a time, were it not for spikes.

    Spikes that overlap merge. Where they leave no gap before the horizon, or too many pass, the
    answer lies beyond it.
    """
    left = MOST_SPIKES
    while c.spike_from <= at < c.horizon:
        left -= 1
        if left < 0:
            c.silent = True
            return max(at, c.horizon)
        at = max(at, c.spike_until)
        c.spike_from += max(1, next_interval(c, rng))
        c.spike_until = c.spike_from + next_duration(c, rng)
    return at
