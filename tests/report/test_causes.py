"""Numbers behind causes: cuts of a window in the band, and what the slip of units costs."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.project.settings import load_configuration
from tcpgoodput.report.causes import SWEPT, of_cuts, of_slip
from tcpgoodput.studies.store import answers_path

CONFIGURATION = load_configuration(Path(__file__).parents[2] / "config" / "config.yaml")


def test_cuts_are_counted_in_the_band_alone(tmp_path: Path) -> None:
    study, figure, series = SWEPT
    answers = pd.DataFrame({"x": [0.01, 0.1, 2.0], "key": ["a", "b", "c"], "series": series})
    measured = pd.DataFrame({"key": ["a", "b", "c"], "loss_events": [900, 20, 40]})
    path = answers_path(tmp_path, study, figure)
    path.parent.mkdir(parents=True)
    answers.to_csv(path)
    (tmp_path / "measurements").mkdir()
    measured.assign(measured_s=100.0, replications=2).to_csv(
        tmp_path / "measurements" / f"{study}.csv"
    )
    found = {number.name: number.value for number in of_cuts(CONFIGURATION, tmp_path)}
    assert (found["SecondsPerCutLeast"], found["SecondsPerCutMost"]) == pytest.approx((5, 10))
    assert (found["PeriodsPerCutLeast"], found["PeriodsPerCutMost"]) == pytest.approx((1, 10))


def test_the_repaired_slope_raises_the_goodput() -> None:
    (number,) = of_slip(CONFIGURATION)
    assert 1 < number.value < 4
