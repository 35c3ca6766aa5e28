"""Figures and panels that are changed copies (`like`) equal those that are written out."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.configuration.strict_yaml import MAX_DEPTH, parse
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.like import in_full
from tcpgoodput.studies.schema import Figure
from tcpgoodput.style import load_style
from tests.folders import ROOT

STYLE = load_style(ROOT / "config" / "style.yaml")
HEAD = (ROOT / "config/test/figures/mathis.yaml").read_text(encoding="utf-8").split("settings:")[0]

PANEL = """\
        title: left
        scenario: small
        set: {tcp.mss_bytes: 1000, loss: {process: bernoulli, probability: 0.1}}
        quantity: goodput_kbps
        sweep:
          variable: p
          values: {start: 1e-4, stop: 0.1, scale: log, points: 7}
          set: {loss.probability: "= p"}
        x: {label: "$p$", scale: log, limits: [1e-4, 0.1]}
        y: {label: Goodput, unit: kbit/s}
        series:
          - {model: mathis, label: Square root}
          - {id: formula, model: pftk, label: PFTK}
          - {engine: linux}
"""

BASE = (
    """figures:
  base:
    kind: lines
    title: Goodput against loss
    caption: Two models and Linux.
    columns: 1
    panels:
      a:
"""
    + PANEL
    + """      b:
        like: a
        title: right
        set: {tcp.mss_bytes: 500}
    numbers:
      - {macro: AtOnePercent, panel: a, series: mathis, take: at, at: 0.01}
"""
)

FULL = (
    """
    kind: lines
    title: Another
    caption: Another.
    columns: 1
    panels:
      a:
"""
    + PANEL
)
"""The figure `base` with another title and caption, without panel b and numbers."""

COPY = """
    like: base
    title: Another
    caption: Another.
    panels:
      b: null
