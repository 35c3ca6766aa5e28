"""Scenarios of figures that are variations of another one (`like`): each fault gives a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.files import load_source
from tcpgoodput.style import load_style

ROOT = Path(__file__).parents[2]
STYLE = load_style(ROOT / "config" / "style.yaml")
FIGURES = (ROOT / "config" / "test" / "figures" / "mathis.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("variation", "message"),
    [
        ("{like: lossy, set: }", "scenarios.v.set: .*must be a mapping"),
        ("{like: lossy, set: [a]}", "scenarios.v.set: .*must be a mapping"),
        ("{like: lossy, set: text}", "scenarios.v.set: .*must be a mapping"),
        ("{like: [lossy]}", "scenarios.v.like: .*must be text"),
        ("{like: }", "scenarios.v.like: "),
        ("{like: nobody}", "no scenario above is 'nobody'.*allowed: "),
        ("{like: lossy, sett: {}}", "unknown key; did you mean set.*allowed: like, title, set"),
    ],
)
def test_an_invalid_variation_is_reported(tmp_path: Path, variation: str, message: str) -> None:
    file = tmp_path / "mathis.yaml"
    text = FIGURES.replace("\nsettings:", f"\n  v: {variation}\nsettings:")
    assert text != FIGURES
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        load_source(file, STYLE)
