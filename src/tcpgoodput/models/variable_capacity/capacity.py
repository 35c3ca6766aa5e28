"""The bottleneck's capacity as packets per time step, for every process of the vocabulary."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.base import Undefined
from tcpgoodput.models.variable_capacity import radio
from tcpgoodput.models.variable_capacity.autoregression import (
    correlation_per_step,
    innovation_gain,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Autoregressive, Shadowing, Sinusoid, Square, Trace

Array = NDArray[np.float64]

MOST_LEVELS_PER_BLOCK = 1_000_000
"""Values of a random process drawn at a time: 8 MB an array."""


def capacity_steps(
    scenario: Scenario, step_s: float, length: int, stream: np.random.Generator | None = None
) -> Iterator[Array]:
    """Yield C(k), the packets that the link can carry in each step: `length` steps at a time.

    Each amount is the exact integral of C(t) over its step. The arrays are reused: one is valid
    until the next is asked for. Random processes draw from `stream`.
    """
    capacity = scenario.capacity
    bits: Iterator[Array]
    if capacity is None:
        bits = itertools.repeat(np.full(length, scenario.path.rate_bps * step_s))
    elif isinstance(capacity, Sinusoid):
        bits = _sinusoid(capacity, step_s, length)
    elif isinstance(capacity, Square):
        bits = _square(capacity, step_s, length)
    elif isinstance(capacity, Trace):
        bits = _trace(capacity, step_s, length)
    elif stream is None:
        raise ValueError("a random capacity needs a stream of random numbers")
    else:
        count = _levels_per_block(capacity.step_s, step_s, length)
        if isinstance(capacity, Autoregressive):
            levels = _autoregressive(capacity, stream, count)
        else:
            levels = _shadowed(capacity, stream, count)
        bits = _held(levels, capacity.step_s, step_s, length)
    packets = np.empty(length)
    for amounts in bits:
        yield np.multiply(amounts, 1 / scenario.packet_bits, out=packets)


def _sinusoid(capacity: Sinusoid, step_s: float, length: int) -> Iterator[Array]:
    """Integrate mean + swing sin(2πFt): the sine at mid-step times sinc(Fδ).

    sin(φ + jω) = sin φ cos jω + cos φ sin jω, so that a block costs one sine, not one per step,
    and no rounding error is carried from block to block.
    """
    from tcpgoodput.models.variable_capacity.kernel import oscillate

    turns = capacity.frequency_hz * step_s
    angles = 2 * np.pi * math.fmod(turns, 1.0) * np.arange(length)
    cosines, sines = np.cos(angles), np.sin(angles)
    mean = capacity.mean_capacity_bps * step_s
    swing = (capacity.max_bps - capacity.min_bps) / 2 * step_s * float(np.sinc(turns))
    bits = np.empty(length)
    block = 0
    while True:
        phase = 2 * np.pi * math.fmod((block * length + 0.5) * turns, 1.0)
        oscillate(cosines, sines, swing * math.sin(phase), swing * math.cos(phase), mean, bits)
        yield bits
        block += 1


def _square(capacity: Square, step_s: float, length: int) -> Iterator[Array]:
    period_s = 1 / capacity.frequency_hz

    def integral(phase: Array) -> Array:
        high = np.minimum(phase, 0.5)
        return period_s * (capacity.max_bps * high + capacity.min_bps * (phase - high))

    return _periodic(integral, period_s, step_s, length)


def _trace(capacity: Trace, step_s: float, length: int) -> Iterator[Array]:
    from tcpgoodput.scenario.capacity_trace import read_capacity_trace

    times, capacities = read_capacity_trace(capacity.file)
    carried = np.concatenate([[0.0], np.cumsum(capacities[:-1] * np.diff(times))])
    period_s = float(times[-1])

    def integral(phase: Array) -> Array:
        return np.interp(phase * period_s, times, carried)

    return _periodic(integral, period_s, step_s, length)


def _periodic(
    integral: Callable[[Array], Array], period_s: float, step_s: float, length: int
) -> Iterator[Array]:
    """Yield the bits per step of a periodic capacity, from its integral since a period's start.

    `integral` takes the phase in [0, 1]; periods are counted apart from it, so that no long time
    is subtracted from another.
    """
    turns = step_s / period_s
    edges = turns * np.arange(length + 1)
    of_period = float(integral(np.ones(1))[0])
    block = 0
    while True:
        positions = math.fmod(block * length * turns, 1.0) + edges
        periods = np.floor(positions)
        yield np.diff(periods) * of_period + np.diff(integral(positions - periods))
        block += 1


def _levels_per_block(hold_s: float, step_s: float, length: int) -> int:
    levels = math.ceil(length * step_s / hold_s) + 2
    if levels > MOST_LEVELS_PER_BLOCK:
        raise Undefined(
            f"the capacity changes every {hold_s:g} s, far within a step of {step_s:g} s"
        )
    return levels


def _autoregressive(
    capacity: Autoregressive, stream: np.random.Generator, count: int
) -> Iterator[Array]:
    """Yield C(k) in bit/s, `count` values at a time."""
    alpha = correlation_per_step(capacity.step_s, capacity.coherence_s)
    swing = (capacity.max_bps - capacity.min_bps) / 2
    swing *= innovation_gain(alpha, capacity.variance)
    for deviations in _deviations(alpha, lambda: stream.uniform(-swing, swing, count)):
        # The literal recursion stays within the range. The one that keeps the variance becomes
        # Gaussian as the coherence grows, and its tails are cut off here.
        yield np.clip(capacity.mean_capacity_bps + deviations, capacity.min_bps, capacity.max_bps)


def _shadowed(capacity: Shadowing, stream: np.random.Generator, count: int) -> Iterator[Array]:
    """Yield C(k) in bit/s of the case study's link, `count` values at a time."""
    alpha = correlation_per_step(capacity.step_s, radio.coherence_s(capacity))
    sigma_db = capacity.sigma_db * innovation_gain(alpha, capacity.variance)
    cell = radio.cell_of(capacity)
    for shadowing_db in _deviations(alpha, lambda: stream.normal(0.0, sigma_db, count)):
        yield cell.capacity_bps(shadowing_db)


def _deviations(alpha: float, innovations: Callable[[], Array]) -> Iterator[Array]:
    """Yield a first-order autoregression about 0, which is where the source starts it."""
    from tcpgoodput.models.variable_capacity.kernel import autoregress

    last = 0.0
    while True:
        drawn = innovations()
        last = autoregress(last, alpha, drawn, drawn)
        yield drawn


def _held(levels: Iterator[Array], hold_s: float, step_s: float, length: int) -> Iterator[Array]:
    """Yield the bits per step of a process that holds each level for `hold_s`."""
    from tcpgoodput.models.variable_capacity.kernel import integrate_held

    stride = step_s / hold_s
    bits = np.empty(length)
    pending = np.empty(0)
    start = 0.0
    while True:
        end = start + length * stride
        while pending.size <= int(end):
            pending = np.concatenate([pending, next(levels)])
        integrate_held(pending, start, stride, bits)
        pending = pending[int(end) :]
        start = end - int(end)
        bits *= hold_s
        yield bits
