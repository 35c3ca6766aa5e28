"""In LaTeX, a bracket in a title does not end the title in the lists of figures and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

TABLES = Path(__file__).parents[2] / "paper" / "tables"


@pytest.mark.parametrize("name", ["float_figure", "float_table"])
def test_titles_in_lists_are_in_braces(name: str) -> None:
    text = (TABLES / f"{name}.tex").read_text(encoding="utf-8")
    assert ".title | latex >>}]" in text
