"""Keys of a scenario that are set on the command line are checked like keys in a file.

Messages name the key.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import pytest
import yaml

import tcpgoodput
from tcpgoodput.configuration import ConfigurationError, Problem, parse
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.files import scenario_request
from tests.scenarios import PLAIN, scenario


def changed(*changes: str, **parts: Any) -> Scenario:
    return scenario_request(parse(yaml.safe_dump({**PLAIN, **parts}), "s.yaml"), changes).scenario


def refusals(*changes: str, **parts: Any) -> list[Problem]:
    with pytest.raises(ConfigurationError) as refusal:
        changed(*changes, **parts)
    return refusal.value.problems


def test_set_changes_keys_as_in_the_file() -> None:
    found = changed(
        "loss.probability=0.01",
        "loss.process=bernoulli",
        "tcp.variant=sack",
        "tcp.rto.min_s=1",
        "path.rate_bps=2e6",
        "path.buffer_packets=20",
    )
    parts = {
        "loss": {"process": "bernoulli", "probability": 0.01},
        "tcp": {**PLAIN["tcp"], "variant": "sack", "rto": {"min_s": 1.0}},
        "path": {**PLAIN["path"], "rate_bps": 2e6, "buffer_packets": 20},
    }
    assert found == Scenario.model_validate({**PLAIN, **parts})


def test_set_creates_an_absent_or_null_part() -> None:
    changes = ("handoffs.interval_s=15", "handoffs.packets=8", "handoffs.fate=lost")
    for parts in ({}, {"handoffs": None}):
        handoffs = changed(*changes, **parts).handoffs
        assert handoffs is not None
        assert (handoffs.interval_s, handoffs.packets) == (15, 8)


def test_set_replaces_or_removes_a_whole_part() -> None:
    loss = changed("loss={process: bernoulli, probability: 0.01}").loss
    assert loss.process == "bernoulli"
    spikes = {"interval": {"distribution": "constant", "mean_s": 9.0}}
    spikes["duration"] = {"distribution": "constant", "mean_s": 1.0}
    assert changed("spikes=null", spikes=spikes).spikes is None
    assert changed("handoffs.delay_steps_s=[0.1, 0.2]", handoffs=HANDOFFS).handoffs


HANDOFFS = {"interval_s": 15, "packets": 8, "fate": "lost"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("tcp.variant=sakc", "is 'sakc'; did you mean sack?"),
        ("loss={process: bernoulli, probability: 2}", "is 2 but must be less than 1"),
        ("loss.probability=0.01", "needs the key process (allowed: none, bernoulli, periodic, gil"),
        ("path.rtt_s=0.55", "the round trip is the sum of forward_delay_s and backward_delay_s"),
        ("tcp.variant=SACK", "is 'SACK'; did you mean sack?"),
        ("id=My Link", "must match ^[a-z0-9-]+$; did you mean my-link?"),
        ("path.rate=20", "did you mean rate_bps: 20?"),
        ("path.rate_mbps=20", "did you mean rate_bps: 2e7?"),
        ("path.rate_bps=fast", "is 'fast' but must be a number"),
        ("path.rate_bps=20 Mbit/s", "did you mean 2e7?"),
        ("path.rate_bps=1,5e7", "did you mean 1.5e7?"),
        ("path={rate_bps: 1,5e7, forward_delay_s: 0, backward_delay_s: 1}", "rate_bps: 1.5e7"),
        ("path.rate_bps=.inf", "a finite number is needed"),
        ("path.rate_bps", "must be KEY=VALUE"),
        ("=3", "must be KEY=VALUE"),
        ("path..rate_bps=3", "must be KEY=VALUE"),
        ("path.rate_bps=", "needs a value"),
        ("path.rate_bps={", "not YAML"),
        ("path.rate_bps=!!int 3", "tags are not allowed"),
        ("tcp.variant.x=3", "tcp.variant is 'newreno', which has no keys"),
        ("tpc.variant=sack", "did you mean tcp?"),
    ],
)
def test_an_error_of_a_change_names_the_change(change: str, message: str) -> None:
    (problem,) = refusals(change)
    assert (problem.file, problem.line) == (f"--set {change}", 0)
    assert message in problem.message


def test_an_error_caused_by_a_change_is_not_reported_for_the_file() -> None:
    capacity = {"process": "sinusoid", "min_bps": 1e5, "max_bps": 2e5, "frequency_hz": 1.0}
    (problem,) = refusals("path.rate_bps=1e5", capacity=capacity)
    assert problem.file == "--set path.rate_bps=1e5"
    assert "above path.rate_bps" in problem.message
    (problem,) = refusals("path.rate_bps=1e5", "capacity.min_bps=9e4", capacity=capacity)
    assert problem.file == "--set path.rate_bps=1e5 --set capacity.min_bps=9e4"
    (problem,) = refusals("capacity.max_bps=1e12", capacity=capacity)
    assert problem.file == "--set capacity.max_bps=1e12"
    loss = {"process": "bernoulli", "probability": 0.01}
    problems = refusals("loss.process=gilbert-elliott", loss=loss)
    assert {p.file for p in problems} == {"--set loss.process=gilbert-elliott"}
    assert not any("did you mean loss.probability" in p.message for p in problems)


def test_an_error_of_the_file_is_reported_for_the_file() -> None:
    tcp = {**PLAIN["tcp"], "variant": "sakc"}
    (problem,) = refusals("path.rate_bps=1e6", tcp=tcp)
    assert problem.file == "s.yaml"
    assert problem.line > 0
    assert changed("tcp.variant=sack", tcp=tcp).tcp.variant == "sack"


def test_setting_a_key_twice_is_refused() -> None:
    (problem,) = refusals("path.rate_bps=1e6", "path.rate_bps=2e6")
    assert "is set already: --set path.rate_bps=1e6" in problem.message


SPIKES = {
    "interval": {"distribution": "constant", "mean_s": 9.0},
    "duration": {"distribution": "constant", "mean_s": 1.0},
}


@pytest.mark.parametrize(
    ("change", "parts", "needed"),
    [
        ("loss.probability=0.01", {}, "loss.process=bernoulli"),
        ("loss.probability=0.01", {"loss": {"process": "none"}}, "process: bernoulli"),
        ("loss={process: gilbert-elliott, good_to_bad: 0.1}", {}, "loss.bad_to_good="),
        ("loss.good_to_bad=0.02", {}, "loss.bad_to_good="),
        ("loss.process=gilbert-elliott", {}, "loss.bad_to_good="),
        ("spikes.duration.mean_s=0.5", {}, "interval={distribution: exponential"),
        ("spikes.interval.p01=0.3", {}, "distribution: markov-exponential"),
        ("spikes.duration.low_s=1", {}, "distribution: uniform"),
        ("spikes.duration.shape=1.2", {"spikes": SPIKES}, "distribution: pareto"),
        ("handoffs.late_s=0.1", {}, "fate: late"),
        ("handoffs.fate=lost", {}, "handoffs.interval_s="),
        ("capacity.min_bps=1e5", {}, "max_bps: "),
        ("capacity.coherence_s=2", {}, "process: ar1"),
        ("capacity.speed_mps=2", {}, "process: shadowing"),
        ("capacity.process=square", {}, "frequency_hz: "),
    ],
)
def test_a_part_without_its_keys_is_answered_by_a_change_that_works(
    change: str, parts: dict[str, Any], needed: str
) -> None:
    problem = refusals(change, **parts)[-1].message
    _, arguments = problem.split("a complete change is, for example: ")
    assert needed in arguments.replace("'", "")
    words = shlex.split(arguments)
    assert set(words[::2]) == {"--set"}
    found = changed(*words[1::2], **parts)
    key, value = change.split("=")
    if value.startswith("{"):
        return
    stated: Any = found.stated()
    for step in key.split("."):
        stated = stated[step]
    assert str(stated) == str(yaml.safe_load(value)) or float(stated) == float(value)


@pytest.mark.parametrize("change", [override, tcpgoodput.load])
def test_the_values_that_are_given_stay_as_they_are(
    change: Callable[[Scenario, dict[str, Any]], Scenario],
) -> None:
    loss = {"process": "bernoulli", "probability": 0.01}
    found = change(scenario(), {"loss": loss, "loss.probability": 0.02})
    assert (found.loss.lost_share, loss["probability"]) == (0.02, 0.01)


def test_a_number_in_place_of_a_list_is_shown_as_one() -> None:
    problems = refusals("handoffs.delay_steps_s=0.1", handoffs=HANDOFFS)
    assert problems[-1].message == "is 0.1 but must be a list, such as [0.1]"


def test_a_wrong_value_is_not_completed() -> None:
    assert "for example:" not in refusals("loss.probability=1.5")[-1].message


@pytest.mark.parametrize(
    ("change", "variant"), [("tcp.ca_increment=floor", "bbr"), ("tcp.dsack=true", "reno")]
)
def test_no_other_sender_is_suggested(change: str, variant: str) -> None:
    """A sender that allows the key would not be the stated one, and would lose its other keys."""
    assert "for example:" not in refusals(change, tcp={"variant": variant})[-1].message


def test_changes_in_python_are_completed_as_a_dict() -> None:
    with pytest.raises(ConfigurationError, match=r"'loss.process': 'bernoulli'"):
        tcpgoodput.load(PLAIN, {"loss.probability": 0.01})
