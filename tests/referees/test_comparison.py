"""Measurements by ns-2 and Linux are requested, and compared with the packet simulator.

A pair is the ratio of the simulator's goodput to that of ns-2 or Linux for the same connection.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tcpgoodput.api.referees import Pair, pairs, reference_requests
from tcpgoodput.comparison.files import Compared
from tcpgoodput.drawing.referees import by_scenario, draw_columns
from tcpgoodput.engines.records import COMPARISON, table_path, write_records
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.project.recording import compared_points
from tcpgoodput.project.settings import Configuration
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.schema import LineFigure, Series
from tests import shipped

SOURCES = shipped.configuration().sources


def test_every_row_of_the_matrix_is_requested_of_ns2_and_linux() -> None:
    compared = shipped.comparison()
    rows = {scenario.id for stem in compared.scenarios for scenario in compared.rows(stem).values()}
    # These variations change only a key that Linux ignores, so Linux does not measure them.
    alike = {id for id in rows if id.endswith("-steady")}
    # s14c is s14a with another sender, so both are one connection with BBR.
    rows -= {"s14c-handoff-batch-lost-sack-bbr"}
    keys, expected = set(), 0
    for engine in REFEREES:
        own = rows - alike if engine == "linux" else rows
        points = compared_points(compared, engine)
        assert {point.scenario.id for point in points} == own
        assert {point.figure for point in points} == set(compared.scenarios)
        keys |= {point.key for point in points}
        expected += len(own)
    assert len(keys) == expected


Paired = Callable[..., tuple[dict[str, Any], list[Pair]]]


@pytest.fixture
def paired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paired:
    """Return a function that records goodputs by an engine, and returns the request and pairs."""

    def found(engine: str, *goodputs: float, key: str = "") -> tuple[dict[str, Any], list[Pair]]:
        monkeypatch.chdir(tmp_path)
        # The first request is for the first scenario without variations.
        every = reference_requests(shipped.comparison())
        request = next(one for one in every if one["engine"] == engine)
        _record(engine, key or request["key"], goodputs)
        _write_simulations(shipped.comparison(), tmp_path)
        return request, pairs(replace(shipped.configuration(), sources={}), [request], tmp_path)

    return found


def test_the_interval_of_a_pair_combines_both_intervals(paired: Paired) -> None:
    stem = next(iter(shipped.comparison().scenarios))
    request, (pair,) = paired("ns2", 99.0, 100.0, 101.0)
    assert (pair.source, pair.figure, pair.panel) == (COMPARISON, stem, request["scenario"])
    assert pair.variation == ""
    assert (pair.key, pair.setting) == (request["key"], request["setting"])
    assert pair.ratio == pytest.approx(1.1)
    # The goodputs 99, 100, 101 have a mean with the half-width 4.302653 / √3 (Student's t for two
    # degrees of freedom).
    theirs = 4.302653 / math.sqrt(3) / 100
    down = math.hypot(math.log(110 / 104.5), math.log1p(theirs))
    assert pair.low == pytest.approx(1.1 * math.exp(-down), rel=1e-6)
    assert not pair.agrees


def test_a_pair_without_an_interval_neither_agrees_nor_disagrees(paired: Paired) -> None:
    """The median of four runs has no interval."""
    _, (pair,) = paired("linux", 98.0, 99.0, 101.0, 102.0)
    assert pair.ratio == pytest.approx(1.1)
    assert (pair.low, pair.high) == (0, math.inf)
    assert pair.record()["agrees"] is None


def test_a_goodput_of_zero_or_without_reference_measurement_gives_no_pair(paired: Paired) -> None:
    assert paired("linux", *6 * (0.0,))[1] == []
    assert paired("ns2", 99.0, 100.0, 101.0, key="another")[1] == []


ANSWERS = """\
panel,series,origin,x,y,y_low,y_high,key,setting,connection,path,sender
a,pftk,model,0.01,50,,,,,,,
a,packet,packet,0.01,110,104.5,115.5,ours,,same,path,
a,packet,packet,0.03,900,890,910,ours too,,next,path,
b,packet,packet,0.01,300,290,310,ours three,,other,path,
a,ns2,ns2,0.03,100,99,101,theirs,,same,path,
a,ns2,ns2,0.02,100,99,101,theirs too,,other,path,
a,linux,linux,0.01,,,,nothing,modern,same,path,
a,linux,linux,0.01,100,99,101,whole-from-start,modern,same,path,
"""


def only(
    series: list[dict[str, Any]], answers: str, results: Path, quantity: str = "goodput_pps"
) -> Configuration:
    """Return a configuration with a single figure of two panels, and write the figure's data."""
    source = SOURCES["mathis"]
    panel = {
        "scenario": "any",
        "quantity": quantity,
        "sweep": {"variable": "p", "values": {"listed": [0.01]}},
        "x": {"label": "p"},
        "y": {"label": "goodput"},
        "series": series,
    }
    figure = LineFigure.model_validate(
        {"kind": "lines", "title": "t", "caption": "c", "panels": {"a": panel, "b": panel}}
    )
    figures = source.figures.model_copy(update={"figures": {"fig02": figure}})
    path = answers_path(results, "mathis", "fig02")
    path.parent.mkdir(parents=True)
    path.write_text(answers, encoding="utf-8")
    return replace(shipped.configuration(), sources={"mathis": replace(source, figures=figures)})


