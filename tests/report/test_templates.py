"""Templates of the report's tables are filled in, and mistakes in them are reported."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.report import latex

TABLE = """<% extends "tabular.tex" %>
<% block columns %>lr<% endblock %>
<% block headings %>
  Name &
  & $x$ \\& more
<% endblock %>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Replace the report's folder of templates by a new one with the common layout only."""
    shutil.copy(latex.FOLDER / "tabular.tex", tmp_path)
    monkeypatch.setattr(latex, "FOLDER", tmp_path)
    latex._environment.cache_clear()
    yield tmp_path
    latex._environment.cache_clear()


def test_a_template_line_may_be_wrapped_and_a_cell_empty(folder: Path) -> None:
    (folder / "own.tex").write_text(TABLE)
    assert latex.rendered("own", rows=[["a", "", r"b \& c"]]) == (
        "\\begin{fitted}%\n\\begin{tabular}{lr}\n\\toprule\n"
        "\\textbf{Name} & \\textbf{} & \\textbf{$x$ \\& more} \\\\\n\\midrule\n"
        "a &  & b \\& c \\\\\n"
        "\\bottomrule\n\\end{tabular}%\n\\end{fitted}\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<< rwos >>", "'rwos' is undefined"),
        ("one\n<% for row in rows %>", "own.tex:2: Unexpected end of template"),
        ('<% extends "longtabel.tex" %>', "longtabel.tex"),
    ],
)
def test_an_error_in_a_template_names_its_file(folder: Path, text: str, message: str) -> None:
    (folder / "own.tex").write_text(text)
    with pytest.raises(ConfigurationError, match=r"own\.tex") as caught:
        latex.rendered("own", rows=[])
    assert message in str(caught.value)


def test_every_template_compiles() -> None:
    for file in latex.FOLDER.glob("*.tex"):
        latex._environment().get_template(file.name)


def test_long_words_may_break_but_not_within_mathematics() -> None:
    path = latex.breakable_prose("results/measurements/delay_spikes.csv")
    assert path.replace("\u200b", "") == "results/measurements/delay_spikes.csv"
    assert path.count("\u200b") == 3
    formula = r"$W_a/\frac{a}{b}/W_{longer_than_most}$"
    assert latex.breakable_prose(f"short/word {formula}") == f"short/word {formula}"


@pytest.mark.parametrize("name", ["float_figure", "float_table"])
def test_titles_in_lists_are_in_braces(name: str) -> None:
    text = (latex.FOLDER / f"{name}.tex").read_text(encoding="utf-8")
    assert ".title | latex >>}]" in text
