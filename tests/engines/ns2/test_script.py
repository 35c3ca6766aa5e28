"""Scripts for ns-2 equal the stored ones, and their links carry the scenario's capacity."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.engines.ns2 import script as rates
from tcpgoodput.engines.ns2.script import Script, script
from tcpgoodput.engines.path_schedule import CapacitySteps, capacity_in_steps
from tests.engines.ns2.scenarios import CAPACITY_AS, PLAN, SCENARIOS, SINUSOID
from tests.scenarios import scenario

SCRIPTS = Path(__file__).with_name("scripts")
TEMPLATE = files("tcpgoodput.engines.ns2").joinpath("connection.tcl").read_text(encoding="utf-8")


def written(name: str) -> Script:
    form = CAPACITY_AS.get(name, "link")
    return script(SCENARIOS[name], np.random.default_rng(1), PLAN, capacity_as=form)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_script_consists_of_settings_and_template(name: str) -> None:
    settings = (SCRIPTS / f"{name}.tcl").read_text(encoding="utf-8")
    assert written(name).text == settings + TEMPLATE


def test_cross_traffic_takes_what_the_capacity_leaves_of_the_rate() -> None:
    text = written("cross_traffic").text
    listed = text.split("set capacity {", 1)[1].split("}", 1)[0].split()
    rates = np.array(listed[1::2], float)
    assert rates.min() == pytest.approx(0, abs=50)
    assert rates.max() == pytest.approx(1e5 - 2e4, abs=50)
    # The mean capacity is 60 of 100 kbit/s; packets of the cross-traffic have 400 bits.
    end_s = written("cross_traffic").end_s
    assert written("cross_traffic").cross_packets == pytest.approx(4e4 / 400 * end_s)
    assert written("capacity").cross_packets == 0


def test_given_lost_transmissions_replace_the_loss_process() -> None:
    text = script(scenario(), np.random.default_rng(1), PLAN, lose=(3, 4)).text
    assert "set drops {3 4}\n" in text
    assert " loss packets " in text


def test_a_packet_is_served_for_the_integral_of_the_capacity() -> None:
    steps = CapacitySteps(np.array([0.0, 1.0, 3.0]), np.array([1000.0, 0.0, 500.0]), 4.0)
    times, bandwidths = rates.service_rates(steps, 400)
    assert (np.diff(times) > 0).all()
    fine = np.linspace(0, 12, 120_001)
    level = steps.rates_bps[np.searchsorted(steps.times_s, fine[:-1] % 4, side="right") - 1]
    carried = np.append(0, np.cumsum(level * np.diff(fine)))
    for start in (0.1, 0.65, 0.9, 1.5, 2.5, 3.1, 3.5):
        ends = np.interp(np.interp(start, fine, carried) + 400, carried, fine)
        bandwidth = bandwidths[np.searchsorted(times, start, side="right") - 1]
        assert 400 / bandwidth == pytest.approx(ends - start, abs=0.07)


@pytest.mark.parametrize("frequency", [0.1, 2, 15])
def test_a_busy_server_carries_the_mean_capacity(frequency: float) -> None:
    capacity = {**SINUSOID, "frequency_hz": frequency}
    one = scenario(path={"rate_bps": 1e5}, capacity=capacity)
    steps = capacity_in_steps(one, np.random.default_rng(2), 1000.0)
    times, bandwidths = rates.service_rates(steps, one.packet_bits)
    now, packets = 0.0, 0
    while now < 1000:
        at = np.searchsorted(times, now % steps.period_s, side="right") - 1
        now += one.packet_bits / bandwidths[at]
        packets += 1
    assert packets * one.packet_bits / now == pytest.approx(6e4, rel=0.005)
