"""What happens on the path, drawn for one run: lists that the emulator follows."""

from __future__ import annotations

import numpy as np

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott

Lists = list[tuple[str, list[float]]]


def path_lists(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    """Return the emulator's lists for a scenario, as far as the horizon."""
    return [
        *_losses(scenario, stream, horizon_s),
        *_handoffs(scenario, stream, horizon_s),
        ("capacity", [0.0, scenario.path.rate_bps]),
    ]


def _losses(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    loss = scenario.loss
    lists: Lists = [("loss_before", [int(loss.place == "before")])]
    steps = horizon_s * scenario.rate_pps
    if isinstance(loss, Bernoulli) and loss.probability > 0:
        lists.append(("lost_packets", _independent(loss.probability, steps, stream)))
    elif isinstance(loss, GilbertElliott) and loss.good_to_bad > 0:
        runs = _bad_runs(loss, steps, stream)
        if loss.clock == "packet":
            numbers = [float(n) for begin, end in runs for n in range(int(begin), int(end))]
            lists.append(("lost_packets", numbers))
        else:
            slot_s = 1 / scenario.rate_pps
            lists.append(("bad_s", [float(edge * slot_s) for run in runs for edge in run]))
    return lists


def _independent(probability: float, steps: float, stream: np.random.Generator) -> list[float]:
    numbers: list[float] = []
    at = -1
    while at < steps:
        at += int(stream.geometric(probability))
        numbers.append(float(at))
    return numbers


def _bad_runs(
    loss: GilbertElliott, steps: float, stream: np.random.Generator
) -> list[tuple[int, int]]:
    runs = []
    at = 0
    while at < steps:
        begin = at + int(stream.geometric(loss.good_to_bad))
        at = begin + int(stream.geometric(loss.bad_to_good))
        runs.append((begin, at))
    return runs


def _handoffs(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    handoffs = scenario.handoffs
    if handoffs is None:
        return []
    first = handoffs.interval_s * (1 + stream.random())
    times = np.arange(first, horizon_s, handoffs.interval_s)
    late_s = -1.0 if handoffs.fate == "lost" else float(handoffs.late_s or 0)
    return [
        ("handoffs_s", times.tolist()),
        ("handoff_packets", [handoffs.packets]),
        ("late_s", [late_s]),
        ("delay_steps_s", list(handoffs.delay_steps_s)),
    ]
