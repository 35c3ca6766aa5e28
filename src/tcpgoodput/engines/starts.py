"""Detection of measurements that depend on how their connections start.

The first slow start of each replication ends at the mean window of a pilot run, so that the warm-up
need not be long. For most senders this start has no lasting effect, because each loss event halves
the distance of the window from its mean. But if a sender undoes every window reduction, its goodput
depends on the start for ever. So a few replications, called checks, end their first slow start at a
smaller or a larger window. If the goodput of the checks differs by more than chance explains, the
warm-up is lengthened. If the difference stays, the measurement's `reason` states it. The measured
goodput is then that of connections whose first slow start has no ssthresh, if these connections can
be simulated. The interval covers the goodputs of the other starts. BBR reads no ssthresh; its start
is not checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tcpgoodput.answers import Undefined
from tcpgoodput.engines.base import DEPENDS
from tcpgoodput.engines.planning import FEWEST_REPLICATIONS, SMALLEST_SSTHRESH, Plan
from tcpgoodput.statistics import Interval, chance_of_difference

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts

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

    whole: Counts
    beginning: Counts


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

    def widened(self, goodput: Interval) -> Interval:
        """Return the interval of a goodput in packets per second, widened to cover all starts."""
        ends = (self.lowest_pps, self.highest_pps)
        return goodput.at_least(max(abs(goodput.mean - e.mean) + e.half_width for e in ends))

    def reason(self, mss_bytes: int) -> str:
        """Return the reason of a measurement with packets of `mss_bytes` bytes of payload."""
        lowest, highest = (
            f"{8 * mss_bytes * end.mean / 1e6:.3g} Mbit/s"
            for end in (self.lowest_pps, self.highest_pps)
        )
        return (
            f"{DEPENDS}: {lowest} with one initial ssthresh, {highest} with another, still after "
            f"{self.waited_s:.3g} s"
        )


@dataclass(frozen=True)
class Settled:
    """Replications of a measurement, and how its goodput depends on the connections' start.

    `dependence` is None if the goodput does not depend on the start.
    """

    runs: list[Counts]
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
    checked_s = found[0].beginning.time_s
    first = [simulate(check, [n]) for check, n in affordable_checks(plan, count, checked_s)]
    if not any(_differ(_beginnings(found), _wholes(one), relevant, SUSPICIOUS) for one in first):
        return Settled(_wholes(found), plan)
    each = min(count, max(FEWEST_REPLICATIONS, count // 2))
    number = FIRST_CHECK - len(first)
    waited = plan
    for factor in LENGTHENED:
        longer = plan.with_longer_warm_up(factor)
        if factor > 1:  # to compare the starts, half of the replications are enough
            if each * _mean_pps(_wholes(found)) * longer.warm_up_s > MOST_LENGTHENED:
                break
            found = simulate(longer, range(each))
        waited = longer
        checks = []
        for check in _check_plans(longer, checked_s):
            # Use new random numbers, so that a difference by chance does not occur again.
            checks.append(_wholes(simulate(check, range(number, number - each, -1))))
            number -= each
        # A small and a large start can lead to the same goodput, and the start between them to
        # another goodput.
        lowest, *_, highest = sorted([*checks, _beginnings(found)], key=_mean_pps)
        if not _differ(lowest, highest, relevant, CERTAIN):
            rest = range(len(found), count)
            return Settled(_wholes(found + (simulate(longer, rest) if rest else [])), longer)
    own = _own_start(waited, found, simulate)
    waited_s = waited.warm_up_s + waited.phase_s + waited.measured_s
    ends = (Interval.of(_each_pps(lowest)), Interval.of(_each_pps(highest)))
    return Settled(_wholes(own), waited, Dependence(*ends, waited_s))


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
    plans = _check_plans(plan, checked_s)[:affordable]
    return [(check, FIRST_CHECK - n) for n, check in enumerate(plans)]


def _check_plans(plan: Plan, checked_s: float) -> list[Plan]:
    """Return the plans of checks: with a small first ssthresh, and with a large one if finite."""
    short = replace(plan, measured_s=checked_s)
    small = replace(short, ssthresh_packets=SMALLEST_SSTHRESH)
    if math.isinf(plan.ssthresh_packets):
        return [small]
    return [small, replace(short, ssthresh_packets=LARGE * plan.ssthresh_packets)]


def _own_start(plan: Plan, found: list[Steady], simulate: Simulate) -> list[Steady]:
    """Return replications from an unbounded slow start, or `found` if they cannot be simulated."""
    if math.isinf(plan.ssthresh_packets):
        return found
    try:
        return simulate(replace(plan, ssthresh_packets=math.inf), range(len(found)))
    except Undefined:
        return found


def _wholes(found: Sequence[Steady]) -> list[Counts]:
    return [one.whole for one in found]


def _beginnings(found: Sequence[Steady]) -> list[Counts]:
    return [one.beginning for one in found]


def _each_pps(runs: Sequence[Counts]) -> list[float]:
    return [run.goodput_pps for run in runs]


def _mean_pps(runs: Sequence[Counts]) -> float:
    return math.fsum(_each_pps(runs)) / len(runs)


def _differ(one: Sequence[Counts], other: Sequence[Counts], relevant: float, chance: float) -> bool:
    """Whether two mean goodputs differ relevantly, and by less than `chance` only by chance."""
    means = _mean_pps(one), _mean_pps(other)
    counted_pps = 1 / one[0].time_s  # a count of packets is wrong by up to one packet
    if abs(means[0] - means[1]) <= max(relevant * max(means), counted_pps):
        return False
    return chance_of_difference(_each_pps(one), _each_pps(other)) < chance