SERIES = [{"engine": e, "label": f"of {e}"} for e in ("packet", "ns2", "linux")]


def test_figures_pair_the_same_connection_in_the_same_panel(tmp_path: Path) -> None:
    (pair,) = pairs(only(SERIES, ANSWERS, tmp_path), [], tmp_path)
    assert (pair.panel, pair.engine, pair.key, pair.series) == ("a", "ns2", "theirs", "of ns2")
    assert (pair.sender, pair.ratio) == ("", pytest.approx(1.1))


def test_the_ratio_is_of_goodputs_if_the_figure_shows_durations_of_transfers(
    tmp_path: Path,
) -> None:
    durations = only(SERIES, ANSWERS, tmp_path, "transfer_s")
    (pair,) = pairs(durations, [], tmp_path)
    assert pair.ratio == pytest.approx(1 / 1.1)
    assert pair.low < 1 / 1.1 < pair.high


def test_cross_traffic_is_not_paired_with_the_simulator(tmp_path: Path) -> None:
    crossed = {"engine": "ns2", "capacity_as": "cross-traffic"}
    series = [{"engine": "packet"}, crossed, {"engine": "linux"}]
    assert pairs(only(series, ANSWERS, tmp_path), [], tmp_path) == []


@pytest.mark.parametrize("engine", ["packet", "linux"])
def test_only_ns2_has_cross_traffic(engine: str) -> None:
    with pytest.raises(ValueError, match="capacity_as is for engine: ns2"):
        Series.model_validate({"engine": engine, "capacity_as": "cross-traffic"})


KERNELS_ANSWERS = """\
panel,series,origin,x,y,y_low,y_high,key,setting,connection,path,sender
a,packet,packet,0.01,110,109,111,ours,,same,path,
a,as_linux,packet,0.01,104,103,105,ours as well,,as Linux,path,linux-6.18
a,as_linux,packet,0.02,104,103,105,ours elsewhere,,as Linux there,another path,linux-6.18
a,linux,linux,0.01,100,99,101,theirs,modern,same,path,
b,linux,linux,0.01,100,99,101,theirs alone,modern,same,path,
"""


def test_a_simulated_kernel_sender_is_paired_with_the_kernel(tmp_path: Path) -> None:
    as_linux = {"id": "as_linux", "stands_for": "linux", "set": {"tcp.stack": "linux-6.18"}}
    series = [{"engine": "packet"}, {"engine": "linux"}, {"engine": "packet", **as_linux}]
    found = pairs(only(series, KERNELS_ANSWERS, tmp_path), [], tmp_path)
    assert [(p.key, p.sender, round(p.ratio, 9)) for p in found] == [
        ("theirs", "", 1.1),
        ("theirs", "linux-6.18", 1.04),
    ]


def test_rows_of_one_scenario_are_grouped_across_engines() -> None:
    rows = [("s01", "ns2", 0.0), ("s01", "ns2", 1.0), ("s01", "linux", 0.0), ("s02", "ns2", 0.0)]
    frame = pd.DataFrame(rows, columns=["figure", "engine", "x"])
    frame["variation"] = ["", "b2", "", ""]
    (name, group), (other, _) = by_scenario(frame, {"b2": "an ACK for two packets"})
    assert (name, other) == ("s01", "s02")
    assert list(zip(group["engine"], group["x"], strict=True)) == [
        ("ns2", 0.0),
        ("linux", 0.0),
        ("ns2", 1.0),
    ]
    assert list(group["kind"]) == ["as it is", "as it is", "an ACK for two packets"]


def test_ratios_of_scenarios_have_a_column_for_each_engine_and_sender() -> None:
    rows = [("ns2", None, 1.0), ("linux", None, 0.5), ("linux", "linux-6.18", 2.0)]
    frame = pd.DataFrame(rows, columns=["engine", "sender", "ratio"])
    frame = frame.assign(figure="s01", variation="", x=0.0, agrees=False)
    frame = frame.assign(ratio_low=frame["ratio"] - 0.1, ratio_high=frame["ratio"] + 0.1)
    axes = draw_columns(by_scenario(frame, {}), shipped.configuration().style).axes
    assert [one.get_title() for one in axes] == ["ns-2", "Linux", "Linux's sender"]
    markers = [[line for line in one.lines if line.get_marker() == "o"] for one in axes]
    assert [[float(line.get_xdata()[0]) for line in own] for own in markers] == [[1], [0.5], [2]]


def _write_simulations(compared: Compared, results: Path) -> None:
    simulation = {"goodput_pps": 110.0, "goodput_bps": 880.0, "ci95_bps": 44.0}
    for name, plain in compared.scenarios.items():
        found = {"scenario": plain.id, "simulation": simulation}
        rows = [{**found, "variation": variation} for variation in compared.rows(name)]
        file = results / "comparison" / "scenarios" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"rows": rows}), encoding="utf-8")


def _record(engine: str, key: str, goodputs: Sequence[float]) -> None:
    """Write a record of runs of one connection by ns-2 or Linux, in the current folder.

    `goodputs` has the goodput of each run in packets/s.
    """
    shared = {"key": key, "measured_s": 1000.0, "packets_sent": 100_000, "fast_retransmits": 0}
    rows = [
        {**shared, "setting": "", "replication": n, "goodput_pps": goodput_pps}
        for n, goodput_pps in enumerate(goodputs)
    ]
    write_records(table_path(engine, COMPARISON), rows, {"made_by": "a test"})
