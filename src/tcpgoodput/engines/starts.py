"""Detection of measurements that depend on how their connections start.

The first slow start of each replication ends at the mean window of a pilot run, so that the warm-up
need not be long. For most senders this start has no lasting effect, because each loss event halves
the distance of the window from its mean. But if a sender undoes every window reduction, its goodput
depends on the start for ever. So a few replications, called checks, end their first slow start at a
smaller or a larger window. If the goodput of the checks differs by more than chance explains, the
warm-up is lengthened. If the difference stays, the measurement's `reason` states it. The measured
goodput is then that of connections whose first slow start has no ssthresh, if these connections can
be simulated. The interval covers the goodputs of the other starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tcpgoodput.answers import Undefined
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.planning import FEWEST_REPLICATIONS, SMALLEST_SSTHRESH, Plan
from tcpgoodput.engines.run import Run
from tcpgoodput.statistics import Interval, chance_of_difference

DEPENDS = "the goodput depends on the connection's start"
"""Prefix of a measurement's `reason` if the goodput depends on the connection's start."""

LARGE = 4
"""Ratio of the first ssthresh of a check to that of the measurement, if the check begins with a
larger window. A check is a replication from another start. The ratio is large enough to reveal a
dependence on the start. After the eight window reductions of a warm-up, the goodput of an ordinary
sender no longer depends on the start."""

CHECK_SHARE = 0.5
"""Smallest measured time of a check (a replication from another start), relative to the measured
time of the measurement."""

MOST_COST = 0.15
"""Largest simulated time of the first checks (replications from another start), relative to the
simulated time of the measurement. If a measurement has few replications with rare events, a check
would cost a third of its time and detect little. Chosen by hand."""

SUSPICIOUS = 0.01
"""Probability that chance explains the difference between a check (a replication from another
start) and the measurement, below which more checks are simulated. Chosen by hand."""

CERTAIN = 0.001
"""Probability that chance explains the difference between the lowest and the highest goodput of the
starts, below which the goodput counts as dependent on the start. Chosen by hand. The probability is
that of a comparison of two starts. Because the extremes of three are compared, a goodput that does
not depend on the start counts as dependent with a probability of about 0.27 %."""

LENGTHENED = (1, 8)
"""Factors by which the warm-up is lengthened before a measurement counts as start-dependent. Trying
a factor costs as much as the measurement, so no factor between 1 and 8 is tried."""

MOST_LENGTHENED = 50_000_000
"""Largest number of packets in the lengthened warm-ups of all replications from one start. If there
would be more, the warm-up is not lengthened. Simulating them takes some seconds, or a minute if a
sender with a large window keeps a scoreboard."""

FIRST_CHECK = -2
"""Replication number of the first check (a replication from another start). Further checks have
lower numbers, so that each has its own random numbers; replication -1 is the pilot."""

Simulate = Callable[[Plan, Sequence[int]], list["Steady"]]
"""Function that simulates the replications with the given numbers according to a plan."""


@dataclass(frozen=True)
class Steady:
    """Counts of one replication: in its whole measured time, and in a first part of this time.

    Checks, which are shorter replications from another start, are compared with the first part.
    """

    whole: Run
    beginning: Run


@dataclass(frozen=True)
class Dependence:
    """Lowest and highest mean goodput of connections that differ only in their first ssthresh.

    The intervals are in packets per second.
    """

    lowest_pps: Interval
    highest_pps: Interval
    waited_s: float
    """Time from the start of a connection to the end of its measured time, with the longest warm-up
    that was tried, in seconds."""

    def applied_to(self, measurement: Measurement) -> Measurement:
        """Return the measurement with an interval that covers all starts, and the reason for it.

        The measurement no longer counts as steady.
        """
        bits = 8 * measurement.scenario.tcp.mss_bytes
        mean_pps, ends = measurement.goodput_pps.mean, (self.lowest_pps, self.highest_pps)
        reaches_pps = max(abs(mean_pps - end.mean) + end.half_width for end in ends)
        lowest, highest = (f"{bits * end.mean / 1e6:.3g} Mbit/s" for end in ends)
        reason = (
            f"{DEPENDS}: {lowest} with one initial ssthresh, {highest} with another, still after "
            f"{self.waited_s:.3g} s"
        )
        goodput = measurement.goodput_pps.at_least(reaches_pps)
        return replace(measurement, goodput_pps=goodput, reason=reason, is_steady=False)


@dataclass(frozen=True)
class Settled:
    """Replications of a measurement, and how its goodput depends on the connections' start.

    `dependence` is None if the goodput does not depend on the start.
    """

    runs: list[Run]
    plan: Plan
    """The plan of the simulated replications; its warm-up may be longer than first planned."""
    dependence: Dependence | None = None


def settled(plan: Plan, count: int, relevant: float, simulate: Simulate) -> Settled:
    """Simulate replications whose goodput does not depend on the start, or report that it does.

    Args:
        plan: the durations of each replication, and the ssthresh of its first slow start.
        count: number of replications.
        relevant: smallest relevant difference of goodputs, relative to the goodput.
        simulate: function that simulates the replications with given numbers by a plan.

    """
    found = simulate(plan, range(count))
    checked_s = found[0].beginning.duration_s
    affordable = affordable_checks(plan, count, checked_s)
    first = [simulate(check, [number]) for check, number in affordable]
    if not any(
        _differ(_beginnings(found), _wholes(check), relevant, SUSPICIOUS) for check in first
    ):
        return Settled([one.whole for one in found], plan)
    each = min(count, max(FEWEST_REPLICATIONS, count // 2))
    number = FIRST_CHECK - len(first)
    waited = plan
    for factor in LENGTHENED:
        longer = plan.with_longer_warm_up(factor)
        if factor > 1:  # to compare the starts, half of the replications are enough
            if each * _wholes(found).mean_pps * longer.warm_up_s > MOST_LENGTHENED:
                break
            found = simulate(longer, range(each))
        waited = longer
        checks = []
        for check in check_plans(longer, checked_s):
            # Use new random numbers, so that a difference by chance does not occur again.
            checks.append(simulate(check, range(number, number - each, -1)))
            number -= each
        # A small and a large start can lead to the same goodput, and the start between them to
        # another goodput.
        starts = sorted([*map(_wholes, checks), _beginnings(found)], key=lambda one: one.mean_pps)
        lowest, highest = starts[0], starts[-1]
        if not _differ(lowest, highest, relevant, CERTAIN):
            rest = range(len(found), count)
            found = found + (simulate(longer, rest) if rest else [])
            return Settled([one.whole for one in found], longer)
    own = _own_start(waited, found, simulate)
    waited_s = waited.warm_up_s + waited.phase_s + waited.measured_s
    dependence = Dependence(_interval(lowest), _interval(highest), waited_s)
    return Settled([one.whole for one in own], waited, dependence)


def affordable_checks(plan: Plan, count: int, checked_s: float) -> list[tuple[Plan, int]]:
    """Return plan and replication number of each check that is cheap enough; see `MOST_COST`.

    A check is a replication from another start.

    Args:
        plan: the plan of the measurement.
        count: number of the measurement's replications.
        checked_s: measured time of a check in seconds.

    """
    unmeasured_s = plan.warm_up_s + plan.phase_s / 2
    cost_s = MOST_COST * count * (unmeasured_s + plan.measured_s)
    affordable = int(cost_s / (unmeasured_s + checked_s))
    plans = check_plans(plan, checked_s)[:affordable]
    return [(check, FIRST_CHECK - n) for n, check in enumerate(plans)]


def check_plans(plan: Plan, checked_s: float) -> list[Plan]:
    """Return the plans of checks (replications from another start).

    The first check has a small first ssthresh. The second check has a large one; it is left out if
    the plan's ssthresh is infinite.

    Args:
        plan: the plan of the measurement.
        checked_s: measured time of a check in seconds.

    """
    short = replace(plan, measured_s=checked_s)
    small = replace(short, ssthresh_packets=SMALLEST_SSTHRESH)
    if math.isinf(plan.ssthresh_packets):
        return [small]
    return [small, replace(short, ssthresh_packets=LARGE * plan.ssthresh_packets)]


def _own_start(plan: Plan, found: list[Steady], simulate: Simulate) -> list[Steady]:
    """Return replications from an unbounded slow start, or `found` if they cannot be simulated.

    Args:
        plan: the plan of the replications in `found`.
        found: replications simulated so far; they are returned if their start is unbounded.
        simulate: function that simulates the replications with given numbers by a plan.

    """
    if math.isinf(plan.ssthresh_packets):
        return found
    try:
        return simulate(replace(plan, ssthresh_packets=math.inf), range(len(found)))
    except Undefined:
        return found


@dataclass(frozen=True)
class _Group:
    """Goodputs of replications from one start, each measured for the same time."""

    each_pps: list[float]
    duration_s: float

    @property
    def mean_pps(self) -> float:
        return math.fsum(self.each_pps) / len(self.each_pps)


def _group(runs: Sequence[Run]) -> _Group:
    return _Group([run.goodput_pps for run in runs], runs[0].duration_s)


def _wholes(found: Sequence[Steady]) -> _Group:
    return _group([one.whole for one in found])


def _beginnings(found: Sequence[Steady]) -> _Group:
    return _group([one.beginning for one in found])


def _interval(group: _Group) -> Interval:
    return Interval.of(group.each_pps)


def _differ(one: _Group, other: _Group, relevant: float, chance: float) -> bool:
    """Whether the mean goodputs of two groups differ by more than chance explains.

    Args:
        one: the replications from one start.
        other: the replications from another start.
        relevant: largest difference that does not matter, relative to the larger goodput.
        chance: probability below which chance does not explain a difference.

    """
    counted_pps = 1 / one.duration_s  # a count of packets is wrong by up to one packet
    least_pps = max(relevant * max(one.mean_pps, other.mean_pps), counted_pps)
    if abs(one.mean_pps - other.mean_pps) <= least_pps:
        return False
    return chance_of_difference(one.each_pps, other.each_pps) < chance
