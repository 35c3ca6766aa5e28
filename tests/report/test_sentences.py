"""Comparative sentences of the report ("better", "at most") depend on generated numbers.

Each has a generated number, a citation, or a condition that is checked after each run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.report import sentences
from tcpgoodput.report.typeset import refuse_unfounded
from tests.folders import ROOT

SECTIONS = sorted((ROOT / "paper" / "sections").glob("*.tex"))
COMPARING = re.compile(
    r"\b(nearest|nearer|closest|closer|mostly|everywhere|agrees?|agreed|survives?|better|best|worse|worst|always|"
    r"never|nowhere|throughout|hardly|at most|within (?:a|one|five|ten|a few) per ?cent)\b",
    re.IGNORECASE,
)


def in_braces(text: str, start: int) -> str:
    """Return the LaTeX text from `start` to the brace that closes it."""
    depth = 1
    for position in range(start, len(text)):
        if text[position - 1] != "\\":
            depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    raise AssertionError("a brace is not closed")


def without(command: str, text: str, arguments: int) -> Iterator[str | tuple[str, ...]]:
    """Split LaTeX text at a command with a number of arguments in braces.

    Yield the texts between its uses, and for each use the tuple of its arguments.
    """
    position = 0
    for match in re.finditer(rf"\\{command}(?=\{{)", text):
        if match.start() < position:
            continue
        yield text[position : match.start()]
        found, position = [], match.end()
        for _ in range(arguments):
            found.append(in_braces(text, position + 1))
            position += len(found[-1]) + 2
        yield tuple(found)
    yield text[position:]


def bound(text: str) -> set[str]:
    r"""Return the ids of the conditional sentences in a LaTeX text, `\holds{id}{sentence}`."""
    return {part[0] for part in without("holds", text, 2) if isinstance(part, tuple)}


def loose(text: str) -> list[str]:
    r"""Return a LaTeX text's comparative sentences without generated number, condition or citation.

    Sentences in `\plain{}` are excepted.
    """
    text = re.sub(r"(?<!\\)%.*", "", text)
    text = " ".join(p for p in without("holds", text, 2) if isinstance(p, str))
    text = " ".join(p for p in without("plain", text, 1) if isinstance(p, str))
    message = re.split(r"(?<=[.!?])\s+(?=[A-Z\\])", " ".join(text.split()))
    grounds = (r"\result{", r"\cite")
    return [s for s in message if COMPARING.search(s) and not any(g in s for g in grounds)]


def test_bound_sentences_and_conditions_correspond() -> None:
    message = set().union(*(bound(file.read_text(encoding="utf-8")) for file in SECTIONS))
    assert message == {s.id for s in sentences.checked_sentences({}, {})}


@pytest.mark.parametrize("file", SECTIONS, ids=lambda file: file.stem)
def test_comparing_sentences_have_a_number_condition_or_source(file: Path) -> None:
    assert loose(file.read_text(encoding="utf-8")) == []


def test_an_unsupported_comparison_is_found() -> None:
    assert loose(r"It is best. \holds{a}{It is worse.} \plain{It never ends.}") == ["It is best."]
    assert loose(r"It is best by \result{A}. Is it? It is \emph{never} so.") == [
        r"It is \emph{never} so."
    ]


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "sentences.yaml"
    file.write_text(
        "sentences:\n"
        "  order: {where: [A < 2 * B <= 4]}\n"
        "  verdict: {verdicts: {mathis/rate/model: reproduced}}\n"
        "  unknown: {where: [A < Nowhere]}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(sentences, "FILE", file)


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("numbers", "verdict", "standing"),
    [
        ({"A": 1.0, "B": 2.0}, "reproduced", {"order", "verdict"}),
        ({"A": 4.0, "B": 2.0}, "reproduced", {"verdict"}),
        ({"A": 1.0, "B": 2.1}, "depends", set()),
    ],
)
def test_a_sentence_is_supported_while_its_conditions_hold(
    numbers: dict[str, float], verdict: str, standing: set[str]
) -> None:
    found = sentences.checked_sentences(numbers, {"mathis/rate/model": verdict})
    assert {s.id for s in found if s.stands} == standing
    tex = sentences.marks_tex(found, must_hold=False)
    assert all((rf"\stands{{{s.id}}}" in tex) == s.stands for s in found)


@pytest.mark.usefixtures("three")
def test_a_refuted_sentence_is_reported_with_line_and_numbers() -> None:
    verdicts = {"mathis/rate/model": "depends"}
    fallen = sentences.checked_sentences({"A": 4.0, "B": 1.5}, verdicts)
    error = sentences.refused([s for s in fallen if not s.stands])
    assert isinstance(error, ConfigurationError)
    message = str(error)
    assert "sentences.yaml:2" in message
    assert "A = 4, 2 * B = 3, 4 = 4" in message
    assert "mathis/rate/model is depends, not reproduced" in message
    assert "this run does not have Nowhere" in message


@pytest.mark.usefixtures("three")
def test_a_sentence_with_missing_numbers_is_marked() -> None:
    found = {s.id: s for s in sentences.checked_sentences({"A": math.nan, "B": 2.0}, {})}
    assert found["order"].missing == ("A",)
    assert found["verdict"].missing == ("mathis/rate/model",)
    assert not any(s.refuted_by for s in found.values())
    tex = sentences.marks_tex(found.values(), must_hold=False)
    assert all(rf"\lacks{{{name}}}" in tex for name in found)
    rows = sentences.records(found.values())
    assert {row["missing"] for row in rows} == {"A", "Nowhere", "mathis/rate/model"}


def test_unknown_numbers_and_sentences_in_the_text_are_reported(tmp_path: Path) -> None:
    text = tmp_path / "a.tex"
    text.write_text(
        "Of \\result{TreeMedian} and\n"
        "\\result{TreeMedien} % \\result{Commented}\n"
        "\\holds{order}{more}, \\holds{oder}{less}, \\plain{more}\n"
        "\\interval{TreeMedian}\n",
        encoding="utf-8",
    )
    macros = "\\defineresult{TreeMedian}{5}% of it\n"
    problems = sentences.unsupported_sentences([text], macros, "\\stands{order}%\n")
    assert [(p.line, p.key) for p in problems] == [
        (2, r"\result{TreeMedien}"),
        (3, r"\holds{oder}"),
        (4, r"\interval{TreeMedian}"),
    ]
    assert "did you mean TreeMedian?" in problems[0].message
    assert "did you mean order?" in problems[1].message


def test_typesetting_refuses_unsupported_text_if_it_must_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper").mkdir()
    Path("paper/report.tex").write_text("\\result{Nothing}\n", encoding="utf-8")
    parts = Path("results/report")
    parts.mkdir(parents=True)
    (parts / "macros.tex").write_text("\\defineresult{Something}{5}%\n", encoding="utf-8")
    (parts / "standing.tex").write_text(sentences.marks_tex([], must_hold=False))
    refuse_unfounded(parts)
    (parts / "standing.tex").write_text(sentences.marks_tex([], must_hold=True))
    with pytest.raises(ConfigurationError, match=r"paper/report.tex:1: .*no result is called so"):
        refuse_unfounded(parts)
