"""Figures of the report with one column of panels have their captions beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tcpgoodput.project.settings import load_configuration
from tcpgoodput.report.floats import floats_tex, is_narrow

ROOT = Path(__file__).parents[2]


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
    configuration = load_configuration(ROOT / "config" / "config.yaml")
    assert is_narrow(configuration.sources[study].figures.figures[figure]) == expected


def test_small_figures_are_printed_once_in_the_place_of_their_first() -> None:
    configuration = load_configuration(ROOT / "config" / "config.yaml")
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
