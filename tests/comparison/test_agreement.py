"""Agreement of models and measurements in figures: which lines and markers are compared.

Markers are measurements. They are compared with a line only at the x where the line has a value.
"""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.comparison.agreement import agreements, compared, compared_points, line_errors
from tcpgoodput.studies.answering import COLUMNS, Computed, answers_path, write_answers
from tcpgoodput.studies.schema import Panel, Source, SourceFigures
from tcpgoodput.style import load_style
from tests.folders import ROOT
from tests.scenarios import scenario

DELAYED = {"tcp.ack_every": 2}

AXES = {
    "scenario": "any",
    "quantity": "goodput_pps",
    "sweep": {"variable": "p", "values": {"listed": [1, 2, 3]}},
    "x": {"label": "x"},
    "y": {"label": "y"},
}
PANEL = Panel.model_validate(
    {
        **AXES,
        "series": [
            {"model": "mathis", "style": "first"},
            {"model": "pftk", "style": "second"},
            {"id": "delayed", "model": "mathis", "style": "first", "set": DELAYED},
            {"id": "lossless", "model": "mathis", "set": {"loss": None}},
            {"id": "second", "engine": "packet", "style": "second"},
            {"engine": "packet"},
            {"id": "asked_with_its_losses", "model": "pftk", "loss_of": "ns2"},
            {"id": "delayed_packet", "engine": "packet", "style": "first", "set": DELAYED},
            {"id": "lossy", "engine": "packet", "set": {"loss.probability": 0.1}},
            {"id": "delayed_sack", "engine": "packet", "set": {**DELAYED, "tcp.variant": "sack"}},
        ],
    }
)


@pytest.mark.parametrize(
    ("measured", "lines"),
    [
        ("second", ["mathis", "pftk"]),
        ("packet", ["mathis", "pftk"]),
        ("delayed_packet", ["delayed"]),
        ("lossy", []),
        ("delayed_sack", ["delayed"]),
    ],
)
def test_markers_are_compared_with_lines_of_their_own_scenario(
    measured: str, lines: list[str]
) -> None:
    by_key = {series.key: series for series in PANEL.series}
    assert [series.key for series in compared(PANEL, by_key[measured])] == lines


def answered(statuses: list[str], markers: dict[float, float]) -> pd.DataFrame:
    """Return a figure's answers: a model's line at x = 1, 2, …, and the given measured points."""
    line = [("mathis", float(n + 1), 1.0, status) for n, status in enumerate(statuses)]
    measured = [("packet", x, y, "measured") for x, y in markers.items()]
    return pd.DataFrame(line + measured, columns=["series", "x", "y", "status"]).assign(panel="a")


def test_points_out_of_domain_are_omitted_if_others_are_in_domain() -> None:
    markers = {0.5: 1.0, 1.0: 1.0, 2.0: 1.0, 3.0: 1.0}
    for statuses, expected in (
        (["out-of-domain", "native", "reduced"], ([2.0, 3.0], True)),
        (3 * ["out-of-domain"], ([1.0, 2.0, 3.0], False)),
    ):
        rows = answered(statuses, markers)
        seen, in_domain = compared_points({"a": PANEL}, rows)["a", "packet", "mathis"]
        assert (list(seen["x"]), in_domain) == expected


def test_nothing_is_compared_where_the_model_has_no_value() -> None:
    """If a model's line has a gap, measurements in the gap are not compared with it."""
    rows = answered(["native", "native"], {1.0: 5.0, 1.5: 7.0, 2.0: 6.0})
    seen, in_domain = compared_points({"a": PANEL}, rows)["a", "packet", "mathis"]
    assert (list(seen["x"]), list(seen["model"]), in_domain) == ([1.0, 2.0], [1.0, 1.0], True)
    assert list(seen["y"]) == [5.0, 6.0]
    assert compared_points({"a": PANEL}, answered(["native", "native"], {1.5: 7.0})) == {}


def test_points_are_matched_by_row_and_not_by_x(tmp_path: Path) -> None:
    """Values of a line and its markers are compared although their x are rounded in the file.

    x has 16 digits in memory and 12 in files. Both series are read from the same file.
    """
    xs = [0.1 * 2 / 3, 0.2 * 2 / 3, 0.4 * 2 / 3, 0.8 * 2 / 3]
    statuses = ["out-of-domain", "native", "reduced", "out-of-domain"]
    values = [900.0, 110.0, 120.0, 0.1]
    assert all(x != float(f"{x:.12g}") for x in xs)
    common = {"panel": "a", "x_unit": "1", "y_unit": "packets/s"}
    lines = [
        {**common, "series": "mathis", "origin": "model", "x": x, "y": y, "n": 1, "status": status}
        for x, y, status in zip(xs, values, statuses, strict=True)
    ]
    interval = {"y": 100.0, "y_low": 99.0, "y_high": 101.0, "n": 20}
    markers = [{**common, "series": "packet", "origin": "packet", "x": x, **interval} for x in xs]
    computed = Computed(COLUMNS, [*lines, *markers], {"a": {}})
    write_answers(computed, answers_path(tmp_path, "study", "goodput"))
    style = load_style(ROOT / "config" / "style.yaml")
    errors = line_errors({"study": _study()}, style, tmp_path)
    (found,) = agreements(errors).to_dict("records")
    assert (found["line"], found["engine"]) == ("ours", "packet")
    assert (found["n"], found["in_domain"]) == (2, True)
    assert found["worst_%"] == pytest.approx(100 * math.log(1.2))
    assert found["worst_at"] == pytest.approx(xs[2])
    assert found["median_%"] == pytest.approx(50 * (math.log(1.1) + math.log(1.2)))
    assert found["median_half_width_%"] == pytest.approx(1)
    assert (found["variant"], found["ours"]) == ("sack", False)


def _study() -> Source:
    """Return a study with one figure: a model's line, simulated markers."""
    panel = AXES | {"series": [{"model": "mathis", "label": "ours"}, {"engine": "packet"}]}
    figure = {"kind": "lines", "title": "t", "caption": "c", "panels": {"a": panel}}
    study = {"source": "study", "title": "A study", "citation": "none", "scenarios": {}}
    figures = SourceFigures.model_validate({**study, "figures": {"goodput": figure}})
    return Source(figures, {"any": scenario(tcp={"variant": "sack", "mss_bytes": 1000})})
