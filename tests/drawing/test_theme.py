"""The theme has the same values as seaborn's."""

from __future__ import annotations

import pytest
import seaborn as sns

from tcpgoodput.drawing.theme import TICKS


def test_what_is_written_out_is_what_seaborn_says() -> None:
    theme = {**sns.axes_style("ticks"), **sns.plotting_context("paper")}
    known = {name: value for name, value in TICKS.items() if name in theme}
    assert len(known) > 8
    for name, value in known.items():
        ours = pytest.approx(value) if isinstance(value, float) else value
        assert theme[name] == ours, name
