"""A census beside another one of the same points, against counts by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tcpgoodput.census.beside import errors_of_both, gains_of, shared
from tcpgoodput.census.files import load_censuses
from tcpgoodput.configuration import ConfigurationError
from tests.census.evidences import COUNT, evidence
from tests.census.spaces import SMALL, written
from tests.folders import ROOT


def test_only_connections_that_differ_in_the_stack_alone_are_shared() -> None:
    here, beside = evidence(), evidence()
    here.connections["timeout"] = 0.2  # the stack's
    here.connections.loc[:9, "cubic"] = 1.0  # another variant
    here.connections.loc[10:19, "happening"] = "another"
    beside.connections.loc[30:39, "point"] = -1
    left, right = shared(here, beside.at(beside.connections.index[::-1]))  # in any order
    assert len(left.connections) == COUNT - 30
    assert (left.connections["point"] == right.connections["point"]).all()
    assert (left.errors == right.errors).all(axis=None)


def test_gains_against_a_count_by_hand() -> None:
    here, beside = evidence(), evidence()
    something = here.connections["happening"] == "loss"
    here.connections.loc[something, "goodput_pps"] = 120.0
    rows = {row["happening"]: row for row in gains_of(here, beside, ["loss"])}
    assert rows["loss"]["connections"] == something.sum()
    assert rows["loss"]["median_%"] == pytest.approx(100 * np.log(1.2))
    assert rows["loss"]["within_10_%"] == 0
    assert rows["nothing"]["median_%"] == 0
    assert rows["all"]["within_10_%"] == pytest.approx(100 * (~something).mean())


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


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"beside": "smal"}, "no other census is called 'smal'; did you mean small"),
        ({"beside": "other"}, "no other census is called 'other'"),
        ({"beside": "small", "seed": 9}, "other points than small"),
        ({"beside": "small", "unimpaired": 0.5}, "other points than small"),
    ],
)
def test_a_census_stands_beside_one_of_the_same_points(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    written(tmp_path)
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump({**SMALL, "beside": "small"}), encoding="utf-8")
    assert set(load_censuses(tmp_path)) == {"other", "small"}
    other.write_text(yaml.safe_dump({**SMALL, **changes}), encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_censuses(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.key, problem.file) == ("beside", str(other))
    assert said in problem.message


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
