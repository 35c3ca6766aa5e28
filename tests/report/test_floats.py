"""Figures and captions of the report.

Figures with one column of panels have their captions beside them, and captions are short.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tcpgoodput.report.floats import floats_tex, is_narrow, spoken
from tcpgoodput.report.lists import supplement
from tcpgoodput.studies.open_settings import as_drawn
from tcpgoodput.studies.schema import LineFigure
from tests import shipped

ROOT = Path(__file__).parents[2]

SECTIONS = sorted((ROOT / "paper" / "sections").glob("*.tex"))
TABLES = [
    file
    for file in sorted((ROOT / "paper" / "tables").glob("*.tex"))
    if "<% block caption %>" in file.read_text(encoding="utf-8")
]

MOST_WORDS = 60
"""Largest number of words of a printed caption, with its title and the name of its file."""

CAPTION = re.compile(r"\\caption(?:\[[^]]*\])?\{")
BLOCK = re.compile(r"<% block caption %>(.*?)<% endblock %>", re.DOTALL)


@pytest.mark.parametrize(
    ("study", "figure", "expected"),
    [
        ("variable_capacity", "fig07", True),  # a figure with three panels in one column
        ("mathis", "more_senders", True),
        ("variable_capacity", "fig04", False),
        ("packet_trains", "fig02", False),  # one panel, drawn for the model and for the simulator
        ("variable_capacity", "fig01", False),  # a figure that is a block diagram
    ],
)
def test_figures_with_one_column_are_narrow(study: str, figure: str, expected: bool) -> None:
    configuration = shipped.configuration()
    assert is_narrow(configuration.sources[study].figures.figures[figure]) == expected


def test_small_figures_are_printed_once_in_the_place_of_their_first() -> None:
    configuration = shipped.configuration()
    source = configuration.sources["handoffs"]
    names = list(source.figures.figures)
    row = [["fig02"], ["fig03", "fig04"]]
    left_out = [name for name in names if name not in ("fig02", "fig03", "fig04")]
    text = floats_tex(source, ROOT, left_out, [row])
    labels = re.findall(r"label\{fig:handoffs:(\w+)\}", text)
    assert labels == ["fig02", "fig03", "fig04"]
    assert text.count(r"\begin{figure}") == 1
    assert text.count(r"\begin{minipage}") == 2
    wide = floats_tex(source, ROOT, [name for name in names if name != "fig10"], [[["fig10"]]])
    assert wide.count(r"\begin{minipage}[t]{\textwidth}") == 1


def words(caption: str) -> int:
    """Return the number of words that a reader sees in a caption in LaTeX.

    A formula, a number, a reference and a value that a template fills in are one word each.
    """
    text = re.sub(r"<#.*?#>|<%.*?%>|\\href\{[^}]*\}", "", caption, flags=re.DOTALL)
    text = re.sub(r"<<.*?>>|(?<!\\)\$[^$]*\$", "1", text)
    text = re.sub(r"\\(?:result|interval|(?:page)?ref|cite[a-z]*)\{[^}]*\}", "1", text)
    text = re.sub(r"\\[a-zA-Z]+|\\,", "", text).replace("~", " ")
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


def in_braces(text: str, start: int) -> str:
    """Return the LaTeX text from `start` to the brace that closes it."""
    depth = 1
    for position in range(start, len(text)):
        if text[position - 1] != "\\":
            depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    raise AssertionError("a caption has no end")


def captions_in(text: str) -> list[str]:
    """Return the captions in a LaTeX text."""
    return [in_braces(text, match.end()) for match in CAPTION.finditer(text)]


def test_words_are_counted_as_a_reader_sees_them() -> None:
    assert words(r"\textbf{The law.} $1/\sqrt p$ at 5\,\%; Figure~\ref{fig:a} – \citep{b}") == 8
    assert words("<% if of %>One << of | latex >><% endif %> = two") == 3
    assert in_braces(r"a{b \} c{d}} e", 2) == r"b \} c{d}"


def test_printed_captions_of_figures_are_short() -> None:
    configuration = shipped.configuration()
    left_out = supplement().left_out
    for name, source in configuration.sources.items():
        left = left_out.get(name, [])
        printed = [figure for figure in as_drawn(source.figures) if figure not in left]
        captions = captions_in(floats_tex(source, ROOT, left, [[printed]]))
        assert len(captions) == len(printed)
        assert [caption for caption in captions if words(caption) > MOST_WORDS] == []


@pytest.mark.parametrize(
    "file",
    SECTIONS,
    ids=lambda file: file.stem,
)
def test_captions_of_sections_are_short(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    captions = captions_in(text)
    assert len(captions) == text.count("\\caption")
    assert [caption for caption in captions if words(caption) > MOST_WORDS] == []


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_captions_of_tables_are_short(file: Path) -> None:
    captions = BLOCK.findall(file.read_text(encoding="utf-8"))
    assert len(captions) == 1
    assert words(captions[0]) <= MOST_WORDS


def test_every_figure_has_a_text_for_readers_who_do_not_see_it() -> None:
    for source in shipped.configuration().sources.values():
        for figure in source.figures.figures.values():
            text = spoken(figure)
            assert not set("\\${}") & set(text)
            assert len(text) > 10
            if isinstance(figure, LineFigure):
                panel = next(iter(figure.panels.values()))
                unit = panel.x.unit or ""
                assert "$" in unit or not unit or f"[{unit}]" in text
