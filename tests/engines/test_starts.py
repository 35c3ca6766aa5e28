"""Detection of measurements whose goodput depends on the connection's initial ssthresh."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.base import DEPENDS
from tcpgoodput.engines.closeness import measured_closely, successive_measurements
from tcpgoodput.engines.planning import Plan, opening_ssthresh_packets
from tcpgoodput.engines.replications import Replications
from tcpgoodput.engines.starts import Settled, Steady, affordable_checks, settled
from tcpgoodput.simulator.simulation import Counts
from tests.scenarios import scenario

NOTHING = Counts(**dict.fromkeys(Counts._fields, 0))
PLAN = Plan(20, warm_up_s=20, phase_s=1, measured_s=100, ssthresh_packets=40)
FULL_PPS = 1000.0
"""Goodput (packets/s) of the fake connection if its initial ssthresh is large."""

Goodput = Callable[[Plan, int], float]
"""Function that computes a fake goodput (packets/s) from a plan and a replication's number. A plan
has the durations, the number of replications, and the initial ssthresh."""


def run(goodput_pps: float, duration_s: float) -> Counts:
    packets = round(goodput_pps * duration_s)
    return NOTHING._replace(time_s=duration_s, delivered=packets, packets_sent=packets)


def steady(goodput_pps: float, plan: Plan) -> Steady:
    return Steady(run(goodput_pps, plan.measured_s), run(goodput_pps, plan.measured_s / 2))


def noise(number: int, seed: int = 0) -> float:
    return float(np.random.default_rng([seed, number + 10**6]).normal())


def remembers(plan: Plan, number: int) -> float:
    """Return a fake goodput (packets/s) that depends on the initial ssthresh after any warm-up."""
    return min(10 * plan.ssthresh_packets, FULL_PPS) + noise(number)


def simulated(goodput_of: Goodput) -> tuple[Settled, list[tuple[Plan, list[int]]]]:
    """Measure fake goodputs; return the result of `settled`, and the simulated plans.

    Each plan has the numbers of the replications that were simulated with it.
    """
    request: list[tuple[Plan, list[int]]] = []

    def simulate(plan: Plan, numbers: Sequence[int]) -> list[Steady]:
        request.append((plan, list(numbers)))
        return [steady(goodput_of(plan, number), plan) for number in numbers]

    return settled(PLAN, PLAN.replications, 0.02, simulate), request


def test_dependence_on_the_start_is_found_and_the_own_start_counts() -> None:
    found, _ = simulated(remembers)
    assert found.dependence is not None
    assert found.dependence.lowest_pps.mean == pytest.approx(20, abs=2)
    assert found.dependence.highest_pps.mean == pytest.approx(FULL_PPS, rel=0.7)
    assert [one.goodput_pps for one in found.runs] == pytest.approx([FULL_PPS] * 10, rel=0.01)


def test_a_goodput_of_the_middle_start_alone_is_a_dependence() -> None:
    """Dependence is found if the goodput differs only at the measurement's own initial ssthresh.

    Without random loss a sender can stay for ever in one of two cycles of the window. Smaller and
    larger initial ssthresh have the same goodput here.
    """

    def of_two_cycles(plan: Plan, number: int) -> float:
        return (300 if plan.ssthresh_packets == PLAN.ssthresh_packets else 400) + noise(number)

    found, _ = simulated(of_two_cycles)
    assert found.dependence is not None
    assert found.dependence.lowest_pps.mean == pytest.approx(300, rel=0.02)
    assert found.dependence.highest_pps.mean == pytest.approx(400, rel=0.02)


def test_a_longer_warm_up_removes_an_influence_of_the_start() -> None:
    def forgets(plan: Plan, number: int) -> float:
        start = math.log(min(plan.ssthresh_packets, 1e6))
        return 400 + noise(number) + 20 * start * 0.5 ** (plan.warm_up_s / 20)

    found, request = simulated(forgets)
    assert found.dependence is None
    longest_s = max(plan.warm_up_s for plan, _ in request)
    assert longest_s > PLAN.warm_up_s
    means = [one.goodput_pps for one in found.runs]
    assert np.mean(means) == pytest.approx(400, rel=0.02), "the longer warm-up's number counts"


def test_an_ordinary_measurement_is_unchanged_by_two_checks() -> None:
    found, request = simulated(lambda _, number: 400 + noise(number))
    assert found.dependence is None
    assert [one.goodput_pps for one in found.runs] == pytest.approx(
        [400 + noise(number) for number in range(20)], abs=0.01
    )
    (plan, numbers), *checks = request
    assert (plan, numbers) == (PLAN, list(range(20)))
    assert len(checks) == 2
    assert {n for _, numbers in checks for n in numbers}.isdisjoint([*numbers, -1])


@pytest.mark.parametrize("law", ["normal", "exponential", "lognormal"])
def test_random_variation_is_rarely_reported_as_dependence(law: str) -> None:
    alarms = 0
    for seed in range(300):

        def by_chance(_: Plan, number: int, seed: int = seed) -> float:
            stream = np.random.default_rng([seed, number + 10**6])
            return 100 + 20 * float(getattr(stream, law)())

        alarms += simulated(by_chance)[0].dependence is not None
    assert alarms <= 2


def test_expensive_checks_are_left_out() -> None:
    costly = Plan(3, warm_up_s=80, phase_s=10, measured_s=30, ssthresh_packets=40)
    assert affordable_checks(costly, 3, checked_s=15) == []
    unmeasured_s = PLAN.warm_up_s + PLAN.phase_s / 2
    cost = sum(unmeasured_s + check.measured_s for check, _ in affordable_checks(PLAN, 20, 50))
    assert 0 < cost < 0.1 * 20 * (unmeasured_s + PLAN.measured_s)


def test_a_start_that_cannot_be_simulated_keeps_the_measurement() -> None:
    def overflows(plan: Plan, number: int) -> float:
        if math.isinf(plan.ssthresh_packets):
            raise Undefined("too many packets are outstanding")
        return remembers(plan, number)

    found, _ = simulated(overflows)
    assert found.dependence is not None
    assert [one.goodput_pps for one in found.runs] == pytest.approx([400] * 10, rel=0.02)


SPIKES = {
    "interval": {"distribution": "exponential", "mean_s": 5.0},
    "duration": {"distribution": "constant", "mean_s": 2.0},
}
SPIKY = scenario(tcp={"max_window_packets": 50}, spikes=SPIKES)


@pytest.fixture
def remembering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the simulator by `remembers`, whose goodput depends on the initial ssthresh."""

    def stuck(_: Replications, number: int, plan: Plan) -> Steady:
        return steady(remembers(plan, number), plan)

    monkeypatch.setattr(Replications, "simulated", stuck)


