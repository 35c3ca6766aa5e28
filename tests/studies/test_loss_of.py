"""With the key `loss_of`, a model is evaluated with the loss event rate that an engine measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.measurements import Measurement
from tcpgoodput.models.handoffs.newreno_handoffs import path_packets, window_limit_packets
from tcpgoodput.models.handoffs.recovery_period import Handoff
from tcpgoodput.models.handoffs.repeated_handoffs import packets_per_period
from tcpgoodput.models.literature.pftk import goodput_pps
from tcpgoodput.project.checked import checked
from tcpgoodput.studies.answering import answers
from tests.studies.points import points_of

ROOT = Path(__file__).parents[2]


def test_loss_of_gives_fast_retransmits_per_packet_as_loss() -> None:
    source = checked(ROOT / "config" / "config.yaml").sources["handoffs"]
    figure = source.figures.figures["fig11"]
    conditions = Conditions(precision="draft")
    every = points_of(source, figure, conditions)
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
    rows = answers(source.scenarios, figure, conditions, measured).rows
    series = next(s.key for s in figure.panels["a"].series if s.loss_of == "packet")
    lines = [row for row in rows if (row["panel"], row["series"]) == ("a", series)]
    assert [row["x"] for row in lines] == [point.x for point in points.values()]
    for n, (row, point) in enumerate(zip(lines, points.values(), strict=True)):
        tcp = point.scenario.tcp
        rtt_s = point.scenario.propagation_rtt_s
        expected = goodput_pps(
            0.001 * (n + 1), rtt_s, point.scenario.timeout_s, 1, tcp.max_window_packets
        )
        assert row["y"] == pytest.approx(expected * tcp.mss_bytes / 1e3)


def test_loss_of_gives_the_hand_off_model_one_hand_off_per_retransmit() -> None:
    source = checked(ROOT / "config" / "config.yaml").sources["handoffs"]
    figure = source.figures.figures["drop_events"]
    conditions = Conditions(precision="draft")
    points = points_of(source, figure, conditions)
    measured = {
        key: Measurement(
            key, "packet", "", 1.0, replications=2, measured_s=10.0, fast_retransmits=n
        )
        for n, key in enumerate(points)
    }
    rows = answers(source.scenarios, figure, conditions, measured).rows
    series = next(s.key for s in figure.panels["a"].series if s.loss_of == "packet")
    lines = [row for row in rows if (row["panel"], row["series"]) == ("a", series)]
    own = {key: point for key, point in points.items() if point.panel == "a"}
    assert [row["x"] for row in lines] == [point.x for point in own.values()]
    for row, (key, point) in zip(lines, own.items(), strict=True):
        tcp, count = point.scenario.tcp, measured[key].fast_retransmits
        if not count:
            assert row["status"] == "undefined"
            continue
        interval_rtts = 20 / count / point.scenario.propagation_rtt_s
        limit = window_limit_packets(point.scenario)
        held = path_packets(point.scenario)
        packets = packets_per_period(Handoff(interval_rtts, 1, 1, 1), limit, held)
        assert row["y"] == pytest.approx(packets / (20 / count) * tcp.mss_bytes / 1e3)
