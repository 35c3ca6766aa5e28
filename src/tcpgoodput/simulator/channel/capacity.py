"""Time-varying capacity C(t), replaced by steps of constant capacity with the same integral.

`c` is the record of the path's state, and `rng` is the source of random numbers; times are in
ticks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity import radio
from tcpgoodput.scenario.capacity.of_time import capacity_steps, period_s
from tcpgoodput.scenario.capacity.radio import correlation_per_step, innovation_gain
from tcpgoodput.scenario.capacity.trace import even_steps, read_capacity_trace
from tcpgoodput.scenario.types import unsupported
from tcpgoodput.scenario.vocabulary import Autoregressive, Shadowing, Sinusoid, Square, Trace
from tcpgoodput.simulator.channel.state import AUTOREGRESSIVE, PERIODIC, SHADOWED
from tcpgoodput.simulator.compiled import LONGEST_S, TICKS_PER_S, compiled, ticks

STEPS_PER_PERIOD = 4096
"""Largest number of steps of constant capacity in a period of a sinusoidal or square capacity."""

PACKETS_PER_STEP = 4
FEWEST_STEPS = 64
"""At the peak rate, a step carries at least `PACKETS_PER_STEP` packets, unless the period would
then have fewer than `FEWEST_STEPS` steps.

A step carries exactly the integral of C(t). So the number of packets carried is exact at the end of
each step. Within a step of a sinusoid, the error of this number is at most an eighth of the
difference between the numbers of packets in consecutive steps.
"""


def fill_capacity(
    c: Any, scenario: Scenario, stream: np.random.Generator, phase: float | None
) -> NDArray[np.float64]:
    """Write the parameters of the capacity into the record of the path's state.

    Args:
        c: the record of the path's state.
        scenario: the scenario, which has the capacity.
        stream: the source of random numbers.
        phase: phase at which a periodic capacity starts, in periods; None: a random phase.

    Returns:
        The transmission time of a packet in ticks, in each step of one period; empty if the
        capacity is constant or random.

    """
    capacity = scenario.capacity
    if capacity is None:
        return np.empty(0)
    bits = scenario.packet_bits
    if isinstance(capacity, Autoregressive | Shadowing):
        c.step = max(1, ticks(capacity.step_s))
        step_s = c.step / TICKS_PER_S
        c.mean_offered = capacity.mean_capacity_bps * step_s / bits
        if isinstance(capacity, Autoregressive):
            c.capacity = AUTOREGRESSIVE
            c.memory = correlation_per_step(capacity.step_s, capacity.coherence_s)
            c.low, c.high = capacity.min_bps * step_s / bits, capacity.max_bps * step_s / bits
            c.innovation = (c.high - c.low) / 2 * innovation_gain(c.memory, capacity.variance)
        else:
            c.capacity = SHADOWED
            c.memory = correlation_per_step(capacity.step_s, radio.coherence_s(capacity))
            c.innovation = capacity.sigma_db * innovation_gain(c.memory, capacity.variance)
            cell = radio.cell_of(capacity)
            c.snr = cell.snr
            c.high = cell.peak_bps * step_s / bits
            c.scale = cell.scale_bps / math.log(2) * step_s / bits
        return np.empty(0)
    if not isinstance(capacity, Sinusoid | Square | Trace):
        raise unsupported("simulator/channel/capacity.py", "fill_capacity", capacity)
    c.capacity = PERIODIC
    whole_s = period_s(scenario)
    steps = _steps(scenario, whole_s)
    step_s = whole_s / steps
    packets = next(capacity_steps(scenario, step_s, steps))
    c.step = max(1, ticks(step_s))
    if phase is None:
        c.step_number = int(stream.integers(steps))
        c.step_until = -int(stream.integers(c.step))  # start the simulation within a step
    else:
        number, within = divmod(phase * steps, 1)
        c.step_number, c.step_until = int(number), -int(within * c.step)
    # If a step is longer than the clock's range, limit its duration but not its rate.
    whole = int(c.step) if step_s <= LONGEST_S else step_s * TICKS_PER_S
    with np.errstate(divide="ignore"):
        return np.asarray(whole / packets)


def steps_per_s(scenario: Scenario) -> float:
    """Return the number of steps of the capacity per second; 0 if it is constant."""
    if isinstance(scenario.capacity, Autoregressive | Shadowing):
        return 1 / scenario.capacity.step_s
    whole_s = period_s(scenario)
    return _steps(scenario, whole_s) / whole_s if whole_s else 0.0


def _steps(scenario: Scenario, whole_s: float) -> int:
    """Return the number of steps of constant capacity per period of the capacity.

    A sinusoid or square has fewer steps if few packets are sent in a period.
    """
    if isinstance(scenario.capacity, Trace):
        # Do not use longer steps than the trace's: they would smooth jumps, at which a small buffer
        # loses packets.
        return even_steps(read_capacity_trace(scenario.capacity.file)[0])
    most = max(FEWEST_STEPS, whole_s * scenario.rate_pps / PACKETS_PER_STEP)
    steps = STEPS_PER_PERIOD
    while steps > most:
        steps //= 2
    return steps


@compiled
def next_step(c, table, rng):  # type: ignore[no-untyped-def]
    """Advance the record of the path's state to the next step of the capacity."""
    c.step_until += c.step
    if c.capacity == PERIODIC:
        c.packet_ticks = table[c.step_number]
        c.step_number += 1
        if c.step_number == table.size:
            c.step_number = 0
    elif c.capacity == AUTOREGRESSIVE:
        c.level = c.memory * c.level + c.innovation * (2 * rng.random() - 1)
        offered = min(max((c.low + c.high) / 2 + c.level, c.low), c.high)
        c.excess_capacity += offered - c.mean_offered
        c.packet_ticks = c.step / offered
    else:
        c.level = c.memory * c.level + c.innovation * rng.standard_normal()
        snr = c.snr * math.exp(c.level * (-math.log(10.0) / 10))
        offered = min(c.high, c.scale * math.log1p(snr))
        c.excess_capacity += offered - c.mean_offered
        c.packet_ticks = c.step / offered


@compiled
def service_ends(c, start, table, rng):  # type: ignore[no-untyped-def]
    """Return the time in ticks at which a packet's transmission ends that starts at time `start`.

    The capacity step is advanced to the returned time, so `start` must not decrease between calls.
    `table`: transmission time of a packet in ticks in each step of a periodic capacity.
    """
    while c.step_until <= start < c.horizon:
        next_step(c, table, rng)
    left = 1.0
    now = start
    while now < c.horizon:
        needed = left * c.packet_ticks
        if needed <= c.step_until - now:
            return now + math.ceil(needed)
        left -= (c.step_until - now) / c.packet_ticks
        now = c.step_until
        next_step(c, table, rng)
    return now
