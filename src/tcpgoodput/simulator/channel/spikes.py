"""Delay spikes: the server pauses; the packet in service leaves, and nothing is lost."""

from __future__ import annotations

from tcpgoodput.simulator.channel.laws import next_duration, next_interval
from tcpgoodput.simulator.compiled import compiled, entry_point

MOST_SPIKES = 1_000_000
"""Largest number of spikes before the service of one packet can start."""


@entry_point
def first_spike(c, rng):  # type: ignore[no-untyped-def]
    """Draw the first spike, which begins after one interval."""
    c.spike_from = next_interval(c, rng)
    c.spike_until = c.spike_from + next_duration(c, rng)


@compiled
def service_may_start(c, at, rng):  # type: ignore[no-untyped-def]
    """Return the time at which the service of a packet can start; without spikes it is `at`.

    Overlapping spikes are merged. If they leave no gap before the horizon, or if there are too
    many, the result is beyond the horizon.
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
