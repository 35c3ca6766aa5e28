"""Which line is compared with which markers, and where."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.report.agreement import _compared_points, compared
from tcpgoodput.report.validation import summary
from tcpgoodput.studies.schema import Panel

DELAYED = {"tcp.ack_every": 2}

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
            {"id": "delayed", "model": "mathis", "style": "first", "set": DELAYED},
            {"id": "lossless", "model": "mathis", "set": {"loss": None}},
            {"id": "second", "engine": "packet", "style": "second"},
            {"engine": "packet"},
            {
                "id": "delayed_packet",
                "engine": "packet",
                "style": "first",
                "set": {"tcp.ack_every": 2},
            },
        ],
    }
)


def test_markers_meet_the_lines_of_their_own_scenario_and_colour() -> None:
    series = PANEL.series
    assert compared(PANEL, series[4]) == [series[1]]
    assert compared(PANEL, series[5]) == [series[0], series[1]]
    assert compared(PANEL, series[6]) == [series[2]]


def line(*statuses: str) -> pd.DataFrame:
    xs = [float(n + 1) for n in range(len(statuses))]
    return pd.DataFrame({"x": xs, "y": 1.0, "status": statuses})


def test_points_away_from_home_are_left_out_if_others_are_at_home() -> None:
    markers = pd.DataFrame({"x": [0.5, 1.1, 2.0, 3.0], "y": [1.0, 1.0, 1.0, 1.0]})
    seen, at_home = _compared_points(markers, line("out-of-domain", "native", "reduced"))
    assert (list(seen["x"]), at_home) == ([2.0, 3.0], True)
    seen, at_home = _compared_points(markers, line(*3 * ["out-of-domain"]))
    assert (list(seen["x"]), at_home) == ([1.1, 2.0, 3.0], False)


def test_the_recorded_agreement_is_what_the_report_may_say() -> None:
    recorded = summary()
    assert recorded.close + recorded.explained == recorded.cases
    assert recorded.worst < 0.05
    assert recorded.events >= 10**9
