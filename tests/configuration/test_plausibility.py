"""Implausible values, probably in a wrong unit, give a warning; the shipped files give none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tcpgoodput.configuration import read
from tcpgoodput.project.settings import check_document
from tcpgoodput.scenario.plausibility import doubts, ignored_rules
from tests.scenarios import PLAIN, scenario

ROOT = Path(__file__).parents[2]

LINK = {**PLAIN["path"], "rate_bps": 2e7}


def constant(mean_s: float) -> dict[str, Any]:
    return {"distribution": "constant", "mean_s": mean_s}


SHADOWING = {"process": "shadowing", "peak_bps": 1e6, "mean_bps": 5e5, "speed_mps": 1.0}
CARRIER = {"process": "sinusoid", "min_bps": 1e5, "max_bps": 1e6, "frequency_hz": 9e8}
HANDOFFS = {"interval_s": 15, "packets": 8, "fate": "lost"}
BURSTS = {"process": "gilbert-elliott", "good_to_bad": 0.4, "bad_to_good": 0.1}
HALF = {"process": "bernoulli", "probability": 0.5}


SLIPS: list[tuple[dict[str, Any], str, float | None, str]] = [
    (
        {"path": {"forward_delay_s": 30}},
        "forward_delay_s",
        0.03,
        "is 30 s; did you mean 0.03 (30 ms)?",
    ),
    ({"path": {"backward_delay_s": 30}}, "backward_delay_s", 0.03, "30 ms"),
    ({"path": {"rate_bps": 20}}, "rate_bps", 2e7, "did you mean 2e7 (20 Mbit/s)?"),
    ({"path": {"rate_bps": 1e14}}, "rate_bps", 1e8, "is 100 Tbit/s; did you mean 1e8?"),
    ({"path": {**LINK, "buffer_packets": 150_000}}, "buffer_packets", 150, "150000 bytes"),
    ({"tcp": {"mss_bytes": 1}}, "mss_bytes", None, "is 1 byte;"),
    ({"tcp": {"mss_bytes": 11584}}, "mss_bytes", 1448, "11584 bits"),
    ({"tcp": {"header_bytes": 320}}, "header_bytes", 40, "320 bits"),
    ({"path": LINK, "tcp": {"max_window_packets": 65_535}}, "max_window_packets", 66, "bytes"),
    ({"tcp": {"initial_window_packets": 4380}}, "initial_window_packets", 4, "4380 bytes"),
    ({"tcp": {"delayed_ack_timeout_s": 100}}, "delayed_ack_timeout_s", 0.1, "100 ms"),
    ({"tcp": {"rto": {"tick_s": 10}}}, "tick_s", 0.01, "10 ms"),
    ({"tcp": {"rto": {"fixed_s": 200}}}, "fixed_s", 0.2, "200 ms"),
    ({"tcp": {"rto": {"max_s": 60_000}}}, "max_s", 60, "60000 ms"),
    ({"tcp": {"transfer_packets": 10**12}}, "transfer_packets", 1e9, "bytes"),
    ({"loss": HALF}, "probability", 0.005, "0.5 is 50 %; did you mean 0.005 (0.5 %)?"),
    ({"loss": BURSTS}, "good_to_bad", 0.1, "bad 80 % of the time"),
    ({"spikes": {"interval": constant(30), "duration": constant(500)}}, "mean_s", 0.5, "500 ms"),
    ({"handoffs": {**HANDOFFS, "interval_s": 15_000}}, "interval_s", 15, "15000 ms"),
    ({"handoffs": {**HANDOFFS, "interval_s": 0.01}}, "interval_s", None, "less than a round trip"),
    ({"handoffs": {**HANDOFFS, "fate": "late", "late_s": 200}}, "late_s", 0.2, "200 ms"),
    ({"capacity": {**SHADOWING, "speed_mps": 120}}, "speed_mps", 33.3, "120 km/h"),
    ({"capacity": {**SHADOWING, "sigma_db": 40}}, "sigma_db", None, "40 dB"),
    ({"capacity": CARRIER}, "frequency_hz", None, "not the carrier's"),
]


@pytest.mark.parametrize(("parts", "key", "guess", "words"), SLIPS)
def test_a_value_in_a_wrong_unit_gets_a_suggestion(
    parts: dict[str, Any], key: str, guess: float | None, words: str
) -> None:
    (doubt,) = doubts(scenario(**parts))
    assert doubt.key[-1] == key
    assert doubt.guess == (None if guess is None else pytest.approx(guess))
    assert words in doubt.message


@pytest.mark.parametrize(
    "file", ["config/config.yaml", "config/test/config.yaml", "config/comparison.yaml"]
)
def test_shipped_files_cause_no_warning(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert check_document(read(file)).suspects == []


def test_a_warning_names_the_line_of_a_figures_base_scenario(tmp_path: Path) -> None:
    file = tmp_path / "mathis.yaml"
    text = (ROOT / "config/test/figures/mathis.yaml").read_text(encoding="utf-8")
    assert "forward_delay_s: 0.05" in text
    file.write_text(text.replace("forward_delay_s: 0.05", "forward_delay_s: 50", 1), "utf-8")
    (tmp_path / "style.yaml").write_bytes((ROOT / "config/style.yaml").read_bytes())
    (suspect,) = check_document(read(file)).suspects
    assert suspect.place.key.endswith("path.forward_delay_s")
    assert suspect.place.line > 0


@pytest.mark.parametrize(
    ("part", "rows", "words"),
    [
        ("capacity", "0,10\n0.5,2\n1,0", ["did you mean 10 Mbit/s?"]),
        ("capacity", "0,5e6\n1,4e6\n2,0", []),
        ("capacity", "0,5e6\n1,4e6\n2,5e6", []),
        ("capacity", "0,5e6\n1,4e6\n2,9e6", ["a row for its end, such as 3,0"]),
        ("capacity", "0,5e6\n1000,4e6\n2000,0", ["did you mean 1000 ms?"]),
        ("capacity", "0,3000\n1,4000\n2,0", ["has at most 4000 bit/s, but path.rate_bps is"]),
        ("capacity", "0,5.1e6\n1,4e6\n2,0", ["up to 5.1e6 bit/s, above path.rate_bps (5e6)"]),
        ("delay", "0,30\n1,40\n2,0", ["did you mean 35 ms?"]),
        ("delay", "0,0.03\n1,0.04\n2,0.05", ["its delay_s of 0.05 is not used"]),
        ("delay", "0,0.03\n1,3\n2,0.03\n3,0.03\n4,0", []),
    ],
)
def test_an_implausible_trace_causes_a_warning(
    tmp_path: Path, part: str, rows: str, words: list[str]
) -> None:
    column = {"capacity": "capacity_bps", "delay": "delay_s"}[part]
    (tmp_path / "t.csv").write_text(f"time_s,{column}\n{rows}\n", encoding="utf-8")
    process = {"process": "trace"} if part == "capacity" else {}
    traced = {part: {**process, "file": str(tmp_path / "t.csv")}}
    found = doubts(scenario(path={"rate_bps": 5e6}, **traced))
    assert [doubt.key for doubt in found] == [(part, "file")] * len(words)
    assert all(word in doubt.message for word, doubt in zip(words, found, strict=True))


@pytest.mark.parametrize(
    ("tcp", "sender"),
    [
        ({"variant": "sack"}, "sack"),
        ({"variant": "cubic"}, "cubic"),
        ({"variant": "tahoe"}, "tahoe"),
        ({"variant": "bbr", "stack": "linux-6.18"}, "bbr"),
        ({"variant": "newreno", "stack": "linux-6.18"}, "linux-6.18"),
    ],
)
def test_a_rule_of_newreno_is_named_that_the_sender_ignores(
    tcp: dict[str, Any], sender: str
) -> None:
    rules = {"recovery": "slow-but-steady", "partial_window_deflation": "ssthresh"}
    found = list(ignored_rules(scenario(tcp={**tcp, **rules}).tcp))
    assert [doubt.key for doubt in found] == [("tcp", name) for name in rules]
    assert all(f"and {sender} ignores it" in doubt.message for doubt in found)
    defaults = {"recovery": "impatient", "partial_window_deflation": "deflated"}
    assert not list(ignored_rules(scenario(tcp={**tcp, **defaults}).tcp))


def test_newreno_has_its_own_rules() -> None:
    rules = {"recovery": "slow-but-steady", "partial_window_deflation": "ssthresh"}
    tcp = {"variant": "newreno", **rules, "full_ack_window": "flight"}
    assert not list(ignored_rules(scenario(tcp=tcp).tcp))


def test_an_ignored_rule_is_a_warning_with_file_line_and_key(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    text = yaml.safe_dump(
        {**PLAIN, "tcp": {**PLAIN["tcp"], "variant": "sack", "recovery": "slow-but-steady"}}
    )
    file.write_text(text, encoding="utf-8")
    (found,) = check_document(read(file)).suspects
    line = 1 + next(n for n, one in enumerate(text.splitlines()) if "recovery" in one)
    assert str(found).startswith(f"warning: {file}:{line}: tcp.recovery: is a rule of RFC 6582")
