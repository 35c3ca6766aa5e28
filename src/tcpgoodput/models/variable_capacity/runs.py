"""Runs of the fluid: its time grid, one run step by step, and the averages of several.

The round trip is kept exactly; its split between the two directions is rounded to a step, and
each direction takes at least one.
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
"""T_m/δ. The source names no δ; 1 ms at its T_m of 100 ms."""

SUMS = ("of_capacity", "of_served", "of_flight")

STEPS_PER_BLOCK = 16_384
"""Steps between returns to Python: a block's arrays stay in the processor's cache."""

TIMEOUT_ROUND_TRIPS = 5
"""TO/T_m."""


@dataclass(frozen=True)
class Grid:
    """The time grid: a step, and the two directions' delays in steps (K_fm, K_bm)."""

    step_s: float
    forward: int
    backward: int

    def steps(self, duration_s: float) -> int:
        """Return the whole number of steps nearest to a duration, at least 1."""
        return max(1, round(duration_s / self.step_s))


def grid_of(scenario: Scenario, steps_per_round_trip: int = STEPS_PER_ROUND_TRIP) -> Grid:
    """Return the time grid of a scenario's path."""
    share = scenario.path.forward_delay_s / scenario.propagation_rtt_s
    forward = min(max(1, round(share * steps_per_round_trip)), steps_per_round_trip - 1)
    step_s = scenario.propagation_rtt_s / steps_per_round_trip
    return Grid(step_s, forward, steps_per_round_trip - forward)


def timeout_s(scenario: Scenario) -> float:
    """Return TO: the scenario's fixed one, else the source's five round trips."""
    return scenario.tcp.rto.fixed_s or TIMEOUT_ROUND_TRIPS * scenario.propagation_rtt_s


@dataclass(frozen=True)
class Run:
    """A scenario's fluid from one packet in an empty pipe, on a grid, before its first step."""

    scenario: Scenario
    stream: np.random.Generator | None = None
    """Random numbers, for a random capacity."""
    restores: bool = True
    """Recovery ends with the lost fluid sent again, so that (8) holds; the text read literally
    never sends it again."""
    empties: bool = True
    """A timeout waits until less than a packet is in flight; literally it fires after TO even
    while the sender rightly waits for a long queue to drain."""
    own_grid: Grid | None = None
    """Another grid than the scenario's own."""
    capacity: Iterator[Array] = field(init=False)
    """C(k), a block at a time."""

    def __post_init__(self) -> None:
        steps = capacity_steps(self.scenario, self.grid.step_s, STEPS_PER_BLOCK, self.stream)
        object.__setattr__(self, "capacity", steps)

    @property
    def grid(self) -> Grid:
        """The time grid."""
        return self.own_grid or grid_of(self.scenario)


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


@dataclass(frozen=True)
class Averaged:
    """A run that is averaged over a number of steps after its warm-up."""

    run: Run
    warm_up_steps: int
    measured_steps: int


class _Lanes:
    """Several places for runs on grids with the same delays, and a block of steps of each."""

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
        """Let nothing happen to a lane: it is never at its window's nor at its buffer's end."""
        lane = self.lanes[place]
        lane["phase"] = 0
        lane["buffer"] = lane["max_window"] = math.inf
        lane["window"] = lane["flight"] = 1.0
        lane["queue"] = 0.0
        self.take_sums(place)
        self.capacity[place] = self.sent[:, place] = self.served[:, place] = 1.0

    def start(self, place: int, run: Run) -> None:
        """Put a run before its first step: one packet, a Dirac pulse at time 0."""
        tcp, lane = run.scenario.tcp, self.lanes[place]
        self.idle(place)
        self.sent[: self.forward, place] = self.served[: self.backward, place] = 0.0
        self.sent[self.forward - 1, place] = lane["flight"]
        lane["buffer"] = float(run.scenario.path.buffer_packets or math.inf)
        lane["dupthresh"] = tcp.dupthresh
        lane["max_window"] = float(tcp.max_window_packets or math.inf)
        lane["timeout"] = run.grid.steps(timeout_s(run.scenario))
        lane["restores"], lane["empties"] = run.restores, run.empties

    def advance(self, last: int, course: Array | None = None) -> None:
        """Go on to a step of the block; see `_kernel.advance`."""
        from tcpgoodput.models.variable_capacity._kernel import advance

        ways = self.capacity, self.sent, self.served
        advance(self.lanes, self.forward, self.backward, last, *ways, course)

    def take_sums(self, place: int) -> Array:
        """Return what was summed in a lane since this was asked last: C, U and Y."""
        lane = self.lanes[place]
        sums = np.array([lane[name] for name in SUMS])
        for name in SUMS:
            lane[name] = 0.0
        return sums

    def next_block(self) -> None:
        """Begin the next block: what is under way stays so."""
        self.lanes["at"] = 0
        self.sent[: self.forward] = self.sent[STEPS_PER_BLOCK:]
        self.served[: self.backward] = self.served[STEPS_PER_BLOCK:]


