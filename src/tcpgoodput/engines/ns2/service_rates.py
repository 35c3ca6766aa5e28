"""Bandwidths that make ns-2's server carry a capacity that varies within a packet.

ns-2 takes the bandwidth when it starts on a packet, and keeps it for that packet. All packets are
of one size: the mean capacity over the transmission that would start then is the bandwidth that
has it end when it should.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.engines.path_schedule import CapacitySteps

Array = NDArray[np.float64]

CELLS_PER_PACKET = 4
"""Bandwidths set in the packet's time before a jump of the capacity."""

JUMP = 0.5
"""Change from one step to the next, relative, from which on it is one."""

CELLS_OF_SILENCE = 16
"""Bandwidths set in a step without capacity: what starts in it ends after it."""


def service_rates(steps: CapacitySteps, packet_bits: int) -> tuple[Array, Array]:
    """Return times, and the bandwidth from each on, that serve packets of one size."""
    edges = np.append(steps.times_s, _end_s(steps))
    rates = np.append(steps.rates_bps, steps.rates_bps[0 if steps.period_s else -1])
    times = _cells(edges[:-1], edges[1:], rates[:-1], rates[1:], packet_bits)
    middles = (times + np.append(times[1:], edges[-1])) / 2
    return times, packet_bits / _service_s(edges, rates, bool(steps.period_s), middles, packet_bits)


def _end_s(steps: CapacitySteps) -> float:
    """Return where the last step ends; one that does not repeat is as long as the one before."""
    if steps.period_s:
        return steps.period_s
    return float(2 * steps.times_s[-1] - steps.times_s[-2]) if steps.times_s.size > 1 else 1.0


def _cells(starts: Array, ends: Array, rates: Array, following: Array, packet_bits: int) -> Array:
    """Return the times at which the bandwidth is set, within all steps, rising."""
    silent = rates == 0
    parts = np.arange(1, CELLS_OF_SILENCE) / CELLS_OF_SILENCE
    in_silence = starts[silent, None] + (ends - starts)[silent, None] * parts
    jumps = ~silent & (np.abs(following - rates) > JUMP * rates)
    packets_s = packet_bits / rates[jumps, None]
    before = ends[jumps, None] - packets_s * np.arange(1, CELLS_PER_PACKET + 1) / CELLS_PER_PACKET
    before = before[before > starts[jumps, None]]
    return np.sort(np.concatenate([starts, in_silence.ravel(), before]))


def _service_s(edges: Array, rates: Array, repeats: bool, starts: Array, packet_bits: int) -> Array:
    """Return how long packets take that start at some times."""
    carried = np.concatenate([[0.0], np.cumsum(rates[:-1] * np.diff(edges))])
    wanted = np.interp(starts, edges, carried) + packet_bits
    turns = np.floor(wanted / carried[-1]) if repeats else np.zeros_like(wanted)
    wanted -= turns * carried[-1]
    # The step in which the last bit is sent: the first whose end has carried it.
    step = np.clip(np.searchsorted(carried, wanted, side="left") - 1, 0, rates.size - 2)
    rate = np.maximum(rates[step], np.finfo(float).tiny)
    ends = edges[step] + (wanted - carried[step]) / rate
    return np.asarray(turns * (edges[-1] - edges[0]) + ends - starts)
