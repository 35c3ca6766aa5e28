"""Runs of the fluid model: the time grid, single runs, averages of several, and the buffer's delay.

The round trip has a whole number of steps exactly. The delays of the two directions are rounded to
steps, and each direction takes at least one step.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.of_time import capacity_steps

Array = NDArray[np.float64]

STEPS_PER_ROUND_TRIP = 100
"""Number of time steps of length δ per propagation round trip T_m, chosen by hand. The study does
not give δ; at the study's T_m of 100 ms, δ is 1 ms."""

SUMS = ("of_capacity", "of_served", "of_flight")

STEPS_PER_BLOCK = 16_384
"""Number of time steps per block, after which the compiled loop returns to Python. The arrays of a
block fit into the processor's cache."""

DECREASE = 0.5
"""The factor b of standard TCP: a loss reduces the window from W_f to (1 - b) W_f (section II)."""

TIMEOUT_ROUND_TRIPS = 5
"""Duration of the study's timeout TO, in propagation round trips T_m."""


@dataclass(frozen=True)
class Grid:
    """Time grid: the step in seconds, and the delays of both directions in steps (K_fm, K_bm)."""

    step_s: float
    forward: int
    backward: int

    def steps(self, duration_s: float) -> int:
        """Return the whole number of time steps nearest to a duration, at least 1."""
        return max(1, round(duration_s / self.step_s))


def grid_of(scenario: Scenario) -> Grid:
    """Return the time grid on which a scenario's fluid is computed."""
    share = scenario.path.forward_delay_s / scenario.propagation_rtt_s
    forward = min(max(1, round(share * STEPS_PER_ROUND_TRIP)), STEPS_PER_ROUND_TRIP - 1)
    step_s = scenario.propagation_rtt_s / STEPS_PER_ROUND_TRIP
    return Grid(step_s, forward, STEPS_PER_ROUND_TRIP - forward)


def timeout_s(scenario: Scenario) -> float:
    """Return the timeout TO in seconds: the scenario's fixed RTO, else five round trips (study)."""
    return scenario.tcp.rto.fixed_s or TIMEOUT_ROUND_TRIPS * scenario.propagation_rtt_s


@dataclass(frozen=True)
class Run:
    """A run of a scenario's fluid on a time grid, which starts with one packet in an empty pipe."""

    scenario: Scenario
    stream: np.random.Generator | None = None
    """Source of random numbers for a random capacity."""
    restores: bool = True
    """Whether recovery sends the lost data again, so that equation (8) holds. By the study's
    printed text, lost data are never sent again."""
    empties: bool = True
    """Whether a timeout occurs only once less than a packet is in flight. By the printed text,
    it occurs when its duration has passed, even while a long queue drains."""
    decrease: float = DECREASE
    """b, between 0 and 1: a loss reduces the window from W_f to (1 - b) W_f (sections II, III)."""
    capacity: Iterator[Array] = field(init=False)
    """Blocks of C(k), the packets that the link can carry in each step."""

    def __post_init__(self) -> None:
        steps = capacity_steps(self.scenario, self.grid.step_s, STEPS_PER_BLOCK, self.stream)
        object.__setattr__(self, "capacity", steps)

    @property
    def grid(self) -> Grid:
        """Time grid on which the run is computed."""
        return grid_of(self.scenario)


@dataclass(frozen=True)
class Block:
    """Consecutive time steps of a run; each array has one element per step.

    Capacity, sent and served are packets per step. Window, queue and flight (packets in flight) are
    packets at the end of each step.
    """

    grid: Grid
    first: int
    """Number of the block's first step, counted from the start of the run."""
    capacity: Array
    sent: Array
    served: Array
    window: Array
    queue: Array
    flight: Array

    @property
    def time_s(self) -> Array:
        """Time of the end of each step in seconds."""
        return self.grid.step_s * np.arange(self.first + 1, self.first + self.capacity.size + 1)


@dataclass(frozen=True)
class Means:
    """Time averages of a run of the fluid model after its warm-up."""

    capacity_pps: float
    served_pps: float
    """Λ, the mean rate of served packets in packets/s."""
    flight_packets: float
    """S, the mean number of packets in flight Y(t)."""

    @property
    def utilisation(self) -> float:
        """Served packets over the packets that the link could carry in the same time."""
        return self.served_pps / self.capacity_pps

    @property
    def delay_s(self) -> float:
        """Mean time from a packet's sending to its ACK in seconds, S/Λ by Little's law."""
        return self.flight_packets / self.served_pps


