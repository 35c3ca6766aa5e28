"""Numbers of the report: selected from tables, and computed from lines with obvious results."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.report import latex, numbers
from tcpgoodput.report.numbers import (
    Quoted,
    at_markers,
    by_name,
    camel_case,
    macros_csv,
    macros_tex,
)
from tcpgoodput.studies.expressions import FUNCTIONS
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.reductions import line_of, lines_of, number_of
from tcpgoodput.studies.schema import Number
from tcpgoodput.style import load_style
from tests.folders import ROOT

QUOTED = re.compile(r"\\(?:result|interval)\{(\w+)\}")
COMMENT = re.compile(r"(?<!\\)%.*")
NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*")


def quoted_names() -> dict[str, str]:
    """Return each number that the report uses, with a file and line that uses it."""
    found = {}
    for file in sorted((ROOT / "paper").rglob("*.tex")):
        for line, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found |= dict.fromkeys(QUOTED.findall(COMMENT.sub("", text)), f"{file}:{line}")
    document = read(ROOT / "paper/sentences.yaml")
    for id, sentence in document.data["sentences"].items():
        names = set(NAME.findall(" ".join(sentence.get("where", [])))) - FUNCTIONS.keys()
        place = f"{document.file}:{document.line(('sentences', id))}"
        found |= {re.sub("_(low|high)$", "", name): place for name in names}
    return found


def test_the_numbers_that_are_defined_are_those_that_the_report_uses() -> None:
    style = load_style(ROOT / "config/style.yaml")
    of_figures = {
        camel_case(file.stem) + number.macro
        for file in (ROOT / "config/figures").glob("*.yaml")
        for figure in load_source(file, style).figures.figures.values()
        for number in getattr(figure, "numbers", ())
    }
    of_tables = numbers.selections(read(ROOT / numbers.FILE)).keys()
    assert not of_figures & of_tables
    defined, used = of_figures | of_tables, quoted_names()
    assert {name: used[name] for name in used.keys() - defined} == {}
    assert defined - used.keys() == set()


TABLE = """\
kind,engine,link,ratio,ratio_low,ratio_high,share_%,share_low_%,share_high_%,wide
a,ns2,x,2,1,4,10,5,20,0.5
a,linux,x,1,1,1,30,,,0.5
a,linux,y,0.5,0.25,1,50,45,55,0.5
b,,y,0.5,0.25,1,,45,55,0.5
"""


Selected = Callable[..., dict[str, Quoted]]


@pytest.fixture
def selected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Selected:
    """Return a function for the numbers of a numbers.yaml with one group, for `TABLE`."""
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    file = tmp_path / "numbers.yaml"
    monkeypatch.setattr(numbers, "FILE", file)

    def of(text: str, **derived: Callable[[], pd.DataFrame]) -> dict[str, Quoted]:
        file.write_text(f"groups:\n  - table: table\n    numbers:\n      {text}\n", "utf-8")
        found, absent = numbers.of_tables(tmp_path, derived)
        if absent:
            raise ConfigurationError(absent)
        return {number.name: number for number in found}

    return of


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("{take: count}", 4),
        ("{where: {kind: a, link: [x, y]}, take: count}", 3),
        ("{where: {engine: null}, take: count}", 1),
        ("{without: {engine: [ns2, null]}, take: count}", 2),
        ("{where: {kind: c}, take: count, empty: true}", 0),
        ("{once: [ratio, link], take: count}", 3),
        ("{take: count, of: ratio, at_most: 1}", 3),
        ("{take: share, of: ratio, above: 1}", 25),
        ("{take: median, of: ratio}", 0.75),
        ("{take: min, of: ratio, times: 100}", 50),
        ("{take: worst, of: ratio, error: signed}", 100 * math.log(2)),
        ("{where: {kind: b}, take: ratio, error: size}", 100 * math.log(2)),
        ("{where: {kind: b}, take: ratio, error: relative}", 50),
        ("{where: {kind: b}, take: ratio, divided_by: wide}", 1),
        ("{take: q90, of: ratio}", 1.7),
    ],
)
def test_a_number_is_selected_from_a_table(selected: Selected, entry: str, value: float) -> None:
    assert selected(f"N: {entry}")["N"].value == pytest.approx(value)


@pytest.mark.parametrize(
    ("entry", "ends"),
    [
        ("{where: {engine: ns2}, take: ratio, times: 10}", (10, 40)),
        ("{where: {engine: ns2}, take: ratio, times: -1}", (-4, -1)),
        ("{where: {engine: ns2}, take: share_%}", (5, 20)),
        ("{where: {engine: ns2}, take: ratio, half_width: wide}", (1.5, 2.5)),
    ],
)
def test_a_number_has_the_interval_of_its_cell(
    selected: Selected, entry: str, ends: tuple[float, float]
) -> None:
    found = selected(f"N: {entry}")["N"]
    assert (found.low, found.high) == pytest.approx(ends)


def test_the_interval_of_a_median_depends_on_the_clusters(selected: Selected) -> None:
    rows = pd.DataFrame({"link": [*"aabbccddeeff"], "ratio": np.linspace(1, 2, 12)})
    entry = "{take: median, of: ratio, interval: median, digits: 2%s}"
    text = f"Rows: {entry % ''}\n      Links: {entry % ', clusters: link'}"
    alone, clustered = selected(text, table=lambda: rows).values()
    assert (alone.low, alone.high) == pytest.approx((1 + 2 / 11, 1 + 9 / 11))
    assert 1 < clustered.low < clustered.value == 1.5 < clustered.high < 2


def test_the_origin_is_a_file_unless_the_table_is_derived(
    selected: Selected, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/table.csv").write_text(TABLE, encoding="utf-8")
    tables = ("table", "sub/table", "sub/derived", "derived")
    text = "\n      ".join(f"N{n}: {{table: {t}, take: count}}" for n, t in enumerate(tables))
    found = selected(text, **dict.fromkeys(tables[2:], lambda: pd.DataFrame({"kind": ["a"]})))
    origins = ["table.csv", "sub/table.csv", "sub/derived", "derived"]
    assert [number.origin for number in found.values()] == origins


def test_smaller_than_a_negative_number_means_its_size(selected: Selected) -> None:
    entry = "{take: count, of: ratio, error: size, smaller_than: Below}"
    text = f"Below: {{take: min, of: ratio, error: signed}}\n      N: {entry}"
    assert selected(text)["N"].value == 1  # of 0, ln 2, ln 2 and ln 2


def test_keys_of_a_group_count_for_its_numbers(selected: Selected) -> None:
    text = (
        "A: {where: {engine: ns2}}\n      B: {where: {kind: b}, take: share_high_%, digits: null}"
    )
    found = selected(f"{text}\n    where: {{ratio_high: [1, 4]}}\n    take: ratio\n    digits: 2")
    assert (found["A"].text, found["A"].interval) == ("$2.0$", "[$1.0$, $4.0$]")
    assert (found["B"].text, found["B"].interval) == ("55", None)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{take: ratios}", "table has no column 'ratios'; did you mean ratio?"),
        ("{where: {kinds: a}, take: count}", "table has no column 'kinds'; did you mean kind?"),
        ("{where: {kind: a, engine: linux}, take: ratio}", "2 rows of table are left; they differ"),
        ("{where: {engine: ns3}, take: count}", "no row with engine = 'ns3'; did you mean ns2?"),
        ("{where: {kind: b}, take: share_%}", "the cell 'share_%' of table is empty"),
        ("{table: tables, take: count}", "this run has no table"),
        ("{take: count, digit: 2}", "digit: unknown key; did you mean digits?"),
        ("{take: q90, of: ratio, interval: median}", "is of a median, not of take: q90"),
    ],
)
def test_an_entry_without_its_cell_is_refused_with_its_line(
    selected: Selected, entry: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        selected(f"N: {entry}")
    assert "numbers.yaml:4: groups[0].numbers.N" in str(error.value)
    assert message in str(error.value)


def reduced(rows: pd.DataFrame, number: Number) -> float:
    return number_of(line_of(lines_of(rows), number.series, number), number).value


def number(series: str, take: str, **rest: Any) -> Number:
    return Number.model_validate({"macro": "Test", "series": series, "take": take, **rest})


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


def test_a_line_without_markers_is_unchanged() -> None:
    x = np.linspace(0, 10, 101)
    rows = pd.DataFrame({"series": "rising", "origin": "model", "x": x, "y": 2 * x})
    assert at_markers(rows, number("rising", "min", divided_by="level")) is rows
    assert at_markers(rows, number("rising", "min")) is rows


def test_measured_numbers_have_an_interval_macro() -> None:
    quoted = [Quoted("Seen", 1.25, 3, "a.csv", 1.125, 1.375), Quoted("Known", 2, None, "b.csv")]
    tex = macros_tex(quoted)
    assert r"\defineinterval{Seen}{[$1.12$, $1.38$]}" in tex
    assert r"\defineinterval{Known}" not in tex
    quoted.append(Quoted("Unknown", math.nan, 2, "c.csv"))
    assert macros_csv(quoted).splitlines()[1:] == [
        "Seen,1.25,1.125,1.375,a.csv",
        "Known,2,,,b.csv",
        "Unknown,,,,c.csv",
    ]


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


def test_two_numbers_with_the_same_name_are_refused() -> None:
    one, other = Quoted("One", 1.0, None, "a.csv"), Quoted("Other", 2.0, None, "a.csv")
    assert by_name([one, other]) == {"One": 1.0, "Other": 2.0}
    with pytest.raises(ValueError, match="two numbers of the report are called One: see b"):
        by_name([one, other, Quoted("One", 3.0, None, "b.csv")])