"""


def written(folder: Path, figures: str) -> Path:
    """Write a study with the figure `base` and other figures to a file; return its path."""
    file = folder / "mathis.yaml"
    file.write_text(f"{HEAD}{BASE}{figures}", encoding="utf-8")
    return file


def loaded(folder: Path, figure: str) -> Figure:
    """Return a figure, whose content is the given text, of a study with the figure `base`."""
    file = written(folder, f"  copy:{figure}")
    return load_source(file, STYLE).figures.figures["copy"]


def refusal(folder: Path, figures: str) -> list[tuple[str, str, str]]:
    """Return the problems of a study: the text of the line, the key, and the message."""
    file = written(folder, figures)
    with pytest.raises(ConfigurationError) as refused:
        load_source(file, STYLE)
    lines = file.read_text(encoding="utf-8").splitlines()
    return [(lines[p.line - 1].strip(), p.key, p.message) for p in refused.value.problems]


@pytest.mark.parametrize(
    ("changed", "old", "new"),
    [
        ("", "", ""),
        ("      a: {title: null}\n", "        title: left\n", ""),
        ("      a: {y: {scale: log}}\n", "unit: kbit/s}", "unit: kbit/s, scale: log}"),
        ("      a: {x: {limits: null}}\n", ", limits: [1e-4, 0.1]", ""),
        ("      a: {x: {limits: [0.01, 1]}}\n", "[1e-4, 0.1]", "[0.01, 1]"),
        ("      a: {sweep: {values: {points: 9}}}\n", "points: 7", "points: 9"),
        ("      a: {set: {tcp.mss_bytes: 500}}\n", "bytes: 1000", "bytes: 500"),
        (
            "      a: {set: {loss: {process: periodic, probability: 0.2}}}\n",
            "{process: bernoulli, probability: 0.1}",
            "{process: periodic, probability: 0.2}",
        ),
        (
            "      a: {set: {handoffs: null, spikes: null}}\n",
            "probability: 0.1}}",
            "probability: 0.1}, handoffs: null, spikes: null}",
        ),
        (
            "      a: {series: [{id: formula, label: null, line: dashed}]}\n",
            "model: pftk, label: PFTK",
            "model: pftk, line: dashed",
        ),
        ("      a: {series: [{model: mathis, label: Law}]}\n", "label: Square root", "label: Law"),
        (
            "      a:\n        without: [mathis, linux]\n"
            "        series: [{engine: packet}, {id: formula, line: dotted}]\n",
            "- {model: mathis, label: Square root}\n          "
            "- {id: formula, model: pftk, label: PFTK}\n          - {engine: linux}",
            "- {id: formula, model: pftk, label: PFTK, line: dotted}\n          - {engine: packet}",
        ),
        ("      a: {like: base/b, title: left, set: {tcp.mss_bytes: 1000}}\n", "", ""),
        ("    columns: null\n", "    columns: 1\n", ""),
        ("    columns: 3\n    ours: true\n", "columns: 1", "columns: 3\n    ours: true"),
    ],
)
def test_a_changed_copy_equals_the_figure_in_full(
    tmp_path: Path, changed: str, old: str, new: str
) -> None:
    assert old in FULL
    assert loaded(tmp_path, COPY + changed) == loaded(tmp_path, FULL.replace(old, new))


def test_a_panel_is_copied_from_another_figure_and_from_a_copy(tmp_path: Path) -> None:
    panels = "    panels:\n      right: {like: base/b}\n      left: {like: right, title: left}\n"
    figure = loaded(tmp_path, f"\n    kind: lines\n    title: T\n    caption: C\n{panels}")
    base = load_source(written(tmp_path, ""), STYLE).figures.figures["base"]
    assert figure.kind == base.kind == "lines"
    assert list(figure.panels) == ["right", "left"]
    assert figure.panels["right"] == base.panels["b"]
    assert figure.panels["left"] == base.panels["b"].model_copy(update={"title": "left"})


def test_a_copied_figure_may_stand_below_and_be_a_copy(tmp_path: Path) -> None:
    later = COPY.replace("like: base", "like: last").replace("      b: null\n", "      b: {}\n")
    last = COPY.replace("    panels:\n      b: null\n", "    columns: 3\n")
    file = written(tmp_path, f"  copy:{later}  last:{last}")
    figures = load_source(file, STYLE).figures.figures
    assert figures["copy"] == figures["last"]
    assert list(figures) == ["base", "copy", "last"]


def test_numbers_are_not_copied(tmp_path: Path) -> None:
    figure = loaded(tmp_path, COPY)
    assert figure.kind == "lines"
    assert figure.numbers == []


@pytest.mark.parametrize("own", ["title: Another", "caption: Another."])
def test_title_and_caption_are_not_copied(tmp_path: Path, own: str) -> None:
    key = own.partition(":")[0]
    (problem,) = refusal(tmp_path, f"  copy:{COPY.replace(f'    {own}', '')}")
    assert problem == ("copy:", f"figures.copy.{key}", "is required")


OF_THIS_FILE = "of this file, without the name of a study such as handoffs; did you mean base?"


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        ("like: bas", "like", "no figure 'bas'; did you mean base? (allowed: base, copy)"),
        ("like: [base]", "like", "must be text, the name of a figure or panel"),
        ("like: handoffs/bas", "like", f"must be a figure {OF_THIS_FILE} (allowed: base, copy)"),
        (
            "c: {like: handoffs/base/a}",
            "panels.c.like",
            f"must be a panel, FIGURE/PANEL, {OF_THIS_FILE} (allowed: base, copy)",
        ),
        (
            "c: {like: base}",
            "panels.c.like",
            "copy has no panel 'base' (allowed: a, c); a panel of another figure is FIGURE/PANEL",
        ),
        ("c: {like: base/left}", "panels.c.like", "base has no panel 'left' (allowed: a, b)"),
        ("like: copy", "like", "is a copy of itself: copy is like copy"),
        (
            "c: {like: d}\n      d: {like: copy/c}",
            "panels.c.like",
            "is a copy of itself: copy/c is like copy/d is like copy/c",
        ),
        (
            "a: {without: [formule]}",
            "panels.a.without[0]",
            "the copied panel has no series 'formule'; did you mean formula? "
            "(allowed: mathis, formula, linux)",
        ),
        (
            "a: {without: linux}",
            "panels.a.without",
            "must be a list: ids of the copied panel's series",
        ),
        (
            "c: {without: [linux]}",
            "panels.c.without",
            "needs `like`: it leaves out series of the copied panel",
        ),
    ],
)
def test_a_wrong_copy_is_refused(tmp_path: Path, change: str, key: str, message: str) -> None:
    figure = f"{COPY}      {change}\n"
    if change.startswith("like:"):
        figure = COPY.replace("like: base", change)
    line = change.splitlines()[0]
    assert refusal(tmp_path, f"  copy:{figure}") == [(line, f"figures.copy.{key}", message)]


def test_a_long_chain_of_copies_is_refused(tmp_path: Path) -> None:
    names = ["base", *(f"copy{n}" for n in range(MAX_DEPTH))]
    text = "".join(
        f"  {name}:{COPY.replace('like: base', f'like: {target}')}"
        for target, name in pairwise(names)
    )
    [(*_, message)] = refusal(tmp_path, text.replace("    panels:\n      b: null\n", ""))
    assert message == f"is a copy of a copy, more than {MAX_DEPTH} times"


def test_a_small_file_cannot_expand_to_a_large_one() -> None:
    many = "".join(f"    k{n}: 1\n" for n in range(2000))
    copies = "".join(f"  f{n}: {{like: base}}\n" for n in range(2000))
    document = parse(f"figures:\n  base:\n{many}{copies}", "large.yaml")
    with pytest.raises(ConfigurationError, match="including those copied by `like`"):
        in_full(document)


@pytest.mark.parametrize(
    ("changed", "key", "message"),
    [
        (
            "a: {x: {unit: ms}, y: {scale: lag}}",
            "y.scale",
            "is 'lag'; did you mean log? (allowed: linear, log)",
        ),
        (
            "a:\n        y: {unit: Mbit/s}",
            "y.unit",
            "goodput_kbps is in kbit/s, not in Mbit/s: write unit: kbit/s, "
            "or quantity: goodput_Mbps",
        ),
        ("a: {set: {tcp.mss_bytes: 1.5}}", "set", ""),
        (
            "a:\n        series:\n          - {id: formula, style: nowhere}",
            "series[1] (formula).style",
            "",
        ),
        ("a: {limts: null}", "limts", ""),
    ],
)
def test_a_wrong_change_has_its_own_line(
    tmp_path: Path, changed: str, key: str, message: str
) -> None:
    (found,) = refusal(tmp_path, f"  copy:{COPY}      {changed}\n")
    assert found[:2] == (changed.splitlines()[-1].strip(), f"figures.copy.panels.a.{key}")
    assert not message or found[2] == message


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        ("scale: log, limits", "scale: lag, limits", "x: ", "figures.base.panels.a.x.scale"),
        ("label: PFTK}", "label: PFTK, line: wavy}", "- {id: formula", "series[1] (formula).line"),
        ("unit: kbit/s", "unit: Mbit/s", "y: ", "figures.base.panels.a.y.unit"),
        ("points: 7", "points: 1e999", "values: ", "figures.base.panels.a.sweep.values.points"),
        ("points: 7", "points: 7, points: 8", "values: ", "base.panels.a.sweep.values.points"),
        ("variable: p", "variables: p", "variables: p", "figures.base.panels.a.sweep.variables"),
    ],
)
def test_a_wrong_value_that_is_copied_is_reported_once_where_it_stands(
    tmp_path: Path, old: str, new: str, line: str, key: str
) -> None:
    file = written(tmp_path, f"  copy:{COPY}")
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        load_source(file, STYLE)
    (problem,) = refused.value.problems
    assert file.read_text(encoding="utf-8").splitlines()[problem.line - 1].strip().startswith(line)
    assert problem.key.endswith(key)


def test_a_copied_value_that_is_wrong_in_the_copy_alone_names_the_copy(tmp_path: Path) -> None:
    change = "      a: {quantity: goodput_Mbps}\n"
    [(line, key, message)] = refusal(tmp_path, f"  copy:{COPY}{change}")
    assert line == "y: {label: Goodput, unit: kbit/s}"
    assert key == "figures.copy.panels.a.y.unit"
    assert message.startswith("goodput_Mbps is in Mbit/s")


def test_a_file_without_copies_stays_as_it_is(tmp_path: Path) -> None:
    document = read(ROOT / "config/test/figures/mathis.yaml")
    assert in_full(document) is document
