"""Random schedules of a path for one replication, drawn in advance for ns-2 and Linux.

Unlike the packet simulator, these engines cannot draw random numbers while they run. The
probability distributions are the same as in the simulator, but the random numbers differ.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.of_time import capacity_steps, period_s
from tcpgoodput.scenario.capacity.trace import read_capacity_trace, read_delay_trace
from tcpgoodput.scenario.distributions import (
    Constant,
    Distribution,
    Exponential,
    Lomax,
    MarkovExponential,
    Pareto,
    Uniform,
)
from tcpgoodput.scenario.loss import LossProcess, checked_runs
from tcpgoodput.scenario.types import unsupported
from tcpgoodput.scenario.vocabulary import (
    Autoregressive,
    Capacity,
    Shadowing,
    Square,
    Trace,
)

Array = NDArray[np.float64]

MOST_PER_CAPACITY = 2
"""Number of packets for which losses are drawn, relative to the number of packets that the link can
carry in a run. The ratio exceeds 1, because more packets than that may arrive at the link's queue.
Chosen by hand."""

STEPS_PER_PERIOD = 4096
"""Largest number of steps of constant rate that replace a period of a sinusoidal capacity."""

SHORTEST_STEP_S = 0.002
"""Shortest step of constant rate in seconds that replaces a part of a sinusoidal capacity, because
engines need time to set a rate. But a period has at least `FEWEST_STEPS` steps."""

FEWEST_STEPS = 16


@dataclass(frozen=True)
class CapacitySteps:
    """A capacity that is constant between consecutive times."""

    times_s: Array
    """Start times of the steps in seconds, shape (n,), rising from 0."""
    rates_bps: Array
    """Capacity in bit/s from each time in `times_s` on, shape (n,); may be 0."""
    period_s: float
    """Time in seconds after which the steps repeat; 0 if they do not repeat but cover the run."""
    begun_s: float = 0.0
    """Phase of the periodic capacity at time 0, in seconds since the start of its period."""


@dataclass(frozen=True)
class DelaySteps:
    """A delay that is constant between consecutive times."""

    times_s: Array
    """Start times of the steps in seconds, shape (n,), rising from 0."""
    delays_s: Array
    """Delay in seconds from each time in `times_s` on, shape (n,)."""
    period_s: float
    """Time in seconds after which the steps repeat."""


def spike_intervals(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Array:
    """Draw the delay spikes: [start, end) in seconds, shape (n, 2), rising and disjoint.

    Overlapping spikes are merged. The last spike begins before the horizon and may end after it.
    """
    if scenario.spikes is None:
        return np.empty((0, 2))
    intervals = durations(scenario.spikes.interval, stream)
    lengths = durations(scenario.spikes.duration, stream)
    merged: list[list[float]] = []
    for start in itertools.accumulate(intervals):
        if start >= horizon_s:
            break
        end = start + next(lengths)
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return np.array(merged).reshape(-1, 2)


def handoff_times(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Array:
    """Draw the times of the hand-offs before the horizon, in seconds, shape (n,).

    Hand-offs are one interval apart. The time of the first hand-off is uniform between one and two
    intervals.
    """
    if scenario.handoffs is None:
        return np.empty(0)
    interval_s = scenario.handoffs.interval_s
    first_s = interval_s * (1 + stream.random())
    return first_s + interval_s * np.arange(max(0, math.ceil((horizon_s - first_s) / interval_s)))


def capacity_in_steps(
    scenario: Scenario, stream: np.random.Generator, horizon_s: float, *, phases: bool = True
) -> CapacitySteps | None:
    """Draw the capacity up to the horizon, or for one period; None if it does not vary.

    A periodic capacity begins at a random phase unless `phases` is false. A sinusoid is replaced by
    steps with the same mean; all other processes consist of steps.
    """
    capacity = scenario.capacity
    if capacity is None:
        return None
    if isinstance(capacity, Autoregressive | Shadowing):
        count = math.ceil(horizon_s / capacity.step_s)
        packets = next(capacity_steps(scenario, capacity.step_s, count, stream))
        rates = packets * scenario.packet_bits / capacity.step_s
        return CapacitySteps(capacity.step_s * np.arange(count), rates, 0.0)
    whole_s = period_s(scenario)
    begun_s = stream.random() * whole_s if phases else 0.0
    times, rates = _rotated(*_one_period(scenario, capacity, whole_s), whole_s, begun_s)
    return CapacitySteps(times, rates, whole_s, begun_s)


def delay_in_steps(
    scenario: Scenario,
    stream: np.random.Generator,
    capacity: CapacitySteps | None,
    *,
    phases: bool = True,
) -> DelaySteps | None:
    """Return one period of the delay after the bottleneck; None if it follows no trace.

    The trace begins at a random phase unless `phases` is false. If the capacity also follows a
    trace, both traces begin at the same recorded time.
    """
    if scenario.delay is None:
        return None
    times, delays = read_delay_trace(scenario.delay.file)
    whole_s = float(times[-1])
    if capacity is not None and isinstance(scenario.capacity, Trace):
        begun_s = capacity.begun_s % whole_s
    else:
        begun_s = stream.random() * whole_s if phases else 0.0
    return DelaySteps(*_rotated(times[:-1], delays[:-1], whole_s, begun_s), whole_s)


def bad_runs(loss: LossProcess, stream: np.random.Generator, steps: float) -> NDArray[np.int64]:
    """Draw the bad runs, in which packets are lost, that begin within the first `steps` steps.

    A step is a packet, or a time slot if the loss process has the clock `slot`.

    Returns:
        Runs [first, end) of packets or slots, numbered from 0; shape (n, 2), rising and disjoint.

    """
    runs = itertools.takewhile(lambda run: run[0] < steps, checked_runs(loss, stream))
    return np.array(list(runs), np.int64).reshape(-1, 2)


def packets_in(runs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all packets in the runs [first, end) of shape (n, 2), as one array."""
    lengths = runs[:, 1] - runs[:, 0]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(runs[:, 0], lengths) + within


