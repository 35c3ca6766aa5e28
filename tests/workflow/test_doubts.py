"""What the last words of a run say of measurements with a reason."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tcpgoodput.engines.measurements import Effort, Measured, measurements_csv
from tcpgoodput.engines.starts import DEPENDS
from tcpgoodput.engines.traps import TRAPPED
from tcpgoodput.storage.tables import read_rows
from tcpgoodput.workflow import summary
from tcpgoodput.workflow.doubts import (
    BUDGET,
    NO_VALUE,
    STILL_WIDE,
    UNSTEADY,
    doubt_of,
    in_words,
)

ONCE = Effort("paper", 1, packets=200_000).setting
CLOSELY = Effort("paper", 1, replications=20, half_width=0.018, most_packets=10**6).setting
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
        (ONCE, None, None, "no steady state: 7 packets saw 0 loss events", NO_VALUE),
    ],
)
def test_a_reason_has_a_kind(
    tmp_path: Path,
    setting: str,
    goodput_pps: float | None,
    sent: int | None,
    reason: str | None,
    kind: str | None,
) -> None:
    row = Measured("k", "packet", setting, goodput_pps, packets_sent=sent, reason=reason)
    table = tmp_path / "study.csv"
    table.write_text(measurements_csv([row]), encoding="utf-8")
    assert [doubt_of(read) for read in read_rows(table)] == [kind]


def test_expected_doubts_are_counted_apart_from_others() -> None:
    told = in_words([BUDGET, UNSTEADY, BUDGET, NO_VALUE])
    expected, *others = told.split("; ")
    assert expected.startswith("2 ")
    assert "expected" in expected
    assert [other.split()[0] for other in others] == ["1", "1"]


def test_the_last_words_say_which_doubts_are_expected(tmp_path: Path) -> None:
    rows = [
        Measured("a", "packet", ONCE, 10.0, packets_sent=200_000, reason=WIDE),
        Measured("b", "packet", ONCE, 10.0, packets_sent=200_000, reason=f"{DEPENDS}: 1 Mbit/s"),
        Measured("c", "packet", ONCE, 10.0, packets_sent=200_000),
    ]
    table = tmp_path / "study.csv"
    table.write_text(measurements_csv(rows), encoding="utf-8")
    plan: Any = SimpleNamespace(
        run=SimpleNamespace(results=str(tmp_path)),
        typesetter="latexmk",
        measured=[str(table)],
        comparison=SimpleNamespace(answered=[]),
        censuses={},
        configuration=SimpleNamespace(settings=SimpleNamespace(equations="corrected")),
    )
    (told,) = summary.flags(plan)
    assert told.startswith("2 of 3 ")
    assert in_words([BUDGET, UNSTEADY]) in told
    assert "study (2)" in told
