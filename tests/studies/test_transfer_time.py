"""The quantity `transfer_s`, the duration of a finite transfer, for models and measurements."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tcpgoodput.answers import Conditions
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.engines.measurements import Measurement
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.studies.answering import answers
from tcpgoodput.studies.files import load_source
from tcpgoodput.style import load_style
from tests.folders import ROOT
from tests.studies.points import points_of

STYLE = load_style(ROOT / "config" / "style.yaml")
FILE = """
source: times
title: Times
ours: true
scenarios:
  short:
    title: A short transfer
    tcp: {variant: reno, mss_bytes: 1000, transfer_packets: 10}
    path: {rate_bps: 1.0e+9, forward_delay_s: 0.05, backward_delay_s: 0.05}
figures:
  one:
    kind: lines
    title: One
    caption: One.
    panels:
      a:
        scenario: short
        quantity: transfer_s
        sweep:
          variable: packets
          values: {listed: [5, 50]}
          set: {tcp.transfer_packets: "= packets"}
        x: {label: Transfer}
        y: {label: Time}
        series: [{model: cardwell}, {engine: packet}]
"""


def written(tmp_path: Path, **panel: object) -> Path:
    data = yaml.safe_load(FILE)
    data["figures"]["one"]["panels"]["a"] |= panel
    path = tmp_path / "times.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def test_transfer_time_is_packets_over_goodput_with_its_interval(tmp_path: Path) -> None:
    source = load_source(written(tmp_path), STYLE)
    figure = source.figures.figures["one"]
    points = points_of(source, figure, Conditions())
    measured = {key: Measurement(key, p.engine, "", 50.0, 40.0, 80.0) for key, p in points.items()}
    rows = answers(source.scenarios, figure, Conditions(), measured).rows
    for row, point in zip(rows[:2], points.values(), strict=True):
        goodput = predict(MODELS["cardwell"], point.scenario).goodput_pps
        assert goodput is not None
        assert row["y"] == pytest.approx(point.x / goodput)
        assert row["y_unit"] == "s"
    for row in rows[2:]:
        times = [row["x"] / 50, row["x"] / 80, row["x"] / 40]
        assert [row["y"], row["y_low"], row["y_high"]] == pytest.approx(times)
    assert source.is_ours(figure)


def test_transfer_time_of_a_long_lived_connection_is_refused(tmp_path: Path) -> None:
    endless = {"variable": "p", "values": {"listed": [5, 50]}, "set": {}}
    unending = written(tmp_path, sweep=endless, set={"tcp.transfer_packets": None})
    with pytest.raises(ConfigurationError, match="transfer_s needs"):
        load_source(unending, STYLE)
