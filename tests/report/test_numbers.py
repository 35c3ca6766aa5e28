"""Numbers that the report quotes from figures, computed on lines with obvious results."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.report import latex
from tcpgoodput.report.numbers import (
    Quoted,
    at_markers,
    by_name,
    camel_case,
    macros_csv,
    macros_tex,
    of_conformance,
    of_cuts,
)
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.reductions import line_of, number_of
from tcpgoodput.studies.schema import Number
from tcpgoodput.style import load_style
from tests.folders import ROOT


def test_conformance_sequences_are_counted_by_outcome() -> None:
    quoted = {q.name: q.value for q in of_conformance({"agrees": 4, "does not apply": 2})}
    assert quoted == {
        "ConformanceSequences": 6,
        "ConformanceAgrees": 4,
        "ConformanceDiffers": 0,
        "ConformanceLeftOut": 2,
    }


def test_the_report_quotes_every_number_that_a_figure_defines() -> None:
    style = load_style(ROOT / "config/style.yaml")
    paper = [*(ROOT / "paper").rglob("*.tex"), *(ROOT / "paper").glob("*.yaml")]
    words = re.findall(r"[A-Za-z]+", "".join(file.read_text(encoding="utf-8") for file in paper))
    defined = {
        camel_case(file.stem) + number.macro
        for file in (ROOT / "config/figures").glob("*.yaml")
        for figure in load_source(file, style).figures.figures.values()
        for number in getattr(figure, "numbers", ())
    }
    # Some numbers come with others whose names begin with theirs, such as the ends of a range.
    assert {name for name in defined if not any(w.startswith(name) for w in words)} == set()


X = np.linspace(0, 10, 101)
ROWS = pd.concat(
    [
        pd.DataFrame({"series": "rising", "x": X, "y": 2 * X}),
        pd.DataFrame({"series": "parabola", "x": X, "y": (X - 3) ** 2}),
        pd.DataFrame({"series": "level", "x": [0.0, 10.0], "y": [5.0, 5.0]}),
    ]
)


def reduced(rows: pd.DataFrame, number: Number) -> float:
    return number_of(line_of(rows, number.series, number), number).value


def number(series: str, take: str, **rest: Any) -> Number:
    return Number.model_validate({"macro": "Test", "series": series, "take": take, **rest})


@pytest.mark.parametrize(
    ("series", "take", "rest", "value"),
    [
        ("rising", "min", {}, 0),
        ("rising", "max", {}, 20),
        ("rising", "first", {}, 0),
        ("rising", "last", {}, 20),
        ("rising", "mean", {}, 10),
        ("rising", "at", {"at": 2.55}, 5.1),
        ("rising", "max", {"over": [0, 4]}, 8),
        ("rising", "crossing", {"minus": "level"}, 2.5),
        ("rising", "at", {"at": 4, "divided_by": "level"}, 1.6),
        ("rising", "at", {"at": 4, "times": 100}, 800),
        ("parabola", "argmin", {}, 3),
        ("parabola", "argmax", {}, 10),
        ("parabola", "min", {"minus": "level"}, -5),
    ],
)
def test_each_reduction_gives_its_number(
    series: str, take: str, rest: dict[str, Any], value: float
) -> None:
    assert reduced(ROWS, number(series, take, **rest)) == pytest.approx(value, abs=1e-12)


def test_a_ratio_to_markers_is_computed_at_the_markers() -> None:
    """A ratio of a model's line to markers uses the line's values at the markers' x only.

    Between distant markers, straight lines from marker to marker differ from a curved line.
    """
    xs = np.geomspace(0.01, 1, 81).round(12)  # one x is 0.1, as for one marker
    rows = pd.concat(
        [
            pd.DataFrame({"series": "law", "origin": "model", "x": xs, "y": 1 / xs}),
            pd.DataFrame({"series": "seen", "origin": "packet", "x": [0.01, 0.1, 1.0]}).assign(
                y=[100.0, 10.0, 1.0]
            ),
        ]
    )
    least = number("law", "min", divided_by="seen")
    assert reduced(rows, least) < 0.5
    assert reduced(at_markers(rows, least), least) == pytest.approx(1)


def test_window_reductions_are_reported_as_seconds_per_event() -> None:
    rows = pd.DataFrame({"series": "seen", "x": [0.01, 0.1, 2.0], "key": ["a", "b", "c"]})
    measured = pd.DataFrame({"key": ["a", "b", "c"], "loss_events": [900, 20, 40]})
    measured = measured.assign(measured_s=100.0, replications=2)
    found = of_cuts(rows, measured, number("seen", "min", over=[0.1, 2]), "Test")
    assert {n.name: n.value for n in found} == {
        "TestSecondsPerCutLeast": 5,
        "TestSecondsPerCutMost": 10,
    }


def test_a_line_without_markers_is_unchanged() -> None:
    rows = ROWS.assign(origin="model")
    assert at_markers(rows, number("rising", "min", divided_by="level")) is rows
    assert at_markers(rows, number("rising", "min")) is rows


def test_measured_numbers_have_an_interval_macro() -> None:
    numbers = [Quoted("Seen", 1.25, 3, "a.csv", 1.125, 1.375), Quoted("Known", 2, None, "b.csv")]
    tex = macros_tex(numbers)
    assert r"\defineinterval{Seen}{[$1.12$, $1.38$]}" in tex
    assert r"\defineinterval{Known}" not in tex
    numbers.append(Quoted("Unknown", math.nan, 2, "c.csv"))
    assert macros_csv(numbers).splitlines()[1:] == [
        "Seen,1.25,1.125,1.375,a.csv",
        "Known,2,,,b.csv",
        "Unknown,,,,c.csv",
    ]


def test_series_that_do_not_cross_have_no_crossing() -> None:
    with pytest.raises(ValueError, match="do not cross"):
        reduced(ROWS, number("parabola", "crossing", minus="rising", over=[0.9, 0.95]))


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1418.744, 4, "$1419$"),
        (1418.744, 3, "$1419$"),
        (12345.6, 6, r"$12\,345.6$"),
        (0.27703, 3, "$0.277$"),
        (-0.5, 2, "$-0.50$"),
        (1.234e-7, 3, r"$1.23\times10^{-7}$"),
        (9.9996, 3, "$10.0$"),
        (0, 3, "0"),
        (None, 3, "---"),
        (float("nan"), 3, "---"),
        (float("inf"), 3, r"$\infty$"),
    ],
)
def test_numbers_are_typeset_with_significant_digits(
    value: float | None, digits: int, text: str
) -> None:
    assert latex.number(value, digits) == text


def test_names_become_macros() -> None:
    assert camel_case("delay_spikes") == "DelaySpikes"


def test_two_numbers_with_the_same_name_are_refused() -> None:
    one, other = Quoted("One", 1.0, None, "a.csv"), Quoted("Other", 2.0, None, "a.csv")
    assert by_name([one, other]) == {"One": 1.0, "Other": 2.0}
    with pytest.raises(ValueError, match="two numbers of the report are called One: see b"):
        by_name([one, other, Quoted("One", 3.0, None, "b.csv")])
