"""Comparison of two random samples (censuses) with the same connections but another sender.

The results are checked by counting.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tcpgoodput.comparison.census import read
from tcpgoodput.comparison.census.design import Chunk, drawn
from tcpgoodput.comparison.census.evidence import shared
from tcpgoodput.comparison.census.files import load_census, load_censuses
from tcpgoodput.configuration import ConfigurationError
from tests.census.evidences import COUNT, evidence
from tests.census.spaces import SMALL, written
from tests.folders import ROOT


def test_shared_keeps_connections_that_differ_only_in_the_stack() -> None:
    here, pair = evidence(), evidence()
    here.connections["timeout"] = 0.2  # the RTO belongs to the sender, so it may differ
    here.connections.loc[:9, "variant"] = "sack"
    here.connections.loc[10:19, "path"] = "another"
    pair.connections.loc[30:39, "point"] = -1
    # Reverse the rows of `pair`: connections are matched by number, not by position.
    left, right = shared(here, pair.at(pair.connections.index[::-1]))
    assert len(left.connections) == COUNT - 30
    assert (left.connections["point"] == right.connections["point"]).all()
    assert (left.errors == right.errors).all(axis=None)


def test_shared_ignores_variants_of_which_none_is_common() -> None:
    here, there = evidence(), evidence()
    here.connections["variant"] = "bbr"
    here.connections.loc[:4, "path"] = "another"
    left, right = shared(here, there)
    assert len(left.connections) == COUNT - 5
    assert set(left.connections["variant"]) == {"bbr"}
    assert (right.connections["path"] == left.connections["path"]).all()


def test_a_gain_is_the_ratio_of_goodputs_on_a_shared_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = evidence(), evidence()
    here.connections["ack_every"] = 2.0
    there.connections["variant"] = "cubic"
    here.connections["variant"] = "bbr"
    here.connections.loc[:99, "goodput_pps"] = 120.0
    there.connections.loc[:49, "timeout"] = 1.0
    there.connections.loc[COUNT - 10 :, "half_width"] = 0.2
    known = {"here": here, "there": there}
    monkeypatch.setattr(read, "read_evidence", lambda table, *_: known[table.name])
    found = read.gains_between(tmp_path / "here", tmp_path / "there").set_index("point")
    assert len(found) == COUNT - 10
    assert found.loc[:99, "gain"].tolist() == pytest.approx([np.log(1.2)] * 100)
    assert (found.loc[100:, "gain"] == 0).all()
    assert found["same_rto"].tolist() == [False] * 50 + [True] * (COUNT - 60)
    assert set(found["ack_every"]) == {2.0}
    assert set(found["variant"]) == {"bbr"}
    assert set(found["other_variant"]) == {"cubic"}


def changed(key: str, value: Any) -> dict[str, Any]:
    """Return the definition of a census paired with the census `small`, with one key replaced.

    A key in a nested mapping is written a/b/c.
    """
    found = copy.deepcopy({**SMALL, "paired_with": "small"})
    *parents, last = key.split("/")
    part: dict[str, Any] = found
    for parent in parents:
        part = part[parent]
    part[last] = value
    return found


def beside(folder: Path, content: dict[str, Any], name: str = "other") -> Path:
    """Write another census beside `small`, and return its path."""
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("paired_with", "smal", "no other census is called 'smal'; did you mean small"),
        ("paired_with", "other", "no other census is called 'other'"),
        ("seed", 9, "other connections than small: seed is 9, not 1"),
        ("unimpaired", 0.5, "unimpaired is 0.5, not 0.2"),
        ("draw/more", {"law": "uniform", "low": 0, "high": 1}, "draw.more is "),
        ("draw/rtt/high", 0.9, "draw.rtt is "),
        ("set/path.buffer_packets", 7, "set.path.buffer_packets is 7, not None"),
        ("scenario/tcp/mss_bytes", 1400, "scenario.tcp.mss_bytes is 1400, not 1000"),
        ("impairments/handoffs/set/handoffs/packets", 2, "impairments is "),
        ("conditions", ["product_packets"], "conditions is "),
    ],
)
@pytest.mark.parametrize("alone", [False, True])
def test_paired_censuses_need_the_same_connections(
    tmp_path: Path, key: str, value: Any, message: str, alone: bool
) -> None:
    written(tmp_path)
    other = beside(tmp_path, changed("points", 32))
    assert set(load_censuses(tmp_path)) == {"other", "small"}
    assert load_census(other).census.paired_with == "small"
    beside(tmp_path, changed(key, value))
    with pytest.raises(ConfigurationError) as caught:
        load_census(other) if alone else load_censuses(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.key, problem.file) == ("paired_with", str(other))
    assert message in problem.message


def test_a_census_may_be_paired_with_a_paired_one(tmp_path: Path) -> None:
    written(tmp_path)
    for name, pair in (("other", "small"), ("third", "other")):
        beside(tmp_path, changed("paired_with", pair), name)
    assert load_censuses(tmp_path)["third"].census.paired_with == "other"


def test_an_error_of_the_paired_census_names_its_file(tmp_path: Path) -> None:
    written(tmp_path, points=0)
    other = beside(tmp_path, changed("points", 32))
    for load in (lambda: load_census(other), lambda: load_censuses(tmp_path)):
        with pytest.raises(ConfigurationError) as caught:
            load()
        (problem,) = caught.value.problems
        assert (problem.key, problem.file) == ("points", str(tmp_path / "small.yaml"))


def test_paired_censuses_need_the_same_order_of_quantities(tmp_path: Path) -> None:
    laws = SMALL["draw"] | {"tcp.variant": {"law": "choice", "values": ["newreno", "sack"]}}
    written(tmp_path, draw=laws)
    cubic = laws | {"tcp.variant": {"law": "choice", "values": ["cubic"]}}
    tcp = {**SMALL["scenario"]["tcp"], "stack": "linux-6.18"}
    content = {**changed("draw", cubic), "scenario": {**SMALL["scenario"], "tcp": tcp}}
    beside(tmp_path, content)
    assert set(load_censuses(tmp_path)) == {"other", "small"}
    content["draw"] = dict(reversed(cubic.items()))
    beside(tmp_path, content)
    with pytest.raises(ConfigurationError, match="another order"):
        load_censuses(tmp_path)


def test_paired_latin_hypercubes_need_the_same_number_of_points(tmp_path: Path) -> None:
    written(tmp_path, design="latin-hypercube")
    beside(tmp_path, {**changed("points", 32), "design": "latin-hypercube"})
    with pytest.raises(ConfigurationError, match="points is 32, not 64"):
        load_censuses(tmp_path)


@pytest.mark.parametrize("pair", [("linux", "connections"), ("bbr", "linux")])
def test_a_shipped_paired_census_has_the_points_of_the_other_one(pair: tuple[str, str]) -> None:
    spaces = load_censuses(ROOT / "config" / "census")
    kernel, other = ({c.number: c for c in drawn(spaces[name], Chunk(0, 64))} for name in pair)
    assert kernel.keys() == other.keys()
    for number, connection in kernel.items():
        same = other[number]
        assert connection.impairments == same.impairments
        assert connection.scenario.tcp.stack is not None
        scenarios = (connection.scenario, same.scenario)
        ours, theirs = (one.model_dump(exclude={"id", "tcp"}) for one in scenarios)
        assert ours == theirs
