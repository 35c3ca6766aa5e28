"""The fluid model: a window, a buffer and a pipe of fixed delay under any capacity C(t).

The source's discretised equations (section III-A) advance in steps of δ = T_m/100. The round
trip is kept exactly; its split between the two directions is rounded to a step, and each
direction takes at least one. At δ = T_m/10 the utilisation is still within 0.002.

From the initial window of one packet, without slow start, the fluid needs up to
T_0 = W T_m + W²/(2 C̄) to open its window to W = C̄ T_m + B: once the time of W round trips, once
that of the ACKs of a busy link by (7). This is the unit of warm-up and measurement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.answers import Conditions, Equations, Estimate, Precision, Undefined
from tcpgoodput.models.base import Model
from tcpgoodput.models.limits import outside_bursts
from tcpgoodput.models.registry import register
from tcpgoodput.models.variable_capacity.closed_form import outside_saw_tooth, too_few_packets
from tcpgoodput.numerics.statistics import Interval
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.capacity.of_time import (
    capacity_steps,
    coherence_s,
    drawn_every_s,
    period_s,
)
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.vocabulary import Trace

Array = NDArray[np.float64]

STEPS_PER_ROUND_TRIP = 100
"""T_m/δ. The source names no δ; 1 ms at its T_m of 100 ms."""

STEPS_PER_BLOCK = 16_384
"""Steps between returns to Python: a block's arrays stay in the processor's cache."""

MOST_STEPS = 200_000_000
"""Steps that a prediction may take over all its replications: one to three seconds."""

MOST_LEVELS = 66_000_000
"""Values of a random capacity that it may draw: about as long."""

DRAFT_SHARE = 0.6
"""Part of both that a draft may take."""

TIMEOUT_ROUND_TRIPS = 5
"""TO/T_m."""


@dataclass(frozen=True)
class Effort:
    """How long the fluid is run at one precision: the longest of these, after the warm-up."""

    openings: float
    """in units of T_0;"""
    round_trips: float
    """in units of T_m;"""
    turns: float
    """in periods or coherence times of the capacity."""
    replications: int = 1


EFFORTS: dict[Precision, Effort] = {
    "draft": Effort(openings=1, round_trips=4_000, turns=4),
    "paper": Effort(openings=2, round_trips=12_000, turns=10),
}
"""Of a capacity that is constant or periodic."""

RANDOM_EFFORTS: dict[Precision, Effort] = {
    "draft": Effort(openings=1, round_trips=2_000, turns=8, replications=3),
    "paper": Effort(openings=1, round_trips=5_000, turns=20, replications=5),
}
"""Of each replication under a random capacity; its interval tells what that is worth."""

MOST_LITERAL_STEPS = 25_000_000
"""Steps that the printed recovery may take to forget its start. What it never sends again adds up
over about as many losses as the window has packets, until a timeout clears it: W T_0 is its unit.
Above windows of some two hundred packets the sum is still growing when this is reached."""


@dataclass(frozen=True)
class Grid:
    """The time grid: a step, and the two directions' delays in steps (K_fm, K_bm)."""

    step_s: float
    forward: int
    backward: int

    def steps(self, duration_s: float) -> int:
        """Return the whole number of steps nearest to a duration, at least 1."""
        return max(1, round(duration_s / self.step_s))


@dataclass(frozen=True)
class Block:
    """Consecutive steps of a run; the arrays are reused for the next block.

    Amounts are packets per step; window, queue and flight hold at the end of each step.
    """

    first: int
    """The number of the block's first step."""
    capacity: Array
    sent: Array
    served: Array
    window: Array
    queue: Array
    flight: Array


@dataclass(frozen=True)
class Means:
    """Time averages of a run after its warm-up."""

    capacity_pps: float
    served_pps: float
    """Λ, the throughput."""
    flight_packets: float
    """S, the mean of Y(t)."""

    @property
    def utilisation(self) -> float:
        """What was served over what could have been, in the same time."""
        return self.served_pps / self.capacity_pps

    @property
    def delay_s(self) -> float:
        """The mean time from a packet's sending to its ACK, S/Λ by Little's law."""
        return self.flight_packets / self.served_pps


def grid_of(scenario: Scenario, steps_per_round_trip: int = STEPS_PER_ROUND_TRIP) -> Grid:
    """Return the time grid of a scenario's path."""
    share = scenario.path.forward_delay_s / scenario.propagation_rtt_s
    forward = min(max(1, round(share * steps_per_round_trip)), steps_per_round_trip - 1)
    step_s = scenario.propagation_rtt_s / steps_per_round_trip
    return Grid(step_s, forward, steps_per_round_trip - forward)


