"""A figure without any value, or with invalid sweeps, series, curves or copies, is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError, Problem, read
from tcpgoodput.project.settings import check_document
from tcpgoodput.studies.checks import wrong_curves
from tcpgoodput.studies.files import load_source
from tcpgoodput.style import load_style
from tests import shipped
from tests.folders import ROOT

FIGURES = """\
source: study
ours: true
title: A study
citation: mathis1997
scenarios:
  plain:
    title: A plain path
    tcp: {variant: newreno, mss_bytes: 1000}
    path: {rate_bps: 1e7, forward_delay_s: 0.05, backward_delay_s: 0.05}
    loss: {process: bernoulli, probability: 0.01}
figures:
  empty:
    kind: lines
    title: Goodput
    caption: Goodput against loss.
    panels:
      a:
        scenario: plain
        quantity: goodput_kbps
        sweep:
          variable: p
          values: {start: 0.001, stop: 0.1, points: 5}
          set: {loss.probability: "= p"}
        x: {label: Loss}
        y: {label: Goodput, unit: kbit/s}
        series:
          - {model: lakshman_madhow}
          - {model: delay_spikes.lossless}
"""


def checked(folder: Path, text: str) -> list[Problem]:
    """Check a file of figures with the given text; return its problems, empty if there are none."""
    (folder / "style.yaml").write_bytes((ROOT / "config" / "style.yaml").read_bytes())
    file = folder / "study.yaml"
    file.write_text(text, encoding="utf-8")
    try:
        check_document(read(file))
    except ConfigurationError as error:
        return error.problems
    return []


def test_a_panel_without_values_is_refused_with_the_models_reasons(tmp_path: Path) -> None:
    (problem,) = checked(tmp_path, FIGURES)
    assert (problem.line, problem.key) == (17, "figures.empty.panels.a")
    assert "no series has a value anywhere: " in problem.message
    assert "lakshman_madhow: " in problem.message
    assert "delay_spikes.lossless: does not describe independent loss" in problem.message


@pytest.mark.parametrize("series", ["{model: mathis}", "{engine: packet}"])
def test_a_panel_with_one_series_with_values_is_accepted(tmp_path: Path, series: str) -> None:
    assert checked(tmp_path, FIGURES.replace("{model: lakshman_madhow}", series)) == []


def warnings_of(folder: Path, series: str) -> list[str]:
    assert checked(folder, FIGURES.replace("{model: lakshman_madhow}", series)) == []
    return [str(s) for s in check_document(read(folder / "study.yaml")).suspects]


def test_a_model_without_a_value_is_a_warning_that_says_what_helps(tmp_path: Path) -> None:
    series = "{model: mathis}\n          - {model: variable_capacity.fluid}"
    fluid, spikes = warnings_of(tmp_path, series)
    assert "series[1]: variable_capacity.fluid has no value anywhere: does not describe" in fluid
    assert fluid.endswith("; reduced: true applies reductions")
    assert "delay_spikes.lossless has no value anywhere" in spikes
    assert "reduced: true" not in spikes
    (only,) = warnings_of(tmp_path, series.replace("fluid}", "fluid, reduced: true}"))
    assert "delay_spikes.lossless" in only


def test_a_value_that_must_be_whole_is_to_be_rounded(tmp_path: Path) -> None:
    text = FIGURES.replace('{loss.probability: "= p"}', '{path.buffer_packets: "= 1e4 * p + 0.5"}')
    (problem,) = checked(tmp_path, text)
    assert "must be a whole number" in problem.message
    assert problem.message.endswith("such as path.buffer_packets: '= round(1e4 * p + 0.5)'")


def test_an_invalid_sweep_is_one_message_for_all_series(tmp_path: Path) -> None:
    (problem,) = checked(tmp_path, FIGURES.replace('"= p"', '"= 2 * q"'))
    assert problem.key == "figures.empty.panels.a.sweep.set"
    assert "at p = 0.001: " in problem.message


def test_a_number_outside_the_sweep_is_refused(tmp_path: Path) -> None:
    good = FIGURES.replace("lakshman_madhow", "mathis")
    number = "    numbers:\n      - {macro: M, series: mathis, take: at, at: 0.2}\n"
    (problem,) = checked(tmp_path, good + number)
    assert problem.key == "figures.empty.numbers[0].at"
    assert "p goes from 0.001 to 0.1" in problem.message


def test_a_number_refers_to_its_series_by_id_and_not_by_label(tmp_path: Path) -> None:
    good = FIGURES.replace("{model: lakshman_madhow}", "{model: mathis, label: theirs}")
    number = "    numbers:\n      - {macro: M, series: theirs, take: at, at: 0.01}\n"
    (problem,) = checked(tmp_path, good + number)
    assert problem.key == "figures.empty.numbers[0].series"
    assert "no series is called 'theirs'" in problem.message
    assert checked(tmp_path, good + number.replace("theirs", "mathis")) == []


@pytest.mark.parametrize("other", ["theirs", "mathis"])
def test_against_must_name_another_series_of_the_panel(tmp_path: Path, other: str) -> None:
    good = FIGURES.replace("lakshman_madhow}", "mathis, against: delay_spikes.lossless}")
    (problem,) = checked(tmp_path, good.replace(": delay_spikes.lossless}", f": {other}}}", 1))
    assert problem.key == "figures.empty.panels.a.series[0].against"
    assert f"no other series is called {other!r}" in problem.message
    assert checked(tmp_path, good) == []


def test_an_area_must_name_a_series_of_the_panel(tmp_path: Path) -> None:
    good = FIGURES.replace("lakshman_madhow", "mathis")
    marks = "        marks:\n          - {kind: area, series: mathsi, start: 0.01, stop: 0.02}\n"
    (problem,) = checked(tmp_path, good + marks)
    assert problem.key.startswith("figures.empty.panels.a.marks[0]")
    assert "mathsi" in problem.message
    assert checked(tmp_path, good + marks.replace("mathsi", "mathis")) == []


def test_a_wrong_quantity_is_one_message(tmp_path: Path) -> None:
    (problem,) = checked(tmp_path, FIGURES.replace("goodput_kbps", "goodput_kpbs"))
    assert "did you mean goodput_kbps, " in problem.message


STYLE = load_style(ROOT / "config" / "style.yaml")
MATHIS = (ROOT / "config" / "test" / "figures" / "mathis.yaml").read_text(encoding="utf-8")


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
    text = MATHIS.replace("\nsettings:", f"\n  v: {variation}\nsettings:")
    assert text != MATHIS
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        load_source(file, STYLE)


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
