"""An axis with a wrong unit, or that cannot be drawn, is refused; the message names the key."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tcpgoodput.comparison.files import load_comparison
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.checks import wrong_curves
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.quantities import wrong_unit_of_quantity, wrong_unit_of_variable
from tcpgoodput.studies.schema import Axis, HorizontalLine
from tcpgoodput.style import load_style
from tests.folders import ROOT

CONFIG = ROOT / "config"
FIGURE = """
  own:
    kind: lines
    title: Goodput against the round trip
    caption: None.
    panels:
      a:
        scenario: emulated-path
        quantity: goodput_kbps
        sweep:
          variable: rtt_ms
          values: {listed: [20, 200]}
          set: {path.forward_delay_s: "= rtt_ms / 1000"}
        x: {label: Round trip, unit: ms}
        y: {label: Goodput, unit: kbit/s}
        series: [{model: mathis}]
      b:
        scenario: emulated-path
        x: {label: Time, unit: RTT}
        y: {label: Congestion window, unit: packets}
        series: [{curve: mathis.window_sawtooth}]
"""


def with_figure(folder: Path, text: str) -> Path:
    """Write the study `mathis` with the single figure in `text` to a file; return its path."""
    head, _, _ = (
        (CONFIG / "figures/mathis.yaml").read_text(encoding="utf-8").partition("\nfigures:")
    )
    file = folder / "mathis.yaml"
    file.write_text(f"{head}\nfigures:{text}", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("right", "wrong", "result"),
    [
        (
            "y: {label: Goodput, unit: kbit/s}",
            "y: {label: Goodput, unit: Mbit/s}",
            r"panels\.a\.y\.unit: goodput_kbps is in kbit/s.*unit: kbit/s.*goodput_Mbps",
        ),
        (
            "x: {label: Round trip, unit: ms}",
            "x: {label: Round trip, unit: s}",
            r"panels\.a\.x\.unit: rtt_ms is in ms, not in s",
        ),
    ],
)
def test_a_unit_that_differs_from_the_quantity_is_refused(
    tmp_path: Path, right: str, wrong: str, result: str
) -> None:
    style = load_style(CONFIG / "style.yaml")
    load_source(with_figure(tmp_path, FIGURE), style)
    file = with_figure(tmp_path, FIGURE.replace(right, wrong))
    line = file.read_text(encoding="utf-8").split(wrong)[0].count("\n") + 1
    with pytest.raises(ConfigurationError) as refused:
        load_source(file, style)
    (problem,) = refused.value.problems
    assert problem.line == line
    assert re.search(result, str(problem))


def test_a_unit_that_differs_from_the_curve_is_found(tmp_path: Path) -> None:
    style = load_style(CONFIG / "style.yaml")
    assert not list(wrong_curves(load_source(with_figure(tmp_path, FIGURE), style)))
    wrong = FIGURE.replace("unit: RTT", "unit: s").replace("unit: packets", "unit: kB")
    found = list(wrong_curves(load_source(with_figure(tmp_path, wrong), style)))
    assert [at[-2:] for at, _ in found] == [("x", "unit"), ("y", "unit")]
    assert "in RTT, not in s: write unit: RTT" in found[0][1]


def test_a_unit_that_differs_from_a_maps_variable_is_refused(tmp_path: Path) -> None:
    shutil.copytree(CONFIG / "scenarios", tmp_path / "scenarios")
    text = (CONFIG / "comparison.yaml").read_text(encoding="utf-8")
    file = tmp_path / "comparison.yaml"
    wrong = re.sub(r"(variable: interval\b(?:.|\n)*?unit: )s\b", r"\1ms", text, count=1)
    assert wrong != text
    file.write_text(wrong, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"handoff_batch\.x\.unit: .* is in s, not in ms"):
        load_comparison(file)


@pytest.mark.parametrize(
    ("quantity", "unit", "is_right"),
    [
        ("utilisation", "", True),
        ("utilisation", "%", False),
        ("goodput_pps", "packets/s", True),
        ("goodput_bps", "kbit/s", False),
        ("transfer_s", "ms", False),
    ],
)
def test_a_quantity_has_one_unit(quantity: str, unit: str, is_right: bool) -> None:
    assert (wrong_unit_of_quantity(quantity, unit) is None) == is_right


@pytest.mark.parametrize(
    ("variable", "changes", "unit", "is_right"),
    [
        ("late_ms", {}, "ms", True),
        ("late_ms", {}, "s", False),
        ("p", {"loss.probability": "= p"}, "", True),
        ("timeout", {"tcp.rto.fixed_s": "= timeout"}, "s", True),
        ("timeout", {"tcp.rto.fixed_s": "= timeout"}, "ms", False),
        ("timeout", {"tcp.rto.fixed_s": "= timeout / 1000"}, "ms", True),
    ],
)
def test_a_variable_has_the_unit_of_its_name_or_key(
    variable: str, changes: dict[str, str], unit: str, is_right: bool
) -> None:
    assert (wrong_unit_of_variable(variable, changes, unit) is None) == is_right


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"limits": [1.0, 1.0]}, "must rise"),
        ({"limits": [2.0, 1.0]}, "must rise"),
        ({"limits": [-1.0, 1.0], "scale": "log"}, "above 0"),
        ({"tick_labels": ["a"]}, "needs ticks"),
        ({"ticks": [1.0, 2.0], "tick_labels": ["a"]}, "one for each"),
    ],
)
def test_an_axis_that_cannot_be_drawn_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Axis(label="x", **keys)


def test_a_position_is_a_number_or_an_expression() -> None:
    assert HorizontalLine(kind="hline", y="= SD").y == "= SD"
    with pytest.raises(ValidationError, match="an expression after =; is 'hello'") as refused:
        HorizontalLine(kind="hline", y="hello")
    assert refused.value.error_count() == 1