def evolve(
    scenario: Scenario,
    *,
    stream: np.random.Generator | None = None,
    restores: bool = True,
    empties: bool = True,
    grid: Grid | None = None,
) -> Iterator[Block]:
    """Yield the run of a scenario from one packet in an empty pipe, block by block, for ever.

    Args:
        scenario: the path and its capacity.
        stream: random numbers, for a random capacity.
        restores: recovery ends with the lost fluid sent again, so that (8) holds; the text read
            literally never sends it again.
        empties: a timeout waits until less than a packet is in flight; literally it fires after
            TO even while the sender rightly waits for a long queue to drain.
        grid: another grid than the scenario's own.

    """
    from tcpgoodput.models.variable_capacity._kernel import Path, State, advance

    grid = grid or grid_of(scenario)
    path = Path(
        forward=grid.forward,
        backward=grid.backward,
        buffer=float(scenario.path.buffer_packets or math.inf),
        dupthresh=float(scenario.tcp.dupthresh),
        max_window=float(scenario.tcp.max_window_packets or math.inf),
        timeout=grid.steps(timeout_s(scenario)),
        restores=restores,
        empties=empties,
    )
    state = State()
    n = STEPS_PER_BLOCK
    sent, served = np.zeros(grid.forward + n), np.zeros(grid.backward + n)
    sent[grid.forward - 1] = state.flight  # the Dirac pulse at time 0
    window, queue, flight = np.empty(n), np.empty(n), np.empty(n)
    first = 0
    for capacity in capacity_steps(scenario, grid.step_s, n, stream):
        state = advance(state, path, capacity, sent, served, window, queue, flight)
        yield Block(
            first, capacity, sent[grid.forward :], served[grid.backward :], window, queue, flight
        )
        sent[: grid.forward] = sent[n:]
        served[: grid.backward] = served[n:]
        first += n


def measure(blocks: Iterator[Block], grid: Grid, warm_up_steps: int, measured_steps: int) -> Means:
    """Average a run over the given number of steps after its warm-up."""
    from tcpgoodput.models.variable_capacity._kernel import totals

    capacity = served = flight = 0.0
    end = warm_up_steps + measured_steps
    for block in blocks:
        part = slice(max(0, warm_up_steps - block.first), end - block.first)
        if part.start < block.capacity.size:
            sums = totals(block.capacity[part], block.served[part], block.flight[part])
            capacity, served, flight = capacity + sums[0], served + sums[1], flight + sums[2]
        if block.first + block.capacity.size >= end:
            break
    duration_s = measured_steps * grid.step_s
    return Means(capacity / duration_s, served / duration_s, flight / measured_steps)


def run(
    scenario: Scenario, equations: Equations, stream: np.random.Generator | None
) -> Iterator[Block]:
    """Yield a run with our recovery and timeout, or with the text's read literally."""
    ours = equations == "corrected"
    return evolve(scenario, stream=stream, restores=ours, empties=ours)


def means(scenario: Scenario, conditions: Conditions, replication: int = 0) -> Means:
    """Return the averages of one replication after its transient.

    Raises:
        Undefined: that takes too many steps.

    """
    precision = conditions.precision
    effort = effort_of(scenario, precision)
    grid, forgets_s = grid_of(scenario), coherence_s(scenario)
    opening = opening_s(scenario)
    if conditions.equations == "printed":
        longest = MOST_LITERAL_STEPS * grid.step_s / (1 + effort.openings)
        opening = max(opening, min(opening * full_window(scenario), longest))
    warm_up = opening + period_s(scenario) + 2 * forgets_s
    measured = max(
        effort.openings * opening,
        effort.round_trips * scenario.propagation_rtt_s,
        effort.turns * (period_s(scenario) + forgets_s),
    )
    share, drawn_s = DRAFT_SHARE if precision == "draft" else 1, drawn_every_s(scenario)
    duration_s = effort.replications * (warm_up + measured)
    if (steps := duration_s / grid.step_s) > share * MOST_STEPS:
        raise Undefined(
            f"a steady state takes {steps:.1g} steps of the fluid, more than "
            f"{share * MOST_STEPS:.2g}: the window is too large, or the capacity too slow, for the "
            "round trip"
        )
    if (levels := duration_s / drawn_s) > share * MOST_LEVELS:
        raise Undefined(
            f"a steady state takes {levels:.1g} values of the capacity, more than "
            f"{share * MOST_LEVELS:.2g}: it changes too often for the round trip"
        )
    stream = random_stream(scenario, conditions.seed, replication) if forgets_s > 0 else None
    blocks = run(scenario, conditions.equations, stream)
    return measure(blocks, grid, grid.steps(warm_up), grid.steps(measured))