@dataclass(frozen=True)
class Averaged:
    """A run that is averaged over a number of time steps after its warm-up."""

    run: Run
    warm_up_steps: int
    measured_steps: int


class _Lanes:
    """Lanes of `_kernel` for runs with the same delays in steps, with one block of steps each."""

    def __init__(self, count: int, forward: int, backward: int) -> None:
        from tcpgoodput.models.variable_capacity._kernel import LANE

        self.forward, self.backward = forward, backward
        self.lanes = np.zeros(count, LANE)
        self.capacity = np.ones((count, STEPS_PER_BLOCK))
        self.sent = np.ones((forward + STEPS_PER_BLOCK, count))
        self.served = np.ones((backward + STEPS_PER_BLOCK, count))
        for place in range(count):
            self.idle(place)

    def idle(self, place: int) -> None:
        """Fill a lane with a run without losses or window limit, which never stops other lanes."""
        lane = self.lanes[place]
        lane["phase"] = 0
        lane["buffer"] = lane["max_window"] = math.inf
        lane["window"] = lane["flight"] = 1.0
        lane["queue"] = 0.0
        self.take_sums(place)
        self.capacity[place] = self.sent[:, place] = self.served[:, place] = 1.0

    def start(self, place: int, run: Run) -> None:
        """Place a run in a lane before its first step, with one packet at time 0."""
        tcp, lane = run.scenario.tcp, self.lanes[place]
        self.idle(place)
        self.sent[: self.forward, place] = self.served[: self.backward, place] = 0.0
        self.sent[self.forward - 1, place] = lane["flight"]
        lane["buffer"] = float(run.scenario.path.buffer_packets or math.inf)
        lane["dupthresh"] = tcp.dupthresh
        lane["max_window"] = float(tcp.max_window_packets or math.inf)
        lane["decrease"] = run.decrease
        lane["timeout"] = run.grid.steps(timeout_s(run.scenario))
        lane["restores"], lane["empties"] = run.restores, run.empties

    def advance(self, last: int, course: Array | None = None) -> None:
        """Advance all lanes up to step `last` of the block, not included; see `_kernel.advance`."""
        from tcpgoodput.models.variable_capacity._kernel import advance

        ways = self.capacity, self.sent, self.served
        advance(self.lanes, self.forward, self.backward, last, *ways, course)

    def take_sums(self, place: int) -> Array:
        """Return a lane's capacity, served packets and flight, summed since the last call."""
        lane = self.lanes[place]
        sums = np.array([lane[name] for name in SUMS])
        for name in SUMS:
            lane[name] = 0.0
        return sums

    def next_block(self) -> None:
        """Begin the next block; packets and ACKs on their way carry over to it."""
        self.lanes["at"] = 0
        self.sent[: self.forward] = self.sent[STEPS_PER_BLOCK:]
        self.served[: self.backward] = self.served[STEPS_PER_BLOCK:]


def evolve(run: Run) -> Iterator[Block]:
    """Compute a run without end, and yield its blocks of `STEPS_PER_BLOCK` time steps.

    The next block reuses the arrays of a block.
    """
    grid = run.grid
    lanes = _Lanes(1, grid.forward, grid.backward)
    lanes.start(0, run)
    course, first = np.empty((STEPS_PER_BLOCK, 3)), 0
    for capacity in run.capacity:
        lanes.capacity[0] = capacity
        lanes.advance(STEPS_PER_BLOCK, course)
        sent, served = lanes.sent[grid.forward :, 0], lanes.served[grid.backward :, 0]
        yield Block(grid, first, capacity, sent, served, *course.T)
        lanes.next_block()
        first += STEPS_PER_BLOCK


def averages(runs: Iterable[Averaged]) -> list[Means]:
    """Return the time averages of several runs, the same as if they were computed one by one."""
    runs = list(runs)
    alike: dict[tuple[int, int], list[int]] = {}
    for number, one in enumerate(runs):
        grid = one.run.grid
        alike.setdefault((grid.forward, grid.backward), []).append(number)
    found: dict[int, Means] = {}
    for (forward, backward), numbers in alike.items():
        means = _averages([runs[number] for number in numbers], forward, backward)
        found |= dict(zip(numbers, means, strict=True))
    return [found[number] for number in range(len(runs))]


