"""A model asked with the rate of loss events that an engine measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from tcpgoodput.studies.compute import figure_data
from tcpgoodput.studies.measured import Measured, asked_points

from tcpgoodput.answers import Conditions
from tcpgoodput.models.literature.pftk import goodput_pps
from tcpgoodput.project.settings import load_configuration

ROOT = Path(__file__).parents[2]


def test_the_model_gets_fast_retransmits_per_packet_as_its_loss() -> None:
    source = load_configuration(ROOT / "config" / "config.yaml", only="handoffs").sources[
        "handoffs"
    ]
    figure = source.figures.figures["fig11"]
    points = [p for p in asked_points(source, figure, "draft") if p.engine == "packet"]
    measured = {
        point.key: Measured(100.0 + n, 99.0, 101.0 + n, 20, 0.001 * (n + 1))
        for n, point in enumerate(points)
    }
    rows = figure_data(source, figure, Conditions(precision="draft"), measured).rows
    series = [s.loss_of for s in figure.panels["a"].series].index("packet")
    lines = [row for row in rows if row["series"] == series]
    assert [row["x"] for row in lines] == [point.x for point in points]
    tcp = points[0].scenario.tcp
    for n, (row, point) in enumerate(zip(lines, points, strict=True)):
        rtt_s = point.scenario.propagation_rtt_s
        expected = goodput_pps(
            0.001 * (n + 1), rtt_s, point.scenario.timeout_s, 1, tcp.max_window_packets
        )
        assert row["y"] == pytest.approx(expected * tcp.mss_bytes / 1e3)