def evolve(run: Run) -> Iterator[Block]:
    """Yield a run block by block, for ever."""
    grid = run.grid
    lanes = _Lanes(1, grid.forward, grid.backward)
    lanes.start(0, run)
    course, first = np.empty((STEPS_PER_BLOCK, 3)), 0
    for capacity in run.capacity:
        lanes.capacity[0] = capacity
        lanes.advance(STEPS_PER_BLOCK, course)
        sent, served = lanes.sent[grid.forward :, 0], lanes.served[grid.backward :, 0]
        yield Block(first, capacity, sent, served, *course.T)
        lanes.next_block()
        first += STEPS_PER_BLOCK


def averages(asked: Iterable[Averaged]) -> list[Means]:
    """Return the averages of several runs, in their order; each is as if it were alone."""
    asked = list(asked)
    alike: dict[tuple[int, int], list[int]] = {}
    for number, one in enumerate(asked):
        grid = one.run.grid
        alike.setdefault((grid.forward, grid.backward), []).append(number)
    found: dict[int, Means] = {}
    for (forward, backward), numbers in alike.items():
        means = _averages([asked[number] for number in numbers], forward, backward)
        found |= dict(zip(numbers, means, strict=True))
    return [found[number] for number in range(len(asked))]


@dataclass
class _Progress:
    """How far a run has come in its lane, and what it has summed up since its warm-up."""

    asked: Averaged
    first: int = 0
    """The number of the block's first step."""
    sums: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def end(self) -> int:
        """The step to stop before."""
        return self.asked.warm_up_steps + self.asked.measured_steps

    def stops(self) -> list[int]:
        """Return the steps of the block before which its sums begin or end, and its last."""
        steps = (self.asked.warm_up_steps - self.first, self.end - self.first)
        return [stop for stop in steps if 0 < stop < STEPS_PER_BLOCK] + [STEPS_PER_BLOCK]

    def count(self, stop: int, sums: Array) -> None:
        """Take in what was summed up to one of its stops, since the one before."""
        if self.asked.warm_up_steps < self.first + stop <= self.end:
            self.sums += sums

    @property
    def means(self) -> Means:
        """The averages, at the end."""
        steps = self.asked.measured_steps
        duration_s = steps * self.asked.run.grid.step_s
        capacity, served, flight = map(float, self.sums)
        return Means(capacity / duration_s, served / duration_s, flight / steps)


def _averages(asked: Sequence[Averaged], forward: int, backward: int) -> list[Means]:
    """Return the averages of runs with the same delays: as many at a time as go abreast."""
    from tcpgoodput.models.variable_capacity._kernel import ABREAST

    count = ABREAST if len(asked) > 1 else 1
    lanes = _Lanes(count, forward, backward)
    everyone = [_Progress(one) for one in asked]
    waiting = deque(everyone)
    running: dict[int, _Progress] = {}
    while True:
        for place in range(count):
            if place not in running and waiting:
                running[place] = waiting.popleft()
                lanes.start(place, running[place].asked.run)
        if not running:
            return [one.means for one in everyone]
        for place, one in running.items():
            lanes.capacity[place] = next(one.asked.run.capacity)
        stops = {place: one.stops() for place, one in running.items()}
        for stop in sorted(set().union(*stops.values())):
            lanes.advance(stop)
            for place, own in stops.items():
                if stop in own:  # not at others': sums are rounded as if it were alone
                    running[place].count(stop, lanes.take_sums(place))
        lanes.next_block()
        for place, one in list(running.items()):
            one.first += STEPS_PER_BLOCK
            if one.first >= one.end:
                lanes.idle(place)
                del running[place]
