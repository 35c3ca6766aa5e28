"""Pictures in part I of the report: from a run's tables, reproducible, with few series."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.configuration import read, validated
from tcpgoodput.report import pictures
from tcpgoodput.report.lists import supplement
from tcpgoodput.report.pictures import FILE, PicturesFile
from tests import shipped

ONE = """
pictures:
  one:
    height_cm: 4
    x_label: x
    y_label: y
    x_scale: log
    panels:
      - table: study/table
        panel: a
        shown:
          - {series: seen, divided_by: line, style: packet, marker: o, label: seen, at: [0.1, 0.9]}
"""


def test_no_panel_has_more_than_four_series() -> None:
    plots = validated(PicturesFile, read(FILE)).pictures
    assert plots
    for plot in plots.values():
        assert all(len(panel.shown) <= 4 for panel in plot.panels)


def test_a_picture_is_drawn_from_its_table_or_has_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pictures.yaml").write_text(ONE, encoding="utf-8")
    monkeypatch.setattr(pictures, "FILE", tmp_path / "pictures.yaml")
    style = shipped.configuration().style
    empty = pictures.pictures(tmp_path, style)["one.pdf"]
    rows = [("line", 1.0, 2.0, None, None), ("seen", 1.0, 3.0, 2.5, 3.5)]
    table = pd.DataFrame(rows, columns=["series", "x", "y", "y_low", "y_high"]).assign(panel="a")
    (tmp_path / "study").mkdir()
    table.to_csv(tmp_path / "study/table.csv", index=False)
    drawn = pictures.pictures(tmp_path, style)["one.pdf"]
    assert drawn.startswith(b"%PDF")
    assert drawn != empty
    assert drawn == pictures.pictures(tmp_path, style)["one.pdf"]


def test_the_supplement_names_existing_figures() -> None:
    configuration, shown = shipped.configuration(), supplement()
    for study, names in shown.left_out.items():
        assert set(names) <= configuration.sources[study].figures.figures.keys()
    for study, rows in shown.schematics.items():
        small = [name for row in rows for column in row for name in column]
        assert set(small) <= configuration.sources[study].figures.figures.keys()
        assert len(small) == len(set(small))
        assert not set(small) & set(shown.left_out[study])


def test_the_report_prints_all_figures_and_tables_of_the_studies() -> None:
    configuration, shown = shipped.configuration(), supplement()
    printed = 0
    for study, source in configuration.sources.items():
        if source.figures.ours:
            continue
        of_study = [name for name, figure in source.figures.figures.items() if not figure.ours]
        assert not set(of_study) & set(shown.left_out.get(study, [])), study
        printed += len(of_study)
    assert printed == 48 + 4


def test_the_interval_of_a_ratio_has_the_errors_of_both_series() -> None:
    random = np.random.default_rng(1)
    above, below = random.normal(10, 0.3, 100_000), random.normal(5, 0.2, 100_000)
    series = [
        pd.DataFrame({"x": [1.0], "y": [y], "y_low": [y - half], "y_high": [y + half]})
        for y, half in ((10.0, 2 * 0.3), (5.0, 2 * 0.2))
    ]
    ratio = pictures._ratios(*series).iloc[0]
    assert ratio["y"] == 2
    assert ratio["y_high"] - ratio["y_low"] == pytest.approx(4 * (above / below).std(), rel=0.02)
