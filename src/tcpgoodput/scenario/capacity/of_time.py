"""Capacity C(t) in packets per time step, for every process of the scenario vocabulary."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity import radio
from tcpgoodput.scenario.capacity.radio import correlation_per_step, innovation_gain
from tcpgoodput.scenario.capacity.trace import read_capacity_trace
from tcpgoodput.scenario.types import SMALLEST, Undefined, unsupported
from tcpgoodput.scenario.vocabulary import Autoregressive, Shadowing, Sinusoid, Square, Trace

Array = NDArray[np.float64]

MOST_LEVELS_PER_BLOCK = 1_000_000
"""Largest number of values of a random capacity that are drawn at a time; an array of as many has
8 MB. Chosen by hand."""


def capacity_steps(
    scenario: Scenario, step_s: float, length: int, stream: np.random.Generator | None = None
) -> Iterator[Array]:
    """Yield C(k), the packets that the link can carry in each time step, `length` steps at a time.

    Each amount is the exact integral of C(t) over its step.

    Args:
        scenario: the scenario with the capacity.
        step_s: length of a time step in seconds.
        length: number of time steps in each array.
        stream: the source of random numbers; only a random capacity needs one.

    Returns:
        An endless iterator of arrays of shape (length,). Each array is valid only until the next
        one is requested, because its memory is reused.

    Raises:
        ValueError: the capacity is random, and `stream` is None.
        Undefined: a random capacity has more than `MOST_LEVELS_PER_BLOCK` values in `length` steps.

    """
    capacity = scenario.capacity
    packet_bits = scenario.packet_bits
    if capacity is None:
        return itertools.repeat(np.full(length, scenario.rate_pps * step_s))
    if isinstance(capacity, Sinusoid):
        return _sinusoid(capacity, packet_bits, step_s, length)
    if isinstance(capacity, Square):
        return _square(capacity, packet_bits, step_s, length)
    if isinstance(capacity, Trace):
        return _trace(capacity, packet_bits, step_s, length)
    if not isinstance(capacity, Autoregressive | Shadowing):
        raise unsupported("scenario/capacity/of_time.py", "capacity_steps", capacity)
    if stream is None:
        raise ValueError("a random capacity needs a stream of random numbers")
    count = math.ceil(length * step_s / capacity.step_s) + 2
    if count > MOST_LEVELS_PER_BLOCK:
        raise Undefined(
            f"the capacity changes every {capacity.step_s:g} s, too often for the fluid model's "
            f"time step of {step_s:g} s"
        )
    if isinstance(capacity, Autoregressive):
        levels = _autoregressive(capacity, packet_bits, stream, count)
    else:
        levels = _shadowed(capacity, packet_bits, stream, count)
    return _held(levels, capacity.step_s, step_s, length)


def period_s(scenario: Scenario) -> float:
    """Return the period of the capacity in seconds; 0 if it is constant or random.

    Raises:
        Undefined: the period of a trace is below `SMALLEST`, almost zero.

    """
    capacity = scenario.capacity
    if isinstance(capacity, Sinusoid | Square):
        return 1 / capacity.frequency_hz
    if isinstance(capacity, Trace):
        lasts_s = float(read_capacity_trace(capacity.file)[0][-1])
        if lasts_s < SMALLEST:
            raise Undefined(f"the trace is too short: it lasts {lasts_s:.3g} s")
        return lasts_s
    return 0.0


def coherence_s(scenario: Scenario) -> float:
    """Return the coherence time of a random capacity in seconds; 0 if it is not random.

    The coherence time is the lag at which the autocorrelation is 0.1, but at least the time for
    which the capacity keeps a value.
    """
    capacity = scenario.capacity
    if isinstance(capacity, Autoregressive):
        return max(capacity.coherence_s, capacity.step_s)
    if isinstance(capacity, Shadowing):
        return max(radio.coherence_s(capacity), capacity.step_s)
    return 0.0


def drawn_every_s(scenario: Scenario) -> float:
    """Return for how many seconds a random capacity keeps a value; infinity if it is not random."""
    capacity = scenario.capacity
    return capacity.step_s if isinstance(capacity, Autoregressive | Shadowing) else math.inf


def _sinusoid(capacity: Sinusoid, packet_bits: int, step_s: float, length: int) -> Iterator[Array]:
    """Yield the integrals of mean + swing sin(2πFt) over time steps of length δ, in packets.

    F is the frequency. The integral of the sine over a step is δ sinc(Fδ) times its value in the
    middle of the step.

    sin(φ + jω) = sin φ cos jω + cos φ sin jω, with the phase φ of an array's first step and ω =
    2πFδ. So each array needs one sine, not one per step, and no rounding error accumulates from
    array to array.
    """
    from tcpgoodput.scenario.capacity._kernel import oscillate

    turns = capacity.frequency_hz * step_s
    angles = 2 * np.pi * math.fmod(turns, 1.0) * np.arange(length)
    cosines, sines = np.cos(angles), np.sin(angles)
    mean = capacity.mean_capacity_bps / packet_bits * step_s
    swing = (capacity.max_bps - capacity.min_bps) / 2 / packet_bits * step_s * np.sinc(turns)
    packets = np.empty(length)
    for block in itertools.count():
        phase = 2 * np.pi * math.fmod((block * length + 0.5) * turns, 1.0)
        oscillate(cosines, sines, swing * math.sin(phase), swing * math.cos(phase), mean, packets)
        if capacity.min_bps == 0:
            np.maximum(packets, 0, out=packets)  # rounding errors could make them negative
        yield packets


def _square(capacity: Square, packet_bits: int, step_s: float, length: int) -> Iterator[Array]:
    """Yield the integrals of a square wave over time steps, in packets.

    Each period begins with the higher capacity, which lasts for half of the period.
    """
    from tcpgoodput.scenario.capacity._kernel import alternate

    turns = capacity.frequency_hz * step_s
    high, low = (
        bps / packet_bits / capacity.frequency_hz for bps in (capacity.max_bps, capacity.min_bps)
    )
    packets = np.empty(length)
    for block in itertools.count():
        alternate(math.fmod(block * length * turns, 1.0), turns, high, low, packets)
        if capacity.min_bps == 0:
            np.maximum(packets, 0, out=packets)  # rounding errors could make them negative
        yield packets


def _trace(capacity: Trace, packet_bits: int, step_s: float, length: int) -> Iterator[Array]:
    times, capacities = read_capacity_trace(capacity.file)
    packets = np.concatenate([[0.0], np.cumsum(capacities[:-1] * np.diff(times))]) / packet_bits
    period_s = float(times[-1])
    turns = step_s / period_s
    edges = turns * np.arange(length + 1)
    for block in itertools.count():
        # Use times within a period: the difference of two long times would be inaccurate.
        positions = math.fmod(block * length * turns, 1.0) + edges
        periods = np.floor(positions)
        reached = np.interp((positions - periods) * period_s, times, packets)
        yield np.diff(periods) * packets[-1] + np.diff(reached)


def _autoregressive(
    capacity: Autoregressive, packet_bits: int, stream: np.random.Generator, count: int
) -> Iterator[Array]:
    """Yield successive values of an autoregressive capacity in packets/s, `count` at a time."""
    alpha = correlation_per_step(capacity.step_s, capacity.coherence_s)
    low, high = capacity.min_bps / packet_bits, capacity.max_bps / packet_bits
    swing = (high - low) / 2 * innovation_gain(alpha, capacity.variance)
    for deviations in _deviations(alpha, lambda: stream.uniform(-swing, swing, count)):
        # Only the recursion with preserved variance exceeds the capacity's limits. Clip its tails.
        yield np.clip((low + high) / 2 + deviations, low, high)


def _shadowed(
    capacity: Shadowing, packet_bits: int, stream: np.random.Generator, count: int
) -> Iterator[Array]:
    """Yield successive capacities of a radio link with shadowing, in packets/s, `count` at once."""
    alpha = correlation_per_step(capacity.step_s, radio.coherence_s(capacity))
    sigma_db = capacity.sigma_db * innovation_gain(alpha, capacity.variance)
    cell = radio.cell_of(capacity)
    for shadowing_db in _deviations(alpha, lambda: stream.normal(0.0, sigma_db, count)):
        yield cell.capacity_bps(shadowing_db) / packet_bits


def _deviations(alpha: float, innovations: Callable[[], Array]) -> Iterator[Array]:
    """Yield arrays of successive values of a first-order autoregression of mean 0.

    `alpha` is the correlation of successive values, and `innovations` returns the random numbers of
    an array. The autoregression starts at 0, as in the study variable_capacity.
    """
    from tcpgoodput.scenario.capacity._kernel import autoregress

    last = 0.0
    while True:
        drawn = innovations()
        last = autoregress(last, alpha, drawn, drawn)
        yield drawn


def _held(levels: Iterator[Array], hold_s: float, step_s: float, length: int) -> Iterator[Array]:
    """Yield the packets per time step of a capacity that keeps each level for `hold_s` seconds.

    `levels` yields arrays of the levels in packets/s. Each result has `length` steps of `step_s`.
    """
    from tcpgoodput.scenario.capacity._kernel import integrate_held

    stride = step_s / hold_s
    amounts = np.empty(length)
    at_hand = np.empty(0)
    start = 0.0
    while True:
        end = start + length * stride
        while at_hand.size <= int(end):
            at_hand = np.concatenate([at_hand, hold_s * next(levels)])
        integrate_held(at_hand, start, stride, amounts)
        at_hand = at_hand[int(end) :]
        start = end - int(end)
        yield amounts
