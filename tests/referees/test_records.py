"""Recorded measurements of ns-2 and Linux: damaged records are refused, missing ones made once."""

from __future__ import annotations

import json
import math
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.records import (
    read_provenance,
    read_rows,
    recorded,
    table_path,
    write_records,
)
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.engines.run import Observation
from tcpgoodput.project.recording import (
    NO_SEED,
    Partial,
    Point,
    Recorder,
    columns_of,
    points_of,
    sampled,
    work,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.statistics import median_interval
from tcpgoodput.studies.sweeps import PointRequest, point_requests
from tests import shipped
from tests.folders import ROOT
from tests.scenarios import scenario

SOURCES = shipped.configuration().sources


@dataclass(frozen=True)
class Counting(Referee):
    """A fake engine that notes each run in `run_log`, and fails for the replications `fails`."""

    run_log: list[tuple[str, int]] = field(default_factory=list)
    fails: frozenset[int] = frozenset()
    name = "ns2"
    title = "Counting"
    parallel_runs = 2

    def missing(self) -> str | None:
        return None

    def own_refusal(self, scenario: Scenario) -> str | None:
        return None

    def provenance(self) -> dict[str, Any]:
        return {}

    def plan(self, scenario: Scenario, conditions: Conditions, packets: int | None = None) -> Plan:
        return Plan(3, 0.0, 0.0, 2.0)

    def observe(
        self, scenario: Scenario, conditions: Conditions, replication: int, plan: Plan
    ) -> Observation:
        if replication in self.fails:
            raise Unavailable("ns-2 failed: no reason")
        self.run_log.append((scenario.id, replication))
        return Observation(2.0, 100.0 + replication, packets_sent=110, fast_retransmits=1)


@dataclass(frozen=True)
class Asking(Point):
    """A request for a measurement by the fake engine `counting`."""

    counting: Counting | None = None

    @property
    def referee(self) -> Referee:
        assert self.counting is not None
        return self.counting


def points(engine: Counting) -> list[Point]:
    made: list[Point] = []
    for n in range(2):
        request = PointRequest("a", f"series{n}", "ns2", float(n), None, scenario(id=f"s{n}"))
        made.append(Asking(f"key{n}", "fig01", request, engine))
    return made


def record(
    folder: Path, engine: Counting, kept: Sequence[dict[str, Any]] = (), seed: int = 1
) -> list[Any]:
    partial = Partial(folder / "partial.jsonl", {"seed": seed})
    if not partial.begun:
        partial.begin({"at": "now"})
    recorder = Recorder(points(engine), Conditions(), partial, None, [*kept])
    return recorder.record(lambda done, total: None)


def test_every_point_is_measured_once_before_any_is_repeated(tmp_path: Path) -> None:
    engine = Counting()
    rows = record(tmp_path, engine)
    assert sorted(engine.run_log) == sorted(product(("s0", "s1"), range(3)))
    numbers = [replication for _, replication in engine.run_log]
    assert numbers == sorted(numbers)
    named = [(row["key"], row["replication"]) for row in rows]
    assert named == list(product(("key0", "key1"), range(3)))
    assert rows[0]["goodput_pps"] == 50.0


def test_an_interrupted_recording_continues(tmp_path: Path) -> None:
    first = Counting(fails=frozenset({2}))
    with pytest.raises(Unavailable, match="2 runs failed, the others are kept: ns-2 failed"):
        record(tmp_path, first)
    with (tmp_path / "partial.jsonl").open("a", encoding="utf-8") as file:
        # A killed process leaves an incomplete last line.
        file.write('{"key": "key0", "repl')
    second = Counting()
    rows = record(tmp_path, second)
    assert sorted(second.run_log) == [("s0", 2), ("s1", 2)]
    assert len(rows) == 6


def test_a_recording_with_another_seed_starts_again(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        record(tmp_path, Counting(fails=frozenset({2})))
    engine = Counting()
    record(tmp_path, engine, seed=2)
    assert len(engine.run_log) == 6


def test_a_run_that_is_recorded_twice_is_counted_once(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        record(tmp_path, Counting(fails=frozenset({2})))
    kept = [{"key": "key0", "replication": n, "goodput_pps": 1.0} for n in range(3)]
    rows = record(tmp_path, Counting(), kept)
    assert len(rows) == 6
    write_records(tmp_path / "ns2" / "twice.csv", [*rows, rows[0]], {})
    with pytest.raises(ConfigurationError, match="a run twice"):
        read_rows(tmp_path / "ns2" / "twice.csv")


def test_refused_scenarios_do_not_stop_the_recording(tmp_path: Path) -> None:
    class Refusing(Counting):
        def plan(
            self, scenario: Scenario, conditions: Conditions, packets: int | None = None
        ) -> Plan:
            if scenario.id == "s0":
                raise Undefined("no steady state")
            return super().plan(scenario, conditions, packets)

    engine = Refusing()
    partial = Partial(tmp_path / "partial.jsonl", {})
    recorder = Recorder(points(engine), Conditions(), partial)
    assert recorder.refused == {"key0": "no steady state"}
    assert {row["key"] for row in recorder.record(lambda done, total: None)} == {"key1"}


def test_recorded_rows_are_kept(tmp_path: Path) -> None:
    kept = [{"key": "key0", "replication": n, "goodput_pps": 1.0} for n in range(3)]
    engine = Counting()
    rows = record(tmp_path, engine, kept)
    assert {name for name, _ in engine.run_log} == {"s1"}
    assert rows[0]["goodput_pps"] == 1.0


def write(folder: Path, engine: str = "ns2", values: tuple[float, ...] = (1.0, 2.0, 3.0)) -> Path:
    table = table_path(engine, "mathis", folder)
    seen = [Observation(2.0, 2 * value, packets_sent=10, fast_retransmits=1) for value in values]
    where = {"key": "key0", "figure": "fig02", "panel": "a", "x": 1.0, "setting": ""}
    rows = [{**where, "replication": n, **columns_of(one)} for n, one in enumerate(seen)]
    write_records(table, rows, {"made_by": "a test"})
    return table


def test_written_records_are_read(tmp_path: Path) -> None:
    write(tmp_path)
    found = recorded("mathis", tmp_path)["key0"]
    assert (found.key, found.engine, found.replications) == ("key0", "ns2", 3)
    assert found.goodput_pps == 2.0
    assert found.high_pps is not None
    # The half-width is t/√3, where t is Student's quantile at 97.5 % for two degrees of freedom. It
    # has this closed form.
    t = 0.95 * math.sqrt(2 / (1 - 0.95**2))
    assert found.high_pps == pytest.approx(2 + t / math.sqrt(3))
    assert found.fast_retransmit_rate == pytest.approx(0.1)
    assert recorded("mathis", tmp_path).keys() == {"key0"}
    assert recorded("handoffs", tmp_path) == {}


def test_measurements_of_linux_are_summarised_by_their_median(tmp_path: Path) -> None:
    write(tmp_path, "linux", (1.0, 2.0, 3.0, 4.0, 5.0, 900.0))
    found = recorded("mathis", tmp_path)["key0"]
    assert (found.low_pps, found.goodput_pps, found.high_pps) == (1.0, 3.5, 900.0)


@pytest.mark.parametrize(
    "damage", ["edited", "cut", "no provenance", "no checksum", "no json", "no table", "forged"]
)
def test_a_damaged_record_is_refused(tmp_path: Path, damage: str) -> None:
    table = write(tmp_path)
    provenance_file = table.with_suffix(".json")
    if damage == "edited":
        table.write_text(table.read_text().replace("1", "7", 1))
    elif damage == "cut":
        table.write_bytes(table.read_bytes()[:-5])
    elif damage == "no provenance":
        provenance_file.unlink()
    elif damage == "no checksum":
        provenance = json.loads(provenance_file.read_text())
        del provenance["sha256"]
        provenance_file.write_text(json.dumps(provenance))
    elif damage == "no table":
        table.unlink()
    elif damage == "forged":
        provenance_file.write_text(provenance_file.read_text().replace("a test", "another test"))
    else:
        provenance_file.write_text("{")
    with pytest.raises(ConfigurationError) as caught:
        read_rows(table)
    assert "snakemake record_referees" in str(caught.value)
    assert str(table) in str(caught.value)


@pytest.mark.parametrize("count", range(1, 16))
def test_order_statistics_contain_the_median_with_95_per_cent(count: int) -> None:
    """For each number of runs, the interval contains the true median in at least 95 % of all cases.

    Each of n runs is below or above the true median, which gives 2^n equally probable cases.
    """
    values = [float(n) for n in range(count)]
    middle, low, high = median_interval(values)
    assert middle == (count - 1) / 2
    if math.isinf(low):
        assert 2 * 0.5**count > 0.05
        return
    cut = int(low)
    assert high == count - 1 - cut

    def enclosed(cut: int) -> float:
        sides = (sum(way) for way in product((0, 1), repeat=count))
        return sum(cut < below < count - cut for below in sides) / 2**count

    assert enclosed(cut) >= 0.95 > enclosed(cut + 1)


def test_a_key_depends_on_content_and_setting() -> None:
    one = scenario(id="one", title="One")
    other = scenario(id="other", title="Another name")
    faster = scenario(path={"rate_bps": 2e9})

    def key(scenario: Scenario, engine: str = "linux", profile: str | None = None) -> str:
        request = PointRequest("a", "series", engine, 1.0, None, scenario, profile)
        return request.engine_request("paper", NO_SEED).key

    assert key(one) == key(other) == key(one, profile="newreno")
    assert len({key(one), key(faster), key(one, "ns2"), key(one, profile="modern")}) == 4


def test_cross_traffic_has_a_record_of_its_own() -> None:
    source = SOURCES["variable_capacity"]
    shown = point_requests(source.scenarios, source.figures.figures["fig04"], "paper")
    crossed = [one for one in shown if one.capacity_as == "cross-traffic"]
    runs = {(row["key"], row["setting"]) for row in read_rows(table_path("ns2", source.name))}
    assert {one.panel for one in crossed} == {"a", "b"}
    for one in crossed:
        both = one.key("paper", 1), replace(one, capacity_as="link").key("paper", 1)
        found = {(key, setting) for key, setting in runs if key in both}
        assert found == {*zip(both, ("cross-traffic", ""), strict=True)}


def test_a_sweep_sets_the_number_of_runs() -> None:
    points = [one for one in points_of(SOURCES["mathis"], "linux") if one.figure == "fig02"]
    recorded = Counter(row["key"] for row in read_rows(table_path("linux", "mathis")))
    assert {point.request.runs for point in points} == {16}
    assert {recorded[point.key] for point in points} == {16}


def test_figures_with_the_same_connection_share_a_record() -> None:
    source = SOURCES["handoffs"]
    points = points_of(source, "linux")
    assert len({point.key for point in points}) == len(points)
    assert ("steady_round_trips", "b") not in {(one.figure, one.request.panel) for one in points}
    figure = source.figures.figures["steady_round_trips"]
    every = point_requests(source.scenarios, figure, "paper")
    shown = [one for one in every if one.engine == "linux" and not one.from_start]
    assert {one.panel for one in shown} == {"a", "b", "c"}
    assert {one.key("paper", 7) for one in shown} <= {point.key for point in points}


def test_a_sample_has_a_point_of_each_series_of_markers() -> None:
    every = points_of(SOURCES["mathis"], "linux")
    chosen = sampled(every)
    series = {(point.figure, point.request.panel, point.request.series) for point in every}
    assert len(chosen) == len(series) > 3


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counting:
    """Return a fake engine that takes the place of ns-2, in an empty folder."""
    monkeypatch.setitem(REFEREES, "ns2", fake := Counting())
    monkeypatch.chdir(tmp_path)
    return fake


SUMMARY = Path("results", "referees", "ns2", "packet_trains.json")


def run(mode: str) -> None:
    """Record a study with ns-2, in the current folder."""
    study = {"config": ROOT / "config" / "config.yaml", "study": "packet_trains"}
    changes = {"referee_points": mode}
    work(Namespace(**study, changes=changes, engine="ns2", summary=SUMMARY.resolve()))


@pytest.mark.parametrize("mode", ["all", "quick", "missing"])
def test_a_recording_has_provenance_and_a_summary(
    tmp_path: Path, engine: Counting, mode: str
) -> None:
    run("all" if mode == "missing" else mode)
    made = len(engine.run_log)
    if mode == "missing":
        run("missing")
        assert len(engine.run_log) == made  # no further run was made
    content = json.loads(SUMMARY.read_text(encoding="utf-8"))
    table = tmp_path / content["table"]
    rows = read_rows(table)
    assert len(rows) == content["runs"] == made
    assert set(read_provenance(table)["points"]) == {row["key"] for row in rows}
    assert (table.parent.parent.name == "sample") == (mode == "quick")
    assert not list(SUMMARY.parent.glob("*.partial.jsonl"))


def test_records_of_another_configuration_are_not_replaced(engine: Counting) -> None:
    table = table_path("ns2", "packet_trains")
    row = {"key": "of-theirs", "replication": 0, "goodput_pps": 1.0}
    write_records(table, [row], {"configuration": "theirs.yaml", "points": {"of-theirs": {}}})
    with pytest.raises(ConfigurationError, match=r"recorded for theirs\.yaml"):
        run("all")
    assert not engine.run_log
    run("missing")
    provenance = read_provenance(table)
    assert provenance["configuration"] == "theirs.yaml"
    assert set(provenance["points"]) == {row["key"] for row in read_rows(table)} > {"of-theirs"}
    written = table.read_bytes()
    run("missing")
    assert table.read_bytes() == written
    assert read_provenance(table) == provenance
    with pytest.raises(ConfigurationError, match=r"recorded for theirs\.yaml"):
        run("all")
