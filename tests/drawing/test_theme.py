"""Pictures have seaborn's theme with the font sizes of the style file, `config/style.yaml`."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import pytest

from tcpgoodput.drawing import theme
from tcpgoodput.style import Style

SMALLEST_PT = 7.0
"""Smallest allowed size of text in the report, in points."""
SCALE = 0.86
"""Factor by which the report reduces the size of most pictures, and of their text."""


def test_text_is_large_enough_in_the_paper(style: Style) -> None:
    for name in ("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"):
        assert mpl.rcParams[name] * SCALE >= SMALLEST_PT


def test_seaborn_is_loaded_only_for_drawing() -> None:
    loads = (
        "import sys, tcpgoodput.api.matrix, tcpgoodput.api.sample; print('seaborn' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_letters_of_all_pictures_have_one_size_in_a_notebook(style: Style) -> None:
    widths = {}
    for width_cm in (8.0, 16.0):
        picture = theme.new_picture(style, 5, width_cm)
        picture.add_subplot()
        image = theme.shown(theme.rendered(picture), "A title")
        widths[width_cm] = image.width
        assert image.alt == "A title"
    assert widths[16.0] == pytest.approx(2 * widths[8.0], abs=2)


def test_pictures_embed_no_type_3_fonts(style: Style, capsys: pytest.CaptureFixture[str]) -> None:
    picture = theme.new_picture(style, 4)
    picture.add_subplot().set_title(r"Rate, $\sum_0^\infty \mathcal{C} \geq \frac{1}{2}$")
    with mpl.rc_context({"pdf.compression": 0}):  # otherwise the names of fonts are compressed
        content = theme.rendered(picture, [".pdf"])[".pdf"]
    assert b"/Subtype /Type3" not in content
    assert b"/Subtype /Type0" in content
    assert capsys.readouterr().err == ""
