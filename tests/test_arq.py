"""The keys of links that retransmit (`arq`): what is refused, and what changes no digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import tcpgoodput
from tcpgoodput.comparison.requests import ablations
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.configuration.documentation import documented_keys
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.scenario import Scenario, load_scenario
from tcpgoodput.scenario.content import content_of
from tcpgoodput.scenario.physics import IMPAIRMENTS, impairments
from tcpgoodput.scenario.plausibility import doubts
from tests.folders import ROOT
from tests.scenarios import scenario
from tests.shipped import comparison

CHANNEL = {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.3}
WIFI = {"error": 0.3, "attempts": 7}


def test_a_link_without_errors_has_the_content_of_one_without_arq() -> None:
    plain = content_of(scenario())
    assert "arq" not in plain
    never = {**CHANNEL, "good_to_bad": 0.0}
    for error in (0, 0.0, never):
        assert content_of(scenario(arq={"error": error, "attempts": 4})) == plain
        assert not impairments(scenario(arq={"error": error, "attempts": 4}))
    assert content_of(scenario(arq=WIFI)) != plain
    assert content_of(scenario(arq=WIFI)) != content_of(scenario(arq={**WIFI, "attempts": 4}))
    assert impairments(scenario(arq=WIFI)) == {"link retransmission"} <= IMPAIRMENTS


def test_the_share_of_errors_is_the_probability_or_that_of_the_bad_state() -> None:
    assert scenario(arq=WIFI).arq.error_share == 0.3
    assert scenario(arq={**WIFI, "error": CHANNEL}).arq.error_share == pytest.approx(0.01 / 0.31)


def test_the_link_can_be_taken_away() -> None:
    assert ablations(scenario(arq=WIFI))["link retransmission"].arq is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"error": 1}, "arq.error: is 1: every attempt fails and nothing is delivered"),
        ({"error": 30}, "probabilities are in [0, 1], never per cent"),
        ({"error": "10%"}, "did you mean 0.1?"),
        ({"attempts": 0}, "arq.attempts: is 0: the link would send nothing"),
        ({"attempts": 1.5}, "arq.attempts: is 1.5 but must be a whole number"),
        ({"turnaround_s": 0.25}, "timeout (tcp.rto.min_s and the round trip, 0.2 s"),
        ({"delivery": "unordered"}, "(allowed: in-order, as-it-comes)"),
        ({"error": {**CHANNEL, "place": "after"}}, "arq.error.place: belongs to loss"),
        ({"error": {"process": "bernoulli"}}, "arq.error: must be a number for independent errors"),
        (
            {"error": {"process": "bernoulli", "probability": 0.1}},
            "such as error: 0.1, or a channel",
        ),
        ({"error": {"probability": 0.1}}, "such as error: 0.1, or a channel"),
    ],
)
@pytest.mark.parametrize("variant", ["sack", "bbr"])
def test_bad_links_are_refused_with_line_and_key(
    tmp_path: Path, changes: dict[str, Any], message: str, variant: str
) -> None:
    data = scenario(tcp={"variant": variant}).stated() | {"arq": {**WIFI, **changes}}
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(ConfigurationError) as error:
        load_scenario(file)
    (problem,) = error.value.problems
    assert message in str(problem)
    assert problem.line


@pytest.mark.parametrize(
    ("tcp", "path", "most_s"),
    [
        ({}, {}, 0.2),
        ({}, {"forward_delay_s": 0.3}, 0.35),  # RFC 6298: srtt, and more for its variation
        ({"stack": "linux-6.18"}, {}, 0.3),  # tcp_rtt_estimator: srtt and at least 0.2 s
        ({"stack": "linux-6.18", "rto": {"fixed_s": 0.15}}, {}, 0.15),
    ],
)
def test_a_repetition_takes_no_longer_than_the_shortest_timeout(
    tcp: dict[str, Any], path: dict[str, Any], most_s: float
) -> None:
    def repeating(turnaround_s: float) -> Scenario:
        arq = {**WIFI, "turnaround_s": turnaround_s}
        return scenario(tcp={"variant": "sack", **tcp}, path=path, arq=arq)

    assert repeating(most_s - 0.001).shortest_timeout_s == pytest.approx(most_s)
    with pytest.raises(ValueError, match="longer than the sender's shortest timeout"):
        repeating(most_s + 0.001)


def test_the_channel_of_errors_has_no_place(tmp_path: Path) -> None:
    keys = [one.key for one in documented_keys(Scenario)]
    assert "loss (gilbert-elliott).place" in keys
    assert "arq.error (gilbert-elliott).clock" in keys
    assert "arq.error (gilbert-elliott).place" not in keys
    assert "place" not in str(scenario(arq={**WIFI, "error": CHANNEL}).arq)


@pytest.mark.parametrize("engine", ["ns2", "linux"])
def test_the_reference_implementations_refuse_the_link_in_a_line(engine: str) -> None:
    refusal = str(REFEREES[engine].refusal(scenario(arq=WIFI)))
    assert "arq" in refusal
    assert "\n" not in refusal


def test_a_link_that_mostly_fails_is_doubted_as_a_path_that_mostly_loses() -> None:
    errors = {**CHANNEL, "good_to_bad": 0.9, "bad_to_good": 0.1}
    (doubt,) = doubts(scenario(arq={**WIFI, "error": errors}))
    assert doubt.key == ("arq", "error", "good_to_bad")
    assert doubt.guess == 0.1
    assert "bad 90 % of the time" in doubt.message
    assert not doubts(scenario(arq={**WIFI, "error": CHANNEL}))


LINKS = sorted((ROOT / "config/scenarios").glob("s2[1-4]-*.yaml"))


@pytest.mark.parametrize("file", LINKS, ids=lambda file: file.stem)
def test_todays_links_are_plausible(file: Path) -> None:
    link = load_scenario(file)
    assert link.id == file.stem
    assert not doubts(link)


def test_todays_links_are_compared_with_newreno_cubic_and_bbr() -> None:
    for file in LINKS:
        rows = comparison().rows(file.stem).values()
        assert {row.tcp.variant for row in rows} == {"newreno", "cubic", "bbr"}
    assert len(LINKS) == 4


def test_bbr_uses_nine_tenths_of_a_lossy_path_and_cubic_a_seventieth() -> None:
    """C (1 - p)² is 0.95 of what the payload can use; sqrt(1.5/p)/R is 122 of 8333 packets/s."""
    file = ROOT / "config/scenarios/s02-independent-1e-2.yaml"
    stack = {"tcp.stack": "linux-6.18"}
    bbr = tcpgoodput.load(file, {"tcp.variant": "bbr", **stack})
    cubic = tcpgoodput.load(file, {"tcp.variant": "cubic", **stack})
    (high,) = tcpgoodput.predict(bbr, "bbr.random_loss")["utilisation"]
    (low,) = tcpgoodput.predict(cubic, "cubic")["utilisation"]
    assert high == pytest.approx(0.95, abs=0.05)
    assert low == pytest.approx(1 / 70, abs=0.002)
