"""A census beside another one of the same points, against counts by hand."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tcpgoodput.census.beside import Record, errors_of_both, gains_of, shared
from tcpgoodput.census.evidence import Evidence
from tcpgoodput.census.files import load_census, load_censuses
from tcpgoodput.census.quantities import ENDLESS
from tcpgoodput.configuration import ConfigurationError
from tests.census.evidences import COUNT, evidence
from tests.census.spaces import SMALL, written
from tests.folders import ROOT


def test_only_connections_that_differ_in_the_stack_alone_are_shared() -> None:
    here, beside = evidence(), evidence()
    here.connections["timeout"] = 0.2  # the stack's
    here.connections.loc[:9, "variant"] = "sack"
    here.connections.loc[10:19, "path"] = "another"
    beside.connections.loc[30:39, "point"] = -1
    left, right = shared(here, beside.at(beside.connections.index[::-1]))  # in any order
    assert len(left.connections) == COUNT - 30
    assert (left.connections["point"] == right.connections["point"]).all()
    assert (left.errors == right.errors).all(axis=None)


def test_gains_against_a_count_by_hand() -> None:
    here, beside = evidence(), evidence()
    something = here.connections["happening"] == "loss"
    here.connections.loc[something, "goodput_pps"] = 120.0
    rows = gains(here, beside)
    assert rows["all", "any", "loss"]["connections"] == something.sum()
    assert rows["all", "any", "loss"]["median"] == pytest.approx(1.2)
    assert rows["all", "any", "loss"]["within_10_%"] == 0
    assert rows["all", "any", "nothing"]["q95"] == 1
    assert rows["all", "any", "all"]["within_10_%"] == pytest.approx(100 * (~something).mean())
    assert rows["all", "any", "all"]["faster_%"] == pytest.approx(100 * something.mean())
    assert rows["all", "any", "all"]["slower_%"] == 0


def test_gains_are_told_of_each_sender_and_of_the_same_smallest_timeout() -> None:
    here, beside = evidence(), evidence()
    for one in (here, beside):
        one.connections.loc[:99, "variant"] = "cubic"
    beside.connections.loc[:49, "timeout"] = 1.0
    here.connections.loc[:49, "goodput_pps"] = 50.0
    rows = gains(here, beside)
    assert rows["cubic", "any", "all"]["connections"] == 100
    assert rows["cubic", "any", "all"]["slower_%"] == 50
    assert rows["cubic", "the same", "all"]["connections"] == 50
    assert rows["cubic", "the same", "all"]["within_5_%"] == 100
    assert rows["newreno", "any", "all"]["connections"] == COUNT - 100


def test_transfers_are_told_by_their_length_where_nothing_else_happens() -> None:
    here, beside = evidence(), evidence()
    for one in (here, beside):
        one.connections["product"], one.connections["transfer"] = 10.0, ENDLESS
        one.connections.loc[:9, "transfer"] = 10.0  # of 100 packets
        one.connections.loc[10:29, "transfer"] = 101.0
        one.connections.loc[20:29, "happening"] = "loss and transfer"
    rows = gains(here, beside)
    assert rows["all", "any", "short transfers"]["connections"] == 10
    assert rows["all", "any", "long transfers"]["connections"] == 10


def gains(here: Evidence, beside: Evidence) -> dict[tuple[str, ...], Record]:
    """Return the rows of gains by what they are of."""
    keys = ("sender", "smallest_rto", "happening")
    found = gains_of(here, beside, ["loss"])
    return {tuple(str(row[key]) for key in keys): row for row in found}


def test_errors_are_told_where_a_family_is_at_home_in_both() -> None:
    here, beside = evidence(near=0.2), evidence(near=0.01)
    beside.statuses.loc[:99, "one"] = "out-of-domain"
    here.errors.loc[100:199, "one"] = np.nan
    little = here.connections["loss"] <= 0.3
    here, beside = here.at(little.index[little]), beside.at(little.index[little])
    rows = {(r["family"], r["happening"]): r for r in errors_of_both(here, beside, ["loss"])}
    row = rows["one", "all"]
    assert row["connections"] == little.loc[200:].sum()
    assert row["typical_%"] == pytest.approx(20)
    assert row["typical_beside_%"] == pytest.approx(1)
    assert (row["within_10_%"], row["within_10_beside_%"]) == (0, 100)


def changed(key: str, value: Any) -> dict[str, Any]:
    """Return the small census with a key changed, however deep, beside the unchanged one."""
    found = copy.deepcopy({**SMALL, "beside": "small"})
    *parents, last = key.split("/")
    part: dict[str, Any] = found
    for parent in parents:
        part = part[parent]
    part[last] = value
    return found


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("beside", "smal", "no other census is called 'smal'; did you mean small"),
        ("beside", "other", "no other census is called 'other'"),
        ("seed", 9, "other connections than small: seed is 9, not 1"),
        ("unimpaired", 0.5, "unimpaired is 0.5, not 0.2"),
        ("draw/more", {"law": "uniform", "low": 0, "high": 1}, "5 coordinates, not 4"),
        ("draw/rtt/high", 0.9, "where path."),
        ("set/path.buffer_packets", 7, "where path.buffer_packets is 7, it is None there"),
        ("scenario/tcp/mss_bytes", 1400, "where tcp.mss_bytes is 1400, it is 1000 there"),
        ("impairments/handoffs/set/handoffs/packets", 2, "where handoffs.packets is 2, it is 1"),
    ],
)
@pytest.mark.parametrize("alone", [False, True])
def test_a_census_stands_beside_one_of_the_same_connections(
    tmp_path: Path, key: str, value: Any, said: str, alone: bool
) -> None:
    written(tmp_path)
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(changed("points", 32), sort_keys=False), encoding="utf-8")
    assert set(load_censuses(tmp_path)) == {"other", "small"}
    assert load_census(other).census.beside == "small"
    other.write_text(yaml.safe_dump(changed(key, value), sort_keys=False), encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_census(other) if alone else load_censuses(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.key, problem.file) == ("beside", str(other))
    assert said in problem.message


def test_no_census_stands_beside_one_that_does(tmp_path: Path) -> None:
    written(tmp_path)
    for name, beside in (("other", "small"), ("third", "other")):
        content = yaml.safe_dump(changed("beside", beside), sort_keys=False)
        (tmp_path / f"{name}.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="other stands beside small itself"):
        load_censuses(tmp_path)


def test_what_is_wrong_with_the_census_beside_is_told_of_that_one(tmp_path: Path) -> None:
    written(tmp_path, points=0)
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump(changed("points", 32), sort_keys=False), encoding="utf-8")
    assert load_census(other).census.beside == "small"
    with pytest.raises(ConfigurationError) as caught:
        load_censuses(tmp_path)
    assert [problem.key for problem in caught.value.problems] == ["points"]


def test_the_shipped_census_of_a_kernel_has_the_points_of_the_other() -> None:
    from tcpgoodput.census.chunks import Chunk
    from tcpgoodput.census.draw import drawn

    spaces = load_censuses(ROOT / "config" / "census")
    kernel, other = (
        {c.number: c for c in drawn(spaces[name], Chunk(0, 64))}
        for name in ("linux", "connections")
    )
    assert kernel.keys() == other.keys()
    for number, connection in kernel.items():
        beside = other[number]
        assert connection.happening == beside.happening
        assert connection.scenario.tcp.stack is not None
        sender = {"id", "tcp"}
        apart = connection.scenario.model_dump(exclude=sender)
        assert apart == beside.scenario.model_dump(exclude=sender)
