"""Delay spikes: pauses of the bottleneck's server, at random intervals and of random durations.

`c` is the record of the path's state, and `rng` is the source of random numbers. Times are in ticks
unless a name ends in `_s`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tcpgoodput.scenario.distributions import (
    Constant,
    Distribution,
    Exponential,
    Lomax,
    MarkovExponential,
    Pareto,
    Uniform,
)
from tcpgoodput.scenario.types import unsupported
from tcpgoodput.simulator.compiled import LONGEST_S, TICKS_PER_S, compiled, entry_point

CONSTANT, UNIFORM, EXPONENTIAL, PARETO, MARKOV, LOMAX = range(6)


def fill_law(c: Any, name: str, law: Distribution, stream: np.random.Generator) -> None:
    """Write a distribution's parameters into the fields of record `c` that start with `name`."""
    match law:
        case Constant():
            parameters = (CONSTANT, law.mean_s, 0.0)
        case Uniform():
            parameters = (UNIFORM, law.low_s, law.high_s)
        case Exponential():
            parameters = (EXPONENTIAL, law.mean_s, 0.0)
        case Pareto():
            parameters = (PARETO, law.scale_s, law.shape)
        case Lomax():
            parameters = (LOMAX, law.spread_s, law.shape)
        case MarkovExponential():
            parameters = (MARKOV, law.mean0_s, law.mean1_s)
            c[f"{name}_p01"], c[f"{name}_p10"] = law.p01, law.p10
            c[f"{name}_state"] = int(stream.random() >= law.pi0)
        case _:
            raise unsupported("simulator/channel/spikes.py", "fill_law", law)
    c[f"{name}_law"], c[f"{name}_a_s"], c[f"{name}_b_s"] = parameters
    c[f"{name}_mean_s"] = law.mean_s


@compiled
def _duration(law, a_s, b_s, rng):  # type: ignore[no-untyped-def]
    if law == CONSTANT:
        drawn_s = a_s
    elif law == UNIFORM:
        drawn_s = a_s + (b_s - a_s) * rng.random()
    elif law == PARETO:
        drawn_s = a_s * math.exp(-math.log1p(-rng.random()) / b_s)
    elif law == LOMAX:
        drawn_s = a_s * math.expm1(-math.log1p(-rng.random()) / b_s)
    else:
        drawn_s = -a_s * math.log1p(-rng.random())
    return int(min(drawn_s, LONGEST_S) * TICKS_PER_S + 0.5)


@compiled
def next_interval(c, rng):  # type: ignore[no-untyped-def]
    """Draw the time between the beginnings of two consecutive spikes, in ticks."""
    if c.interval_law != MARKOV:
        drawn = _duration(c.interval_law, c.interval_a_s, c.interval_b_s, rng)
        c.excess_spikes += 1.0 - drawn / (c.interval_mean_s * TICKS_PER_S)
        return drawn
    mean_s = c.interval_b_s if c.interval_state else c.interval_a_s
    leaves = rng.random() < (c.interval_p10 if c.interval_state else c.interval_p01)
    if leaves:
        c.interval_state = 1 - c.interval_state
    return _duration(EXPONENTIAL, mean_s, 0.0, rng)


@compiled
def next_duration(c, rng):  # type: ignore[no-untyped-def]
    """Draw the duration of a spike, in ticks."""
    if c.duration_law != MARKOV:
        drawn = _duration(c.duration_law, c.duration_a_s, c.duration_b_s, rng)
        c.excess_durations += drawn / (c.duration_mean_s * TICKS_PER_S) - 1.0
        return drawn
    mean_s = c.duration_b_s if c.duration_state else c.duration_a_s
    leaves = rng.random() < (c.duration_p10 if c.duration_state else c.duration_p01)
    if leaves:
        c.duration_state = 1 - c.duration_state
    return _duration(EXPONENTIAL, mean_s, 0.0, rng)


MOST_SPIKES = 1_000_000
"""Largest number of consecutive spikes that may delay one packet; with more spikes, a run fails."""


@entry_point
def first_spike(c, rng):  # type: ignore[no-untyped-def]
    """Draw the first spike, which begins one interval after the start of the simulation."""
    c.spike_from = next_interval(c, rng)
    c.spike_until = c.spike_from + next_duration(c, rng)


@compiled
def service_may_start(c, at, rng):  # type: ignore[no-untyped-def]
    """Return the time at which the service of a packet can start; without spikes it is `at`.

    Overlapping spikes are merged. If the spikes leave no gap before the end of the simulation, or
    if there are more than `MOST_SPIKES`, the returned time is not before this end.
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
