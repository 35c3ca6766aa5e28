"""The theme is seaborn's, in the sizes of the style file."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import pytest
import seaborn as sns
from matplotlib.colors import to_rgb

from tcpgoodput.drawing import theme
from tcpgoodput.style import Style

SMALLEST_PT = 7.0
"""Smallest allowed size of text in the paper, in points."""
SCALE = 0.86
"""Factor by which the paper scales most pictures."""


UNUSED = ("font.sans-serif", "image.cmap")
"""Settings that seaborn changes and that no picture uses."""


def test_the_theme_is_seaborns_with_our_lines(style: Style) -> None:
    ours = dict(mpl.rcParams)
    with mpl.rc_context():
        scale = style.palette.font_size_pt / sns.plotting_context("paper")["font.size"]
        sns.set_theme("paper", "ticks", "colorblind", "DejaVu Sans", scale, rc=theme.OWN)
        theirs = dict(mpl.rcParams)
    cycles = (settings.pop("axes.prop_cycle").by_key()["color"] for settings in (ours, theirs))
    our_colours, their_colours = (list(map(to_rgb, colours)) for colours in cycles)
    assert our_colours == their_colours
    for name in ours.keys() - UNUSED:
        is_number = isinstance(ours[name], float)
        assert theirs[name] == (pytest.approx(ours[name]) if is_number else ours[name]), name


def test_text_is_large_enough_in_the_paper(style: Style) -> None:
    for name in ("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"):
        assert mpl.rcParams[name] * SCALE >= SMALLEST_PT


def test_seaborn_is_loaded_only_for_drawing() -> None:
    loads = (
        "import sys, tcpgoodput.api.matrix, tcpgoodput.api.sample; print('seaborn' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