@pytest.mark.usefixtures("remembering")
def test_dependence_on_the_start_is_the_measurements_reason() -> None:
    found = measured_closely(SPIKY, Conditions())
    reason = str(found.reason)
    assert reason.startswith(DEPENDS)
    small_mbps = float(re.findall(r"([\d.]+) Mbit/s", reason)[0])
    assert small_mbps == pytest.approx(0.16, rel=0.1), "20 packets of 8000 bits a second"
    assert found.goodput_pps == pytest.approx(FULL_PPS, rel=0.01)
    assert found.goodput_pps - found.half_width_pps <= 21
    assert found.low_pps is not None
    assert found.low_pps <= 21


@pytest.mark.usefixtures("remembering")
def test_a_measurement_that_depends_on_its_start_is_not_repeated() -> None:
    assert len(list(successive_measurements(SPIKY, Conditions()))) == 1


@pytest.mark.usefixtures("remembering")
def test_the_start_of_a_bbr_sender_is_not_checked() -> None:
    """BBR does not read the initial ssthresh, so a difference could only be by chance."""
    spiky = scenario(tcp={"variant": "bbr", "max_window_packets": 50}, spikes=SPIKES)
    assert DEPENDS not in str(measured_closely(spiky, Conditions()).reason)


def test_zero_loss_probability_equals_no_loss_for_a_sender_with_undo() -> None:
    tcp = {"variant": "cubic", "stack": "linux-6.18"}
    never = scenario(tcp=tcp, loss={"process": "bernoulli", "probability": 0})
    assert opening_ssthresh_packets(never) == opening_ssthresh_packets(scenario(tcp=tcp))
