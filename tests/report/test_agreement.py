"""Which line is compared with which markers, and where."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.report.agreement import _compared_points, compared
from tcpgoodput.report.validation import summary
from tcpgoodput.studies.schema import Panel

PANEL = Panel.model_validate(
    {
        "scenario": "any",
        "quantity": "goodput_pps",
        "sweep": {"variable": "p", "values": {"listed": [1, 2, 3]}},
        "x": {"label": "x"},
        "y": {"label": "y"},
        "series": [
            {"model": "mathis", "style": "first"},
            {"model": "pftk", "style": "second"},
            {"model": "mathis", "style": "first", "set": {"tcp.ack_every": 2}},
            {"model": "mathis", "set": {"loss": None}},
            {"engine": "packet", "style": "second"},
            {"engine": "packet"},
            {"engine": "packet", "style": "first", "set": {"tcp.ack_every": 2}},
        ],
    }
)


def test_markers_meet_the_lines_of_their_own_scenario_and_colour() -> None:
    assert compared(PANEL, PANEL.series[4]) == [1]
    assert compared(PANEL, PANEL.series[5]) == [0, 1]
    assert compared(PANEL, PANEL.series[6]) == [2]


def test_points_away_from_home_are_left_out_if_others_are_at_home() -> None:
    line = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 1.0, 1.0]})
    markers = pd.DataFrame({"x": [0.5, 1.1, 2.0, 3.0], "y": [1.0, 1.0, 1.0, 1.0]})
    seen, at_home = _compared_points(markers, line, {1.0})
    assert (list(seen["x"]), at_home) == ([2.0, 3.0], True)
    seen, at_home = _compared_points(markers, line, {1.0, 2.0, 3.0})
    assert (list(seen["x"]), at_home) == ([1.1, 2.0, 3.0], False)


def test_the_recorded_agreement_is_what_the_report_may_say() -> None:
    recorded = summary()
    assert recorded.close + recorded.explained == recorded.cases
    assert recorded.worst < 0.05
    assert recorded.events >= 10**9
