"""Comparison of ns-2 with the packet simulator, if ns-2 is installed."""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.ns2 import Ns2
from tcpgoodput.engines.ns2.process import missing, read, run
from tcpgoodput.engines.ns2.script import script
from tcpgoodput.engines.packet import Packet
from tcpgoodput.scenario import Scenario
from tests.engines.ns2.scenarios import CAPACITY_AS, PLAN, SCENARIOS
from tests.folders import ROOT
from tests.scenarios import scenario

pytestmark = pytest.mark.skipif(bool(missing()), reason=str(missing()))

DRAFT = Conditions(precision="draft")


def assert_alike(one: Scenario, replications: int, duration_s: float) -> None:
    ours, theirs = (
        engine.measure(one, DRAFT, replications=replications, duration_s=duration_s)
        for engine in (Packet(), Ns2())
    )
    widths = math.hypot(ours.half_width_pps, theirs.half_width_pps)
    assert widths < 0.05 * ours.goodput_pps
    assert abs(ours.goodput_pps - theirs.goodput_pps) <= widths


PATH = {"rate_bps": 2e6, "forward_delay_s": 0.025, "backward_delay_s": 0.025}


def test_ns2_and_simulator_agree_on_independent_losses() -> None:
    loss = {"process": "bernoulli", "probability": 0.03}
    assert_alike(scenario(tcp={"variant": "sack"}, path=PATH, loss=loss), 8, 300.0)


@pytest.mark.parametrize("fate", [{"fate": "lost"}, {"fate": "late", "late_s": 0.2}])
def test_ns2_and_simulator_agree_on_handoffs(fate: dict[str, object]) -> None:
    handoffs = {"interval_s": 4, "packets": 1, **fate}
    one = scenario(tcp={"variant": "tahoe"}, path=PATH, handoffs=handoffs)
    assert_alike(one, 8, 80.0)
    result = Ns2().measure(one, DRAFT, replications=2, duration_s=80.0)
    assert result.handoffs == result.fast_retransmits == 40


def test_ns2_and_simulator_agree_on_the_buffer() -> None:
    """ns-2 and the simulator have the same goodput with a buffer of five packets.

    The RTT is not a multiple of a packet's transmission time. Otherwise a packet could leave the
    queue exactly when another one arrives, and the order of both events would be arbitrary.
    """
    path = {"rate_bps": 4e6, "forward_delay_s": 0.0103, "backward_delay_s": 0.01}
    one = scenario(tcp={"variant": "tahoe"}, path={**path, "buffer_packets": 5})
    ours, theirs = (engine.measure(one, DRAFT, duration_s=100.0) for engine in (Packet(), Ns2()))
    assert theirs.goodput_pps == pytest.approx(ours.goodput_pps, rel=1e-3)


@pytest.mark.parametrize(
    "capacity",
    [
        {"process": "sinusoid", "min_bps": 1e6, "max_bps": 1e7, "frequency_hz": 40},
        {"process": "square", "min_bps": 1e6, "max_bps": 1e7, "frequency_hz": 3},
    ],
)
def test_cross_traffic_leaves_the_mean_capacity(capacity: dict[str, object]) -> None:
    path = {"rate_bps": 1e7, "forward_delay_s": 0.01, "backward_delay_s": 0.03}
    one = scenario(tcp={"variant": "sack", "max_window_packets": 400}, path=path, capacity=capacity)
    left = Ns2("cross-traffic").measure(one, DRAFT, replications=2, duration_s=20.0)
    assert left.goodput_pps * one.packet_bits == pytest.approx(5.5e6, rel=1e-3)


def test_both_forms_of_the_capacity_have_the_same_buffer() -> None:
    """Cross-traffic of rate 0 leaves the link as it is, with the same room for packets."""
    path = {"rate_bps": 1e7, "forward_delay_s": 0.0103, "backward_delay_s": 0.03}
    flat = {"process": "square", "min_bps": 1e7, "max_bps": 1e7, "frequency_hz": 1}
    one = scenario(tcp={"variant": "sack"}, path={**path, "buffer_packets": 12}, capacity=flat)
    link, crossed = (
        Ns2(form).measure(one, DRAFT, replications=2, duration_s=20.0)
        for form in ("link", "cross-traffic")
    )
    assert crossed.each_pps == link.each_pps
    assert crossed.retransmissions == link.retransmissions
    assert link.retransmissions


def test_ns2_transfer_takes_the_computed_time() -> None:
    one = scenario(tcp={"transfer_packets": 7})
    result = Ns2().measure(one, DRAFT)
    assert result.measured_s == pytest.approx(0.3 + 8e-6 * (1 + 1 + 4), abs=1e-6)
    assert result.packets_sent == 7 * result.replications


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_kind_of_script_runs(name: str) -> None:
    form = CAPACITY_AS.get(name, "link")
    program = script(SCENARIOS[name], np.random.default_rng(1), PLAN, capacity_as=form)
    printed = read(run(program.text, 60.0))
    assert printed.acknowledged > 0


def test_the_script_that_records_the_agreement_runs_both_simulators() -> None:
    recording = runpy.run_path(str(ROOT / "workflow" / "scripts" / "ns2" / "agreement.py"))
    case = recording["Case"]("drop-tail", "sack", measured_s=50.0, buffer=100)
    assert case.ours(0) == pytest.approx(case.ns2(0), rel=0.001)


def test_a_wide_interval_has_a_reason() -> None:
    lossy = scenario(loss={"process": "bernoulli", "probability": 0.02})
    few = Ns2().measure(lossy, Conditions(), replications=3, duration_s=20)
    assert few.half_width_pps > 0.02 * few.goodput_pps
    assert few.reason == "the interval's half-width exceeds 2 % of the goodput"
