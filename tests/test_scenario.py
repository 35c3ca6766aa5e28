"""Scenarios: display with defaults, controls, warnings, changes of keys, random streams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.configuration import parse, validated
from tcpgoodput.scenario import Scenario, override, random_stream
from tcpgoodput.scenario.content import shown
from tcpgoodput.scenario.controls import every, unit_of
from tcpgoodput.scenario.plausibility import ignored_rules
from tests.scenarios import scenario

lengths = st.floats(1e-3, 1e4)
laws = st.one_of(
    st.builds(lambda m: {"distribution": "constant", "mean_s": m}, lengths),
    st.builds(lambda m: {"distribution": "exponential", "mean_s": m}, lengths),
    st.builds(
        lambda m, s: {"distribution": "pareto", "mean_s": m, "shape": s},
        lengths,
        st.floats(1.01, 9),
    ),
    st.builds(
        lambda a, b: {"distribution": "uniform", "low_s": min(a, b), "high_s": max(a, b)},
        lengths,
        lengths,
    ),
)
# Random titles have no dollar signs, because text between dollar signs must be valid mathematics.
titles = st.text(st.characters(exclude_characters="$"), min_size=1, max_size=60).filter(
    lambda t: all(c.isprintable() or c in "\t\n" for c in t)
)


@given(st.floats(1e-6, 0.9), laws, laws, titles)
def test_a_shown_scenario_is_read_as_the_same_scenario(
    p: float, interval: dict[str, object], duration: dict[str, object], title: str
) -> None:
    original = scenario(
        title=title,
        loss={"process": "bernoulli", "probability": p},
        spikes={"interval": interval, "duration": duration},
    )
    again = validated(Scenario, parse(shown(original), "shown"))
    assert again == original


def test_override_changes_one_key_and_nothing_else() -> None:
    base = scenario()
    changed = override(base, {"path.rate_bps": 5e6, "tcp.rto.min_s": 1})
    assert changed.path.rate_bps == 5e6
    assert changed.tcp.rto.min_s == 1
    assert override(changed, {"path.rate_bps": 1e9, "tcp.rto.min_s": 0.2}) == base


def test_a_stack_sets_only_keys_that_the_scenario_does_not_set() -> None:
    stated = {"initial_s": 3.0, "max_s": 64, "tick_s": 0.01, "floor": "timeout"}
    timeout = override(scenario(tcp={"rto": stated}), {"tcp.stack": "linux-6.18"}).tcp.rto
    assert timeout.model_dump(include=set(stated)) == stated
    default = override(scenario(), {"tcp.stack": "linux-6.18"}).tcp.rto
    assert (default.initial_s, default.max_s, default.floor) == (1.0, 120, "variation")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"path.rate_kbps": 1}, "did you mean rate_bps"),
        ({"spikes.interval.mean_s": 1}, "no spikes"),
        ({"loss": {"process": "bernoulli", "probability": 2}}, "per cent"),
    ],
)
def test_override_refuses_invalid_changes(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        override(scenario(), changes)


def test_random_streams_depend_on_content_not_on_names() -> None:
    def draw(**parts: object) -> float:
        return random_stream(scenario(**parts), 1, 0).random()

    assert draw() == draw(id="another", title="Another")
    assert draw() != draw(path={"rate_bps": 2e9})
    base = scenario()
    streams = {random_stream(base, seed, k).random() for seed in (1, 2) for k in range(5)}
    assert len(streams) == 10


@pytest.mark.parametrize("name", ["-5", "5", "-", "5-5", "--1e3", "-0x1f", "-a", "null", "-inf"])
def test_a_shown_name_that_looks_like_a_number_stays_a_text(name: str) -> None:
    original = scenario(id=name)
    assert validated(Scenario, parse(shown(original), "shown")) == original


def test_a_distance_has_metres_and_both_traces_are_fixed() -> None:
    found = {control["key"]: control for control in every()}
    assert found["capacity.coherence_distance_m"]["unit"] == unit_of("x_m") == "m"
    assert found["capacity.speed_mps"]["unit"] == "m/s"
    assert {key for key, one in found.items() if one["kind"] == "fixed"} == {
        "id",
        "capacity.file",
        "delay.file",
    }


@pytest.mark.parametrize(
    ("keys", "sender"),
    [
        ({}, None),
        ({"growth": "packets"}, "a sender of today"),
        ({"stack": "linux-6.18"}, "linux-6.18"),
    ],
)
def test_a_newreno_with_a_key_of_todays_senders_ignores_the_rules_of_rfc_6582(
    keys: dict[str, str], sender: str | None
) -> None:
    tcp = scenario(tcp={"recovery": "slow-but-steady", **keys}).tcp
    assert tcp.is_todays == (sender is not None)
    found = [doubt.message for doubt in ignored_rules(tcp)]
    assert len(found) == (sender is not None)
    assert all(f"and {sender} ignores it" in message for message in found)
