"""Random samples that are changed copies of others (`like`), and the messages about wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tcpgoodput.comparison.census.files import load_census, load_censuses
from tcpgoodput.configuration import ConfigurationError
from tests.census.spaces import SMALL, written
from tests.folders import ROOT

TITLE = {"title": "A copy"}


def copy(folder: Path, name: str = "copy", **own: Any) -> Path:
    """Write a copy of the census `small` with its own keys, and return its path."""
    path = folder / f"{name}.yaml"
    content = {**TITLE, "like": "small", **own}
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def test_a_copy_has_the_keys_that_it_does_not_state(tmp_path: Path) -> None:
    original = load_census(written(tmp_path, paired_with=None)).census
    found = load_census(copy(tmp_path, points=32)).census
    assert found.model_dump() == original.model_dump() | TITLE | {"points": 32}


def test_title_and_pair_are_not_copied(tmp_path: Path) -> None:
    written(tmp_path)
    copy(tmp_path, "first", paired_with="small")
    assert load_census(copy(tmp_path, like="first")).census.paired_with is None
    path = copy(tmp_path)
    path.write_text("like: small\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="title: is required"):
        load_census(path)


def test_the_scenario_is_merged_key_by_key(tmp_path: Path) -> None:
    written(tmp_path)
    tcp = {"variant": "sack", "max_window_packets": None}
    found = load_census(copy(tmp_path, scenario={"tcp": tcp})).census
    assert found.scenario["tcp"] == {"variant": "sack", "mss_bytes": 1000}
    assert found.scenario["path"] == SMALL["scenario"]["path"]


def test_an_entry_is_replaced_in_its_place_and_null_removes_it(tmp_path: Path) -> None:
    more = {"law": "choice", "values": [1, 2], "weights": [1, 3]}
    written(tmp_path, draw={**SMALL["draw"], "tcp.ack_every": more})
    rtt, new = {"law": "uniform", "low": 0.1, "high": 0.2}, {"law": "choice", "values": [3, 4]}
    own = {
        "draw": {"tcp.dupthresh": new, "tcp.ack_every": new, "rtt": rtt},
        "set": {"path.backward_delay_s": None},
        "impairments": {"bursts": None},
    }
    found = load_census(copy(tmp_path, **own)).census
    laws = {name: law.model_dump(exclude_none=True) for name, law in found.draw.items()}
    assert list(laws) == ["rtt", "tcp.ack_every", "tcp.dupthresh"]
    assert laws["tcp.ack_every"] == new  # without the copied weights
    assert laws["rtt"] == rtt | {"whole": False}
    assert set(found.set) == {"path.forward_delay_s"}
    assert list(found.impairments) == ["loss", "handoffs"]


def test_a_problem_of_a_copied_value_has_the_line_of_like(tmp_path: Path) -> None:
    written(tmp_path)
    path = copy(tmp_path, points=10**6, chunk=1)
    with pytest.raises(ConfigurationError, match="at most 400 are handed out"):
        load_census(path)
    path = copy(tmp_path, draw={"rtt": None})
    with pytest.raises(ConfigurationError) as caught:
        load_census(path)
    assert "uses 'rtt'" in str(caught.value)
    assert {problem.file for problem in caught.value.problems} == {str(path)}
    twice = {"more": {"draw": {"p": {"law": "uniform", "low": 0, "high": 1}}}}
    path, where = copy(tmp_path, impairments=twice), r"copy.yaml:\d+: impairments.more.draw.p: "
    with pytest.raises(ConfigurationError, match=f"{where}is drawn"):
        load_census(path)


@pytest.mark.parametrize("alone", [False, True])
def test_a_problem_of_the_copied_file_names_that_file_once(tmp_path: Path, alone: bool) -> None:
    original = written(tmp_path, points=0)
    path = copy(tmp_path)
    with pytest.raises(ConfigurationError) as caught:
        load_census(path) if alone else load_censuses(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.file, problem.key) == (str(original), "points")


def test_an_unknown_or_circular_copy_is_one_message(tmp_path: Path) -> None:
    written(tmp_path)
    for name, message in [
        ("smal", "copy.yaml:3: like: no other census is called 'smal'; did you mean small"),
        (3, "copy.yaml:3: like: no other census is called 3"),
        ("copy", "copy.yaml:3: like: is a copy of itself: copy is like copy"),
    ]:
        with pytest.raises(ConfigurationError, match=message):
            load_census(copy(tmp_path, like=name))
    copy(tmp_path, "first", like="second")
    with pytest.raises(ConfigurationError, match="second is like first is like second"):
        load_census(copy(tmp_path, "second", like="first"))


def test_the_shipped_copies_state_nothing_that_they_copy() -> None:
    folder = ROOT / "config" / "census"
    for path in folder.glob("*.yaml"):
        own = yaml.safe_load(path.read_text(encoding="utf-8"))
        if name := own.get("like"):
            copied = load_census(folder / f"{name}.yaml").census.model_dump(mode="json")
            same = [key for key in own if key in copied and own[key] == copied[key]]
            assert same == [], path
