"""With the key `loss_of`, a model is evaluated with the loss event rate that an engine measured."""

from __future__ import annotations

from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.measurements import Measurement
from tcpgoodput.models.handoffs.newreno_handoffs import path_packets, window_limit_packets
from tcpgoodput.models.handoffs.recovery_period import Handoff
from tcpgoodput.models.handoffs.repeated_handoffs import packets_per_period
from tcpgoodput.models.literature.pftk import goodput_pps
from tcpgoodput.project.checked import checked
from tcpgoodput.studies.answering import answers
from tcpgoodput.studies.schema import LineFigure, Source
from tests.folders import ROOT
from tests.studies.points import points_of

DRAFT = Conditions(precision="draft")


def opened(name: str) -> tuple[Source, LineFigure]:
    source = checked(ROOT / "config" / "config.yaml").sources["handoffs"]
    figure = source.figures.figures[name]
    assert isinstance(figure, LineFigure)
    return source, figure


def with_loss_of(
    source: Source, figure: LineFigure, measured: dict[str, Measurement]
) -> list[dict[str, Any]]:
    """Return the rows of the series of panel a that has the losses of the packet simulator."""
    rows = answers(source.scenarios, figure, DRAFT, measured).rows
    series = next(s.key for s in figure.panels["a"].series if s.loss_of == "packet")
    return [row for row in rows if (row["panel"], row["series"]) == ("a", series)]


def test_loss_of_gives_fast_retransmits_per_packet_as_loss() -> None:
    source, figure = opened("fig11")
    every = points_of(source, figure, DRAFT)
    points = {key: p for key, p in every.items() if p.engine == "packet"}
    others = {key: p for key, p in every.items() if p.engine != "packet"}
    assert others
    measured = {
        key: Measurement(
            key,
            "packet",
            "",
            100.0 + n,
            99.0,
            101.0 + n,
            packets_sent=5000,
            fast_retransmits=5 * (n + 1),
        )
        for n, key in enumerate(points)
    }
    measured |= {
        key: Measurement(key, p.engine, "", 1.0, packets_sent=2, fast_retransmits=1)
        for key, p in others.items()
    }
    lines = with_loss_of(source, figure, measured)
    assert [row["x"] for row in lines] == [point.x for point in points.values()]
    for n, (row, point) in enumerate(zip(lines, points.values(), strict=True)):
        tcp = point.scenario.tcp
        rtt_s = point.scenario.propagation_rtt_s
        expected = goodput_pps(
            0.001 * (n + 1), rtt_s, point.scenario.timeout_s, 1, tcp.max_window_packets
        )
        assert row["y"] == pytest.approx(expected * tcp.mss_bytes / 1e3)


def test_loss_of_gives_the_hand_off_model_one_hand_off_per_retransmit() -> None:
    source, figure = opened("drop_events")
    points = points_of(source, figure, DRAFT)
    measured = {
        key: Measurement(
            key, "packet", "", 1.0, replications=2, measured_s=10.0, fast_retransmits=n
        )
        for n, key in enumerate(points)
    }
    lines = with_loss_of(source, figure, measured)
    own = {key: point for key, point in points.items() if point.panel == "a"}
    assert [row["x"] for row in lines] == [point.x for point in own.values()]
    for row, (key, point) in zip(lines, own.items(), strict=True):
        tcp, count = point.scenario.tcp, measured[key].fast_retransmits
        if not count:
            assert row["status"] == "undefined"
            continue
        interval_rtts = 20 / count / point.scenario.propagation_rtt_s
        limits = window_limit_packets(point.scenario), path_packets(point.scenario)
        packets = packets_per_period(Handoff(interval_rtts, 1, 1, 1), *limits)
        assert row["y"] == pytest.approx(packets / (20 / count) * tcp.mss_bytes / 1e3)
