"""No texts of a picture collide, whatever titles, numbers and names a configuration has."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Picture

from tcpgoodput.api.ledger import Ledger
from tcpgoodput.comparison.claims.verdicts import VERDICTS
from tcpgoodput.drawing import comparison, matrix, room, theme
from tcpgoodput.style import Style
from tests.drawing.collisions import faults

LONG = "Starlink, hand-over every 15 s, 60 packets late by 80 ms, Linux CUBIC"


def faults_of(picture: Picture) -> list[str]:
    theme.rendered(picture, [".png"])
    return faults(picture)


@pytest.mark.parametrize("place", ["left", "center"])
def test_long_titles_do_not_run_into_the_next_panel(style: Style, place: str) -> None:
    picture = theme.new_picture(style, 5)
    for axes in picture.subplots(1, 3):
        axes.set_title("the hand-off study's NewReno, $p = 1 / (2 \\pi)$", loc=place)
    assert faults_of(picture) == []
    assert "NewReno, $p = 1" in picture.axes[0].get_title(place).replace("\n", " ")
    assert "\n" in picture.axes[0].get_title(place)


def test_collisions_are_found(style: Style) -> None:
    picture = theme.new_picture(style, 5)
    axes, beside = picture.subplots(1, 2)
    axes.set_title(LONG, loc="left")
    beside.set_title("Beside", loc="left")
    beside.set_xticks([0, 0.01, 1], ["0", "0.01", ""])
    picture.get_layout_engine().execute(picture)
    found = faults(picture)
    assert any(LONG in fault and "Beside" in fault for fault in found)
    assert any("'0' collides with '0.01'" in fault for fault in found)


def test_numbers_of_a_logarithmic_axis_keep_powers_of_ten(style: Style) -> None:
    picture = theme.new_picture(style, 5)
    for axes in picture.subplots(1, 4):
        axes.set(xscale="log", xlim=(0.004, 0.11))
        theme.plain_log_ticks(axes, "x")
    assert faults_of(picture) == []
    shown = [tick.label1.get_text() for tick in picture.axes[0].xaxis._update_ticks()]
    assert {"0.01", "0.1"} <= set(shown)


def test_numbers_of_a_linear_axis_stay_regular_and_words_stay(style: Style) -> None:
    picture = theme.new_picture(style, 5)
    every = picture.subplots(1, 5)
    for axes in every[:4]:
        axes.set_xscale("symlog", linthresh=5)
        axes.set_xticks([-100, -10, 0, 10, 100], ["−100", "−10", "0", "+10", "+100"])
    every[4].set_xticks([0, 1], ["a long word", "another long word"])
    theme.rendered(picture, [".png"])
    assert [text.get_text() for text in every[0].get_xticklabels()] == ["−100", "0", "+100"]
    assert every[4].get_xticklabels()[0].get_text() == "a long word"


@pytest.mark.parametrize(
    ("scenarios", "families"), [(3, 2), (40, 10), pytest.param(20, 22, marks=pytest.mark.weekly)]
)
def test_the_matrix_is_legible_with_any_titles(style: Style, scenarios: int, families: int) -> None:
    pairs = [*product([f"n{n}-own" for n in range(scenarios)], [f"f{n}" for n in range(families)])]
    rows = pd.DataFrame(pairs, columns=["scenario", "family"])
    rows = rows.assign(log_error=-3.05, status="native", simulated_bps=1e6)
    regimes = dict.fromkeys(rows["scenario"], "hand-offs")
    titles = dict.fromkeys(rows["scenario"], LONG)
    names = dict.fromkeys(rows["family"], "TFRC equation with a timeout of two round trips")
    picture = matrix.draw(rows, regimes, titles, names, style)
    assert faults_of(picture) == []
    assert picture.get_figheight() / theme.CM <= matrix.MOST_CM
    again = matrix.draw_again({LONG: rows, "two": rows}, names, style)
    assert [fault for fault in faults_of(again) if "Starlink" in fault] == []


def test_cut_texts_fit() -> None:
    assert room.cut("short", 3, 7) == "short"
    cut = room.cut(LONG, 3, 7)
    assert cut.endswith("…")
    assert room.width_cm(cut, 7) <= 3 < room.width_cm(cut[:-1] + "xx…", 7)


@pytest.mark.parametrize(("low", "high"), [(1.0, 70.0), (0.3, 2.0), (1e-4, 0.1), (2.0, 900.0)])
def test_axes_of_maps_have_several_numbers(low: float, high: float) -> None:
    _, texts = matrix.ticks_of(np.geomspace(low, high, 9), "log")
    assert len(texts) >= 3


def test_sensitivities_have_the_colours_of_the_style_file(style: Style) -> None:
    changes = pd.DataFrame(
        {"scenario": ["s"], "variation": ["v"], "family": ["pftk"], "status": ["native"]}
    ).assign(model_change=-0.3, simulated_change=-0.07, half_width=0.01)
    label = "the hand-off study's NewReno of RFC 6582"
    picture = comparison.draw_sensitivity(changes, {"v": label}, {"pftk": "PFTK"}, style)
    (handle,) = picture.legends[0].legend_handles
    assert handle.get_color() == style.model("pftk").colour


def ledger(style: Style, counts: dict[str, int]) -> Ledger:
    """Return a ledger of the study `trains` with as many claims of each verdict as in `counts`."""
    verdicts = [verdict for verdict, count in counts.items() for _ in range(count)]
    made = object.__new__(Ledger)
    made.rows = pd.DataFrame({"verdict": verdicts}).assign(source="trains", evidence="packet")
    made.sources, made.studies, made.style = {"trains": "Packet trains"}, ["trains"], style
    return made


def test_a_number_is_narrower_than_its_bar(style: Style) -> None:
    counts = dict(zip(VERDICTS, (60, 10, 5, 11, 9, 25), strict=True))
    picture = ledger(style, counts).draw()
    assert faults_of(picture) == []
    (axes,) = picture.axes
    shown = [text for text in axes.texts if text.get_text()]
    assert len(shown) >= 3
    for text in shown:
        bars = (bar for bars in axes.containers for bar in bars)
        width = next(bar for bar in bars if f"{bar.get_width():.0f}" == text.get_text())
        assert text.get_window_extent().width < width.get_window_extent().width
