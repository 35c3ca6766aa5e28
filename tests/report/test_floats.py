"""Figures of the report with one column of panels have their captions beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.project.settings import load_configuration
from tcpgoodput.report.floats import is_narrow

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
