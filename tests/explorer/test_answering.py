"""The explorer (a web page) gets a rough answer first, and finally that of `tcpgoodput compare`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tcpgoodput.answers import Conditions
from tcpgoodput.cli.explorer.answering import BINS, answers, described, window_of
from tcpgoodput.comparison.compare import compare
from tcpgoodput.comparison.requests import ablations
from tcpgoodput.configuration import Document, read
from tcpgoodput.configuration.strict_yaml import parse
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.content import content_of
from tcpgoodput.scenario.files import ScenarioRequest
from tests.folders import ROOT
from tests.scenarios import PLAIN

HANDOFFS = {"interval_s": 2, "packets": 1, "fate": "late", "late_s": 0.2}
TCP = {**PLAIN["tcp"], "variant": "newreno", "max_window_packets": 100}
LATE = Scenario.model_validate({**PLAIN, "tcp": TCP, "handoffs": HANDOFFS})
LOSSY = Scenario.model_validate({**PLAIN, "loss": {"process": "bernoulli", "probability": 0.01}})


def answer_records(scenario: Scenario) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(record, allow_nan=False)) for record in answers(scenario)]


def test_intervals_become_narrower_after_the_first_measurement() -> None:
    found = [record for record in answer_records(LOSSY) if record["kind"] == "answer"]
    assert len(found) >= 2
    first, last = (found[n]["simulation"]["ci95_bps"] for n in (0, -1))
    assert last < first / 3


def test_models_are_answered_before_the_first_measurement() -> None:
    first, *_ = answers(LOSSY)
    assert first["kind"] == "models"
    assert any(model["goodput_bps"] for model in first["models"])


def test_ablation_of_hand_offs_raises_the_goodput() -> None:
    records = {record["kind"]: record for record in answer_records(LATE)}
    (row,) = records["without"]["rows"]
    assert row["without"] == "hand-offs"
    assert row["goodput_bps"] > 1.2 * records["answer"]["simulation"]["goodput_bps"]


def test_ablations_remove_only_existing_impairments() -> None:
    assert ablations(Scenario.model_validate(PLAIN)) == {}
    both = Scenario.model_validate({**LATE.model_dump(), "loss": LOSSY.loss.model_dump()})
    assert list(ablations(both)) == ["loss", "hand-offs"]
    assert ablations(both)["loss"].handoffs is not None


def test_an_impossible_measurement_is_answered_with_a_reason() -> None:
    law = {"distribution": "constant", "mean_s": 1}
    still = Scenario.model_validate({**PLAIN, "spikes": {"interval": law, "duration": law}})
    last = answer_records(still)[-1]
    assert last["simulation"] is None
    assert "nothing is delivered" in last["reason"]


def test_the_copied_yaml_is_the_same_scenario() -> None:
    record = described(ScenarioRequest(LATE, Document("late", {})))
    again = scenario_from(parse(record["yaml"], "copied"))
    assert again == LATE
    assert content_of(again) == content_of(LATE)
    assert "dupthresh" not in record["yaml"]  # keys with default values are not written


def test_marks_distinguish_late_from_lost_packets() -> None:
    simulation = compare(LATE, Conditions())["simulation"]
    marks = window_of(LATE, 1, simulation)["marks"]
    assert marks["needless repeat"]
    assert not marks["lost"]
    assert not marks["repeat"]
    lost = window_of(LOSSY, 1, compare(LOSSY, Conditions())["simulation"])["marks"]
    assert lost["lost"]
    assert lost["repeat"]


def test_a_thinned_window_keeps_minimum_and_maximum() -> None:
    from tcpgoodput.cli.explorer.answering import _thinned

    times, values = np.arange(1e5), np.random.default_rng(1).random(100_000)
    thin, kept = _thinned(times, values)
    assert thin.size <= 4 * BINS
    assert (np.diff(thin) > 0).all()
    assert {kept.min(), kept.max()} == {values.min(), values.max()}
    assert (thin[0], thin[-1]) == (0, 99_999)


def test_a_spike_has_several_timeouts_and_repeats_packets_that_are_only_late() -> None:
    """The page says so beside its question about delay spikes."""
    scenario = scenario_from(read(ROOT / "config/scenarios/s09-spikes-lossless.yaml"))
    simulation = {"measured_s": 600, "replications": 1, "loss_events": 30, "handoffs": 0}
    window = window_of(scenario, 1, simulation)
    marks, spikes = window["marks"], window["time_s"][-1] / 20  # the mean interval is 20 s
    assert not marks["lost"]
    assert len(marks["timeout"]) > 2 * spikes
    assert len(marks["needless repeat"]) > len(marks["timeout"])
