"""Faults in a figure's options for a curve are found by the configuration check, before a run.

Only the code that computes the curve can detect them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.studies.checks import wrong_curves
from tcpgoodput.studies.files import load_source
from tcpgoodput.style import load_style
from tests import shipped

ROOT = Path(__file__).parents[2]
STYLE = load_style(ROOT / "config" / "style.yaml")


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ('"= period"', '"= peroid"', "marks", "uses 'peroid'; did you mean period?"),
        ("{teeth: 3}", "{teeth: three}", "series", "mathis.window_sawtooth: "),
        ("{teeth: 3}", "{teeth: -3}", "series", "mathis.window_sawtooth: "),
    ],
)
def test_an_error_of_a_curve_is_reported_with_its_key(
    tmp_path: Path, old: str, new: str, place: str, message: str
) -> None:
    text = (ROOT / "config" / "figures" / "mathis.yaml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "mathis.yaml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    [(at, result), *_] = wrong_curves(load_source(file, STYLE))
    assert at[:4] == ("figures", "fig01", "panels", "a")
    assert at[4] == place
    assert message in result


def test_shipped_curves_have_no_errors() -> None:
    for source in shipped.configuration().sources.values():
        assert list(wrong_curves(source)) == []
