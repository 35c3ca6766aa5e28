"""Keys that identify measurements depend on scenario and engine; tables are read as written."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.engines.base import COUNTS, MEANS, REFEREE_NAMES, Measurement
from tcpgoodput.engines.measurements import (
    COLUMNS,
    Request,
    Setting,
    connection_of,
    measurements_csv,
    read_measurements,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import content_of
from tcpgoodput.simulator.simulation import Counts
from tcpgoodput.storage import read_rows
from tests.scenarios import scenario

ROOT = Path(__file__).parents[2]
SETTING = Setting("paper", 1)
PLAIN = Request("packet", SETTING, scenario())


def test_a_key_is_the_digest_of_engine_setting_and_content() -> None:
    stated = json.loads(content_of(PLAIN.scenario))
    assert not {"id", "title"} & stated.keys()
    text = f"packet/{SETTING}/{content_of(PLAIN.scenario)}"
    assert PLAIN.key == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_a_key_is_the_same_in_another_process() -> None:
    code = "from tests.engines.test_measurements import PLAIN; print(PLAIN.key)"
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == PLAIN.key


RECORDED = [
    file
    for engine in REFEREE_NAMES
    for file in sorted((ROOT / "data" / engine).glob("*.json"))
    if file.stem not in ("agreement", "delay_spikes", "packet_trains")
]
"""Provenance of recorded tables that states all keys of each scenario. The two studies left out
have older rows, whose scenarios were stated in an earlier form."""


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_keys_of_recorded_measurements_are_unchanged(file: Path) -> None:
    """Recorded measurements of ns-2 and Linux, which took hours, are still found by their keys."""
    points = json.loads(file.read_text(encoding="utf-8"))["points"]
    for key, stated in points.items():
        one = Scenario.model_validate(stated["scenario"])
        assert Request(file.parent.name, stated["setting"], one).key == key
    assert {row["key"] for row in read_rows(file.with_suffix(".csv"))} <= points.keys()


def test_counts_have_the_same_names_everywhere() -> None:
    columns = yaml.safe_load((ROOT / "workflow" / "columns.yaml").read_text(encoding="utf-8"))
    assert {*COUNTS, *MEANS, *COLUMNS} <= columns["columns"].keys()
    assert set(COUNTS) < set(Counts._fields)
    assert set(COLUMNS) < {f.name for f in fields(Measurement)}


def test_a_key_depends_on_everything_but_names() -> None:
    renamed = scenario(id="another", title="Another name")
    assert replace(PLAIN, scenario=renamed).key == PLAIN.key
    assert connection_of(renamed) == connection_of(PLAIN.scenario)
    others = [
        PLAIN,
        replace(PLAIN, engine="ns2"),
        replace(PLAIN, setting=Setting("paper", 2)),
        replace(PLAIN, setting=Setting("draft", 1)),
        replace(PLAIN, setting=Setting("paper", 1, packets=10_000)),
        replace(PLAIN, scenario=scenario(path={"rate_bps": 2e9})),
    ]
    assert len({request.key for request in others}) == len(others)


@pytest.mark.parametrize("recovery", ["impatient", "slow-but-steady"])
@pytest.mark.parametrize(("earlier", "word"), [(True, "deflated"), (False, "ssthresh")])
def test_an_earlier_value_of_a_key_is_a_word_with_the_recorded_content(
    recovery: str, earlier: bool, word: str
) -> None:
    """Recorded measurements are found by a content in which the key is true or false.

    As before the key existed, an impatient sender deflates its window and a steady one does not;
    then the content has no such key.
    """
    forms = [
        scenario(
            tcp={"variant": "newreno", "recovery": recovery, "partial_window_deflation": value}
        )
        for value in (earlier, word)
    ]
    assert {form.tcp.partial_window_deflation for form in forms} == {word}
    assert {form.stated()["tcp"]["partial_window_deflation"] for form in forms} == {word}
    recorded = {
        json.loads(content_of(form))["tcp"].get("partial_window_deflation", "none")
        for form in forms
    }
    as_before = earlier == (recovery == "impatient")
    assert recorded == {"none" if as_before else earlier}


def test_settings_that_the_kernel_ignores_are_not_in_its_keys() -> None:
    """Scenarios that differ only in the rule for partial ACKs have the same key for `linux`.

    The kernel has a rule of its own and ignores these settings.
    """
    forms = [
        scenario(tcp={"variant": "newreno", **form})
        for form in ({}, {"recovery": "slow-but-steady"}, {"partial_window_deflation": "ssthresh"})
    ]
    keys = {
        engine: {Request(engine, "newreno", form).key for form in forms}
        for engine in ("linux", "ns2", "packet")
    }
    assert {engine: len(found) for engine, found in keys.items()} == {
        "linux": 1,
        "ns2": 3,
        "packet": 3,
    }


def test_defaults_of_the_engine_are_not_in_the_setting() -> None:
    assert json.loads(str(SETTING)) == {"precision": "paper", "seed": 1}
    assert Setting(**json.loads(str(SETTING))) == Setting("paper", 1)


def test_the_content_of_a_trace_file_is_in_the_setting(tmp_path: Path) -> None:
    file = tmp_path / "drive.csv"
    file.write_text("time_s,capacity_bps\n0,1e6\n10,2e6\n", encoding="utf-8")
    driven = scenario(path={"rate_bps": 1e7}, capacity={"process": "trace", "file": str(file)})
    before = Setting("paper", 1).on(driven)
    assert Setting("paper", 1).on(driven) == before
    file.write_text("time_s,capacity_bps\n0,1e6\n10,3e6\n", encoding="utf-8")
    after = Setting("paper", 1).on(driven)
    keys = {Request("packet", setting, driven).key for setting in (before, after)}
    assert len(keys) == 2
    assert Setting("paper", 1).on(scenario()).trace is None


numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
counts = st.none() | st.integers(0, 10**12)
ROWS = st.lists(
    st.builds(
        Measurement,
        key=st.text("0123456789abcdef", min_size=16, max_size=16),
        engine=st.sampled_from(["packet", "ns2"]),
        setting=st.just("") | st.builds(Setting, st.just("paper"), st.integers(0, 9)).map(str),
        goodput_pps=numbers,
        low_pps=numbers,
        high_pps=numbers,
        half_width_pps=numbers,
        replications=st.integers(0, 100),
        measured_s=numbers,
        packets_sent=counts,
        timeouts=counts,
        fast_retransmits=counts,
        mean_rtt_s=numbers,
        reason=st.none() | st.sampled_from(['no, "never"', "above 10 %\nof it", "µ → ∞"]),
    ),
    max_size=4,
    unique_by=lambda row: row.key,
)


@given(ROWS)
def test_rows_are_unchanged_after_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Measurement]
) -> None:
    path = tmp_path_factory.mktemp("measurements") / "table.csv"
    path.write_text(measurements_csv(rows), encoding="utf-8")
    assert read_measurements(path) == {row.key: row for row in rows}


def test_the_last_of_several_tables_defines_a_key(tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    of_both = [Measurement("k", "packet", "", 1.0), Measurement("l", "packet", "", 2.0)]
    first.write_text(measurements_csv(of_both), encoding="utf-8")
    second.write_text(measurements_csv([Measurement("k", "packet", "", 3.0)]), encoding="utf-8")
    found = read_measurements(first, second)
    assert {key: row.goodput_pps for key, row in found.items()} == {"k": 3.0, "l": 2.0}


def test_rounded_keeps_the_digits_of_the_table() -> None:
    exact = Measurement("k", "packet", "", 1 / 3, 0.1 + 0.2, None, 2 / 3)
    rounded = exact.rounded()
    assert (rounded.goodput_pps, rounded.low_pps) == (0.333333333333, 0.3)
    assert (rounded.high_pps, rounded.half_width_pps) == (None, 2 / 3)


def test_the_rate_of_fast_retransmits_is_per_packet_sent() -> None:
    row = Measurement("k", "packet", "", packets_sent=200, fast_retransmits=3)
    assert row.fast_retransmit_rate == 0.015
    assert Measurement("k", "linux", "").fast_retransmit_rate == 0


def test_mean_time_between_fast_retransmits_is_over_all_replications() -> None:
    row = Measurement("k", "packet", "", replications=4, measured_s=30.0, fast_retransmits=80)
    assert row.fast_retransmit_interval_s == 1.5
    assert replace(row, fast_retransmits=0).fast_retransmit_interval_s is None
    assert replace(row, measured_s=None).fast_retransmit_interval_s is None