def durations(law: Distribution, stream: np.random.Generator) -> Iterator[float]:
    """Return an endless iterator that draws durations in seconds from a distribution."""
    match law:
        case Constant():
            return itertools.repeat(law.mean_s)
        case Uniform():
            return iter(lambda: stream.uniform(law.low_s, law.high_s), None)
        case Exponential():
            return iter(lambda: stream.exponential(law.mean_s), None)
        case Pareto():
            return iter(lambda: law.scale_s * (1 + stream.pareto(law.shape)), None)
        case Lomax():
            return iter(lambda: law.spread_s * stream.pareto(law.shape), None)
        case MarkovExponential():
            return _markov(law, stream)
        case _:
            raise unsupported("engines/path_schedule.py", "durations", law)


def _markov(law: MarkovExponential, stream: np.random.Generator) -> Iterator[float]:
    state = int(stream.random() >= law.pi0)
    while True:
        mean_s, leaves = ((law.mean0_s, law.p01), (law.mean1_s, law.p10))[state]
        if stream.random() < leaves:
            state = 1 - state
        yield stream.exponential(mean_s)


def _one_period(scenario: Scenario, capacity: Capacity, whole_s: float) -> tuple[Array, Array]:
    """Return the times in seconds and rates in bit/s of the steps in one period, from phase 0."""
    if isinstance(capacity, Square):
        return np.array([0.0, whole_s / 2]), np.array([capacity.max_bps, capacity.min_bps])
    if isinstance(capacity, Trace):
        times, rates = read_capacity_trace(capacity.file)
        return times[:-1], rates[:-1]
    most = max(FEWEST_STEPS, int(whole_s / SHORTEST_STEP_S))
    steps = STEPS_PER_PERIOD
    while steps > most:
        steps //= 2
    step_s = whole_s / steps
    packets = next(capacity_steps(scenario, step_s, steps))
    return step_s * np.arange(steps), packets * (scenario.packet_bits / step_s)


def _rotated(times_s: Array, values: Array, period_s: float, by_s: float) -> tuple[Array, Array]:
    """Return the times and values of one period of steps that starts at phase `by_s`."""
    current = int(np.searchsorted(times_s, by_s, side="right")) - 1
    times = np.concatenate([[by_s], times_s[current + 1 :], times_s[: current + 1] + period_s])
    held = np.concatenate([values[current:], values[: current + 1]])
    within = times - by_s < period_s
    return (times - by_s)[within], held[within]
