"""Control variates: the random draws of the path in a replication, minus their expected values.

The goodput of a replication depends on how many losses and delay spikes the replication happened to
draw, and on its random capacity. The simulator counts these draws and subtracts their expected
number. The difference, called excess, has mean 0 at any time, because each draw adds a term whose
mean is 0 given all earlier draws. So the part of the goodput's variance that the excess explains
can be removed by regression; see `Interval.controlled`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.of_time import coherence_s
from tcpgoodput.scenario.distributions import MarkovExponential
from tcpgoodput.scenario.loss import Bernoulli, MarkovChannel

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts

FEWEST_DRAWS = 5
"""Smallest mean number of draws of a random process (runs of losses, spikes, coherence times of the
capacity) per replication with which its excess serves as a control variate. With fewer draws, the
goodput is not linear in the excess, and the mean of the corrected goodput is biased. Chosen by
hand."""

LEAST_RANGE = 1e-3
"""Smallest difference between a control variate's largest and smallest value in the replications,
in its unit (draws, mean durations or packets). A smaller range is only a rounding error, for
example if all spikes have the same duration."""


def controls(scenario: Scenario, runs: Sequence[Counts]) -> list[list[float]]:
    """Return the control variates of a long-lived connection, as one list of values for each.

    Each list has one value per run, in the order of `runs`. There are no control variates if
    nothing in the path is random, or if all random events are rare.

    Args:
        scenario: the scenario.
        runs: the replications of the scenario.

    """
    measured_s = math.fsum(run.time_s for run in runs) / len(runs)
    names: list[str] = []
    if math.fsum(_bad_runs(scenario, run) for run in runs) >= FEWEST_DRAWS * len(runs):
        names += ["excess_good_runs", "excess_bad_runs"]
    spikes = scenario.spikes
    # If a Markov chain draws the spikes, they depend on each other.
    laws = (spikes.interval, spikes.duration) if spikes else ()
    chained = any(isinstance(law, MarkovExponential) for law in laws)
    if spikes and not chained and measured_s >= FEWEST_DRAWS * spikes.interval.mean_s:
        names += ["excess_spikes", "excess_durations"]
    if (changes_s := coherence_s(scenario)) and measured_s >= FEWEST_DRAWS * changes_s:
        names.append("excess_capacity")
    columns = [[float(getattr(run, name)) for run in runs] for name in names]
    return [column for column in columns if max(column) - min(column) > LEAST_RANGE]


def _bad_runs(scenario: Scenario, run: Counts) -> float:
    """Return the expected number of runs of losses, of packets or of slots, in a replication.

    It is 0 for a process without control variates. Overflows of the buffer are no such losses.
    """
    loss = scenario.loss
    if isinstance(loss, Bernoulli):
        return loss.probability * run.packets_sent
    if isinstance(loss, MarkovChannel):
        steps = run.time_s * scenario.rate_pps if loss.counts_slots else run.packets_sent
        return steps / loss.steps_per_run
    return 0.0
