"""What happens on the path, drawn for one run: lists that the emulator follows."""

from __future__ import annotations

import numpy as np

from tcpgoodput.engines.path_schedule import (
    MOST_PER_CAPACITY,
    CapacitySteps,
    bad_runs,
    capacity_in_steps,
    handoff_times,
    packets_in,
    spike_intervals,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.halves import missing_half
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott, NoLoss

Lists = list[tuple[str, list[float]]]


def path_lists(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    """Return the emulator's lists for a scenario, as far as the horizon."""
    capacity = capacity_in_steps(scenario, stream, horizon_s)
    return [
        *_losses(scenario, stream, horizon_s),
        *_handoffs(scenario, stream, horizon_s),
        ("stopped_s", spike_intervals(scenario, stream, horizon_s).ravel().tolist()),
        ("capacity", _steps(capacity, horizon_s) if capacity else [0.0, scenario.path.rate_bps]),
    ]


def _losses(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    loss = scenario.loss
    lists: Lists = [("loss_before", [int(loss.place == "before")])]
    steps = MOST_PER_CAPACITY * horizon_s * scenario.rate_pps
    if isinstance(loss, Bernoulli) and loss.probability > 0:
        lists.append(("lost_packets", _independent(loss.probability, steps, stream)))
    elif isinstance(loss, GilbertElliott):
        runs = bad_runs(loss, stream, steps)
        if loss.clock == "packet":
            lists.append(("lost_packets", packets_in(runs).tolist()))
        else:
            lists.append(("bad_s", (runs.ravel() / scenario.rate_pps).tolist()))
    elif not isinstance(loss, NoLoss | Bernoulli):
        raise missing_half("engines/linux/path.py", "_losses", loss)
    return lists


def _independent(probability: float, steps: float, stream: np.random.Generator) -> list[float]:
    """Draw the numbers of lost packets, from 0, until more than can have been sent."""
    numbers: list[float] = []
    at = -1
    while at < steps:
        at += int(stream.geometric(probability))
        numbers.append(float(at))
    return numbers


def _handoffs(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    handoffs = scenario.handoffs
    if handoffs is None:
        return []
    late_s = -1.0 if handoffs.fate == "lost" else float(handoffs.late_s or 0)
    return [
        ("handoffs_s", handoff_times(scenario, stream, horizon_s).tolist()),
        ("handoff_packets", [handoffs.packets]),
        ("late_s", [late_s]),
        ("delay_steps_s", list(handoffs.delay_steps_s)),
    ]


def _steps(capacity: CapacitySteps, horizon_s: float) -> list[float]:
    """Return pairs of a time and the rate from then on, a period after the other."""
    turns = np.arange(np.ceil(horizon_s / capacity.period_s)) if capacity.period_s else np.zeros(1)
    times = (turns[:, np.newaxis] * capacity.period_s + capacity.times_s).ravel()
    rates = np.tile(capacity.rates_bps, turns.size)
    return [float(value) for value in np.column_stack([times, rates]).ravel()]