def effort_of(scenario: Scenario, precision: Precision) -> Effort:
    """Return how long a scenario's fluid is run."""
    return (RANDOM_EFFORTS if coherence_s(scenario) > 0 else EFFORTS)[precision]


def timeout_s(scenario: Scenario) -> float:
    """Return TO: the scenario's fixed one, else the source's five round trips."""
    return scenario.tcp.rto.fixed_s or TIMEOUT_ROUND_TRIPS * scenario.propagation_rtt_s


def opening_s(scenario: Scenario) -> float:
    """Return T_0, the longest time from one packet to a full pipe and buffer."""
    window = full_window(scenario)
    mean_pps = mean_capacity_bps(scenario) / scenario.packet_bits
    return window * (scenario.propagation_rtt_s + window / (2 * mean_pps))


def full_window(scenario: Scenario) -> float:
    """Return W = C̄ T_m + B, or the receiver window if that is smaller."""
    held = mean_capacity_bps(scenario) / scenario.packet_bits * scenario.propagation_rtt_s
    held += scenario.path.buffer_packets or math.inf
    return min(held, scenario.tcp.max_window_packets or math.inf)


def peak_capacity_pps(scenario: Scenario) -> float:
    """Return C_max in packets per second."""
    capacity = scenario.capacity
    if capacity is None:
        return scenario.rate_pps
    if isinstance(capacity, Trace):
        from tcpgoodput.scenario.capacity.trace import read_capacity_trace

        return float(read_capacity_trace(capacity.file)[1][:-1].max()) / scenario.packet_bits
    return capacity.max_bps / scenario.packet_bits


def _never_loses_nor_idles(scenario: Scenario) -> bool:
    """Say whether the window may fill the pipe and cannot overflow the buffer.

    Q ≤ W ≤ W_max ≤ B excludes loss, and Q ≥ W - C_max T_m > 0 once the window is open: the link
    is busy for ever.
    """
    window = scenario.tcp.max_window_packets or math.inf
    buffer = scenario.path.buffer_packets or math.inf
    return buffer >= window > peak_capacity_pps(scenario) * scenario.propagation_rtt_s


@register
class Fluid(Model):
    """The discretised fluid model of Baiocchi and Vacirca."""

    name = "variable_capacity.fluid"
    title = "Fluid, variable capacity"
    source = "variable_capacity"
    citation = "baiocchi"
    inputs = (
        "tcp.mss_bytes",
        "tcp.header_bytes",
        "tcp.max_window_packets",
        "tcp.dupthresh",
        "tcp.rto.fixed_s",
        "path.rate_bps",
        "path.forward_delay_s",
        "path.backward_delay_s",
        "path.buffer_packets",
        "capacity",
    )
    domain = "any capacity C(t); losses by overflow alone, SACK or NewReno, large windows"
    handles = frozenset({"varying capacity"})
    reduces = frozenset({"independent loss", "bursty loss", "hand-offs", "delay spikes"})
    costly = True

    def compile(self) -> None:
        """Compile the loops of the kernel, all that any capacity needs."""
        from tcpgoodput.models.variable_capacity import _kernel

        _kernel.compile_all()

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float | Estimate:
        """Return the served rate after the transient.

        The served share of the capacity in the measured time multiplies the mean capacity, so
        that a period or a slow fade cut off at an end does not count twice.
        """
        mean_pps = mean_capacity_bps(scenario) / scenario.packet_bits
        if _never_loses_nor_idles(scenario):
            return mean_pps
        replications = effort_of(scenario, conditions.precision).replications
        window_pps = (scenario.tcp.max_window_packets or math.inf) / scenario.propagation_rtt_s
        # The receiver window's bound holds in the long run; the ends of the measured time can
        # exceed it by a step's worth.
        goodputs = [
            min(means(scenario, conditions, replication).utilisation * mean_pps, window_pps)
            for replication in range(replications)
        ]
        return _estimate(goodputs) if replications > 1 else goodputs[0]

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Say where the sender recovers otherwise, or a window is too small to be a fluid."""
        if scenario.tcp.variant == "reno" and scenario.capacity is not None:
            return "reno's recovery ends at the first of several losses in a window"
        if scenario.tcp.ack_every > 1:
            return "an ACK for several packets slows the growth of the window, which is left out"
        return (
            outside_saw_tooth(scenario)
            or too_few_packets(scenario, peak_capacity_pps(scenario))
            or outside_bursts(scenario)
        )


def _estimate(goodputs: list[float]) -> Estimate:
    """Return the mean over replications with its 95 % interval."""
    interval = Interval.of(goodputs)
    mean, half_width = interval.mean, interval.half_width
    return Estimate(mean, mean - half_width, mean + half_width, interval.replications)
