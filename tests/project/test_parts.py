"""Requests (connections that a workflow run must simulate), by part of the run.

A part is, for example, a study or the comparison of models. A request is measured only once.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

import tcpgoodput
from tcpgoodput.api.measurements import digests, parts
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.engines.measurements import read_measurements
from tcpgoodput.project.settings import load_configuration
from tests.folders import ROOT

TINY = ROOT / "config/test/config.yaml"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Return the settings file of a copy of the small test configuration, config/test."""
    shutil.copytree(ROOT / "config/test", tmp_path / "test")
    shutil.copyfile(ROOT / "config/style.yaml", tmp_path / "style.yaml")
    return tmp_path / "test" / "config.yaml"


def test_each_study_scenario_map_and_page_is_a_part() -> None:
    found = load_configuration(TINY)
    assert found.comparison is not None
    maps = {f"maps/{name}" for name in found.comparison.settings.maps}
    others = {"comparison", "heldout", "explorer", "inputs"}
    assert parts(found).keys() == found.sources.keys() | maps | others
    assert digests(found).keys() <= parts(found).keys()


def test_without_a_comparison_only_studies_are_parts(tiny: Path) -> None:
    text = tiny.read_text(encoding="utf-8").replace("comparison: comparison.yaml\n", "")
    text = text.replace("inputs: inputs.yaml\n", "").replace("claims: claims\n", "")
    tiny.write_text(text, encoding="utf-8")
    found = load_configuration(tiny)
    assert parts(found).keys() == found.sources.keys()


@pytest.mark.parametrize(
    ("file", "old", "new", "asks_anew"),
    [
        ("figures/mathis.yaml", "title: ", "title: Another ", set()),
        ("comparison.yaml", "label: ", "label: Another ", set()),
        ("scenarios/lossy.yaml", "0.01", "0.011", {"comparison", "explorer"}),
    ],
)
def test_only_changed_connections_change_the_digest_of_a_part(
    tiny: Path, file: str, old: str, new: str, asks_anew: set[str]
) -> None:
    before = digests(load_configuration(tiny))
    path = tiny.parent / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    now = digests(load_configuration(tiny))
    assert {part for part in now if now[part] != before[part]} == asks_anew


def test_a_seed_changes_all_digests_and_printed_equations_none() -> None:
    before, printed, other = (
        digests(load_configuration(TINY, changes))
        for changes in ({}, {"equations": "printed"}, {"seed": 2})
    )
    assert printed == before
    assert not [part for part in before if other[part] == before[part]]


def test_an_unknown_part_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="'mathsi'; did you mean mathis"):
        tcpgoodput.requests("mathsi", TINY)
    with pytest.raises(ConfigurationError):
        tcpgoodput.requests("mathis", TINY, precision="coarse")


def test_requests_are_measured_into_a_table_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = tcpgoodput.requests("comparison", TINY)[:3]
    table = tmp_path / "measurements" / "comparison.csv"
    rows = tcpgoodput.measure(wanted, table, cores=1)
    assert list(rows["key"]) == list(dict.fromkeys(request.key for request in wanted))
    assert set(read_measurements(table)) == set(rows["key"])
    assert capsys.readouterr().out.splitlines()[0] == f"0 of {len(rows)}"
    again = tcpgoodput.measure(wanted, table, cores=1)
    pd.testing.assert_frame_equal(again, rows, rtol=1e-9)
    assert capsys.readouterr().out == f"{len(rows)} of {len(rows)}\n"
