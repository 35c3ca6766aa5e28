"""Tables that numbers of the report are selected from, and that join other tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from tcpgoodput.comparison.claims.verdicts import VERDICTS
from tcpgoodput.report import derived
from tcpgoodput.storage import read_rows
from tests.claims.made_up import configuration
from tests.folders import ROOT

READ = read_rows(ROOT / derived.SECOND_READER)


def verdicts(*rows: tuple[str, str, str]) -> pd.DataFrame:
    """Return verdicts of one study, given as id, evidence and verdict."""
    return pd.DataFrame(rows, columns=["id", "evidence", "verdict"]).assign(source="mathis")


def test_interpretations_that_fail_are_compared_with_those_that_hold() -> None:
    ours = verdicts(
        ("a", "packet", "depends"), ("b", "ns2", "depends"), ("a", "model", "reproduced")
    )
    outcomes = [
        *(("a", "packet", outcome) for outcome in ("holds", "fails", "fails")),
        *(("b", "ns2", outcome) for outcome in ("holds", "fails", "undecided")),
        ("a", "model", "fails"),
    ]
    table = pd.DataFrame(outcomes, columns=["id", "evidence", "outcome"]).assign(source="mathis")
    found = derived.readings(ours, table)
    # The verdict of the model is not measured.
    assert dict(zip(found["id"], found["more_fail"], strict=True)) == {"a": True, "b": False}


def test_every_row_of_the_second_reader_belongs_to_a_claim_or_is_marked_gone() -> None:
    known = {
        (name, claim.id) for name, own in configuration().claims.items() for claim in own.claims
    }
    for row in READ:
        assert row["verdict"] in VERDICTS
        assert (row["source"], row["id"]) in known or "gone" in row["settled"]
    studies = {name for name, s in configuration().sources.items() if not s.figures.ours}
    assert {row["source"] for row in READ} == studies & configuration().claims.keys()


def test_the_second_reader_agrees_with_equal_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    first, second = READ[:2]
    ours = pd.DataFrame([first, {**second, "verdict": "no verdict"}])
    assert derived.second_reader(ours)["agrees"].tolist() == [True, False]


def test_a_run_of_the_kernel_is_compared_with_the_mean_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("key,goodput_pps\na,10\na,20\na,40\nb,5\n", encoding="utf-8")
    monkeypatch.setattr(derived, "RUNS", file)
    # The connection b has a single run.
    assert derived.runs()["ratio"].tolist() == pytest.approx([10 / 30, 20 / 25, 40 / 15])


@dataclass(frozen=True)
class Study:
    """A study with the figures `theirs` and `added`; only the second is ours."""

    figures: Any

    def is_ours(self, figure: str) -> bool:
        """Whether the figure is an addition."""
        return figure == "ours"


def test_a_connection_of_a_studys_figure_is_no_added_one() -> None:
    figures = SimpleNamespace(figures={"added": "ours", "theirs": "of the study"})
    rows = [
        ("study", "added", None, "k1"),
        ("study", "theirs", None, "k1"),
        ("study", "theirs", None, "k1"),
        ("study", "added", None, "k2"),
        ("study", "theirs", "linux-6.18", "k3"),
        ("comparison", "s01", None, "k4"),
    ]
    table = pd.DataFrame(rows, columns=["source", "figure", "sender", "key"]).assign(panel="a")
    found = derived.pairs(table, {"study": Study(figures)})  # type: ignore[dict-item]
    assert sorted(zip(found["key"], found["set"], strict=True)) == [
        ("k1", "study"),
        ("k2", "ours"),
        ("k3", "as Linux"),
        ("k4", "comparison"),
    ]


def test_recorded_rates_are_compared_with_their_mean_on_the_same_connections() -> None:
    answers = pd.DataFrame(
        {
            "link": ["a", "a", "b", "b", "c"],
            "buffer_packets": 4,
            "variant": "sack",
            "view": ["recorded", "mean", "recorded", "mean", "recorded"],
            "status": ["native", "reduced", "native", "out-of-domain", "native"],
            "goodput_bps": [1.1, 0.8, 1.0, 1.0, 1.0],
            "simulated_bps": 1.0,
        }
    )
    assert derived.views(answers)["recorded_is_nearer"].tolist() == [True]


def test_errors_in_and_out_of_domain_are_of_the_same_connections() -> None:
    rows = pd.DataFrame(
        {
            "scenario": ["a", "a", "a", "b"],
            "status": ["native", "reduced", "out-of-domain", "native"],
            "log_error": [-0.1, 0.3, 0.5, 0.7],
        }
    )
    (row,) = derived.medians(rows).to_dict("records")
    assert row == {"in_domain": pytest.approx(0.2), "out_of_domain": 0.5}


def test_window_reductions_are_reported_as_seconds_per_event(tmp_path: Path) -> None:
    points = pd.DataFrame({"panel": "a", "series": "seen", "x": [0.1, 2.0], "key": ["b", "c"]})
    measured = pd.DataFrame({"key": ["a", "b", "c"], "loss_events": [900, 20, 40]})
    for file, table in (("study/answers/fig.csv", points), ("measurements/study.csv", measured)):
        (tmp_path / file).parent.mkdir(parents=True)
        table.assign(measured_s=100.0, replications=2).to_csv(tmp_path / file, index=False)
    found = derived.loss_events(tmp_path, "study", "fig")
    assert found["seconds"].tolist() == [10, 5]


def test_the_simulator_agrees_with_ns2_if_it_imitates_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    rows = pd.read_csv(derived.NS2)
    sizes = rows.loc[rows["setting"] == "as it is", "ratio"].map(math.log).abs()
    differing = sizes[sizes > derived.CLOSE]
    assert len(derived.explained()) == len(differing)
    assert differing.max() < 0.05
