"""The shipped configuration can be changed: report and recorded measurements still work."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tcpgoodput.api.sample import Sample
from tcpgoodput.comparison.census.design import record_of
from tcpgoodput.comparison.census.evidence import read_evidence, unanswered_note
from tcpgoodput.comparison.census.read import to_read
from tcpgoodput.comparison.schema import Variation
from tcpgoodput.project.changes import NAME, differences, items_of, read_items, write_items
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report import derived, errors, numbers, sentences
from tcpgoodput.report.typeset import typeset
from tcpgoodput.storage import write_text
from tests import shipped as own
from tests.folders import ROOT

CENSUS = "connections"
POINTS = 256
NEW = "my_own.model"


@pytest.fixture(scope="module")
def shipped() -> Configuration:
    return own.configuration()


def one_model_more(configuration: Configuration) -> dict[str, list[str]]:
    """Return the families of models, and one more whose model is not in the recorded census.

    A family has the models that are variants of one formula. The census is the random sample of
    connections on which models were evaluated.
    """
    space = configuration.censuses[CENSUS]
    families = to_read(space, configuration.families, configuration.style)["families"]
    return {**families, NEW: [NEW]}


def test_a_recorded_census_leaves_out_unknown_models(shipped: Configuration) -> None:
    families, table = one_model_more(shipped), ROOT / record_of(CENSUS)
    families["mathis"] = [*families["mathis"], "my_own.variant"]
    columns = pq.read_schema(table).names
    known = {name.partition(":")[2] for name in columns if name.startswith("goodput:")}
    evidence = read_evidence(table, families, points=64)
    assert NEW not in evidence.errors
    assert "my_own.variant" not in evidence.of_models
    unrecorded = {name for name, members in families.items() if not known.intersection(members)}
    assert set(evidence.errors) == families.keys() - unrecorded
    result = unanswered_note(table, families)
    assert result is not None
    assert NEW in result
    assert "my_own.variant" in result
    assert unanswered_note(table, {"mathis": ["mathis"]}) is None


@pytest.fixture(scope="module")
def findings(shipped: Configuration, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results for a part of the recorded census (a sample of connections).

    One of the three models is not in the recorded census.
    """
    results = tmp_path_factory.mktemp("results")
    whole = pq.read_table(ROOT / record_of(CENSUS))
    pq.write_table(whole.filter(pc.field("point") < POINTS), results / "part.parquet")
    space = shipped.censuses[CENSUS]
    looks = to_read(space, shipped.families, shipped.style)
    looks["families"] = {name: [name] for name in ("mathis", "pftk", NEW)}
    table, conditions = results / "part.parquet", shipped.settings.conditions
    sample = Sample(CENSUS, table, looks, shipped.style, space, conditions)
    sample.save(results / errors.folder_of(space), None)
    return results


