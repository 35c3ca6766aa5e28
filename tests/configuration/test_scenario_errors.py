"""Faults of scenarios: each message has file, line, key, allowed values and the nearest name."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario import load_scenario
from tcpgoodput.scenario.capacity.trace import read_capacity_trace
from tests.scenarios import PLAIN

GOOD = """\
id: good
title: A good scenario
tcp:
  variant: sack
  mss_bytes: 1460
path:
  rate_bps: 1e7
  forward_delay_s: 0.05
  backward_delay_s: 0.05
loss: {process: none}
"""


def load(tmp_path: Path, text: str) -> str:
    file = tmp_path / "s.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_scenario(file)
    return str(caught.value).replace(str(file), "s.yaml")


def test_the_valid_scenario_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(GOOD, encoding="utf-8")
    scenario = load_scenario(file)
    assert scenario.rate_pps == pytest.approx(1e7 / 11680)
    assert scenario.tcp.rto.min_s == 0.2


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("mss_bytes: 1460", "mss_byte: 1460", ["s.yaml:5: tcp.mss_byte", "did you mean mss_bytes"]),
        ("rate_bps: 1e7", "rate_kbps: 1", ["path.rate_kbps", "did you mean rate_bps", "allowed:"]),
        ("variant: sack", "variant: sakc", ["s.yaml:4: tcp.variant", "did you mean sack"]),
        ("mss_bytes: 1460", "mss_bytes: 0", ["tcp.mss_bytes", "greater than or equal to 1"]),
        ("mss_bytes: 1460", "mss_bytes: 14.6", ["tcp.mss_bytes", "whole number"]),
        ("mss_bytes: 1460", "mss_bytes: true", ["tcp.mss_bytes", "whole number"]),
        ("mss_bytes: 1460", "mss_bytes: '1460'", ["tcp.mss_bytes", "whole number"]),
        ("rate_bps: 1e7", "rate_bps: 0", ["path.rate_bps", "greater than 0"]),
        ("rate_bps: 1e7", "rate_bps: .nan", ["path.rate_bps", "finite"]),
        ("rate_bps: 1e7", "rate_bps: 10Mbps", ["path.rate_bps", "must be a number"]),
        ("  rate_bps: 1e7\n", "", ["path.rate_bps", "required"]),
        ("id: good", "id: Not Good", ["s.yaml:1: id", "[a-z0-9-]+"]),
        ("id: good", "id: ../../etc", ["s.yaml:1: id"]),
        ("process: none", "process: bernouli, probability: 0.1", ["did you mean bernoulli"]),
        ("process: none", "process: bernoulli, probability: 5", ["loss.probability", "per cent"]),
        ("process: none", "process: bernoulli, probability: -0.1", ["loss.probability"]),
        ("process: none", "process: bernoulli, probability: 1", ["loss.probability"]),
        ("process: none", "process: bernoulli", ["loss.probability", "required"]),
        ("process: none", "probability: 0.1", ["loss: needs the key process"]),
        (
            "process: none",
            "process: bernoulli, probability: 0.1, good_to_bad: 0.1",
            ["loss.good_to_bad: unknown key; it belongs to process: gilbert-elliott"],
        ),
        ("variant: sack\n", "", ["tcp.variant: is required (allowed: oldtahoe, tahoe,"]),
        ("variant: sack", "variant: vegas",
         ["tcp.variant: is 'vegas': no such sender; the engine linux has none either (allowed: "]),
        ("variant: sack", "variant: newrno", ["did you mean newreno? (allowed: oldtahoe, tahoe,"]),
        ("loss: {process: none}", "spikes: {}", ["spikes.interval: is required, such as inter"]),
        ("process: none", "procss: none", ["loss.procss: unknown key; did you mean process?"]),
        ("process: none", "\n  process: nome", ["s.yaml:11: loss.process: is 'nome'"]),
        ("process: none", "process: null", ["loss.process: is empty (allowed: none"]),
        ("mss_bytes: 1460", "mss_bytes: 5 %", ["must be a whole number\n"]),
        (
            "process: none",
            "process: gilbert-elliott, good_to_bad: 0, bad_to_good: 0",
            ["bad_to_good is 0: the channel never recovers"],
        ),
        ("title: A good scenario", "title: [a]", ["title", "must be text"]),
        ("title: A good scenario", "title: ''", ["s.yaml:2: title: is empty but must be text\n"]),
        ("id: good", f"id: {'a' * 81}", ["id: has 81 characters but must have at most 80\n"]),
        ("loss: {process: none}", "handoffs: {interval_s: 2, packets: 1, fate: late, late_s: 1, "
         f"delay_steps_s: {[0.1] * 1001}}}",
         ["delay_steps_s: has 1001 values but must have at most 1000\n"]),
        ("loss: {process: none}", "loss: none", ["loss", "mapping"]),
        ("loss: {process: none}",
         "spikes: {interval: {distribution: pareto, mean_s: 3, shape: 1}, "
         "duration: {distribution: constant, mean_s: 1}}",
         ["spikes.interval.shape", "greater than 1"]),
        ("loss: {process: none}",
         "spikes: {interval: {distribution: uniform, low_s: 3, high_s: 1}, "
         "duration: {distribution: constant, mean_s: 1}}",
         ["spikes.interval", "below low_s"]),
        ("loss: {process: none}", "handoffs: {interval_s: 2, packets: 1, fate: late}", ["late_s"]),
        ("loss: {process: none}", "capacity: {process: square, min_bps: 1e6, max_bps: 1e8, "
         "frequency_hz: 1}",
         ["s.yaml:10: capacity.max_bps: is 1e8 bit/s, above path.rate_bps (1e7)"]),
        ("loss: {process: none}", "capacity:\n  process: shadowing\n  mean_bps: 1e6\n"
         "  speed_mps: 1\n  peak_bps: 2e7", ["s.yaml:14: capacity.peak_bps: is 2e7 bit/s, above"]),
        ("loss: {process: none}", "capacity: {process: trace, file: nowhere.csv}",
         ["capacity.file", "no such file"]),
        ("loss: {process: none}", "capacity: {process: trace, file: .}",
         ["s.yaml:10: capacity.file: is a folder, not a file"]),
        ("loss: {process: none}", "delay: {file: .}", ["s.yaml:10: delay.file: is a folder"]),
        ("variant: sack", "variant: reno\n  stack: linux-6.18",
         ["s.yaml:5: tcp.stack: linux-6.18 needs the variant newreno, sack, cubic or bbr"]),
        ("variant: sack", "variant: newreno\n  stack: linux-6.18\n  full_ack_window: flight",
         ["full_ack_window flight is a rule of RFC 6582's sender"]),
        ("variant: sack", "variant: newreno\n  f_rto: true\n  partial_window_deflation: unchanged",
         ["partial_window_deflation unchanged is a rule of RFC 6582's sender"]),
        ("variant: sack", "variant: newreno\n  partial_window_deflation: deflate",
         ["tcp.partial_window_deflation", "did you mean deflated?"]),
        ("variant: sack", "variant: newreno\n  partial_window_deflation: 1",
         ["s.yaml:5: tcp.partial_window_deflation", "deflated, ssthresh"]),
        ("title: A good scenario", 'title: "a\\e[31mred\\nline"',
         ["s.yaml:2: title", "which has the control character '\\x1b'; remove it\n"]),
        ("forward_delay_s: 0.05", "forward_delay_s: 0,03",
         ["path.forward_delay_s", "must be a number; did you mean 0.03?\n"]),
        ("loss: {process: none}", "loss: {process: bernoulli, probability: 0,02}",
         ["s.yaml:10: loss.02: unknown key; did you mean probability: 0.02, with a decimal point"]),
        ("backward_delay_s: 0.05", "backward_delay_s: -1", ["path.backward_delay_s"]),
    ],
)  # fmt: skip
def test_one_error_is_reported_in_full(
    tmp_path: Path, old: str, new: str, parts: list[str]
) -> None:
    assert old in GOOD
    message = load(tmp_path, GOOD.replace(old, new))
    for part in parts:
        assert part in f"{message}\n"
    assert len(message) <= 1200


def test_every_error_is_reported_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("sack", "sakc").replace("1460", "0").replace("1e7", "-1")
    message = load(tmp_path, text)
    for key in ("tcp.variant", "tcp.mss_bytes", "path.rate_bps"):
        assert key in message


def test_a_nonfinite_number_does_not_hide_other_errors(tmp_path: Path) -> None:
    text = GOOD.replace("1460", ".inf").replace("sack", "sakc").replace("1e7", ".nan")
    message = load(tmp_path, text)
    for key in ("tcp.variant", "tcp.mss_bytes", "path.rate_bps"):
        assert message.count(key) == 1


def test_an_unknown_key_does_not_hide_a_contradiction(tmp_path: Path) -> None:
    rto = "tcp:\n  rto: {min_s: 2, max_s: 1, tyck_s: 3}"
    message = load(tmp_path, GOOD.replace("tcp:", rto))
    assert "tcp.rto.tyck_s" in message
    assert "max_s (1) is below min_s (2)" in message


def test_a_long_list_of_errors_is_truncated_with_a_count(tmp_path: Path) -> None:
    wrong = "\n".join(f"wrong_key_{i}: 1" for i in range(30))
    message = load(tmp_path, GOOD + wrong)
    assert message.splitlines()[-1].startswith("and ")
    assert len(message.splitlines()) <= 9
    assert len(message) <= 1200


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n0,1\n", "first line"),
        ("time_s,capacity_bps\n0,1e6\n1,-5\n", "capacity_bps"),
        ("time_s,capacity_bps\n0,1e6\n1,fast\n", "two numbers"),
        ("time_s,capacity_bps\n0,1e6\n0,2e6\n", "rise from 0"),
        ("time_s,capacity_bps\n1,1e6\n2,2e6\n", "rise from 0"),
        ("time_s,capacity_bps\n0,1e6\n", "two rows"),
        ("time_s,capacity_bps\n0,nan\n1,1\n", "capacity_bps"),
        ("time_s,capacity_bps\n0,0\n1,1\n", "0 throughout"),
        ("seconds,mbps\n0,1\n1,1\n", "--as capacity makes such a file"),
    ],
)
def test_bad_capacity_traces_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "trace.csv").write_text(text, encoding="utf-8")
    data = {**PLAIN, "capacity": {"process": "trace", "file": "trace.csv"}}
    message = load(tmp_path, yaml.safe_dump(data))
    assert reason in message
    assert "trace.csv" in message


@pytest.mark.parametrize("pack", [lambda b: b, gzip.compress, bz2.compress, lzma.compress])
def test_a_trace_may_be_compressed_and_have_a_byte_order_mark(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    text = "\ufefftime_s,capacity_bps\r\n0,1e6\r\n1,2e6\r\n2,0\r\n"
    (tmp_path / "trace.csv").write_bytes(pack(text.encode()))
    times, capacities = read_capacity_trace(tmp_path / "trace.csv")
    assert (times.tolist(), capacities.tolist()) == ([0, 1, 2], [1e6, 2e6, 0])


def test_a_wrong_value_is_reported_once(tmp_path: Path) -> None:
    late = "handoffs: {interval_s: 15, packets: 8, fate: late, late_s: soon}"
    message = load(tmp_path, f"{GOOD}{late}\n")
    assert "handoffs.late_s: is 'soon' but must be a number" in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "end"),
    [
        ("variant: sack", "varient: sack", "did you mean variant"),
        ("\npath:", "\npth:", "did you mean path"),
        ("rate_bps: 1e7", "rate_mbps: 20", "did you mean rate_bps: 2e7?"),
    ],
)
def test_a_misspelt_required_key_is_reported_once(
    tmp_path: Path, old: str, new: str, end: str
) -> None:
    message = load(tmp_path, GOOD.replace(old, new))
    assert len(message.splitlines()) == 1
    assert f"unknown key; {end}" in message


PARTS = ("tcp", "path", "loss", "spikes", "handoffs", "capacity")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_not_a_mapping_is_reported_with_a_valid_example(
    tmp_path: Path, part: str
) -> None:
    good = yaml.safe_load(GOOD)
    result = load(tmp_path, yaml.safe_dump({**good, part: 0.02}))
    _, _, example = result.partition(f"{part}: is 0.02 but must be a mapping of keys, such as ")
    file = tmp_path / "again.yaml"
    kept = {name: value for name, value in good.items() if name != part}
    file.write_text(yaml.safe_dump(kept) + example, encoding="utf-8")
    assert part in load_scenario(file).model_fields_set


@pytest.mark.parametrize(
    ("key", "place"),
    [("late_s", "handoffs.late_s"), ("variant", "tcp.variant"), ("initial_s", "tcp.rto.initial_s")],
)
def test_a_misplaced_key_is_reported_with_its_right_place(
    tmp_path: Path, key: str, place: str
) -> None:
    assert f"{key}: unknown key; did you mean {place}?" in load(tmp_path, GOOD + f"{key}: 1\n")
