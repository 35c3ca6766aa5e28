"""Choice of a model without a simulation, by the models' recorded errors on similar connections."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tcpgoodput.comparison.census.design import (
    ERRORS_BY_KIND,
    PACKAGED_SAMPLES,
    RANGES_BY_KIND,
    RECORDED_SAMPLES,
    Chunk,
    drawn,
    record_table,
    space_of,
)
from tcpgoodput.comparison.census.expected import advice_for, choice, heading, kind_of, lines, notes
from tcpgoodput.comparison.census.record import write_tables
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage import read_rows
from tests.folders import ROOT
from tests.scenarios import PLAIN

KEPT_TABLES = sorted((ROOT / RECORDED_SAMPLES).glob("*.parquet"))
PATH = {"rate_bps": 8e6, "forward_delay_s": 0.05, "backward_delay_s": 0.05, "buffer_packets": 100}
TCP = {"variant": "sack", "mss_bytes": 1000, "max_window_packets": 400}
LINK = {**PLAIN, "tcp": TCP, "path": PATH}
LOSS = {"process": "bernoulli", "probability": 0.01}
SPIKES = {
    "interval": {"distribution": "exponential", "mean_s": 10.0},
    "duration": {"distribution": "constant", "mean_s": 1.0},
}
PARETO = {"distribution": "pareto", "mean_s": 9.0, "shape": 2.0}
LATE = {"interval_s": 10.0, "packets": 2, "fate": "late", "late_s": 0.1}


def scenario(**changes: Any) -> Scenario:
    return Scenario.model_validate({**LINK, **changes})


def request(census: str) -> Any:
    note = json.loads((ROOT / RECORDED_SAMPLES / f"{census}.json").read_text(encoding="utf-8"))
    return note["request"]["measured"]


def answer(name: str, status: str) -> dict[str, str]:
    return {"name": name, "status": status}


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("table", KEPT_TABLES, ids=lambda file: file.stem)
def test_small_tables_equal_those_computed_from_the_recorded_sample(
    table: Path, tmp_path: Path
) -> None:
    write_tables(table, tmp_path / "errors.csv", tmp_path / "ranges.csv")
    for name in (ERRORS_BY_KIND, RANGES_BY_KIND):
        recorded = record_table(table, name)
        assert recorded.read_bytes() == (tmp_path / f"{name}.csv").read_bytes()


def test_errors_by_kind_follow_from_the_sample_by_hand() -> None:
    table = ROOT / RECORDED_SAMPLES / "connections.parquet"
    columns = ["impairments", "goodput_pps", "half_width_pps", "goodput:mathis", "status:mathis"]
    rows = pq.read_table(table, columns=columns).to_pandas()
    close = rows["half_width_pps"] <= 0.05 * rows["goodput_pps"]
    own = rows[close & (rows["impairments"] == "independent_loss")]
    own = own[own["status:mathis"].astype(str) == "native"]
    ratios = own["goodput:mathis"].astype(float) / own["goodput_pps"].astype(float)
    (found,) = advice_for(scenario(loss=LOSS), [answer("mathis", "native")]).models
    assert found.connections == len(own) > 100
    assert found.median_error == pytest.approx(np.median(abs(np.log(ratios))))
    assert found.q90_error == pytest.approx(np.quantile(abs(np.log(ratios)), 0.9))


@pytest.mark.parametrize("census", [file.stem for file in KEPT_TABLES])
def test_kind_of_a_drawn_connection_equals_the_drawn_impairments(census: str) -> None:
    sample_request = request(census)
    for connection in drawn(space_of(sample_request), Chunk(0, 256)):
        assert kind_of(connection.scenario, sample_request["census"]) == connection.impairments


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "nothing"),
        ({"loss": {**LOSS, "probability": 0.0}}, "nothing"),
        ({"loss": LOSS}, "independent_loss"),
        ({"loss": {**LOSS, "place": "after"}}, "independent_loss"),
        ({"loss": {**LOSS, "place": "before"}}, None),
        ({"loss": LOSS, "spikes": SPIKES}, "independent_loss and delay_spikes"),
        ({"handoffs": LATE}, "late_handoffs"),
        ({"handoffs": {**LATE, "delay_steps_s": [0.0, 0.1]}}, None),
        ({"handoffs": {**LATE, "fate": "lost", "late_s": None}}, "lossy_handoffs"),
        ({"spikes": {**SPIKES, "interval": PARETO}}, None),
    ],
)
def test_a_kind_names_the_impairments_of_a_connection(
    changes: dict[str, Any], kind: str | None
) -> None:
    assert kind_of(scenario(**changes), request("connections")["census"]) == kind


def test_models_in_domain_are_listed_native_first_and_by_error() -> None:
    statuses = {"altman": "out-of-domain", "packet_trains": "reduced", "misra": "native"}
    statuses |= {"cardwell": "undefined", "pftk": "native"}
    advice = advice_for(scenario(loss=LOSS), [answer(*one) for one in statuses.items()])
    assert [model.name for model in advice.models] == ["pftk", "misra", "packet_trains"]
    assert advice.kind == "independent loss"
    assert notes(advice) == []
    assert lines(advice)[0].startswith("pftk, native: median error ")
    (sentence,) = choice(advice)
    assert sentence.startswith("To use one model, take pftk: native, median error ")


@pytest.mark.parametrize(
    ("variant", "model", "sample"),
    [("sack", "pftk", "linux"), ("bbr", "bbr.random_loss", "bbr")],
)
def test_advice_for_a_kernels_sender_uses_its_own_sample(
    variant: str, model: str, sample: str
) -> None:
    link = scenario(loss=LOSS, tcp={**TCP, "stack": "linux-6.18", "variant": variant})
    (found,) = advice_for(link, [answer(model, "native")]).models
    rows = read_rows(ROOT / RECORDED_SAMPLES / f"{sample}_errors.csv")
    own = ("independent_loss", model, "native")
    (row,) = [r for r in rows if (r["impairments"], r["model"], r["status"]) == own]
    assert found.connections == int(row["n"]) > 50


def test_advice_reports_connections_missing_in_the_sample() -> None:
    mathis = [answer("mathis", "native")]
    three = advice_for(scenario(loss=LOSS, spikes=SPIKES, handoffs=LATE), mathis)
    assert "no connections with" in str(three.reason)
    assert three.models[0].median_error is None
    own = advice_for(scenario(loss=LOSS), [answer("my_model", "native")])
    assert "error unknown" in lines(own)[0]
    assert "an unknown error" in choice(own)[0]
    wild = advice_for(scenario(loss={**LOSS, "probability": 0.3}), mathis)
    (outside,) = wild.outside
    assert outside.startswith("share of packets or slots lost on the link:")
    assert "outside their range" in choice(wild)[0]
    nothing = advice_for(scenario(), [])
    assert "no model is in domain" in heading(nothing)
    assert choice(nothing) == []


def test_an_unreached_limit_is_not_outside_the_sample() -> None:
    free = {**TCP, "max_window_packets": None}
    assert advice_for(scenario(tcp=free), [answer("pftk", "native")]).outside == ()
    unlimited = scenario(tcp=free, path={**PATH, "buffer_packets": None}, loss=LOSS)
    assert len(advice_for(unlimited, [answer("pftk", "native")]).outside) == 2


def test_advice_has_the_same_errors_outside_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [scenario(loss=LOSS), scenario(loss=LOSS, tcp={**TCP, "stack": "linux-6.18"})]
    models = [answer("mathis", "native"), answer("pftk", "native")]
    inside = [advice_for(link, models) for link in links]
    monkeypatch.chdir(tmp_path)
    assert [advice_for(link, models) for link in links] == inside
    assert all(model.median_error for advice in inside for model in advice.models)


def test_the_package_has_the_small_files_of_every_recorded_sample() -> None:
    small = {file.name: file.read_bytes() for file in (ROOT / RECORDED_SAMPLES).glob("*.[cj]s*")}
    assert {f.name: f.read_bytes() for f in PACKAGED_SAMPLES.iterdir()} == small
    assert len(small) == 12


def test_advice_reports_a_missing_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / RECORDED_SAMPLES).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    advice = advice_for(scenario(loss=LOSS), [answer("mathis", "native")])
    assert "data/census" in notes(advice)[0]
    assert [model.name for model in advice.models] == ["mathis"]


def test_a_sender_with_a_sample_of_another_stack_is_told_of_it() -> None:
    bbr = {**TCP, "variant": "bbr"}
    models = [answer("bbr.random_loss", "native")]
    (note,) = notes(advice_for(scenario(tcp=bbr, loss=LOSS), models))
    assert note.endswith("with this sender; there is one with tcp.stack: linux-6.18.")
    advice = advice_for(scenario(tcp={**bbr, "stack": "linux-6.18"}, loss=LOSS), models)
    assert notes(advice) == []
    assert advice.models[0].median_error is not None


def test_advice_loads_no_library_that_only_whole_samples_need() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, tcpgoodput.cli.predict; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not {"duckdb", "scipy.stats", "sklearn"} & set(loaded)


ARQ = {"error": 0.1, "attempts": 4, "turnaround_s": 0.005}
LINUX = {**TCP, "stack": "linux-6.18"}


def test_a_link_that_retransmits_is_compared_with_such_links_alone() -> None:
    in_domain, tcp = [answer("mathis", "reduced")], {**LINUX, "variant": "newreno"}
    found = advice_for(scenario(arq=ARQ, tcp=tcp), in_domain)
    assert found.kind == "link retransmission"
    assert found.models[0].connections is not None
    plain = advice_for(scenario(tcp=tcp), in_domain)
    assert plain.kind == "no impairment"
    assert plain.models[0].connections != found.models[0].connections
    lossy = advice_for(scenario(arq=ARQ, tcp={**LINUX, "variant": "cubic"}, loss=LOSS), in_domain)
    assert lossy.kind == "independent loss over link retransmission"


def test_attempts_and_errors_beyond_the_sample_are_named() -> None:
    tcp = {**LINUX, "variant": "newreno"}
    link = scenario(arq={**ARQ, "error": 0.7, "attempts": 12}, tcp=tcp)
    outside = advice_for(link, [answer("mathis", "reduced")]).outside
    assert "arq.error: 0.7 (random connections: 0.01 to 0.5)" in outside
    assert "arq.attempts: 12 (random connections: 2 3 4 5 6 7 8)" in outside
    channel = {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.3}
    link = scenario(arq={"error": channel, "attempts": 4}, tcp=tcp)
    assert "arq.error: a channel" in str(advice_for(link, [answer("mathis", "reduced")]).outside)


def test_a_sender_without_a_sample_of_such_links_has_no_errors() -> None:
    found = advice_for(scenario(arq=ARQ), [answer("mathis", "reduced")])
    assert found.kind is None
    assert "over links that retransmit" in str(found.reason)
    assert "there is one with tcp.stack: linux-6.18" not in str(found.reason)  # it has no SACK
