"""Figures in the other settings that a study's text leaves open: what changes, and each fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.answering import answers
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.open_settings import as_drawn, places
from tcpgoodput.studies.schema import LineFigure, Series, Source
from tcpgoodput.style import load_style
from tests.folders import ROOT

STYLE = load_style(ROOT / "config" / "style.yaml")
FIGURES = (ROOT / "config" / "test" / "figures" / "mathis.yaml").read_text(encoding="utf-8")
CHOICE = "short_packets: {title: packets of 724 bytes, set: {tcp.mss_bytes: 724}}"
assert CHOICE in FIGURES


def with_choice(folder: Path, choice: str) -> Source:
    file = folder / "mathis.yaml"
    file.write_text(FIGURES.replace(CHOICE, choice), encoding="utf-8")
    return load_source(file, STYLE)


def series_of(source: Source, figure: str) -> list[Series]:
    found = source.figures.figures[figure]
    assert isinstance(found, LineFigure)
    return found.panels["a"].series


def goodputs(source: Source, figure: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in answers(source.scenarios, source.figures.figures[figure], Conditions()).rows:
        found.setdefault(row["series"], []).append(row["y"])
    return found


def test_a_figure_is_computed_in_every_setting(tmp_path: Path) -> None:
    source = with_choice(tmp_path, CHOICE)
    drawn, other = goodputs(source, "sweep"), goodputs(source, "sweep_short_packets")
    assert [y / 2 for y in drawn["mathis"]] == pytest.approx(other["mathis"])
    assert "sweep_short_packets" not in as_drawn(source.figures)
    assert places(source.figures)["sweep_short_packets"].figure == "sweep"


def test_a_setting_follows_the_changes_of_panel_sweep_and_series(tmp_path: Path) -> None:
    source = with_choice(tmp_path, 'rare: {title: a tenth, set: {loss.probability: "= p / 100"}}')
    drawn, other = goodputs(source, "sweep"), goodputs(source, "sweep_rare")
    assert [10 * y for y in drawn["mathis"]] == pytest.approx(other["mathis"])


@pytest.mark.parametrize(
    ("restriction", "changed"),
    [
        ("of: models", {"mathis", "pftk"}),
        ("of: engines", {"linux"}),
        ("series: [pftk]", {"pftk"}),
        ("of: models, series: [pftk, linux]", {"pftk"}),
    ],
)
def test_a_setting_can_change_some_series(
    tmp_path: Path, restriction: str, changed: set[str]
) -> None:
    choice = f"short: {{title: short, {restriction}, set: {{tcp.mss_bytes: 724}}}}"
    source = with_choice(tmp_path, choice)
    pairs = zip(series_of(source, "sweep_short"), series_of(source, "sweep"), strict=True)
    assert {own.key for own, other in pairs if own != other} == changed


def test_a_setting_can_change_single_figures(tmp_path: Path) -> None:
    choice = "far: {title: far, set_in: {sweep: {path.forward_delay_s: 0.15}}}"
    source = with_choice(tmp_path, choice)
    drawn, other = goodputs(source, "sweep"), goodputs(source, "sweep_far")
    assert [y / 2 for y in drawn["mathis"]] == pytest.approx(other["mathis"], rel=1e-3)


def test_a_setting_can_give_models_another_value_than_engines(tmp_path: Path) -> None:
    choice = "t: {title: t, set: {tcp.rto.min_s: 0.3}, set_models: {tcp.rto.min_s: 0.5}}"
    found = {one.key: one.set for one in series_of(with_choice(tmp_path, choice), "sweep_t")}
    models, engines = {"tcp.rto.min_s": 0.5}, {"tcp.rto.min_s": 0.3}
    assert found == {"mathis": models, "pftk": models, "linux": engines}


def test_a_setting_can_print_the_equations_as_printed(tmp_path: Path) -> None:
    source = with_choice(tmp_path, "printed: {title: as printed, equations: printed}")
    found = {series.key: series.equations for series in series_of(source, "sweep_printed")}
    assert found == {"mathis": "printed", "pftk": "printed", "linux": None}


def test_a_number_of_another_setting_is_its_figures(tmp_path: Path) -> None:
    number = "{macro: Short, series: mathis, take: at, at: 0.01}"
    choice = CHOICE.replace("}}", f"}}, numbers: {{sweep: [{number}]}}}}")
    figure = with_choice(tmp_path, choice).figures.figures["sweep_short_packets"]
    assert [number.macro for number in figure.numbers] == ["Short"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("same: {title: same}", "settings.packets.others.same: no figure can show this setting"),
        ("same: {title: same, set: {}}", "it changes no series"),
        ("s: {title: s, set: {tcp.mss: 724}}", "settings.packets.others.s: in sweep: .*tcp"),
        ("s: {title: s, set: {tcp.mss_bytes: 0}}", "others.s: in sweep: .*mss_bytes"),
        ("s: {title: s, series: [reno], set: {tcp.mss_bytes: 724}}", "called 'reno'.*mathis"),
        ("s: {title: s, set_in: {path: {tcp.mss_bytes: 724}}}", "path: must be one of sweep"),
        ("s: {set: {tcp.mss_bytes: 724}}", "others.s.title: is required"),
        (
            "s: {title: s, of: engines, set_models: {tcp.mss_bytes: 724}}",
            "others.s: .*`of: engines` excludes them",
        ),
        ("s: {title: s, of: senders, set: {tcp.mss_bytes: 724}}", "others.s.of: .*models"),
    ],
)
def test_a_choice_that_no_figure_can_show_is_reported(
    tmp_path: Path, choice: str, message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        with_choice(tmp_path, choice)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("figures: [sweep]", "figures: [swep]", "no figure 'swep'; did you mean sweep"),
        ("figures: [sweep]", "figures: [path]", "path has no lines"),
        ("figures: [sweep]", "figures: [sweep, sweep]", "sweep is in the group packets, too"),
        ("short_packets:", "Short:", "settings.packets.others.Short"),
        ("\n  waiting:", "\n  sweep_short_packets:", "has a figure sweep_short_packets already"),
        ("what: the packets' size, ", "", "settings.packets.open.0..what: is required"),
        ("drawn: packets of 1448 bytes\n", "\n", "settings.packets.drawn: is required"),
        (
            "drawn: packets of 1448 bytes\n",
            "drawn: large\n    before: {setting: short, why: no reason}\n",
            "settings.packets.before.setting: no other setting 'short'.*short_packets",
        ),
    ],
)
def test_a_wrong_group_of_settings_is_reported(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in FIGURES
    file = tmp_path / "mathis.yaml"
    file.write_text(FIGURES.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        load_source(file, STYLE)
