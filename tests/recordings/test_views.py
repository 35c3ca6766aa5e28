"""Scenarios that describe a recorded link (views) have the synthetic recording's parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from tcpgoodput.scenario import load_scenario
from tcpgoodput.scenario.capacity.trace import read_capacity_trace
from tcpgoodput.studies.recordings.facts import facts_of
from tcpgoodput.studies.recordings.recording import PACKET_BITS, Recording
from tcpgoodput.studies.recordings.views import (
    Missing,
    View,
    capacity_csv,
    identifier,
    scenario_yaml,
    views_of,
)
from tests.recordings.made import of_counts, of_rate


def seen(recording: Recording) -> dict[str, View | Missing]:
    facts = facts_of(recording, round_trip_s=0.04, silence_s=0.2, bin_s=0.02)
    return {view.name: view for view in views_of(facts, "first half")}


def with_silences(count: int, length_ms: int, every_ms: int) -> Recording:
    counts = np.ones((count, every_ms))
    counts[:, -length_ms:] = 0
    return of_counts(counts.ravel())


def test_silences_become_spikes_with_the_rate_between_them() -> None:
    view = seen(with_silences(50, 400, 2000))["spikes"]
    assert isinstance(view, View)
    scenario = view.scenario
    assert scenario.spikes is not None
    assert scenario.spikes.interval.distribution == "constant"
    assert scenario.spikes.interval.mean_s == pytest.approx(2)
    assert scenario.spikes.duration.mean_s == pytest.approx(0.401)
    assert scenario.path.rate_bps == pytest.approx(1600 * PACKET_BITS / 1.599, rel=1e-5)
    held = scenario.path.rate_bps * (1 - 0.401 / 2)
    assert held == pytest.approx(1600 * PACKET_BITS / 2, rel=1e-5)


def test_a_rate_that_varies_has_the_mean_and_deviation_of_its_view() -> None:
    rng = np.random.default_rng(1)
    rate = np.repeat(rng.uniform(1, 3, 2000), 200)
    view = seen(of_rate(rate))["ar1"]
    assert isinstance(view, View)
    capacity = view.scenario.capacity
    assert capacity is not None
    assert capacity.min_bps == pytest.approx(12e6, rel=0.1)  # type: ignore[union-attr]
    assert capacity.max_bps == pytest.approx(36e6, rel=0.1)  # type: ignore[union-attr]


def test_missing_views_have_a_reason() -> None:
    views = seen(of_counts(np.ones(60_000)))
    assert "0 silences" in str(getattr(views["spikes"], "reason", ""))
    assert "--delay" in str(getattr(views["handoffs"], "reason", ""))
    assert isinstance(views["ar1"], Missing)
    assert isinstance(views["mean"], View)


def test_hand_offs_become_a_view_with_delay_steps() -> None:
    delays_s = np.full(9000, 0.02)
    delays_s[3500:5000] = 0.03
    delays_s[500::1500] = 0.1
    view = seen(of_counts(np.full(90_000, 2), delays_s))["handoffs"]
    assert isinstance(view, View)
    handoffs = view.scenario.handoffs
    assert handoffs is not None
    assert handoffs.interval_s == 15
    assert handoffs.late_s == pytest.approx(0.08)
    assert handoffs.packets == 160  # the packets of 80 ms, 2 per ms, are late
    assert handoffs.delay_steps_s == pytest.approx([0.02, 0.02, 0.02, 0.03, 0.02, 0.02, 0.02])


def test_a_views_file_is_its_scenario_with_commented_numbers(tmp_path: Path) -> None:
    for view in seen(with_silences(50, 400, 2000)).values():
        if isinstance(view, Missing):
            continue
        file = tmp_path / f"{view.name}.yaml"
        file.write_text(scenario_yaml(view, "From a test."), encoding="utf-8")
        assert load_scenario(file) == view.scenario
        assert yaml.safe_load(file.read_text(encoding="utf-8")) == view.content
        comments = " ".join(
            line.strip().removeprefix("# ")
            for line in file.read_text(encoding="utf-8").splitlines()
            if line.strip().startswith("#")
        )
        assert all(reason in comments for reason in view.derived.values())


@pytest.mark.parametrize("bin_s", [0.02, 0.033, 1.0])
def test_a_capacity_file_carries_the_recorded_packets(tmp_path: Path, bin_s: float) -> None:
    recording = of_rate(np.full(10_007, 0.8))
    file = tmp_path / "capacity.csv"
    file.write_text("".join(capacity_csv(*recording.rates(bin_s))), encoding="utf-8")
    times, rates = read_capacity_trace(file)
    assert times[-1] == recording.length_s
    carried = rates[:-1] @ np.diff(times) / PACKET_BITS
    assert carried == pytest.approx(recording.packets, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "message"), [("Verizon_3G.down", "verizon-3g-down"), ("日本", "recording"), ("a", "a")]
)
def test_any_name_gives_a_valid_id(name: str, message: str) -> None:
    assert identifier(name) == message
