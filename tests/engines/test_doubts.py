"""Summary of doubtful measurements, such as wide intervals, at the end of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.engines.base import DEPENDS, TRAPPED, Measurement
from tcpgoodput.engines.measurements import (
    BUDGET,
    NO_VALUE,
    STILL_WIDE,
    UNSTEADY,
    Setting,
    doubt_of,
    in_words,
    measurements_csv,
)
from tcpgoodput.storage import read_rows

ONCE = Setting("paper", 1, packets=200_000)
CLOSELY = Setting("paper", 1, replications=20, half_width=0.018, most_packets=10**6)
WIDE = "the interval's half-width exceeds 2 % of the goodput"


@pytest.mark.parametrize(
    ("setting", "goodput_pps", "sent", "reason", "kind"),
    [
        (ONCE, 10.0, 200_000, None, None),
        (ONCE, 10.0, 200_000, WIDE, BUDGET),
        (CLOSELY, 10.0, 900_000, WIDE, BUDGET),
        (CLOSELY, 10.0, 200_000, WIDE, STILL_WIDE),
        (ONCE, 10.0, 200_000, f"{DEPENDS}: 1 Mbit/s", UNSTEADY),
        (CLOSELY, 10.0, 200_000, f"{TRAPPED}: of 4", UNSTEADY),
        (ONCE, None, None, "no steady state: 0 loss events in 7 packets", NO_VALUE),
    ],
)
def test_each_reason_is_assigned_its_kind(
    tmp_path: Path,
    setting: Setting,
    goodput_pps: float | None,
    sent: int | None,
    reason: str | None,
    kind: str | None,
) -> None:
    row = Measurement("k", "packet", str(setting), goodput_pps, packets_sent=sent, reason=reason)
    table = tmp_path / "study.csv"
    table.write_text(measurements_csv([row]), encoding="utf-8")
    assert [doubt_of(read) for read in read_rows(table)] == [kind]


def test_the_summary_says_of_what_a_number_is() -> None:
    assert in_words([NO_VALUE]) == "1 connection has no value"
    assert in_words([UNSTEADY] * 4).startswith("4 connections have no steady state")
    assert in_words([STILL_WIDE, BUDGET, BUDGET]).split("; ") == [
        "2 connections have a wide interval because the budget of packets is spent, which is "
        "expected",
        "1 connection has an interval that more packets did not narrow",
    ]
    assert in_words([]) == ""