def test_the_census_is_reported_without_other_results(
    findings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    found, absent = numbers.of_tables(findings, {})
    names = {number.name for number in found}
    assert {"CensusDrawn", "CensusDomainHomeTypical"} <= names
    assert not any(name.startswith("Held") for name in names)
    assert any("this run has no table" in problem.message for problem in absent)


def test_the_report_has_no_census_section_without_a_census(shipped: Configuration) -> None:
    assert "census" not in errors.section_tex(replace(shipped, censuses={}))


def test_the_second_reader_is_counted_without_one_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    rows = pd.read_csv(derived.SECOND_READER)
    rest = rows[rows["source"] != "mathis"]
    assert len(derived.second_reader(rest)) == len(rest) < len(rows)


def test_missing_numbers_refute_no_sentence(shipped: Configuration) -> None:
    assert shipped.settings.sentences == "mark"
    message = sentences.checked_sentences({}, {})
    assert message
    assert all(sentence.missing and not sentence.refuted_by for sentence in message)


# ---- differences from the configuration of the previous run


def comparing(configuration: Configuration, **changes: Any) -> Configuration:
    """Return a configuration with changed fields of its comparison."""
    compared = configuration.comparison
    assert compared is not None
    return replace(configuration, comparison=replace(compared, **changes))


def scenario(configuration: Configuration) -> Configuration:
    every = own.comparison().scenarios
    mine = next(iter(every.values())).model_copy(update={"id": "my-path"})
    return comparing(configuration, scenarios={**every, "my_path": mine})


def variation(configuration: Configuration) -> Configuration:
    settings = own.comparison().settings
    mine = Variation(label="A longer first window", set={"tcp.initial_window_packets": 10})
    again = {**settings.variations, "my-window": mine}
    return comparing(configuration, settings=settings.model_copy(update={"variations": again}))


def figure(configuration: Configuration) -> Configuration:
    source = configuration.sources["mathis"]
    every = source.figures.figures
    mine = {**every, "my_figure": next(iter(every.values()))}
    figures = source.figures.model_copy(update={"figures": mine})
    sources = {**configuration.sources, "mathis": replace(source, figures=figures)}
    return replace(configuration, sources=sources)


def claim(configuration: Configuration) -> Configuration:
    result = configuration.claims["mathis"]
    mine = [*result.claims, result.claims[0].model_copy(update={"id": "my-claim"})]
    claims = {**configuration.claims, "mathis": replace(result, claims=mine)}
    return replace(configuration, claims=claims)


def no_census(configuration: Configuration) -> Configuration:
    return replace(configuration, censuses={})


def a_study_less(configuration: Configuration) -> Configuration:
    sources = {n: s for n, s in configuration.sources.items() if n != "mathis"}
    return replace(configuration, sources=sources)


def nothing_held_out(configuration: Configuration) -> Configuration:
    return comparing(configuration, held=None)


@pytest.mark.parametrize(
    ("change", "what", "item"),
    [
        (scenario, "new", "scenario my-path"),
        (variation, "new", "variation my-window (variations)"),
        (figure, "new", "figure mathis/my_figure"),
        (claim, "new", "claim mathis/my-claim"),
        (no_census, "gone", "census arq"),
        (a_study_less, "gone", "study mathis"),
        (nothing_held_out, "gone", "held-out connections"),
    ],
)
def test_a_run_lists_changes_since_the_previous_run(
    shipped: Configuration,
    tmp_path: Path,
    change: Callable[[Configuration], Configuration],
    what: str,
    item: str,
) -> None:
    assert read_items(tmp_path) is None
    write_items(tmp_path, items_of(shipped))
    before, now = read_items(tmp_path), items_of(change(shipped))
    assert before == items_of(shipped)
    found = differences(before, now)
    assert found[what][0].startswith(item)
    assert not any(names for kind, names in found.items() if kind != what)
    assert not any(differences(now, now).values())


def test_differences_list_new_and_changed_items(shipped: Configuration) -> None:
    now = items_of(shipped)
    before = {name: result for name, result in now.items() if name != "model mathis"}
    assert differences(before, now) == {"new": ["model mathis"], "changed": [], "gone": []}
    before = {**now, "study mathis": "another title"}
    assert differences(before, now) == {"new": [], "changed": ["study mathis"], "gone": []}


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_damaged_note_is_ignored(tmp_path: Path, content: str) -> None:
    (tmp_path / NAME).write_text(content, encoding="utf-8")
    assert read_items(tmp_path) is None


# ---- a report that quotes results which the run does not have


TEXT = r"""
\documentclass{article}
\input{preamble}
\begin{document}
\result{Known} and \result{Unknown} are $1 < \result{Unknown}$ \interval{Known}.
\holds{refuted}{One.} \holds{missing}{Two.} \holds{stands}{Three.}
\runpicture{comparison/matrix}
\end{document}
"""


@pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not on PATH")
def test_missing_numbers_are_typeset_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    message = [
        sentences.Sentence("refuted", ("A < 1: A = 2",)),
        sentences.Sentence("missing", (), ("B",)),
        sentences.Sentence("stands", ()),
    ]
    parts = {
        "report/macros.tex": numbers.macros_tex([numbers.Quoted("Known", 1.0, 2, "here")]),
        "report/standing.tex": sentences.marks_tex(message, must_hold=False),
        "report/pictures.tex": "\\makes{comparison/ranking}\n",
    }
    for name, text in parts.items():
        write_text(Path("results") / name, text)
    Path("paper").mkdir()
    Path("logs").mkdir()
    shutil.copyfile(ROOT / "paper/preamble.tex", "paper/preamble.tex")
    Path("paper/report.tex").write_text(TEXT, encoding="utf-8")
    Path("CITATION.cff").write_text("date-released: 2026-01-01\n", encoding="utf-8")
    typeset(Path("paper/report.pdf"))
    log = Path("results/report/latex/report.log").read_text(errors="replace").replace("\n", "")
    assert "no result is called Unknown" in log
    assert "missing rests on what is missing" in log
    assert "refuted does not hold" in log
    assert "the run makes no picture comparison/matrix" in log