@dataclass
class _Progress:
    """Progress of a run of the fluid, and sums over its time steps since the end of the warm-up."""

    averaged: Averaged
    first: int = 0
    """Number of the current block's first step, counted from the start of the run."""
    sums: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def end(self) -> int:
        """Number of steps of the run, including those of its warm-up."""
        return self.averaged.warm_up_steps + self.averaged.measured_steps

    def stops(self) -> list[int]:
        """Return the numbers of steps into the block at which warm-up, measurement or block end."""
        steps = (self.averaged.warm_up_steps - self.first, self.end - self.first)
        return [stop for stop in steps if 0 < stop < STEPS_PER_BLOCK] + [STEPS_PER_BLOCK]

    def count(self, stop: int, sums: Array) -> None:
        """Add the sums of the steps that end at step `stop` of the block, if these are measured."""
        if self.averaged.warm_up_steps < self.first + stop <= self.end:
            self.sums += sums

    @property
    def means(self) -> Means:
        """Time averages of the run over its measured steps."""
        steps = self.averaged.measured_steps
        duration_s = steps * self.averaged.run.grid.step_s
        capacity, served, flight = map(float, self.sums)
        return Means(capacity / duration_s, served / duration_s, flight / steps)


def _averages(runs: Sequence[Averaged], forward: int, backward: int) -> list[Means]:
    """Return the time averages of runs with the same delays, computed several at a time."""
    from tcpgoodput.models.variable_capacity._kernel import PARALLEL_LANES

    count = PARALLEL_LANES if len(runs) > 1 else 1
    lanes = _Lanes(count, forward, backward)
    everyone = [_Progress(one) for one in runs]
    waiting = deque(everyone)
    running: dict[int, _Progress] = {}
    while True:
        for place in range(count):
            if place not in running and waiting:
                running[place] = waiting.popleft()
                lanes.start(place, running[place].averaged.run)
        if not running:
            return [one.means for one in everyone]
        for place, one in running.items():
            lanes.capacity[place] = next(one.averaged.run.capacity)
        stops = {place: one.stops() for place, one in running.items()}
        for stop in sorted(set().union(*stops.values())):
            lanes.advance(stop)
            for place, own in stops.items():
                # Read a run's sums only at its own stops. So its rounding errors are the same as
                # if it were computed alone.
                if stop in own:
                    running[place].count(stop, lanes.take_sums(place))
        lanes.next_block()
        for place, one in list(running.items()):
            one.first += STEPS_PER_BLOCK
            if one.first >= one.end:
                lanes.idle(place)
                del running[place]


def buffer_delay(queue: Array, capacity: Array, step_s: float) -> Array:
    """Return the delay D in the buffer at the end of each step, in seconds.

    D solves equation (2), Q(t) = ∫ C from t to t + D. `queue` has Q at the end of each step, and
    `capacity` the packets that the link can carry in each step, and in further ones that serve the
    last queue. D is NaN where the capacity ends before the queue is served.
    """
    carried = np.concatenate([[0.0], np.cumsum(capacity)])
    edges = step_s * np.arange(carried.size)
    ends = np.arange(1, queue.size + 1)
    leaves = np.interp(carried[ends] + queue, carried, edges, right=np.nan)
    return np.where(queue > 0, leaves - edges[ends], 0.0)


def buffer_delay_by_recursion(
    queue: Array, arrivals: Array, capacity: Array, step_s: float, index_per_second: float
) -> Array:
    """Return the delay D in the buffer by the study's recursion; 0 where the queue is empty.

    The recursion is D(k+1) = D(k) + δ [X(k)/C(k + D(k)) - 1]. X(k) packets arrive in step k of
    length δ. D(k) is in seconds and k counts steps. `index_per_second` converts D(k) to steps: 1/δ,
    or 1 as printed.
    """
    delay = np.zeros(queue.size)
    for k in range(queue.size - 1):
        leaving = min(k + round(delay[k] * index_per_second), capacity.size - 1)
        if queue[k] > 0:
            delay[k + 1] = delay[k] + step_s * (arrivals[k] / capacity[leaving] - 1)
    return delay
