"""Errors of the two-line rule: which connections count, their groups, and the printed table."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.validation import EVERYWHERE, NAMED
from tcpgoodput.report import rule
from tcpgoodput.style import load_style

NODES = pd.DataFrame({"node": [0], "quantity": [None], "family": ["mathis"]})
STYLE = Path(__file__).parents[2] / "config" / "style.yaml"


def evidence() -> Evidence:
    """Return two earlier and three later connections; the fluid model has no value for the last."""
    connections = pd.DataFrame(
        {
            "point": [0, 1, 3, 4, 5],
            "happening": ["bursts", "bursts", "bursts", "finite_transfer", "spikes"],
            "half_width": 0.01,
            "capacity_change": [0.0, 0.0, 0.0, 1.0, 1.0],
            "product": [5.0, 20.0, 5.0, 20.0, 100.0],
            "ack_every": [1.0, 1.0, 1.0, 2.0, 2.0],
            "variant": ["sack", "sack", "sack", "tahoe", "sack"],
        }
    )
    errors = pd.DataFrame(
        {
            "pftk": [9.0, 9.0, -0.3, 0.5, 0.7],
            "mathis": [9.0, 9.0, 0.4, 0.6, 0.8],
            "variable_capacity.fluid": [9.0, 9.0, 0.0, 0.05, math.nan],
        }
    )
    statuses = errors.notna().replace({True: "native", False: ""})
    drawn = pd.DataFrame({"point": range(6)})
    return Evidence(connections, errors, statuses, errors, statuses, drawn)


def test_the_rule_depends_only_on_the_capacity_and_a_missing_answer_is_a_factor_of_two() -> None:
    rows = rule.rows_of(evidence(), None, NODES, None)
    found = {number.name: number.value for number in rule.quoted(rows)}
    # Connections of the later half: errors of 0.3, 0.05, and a missing answer.
    assert found["TwoLinesEveryCount"] == 3
    assert found["TwoLinesEveryMedian"] == pytest.approx(30)
    assert found["TwoLinesEveryBeyondTwo"] == pytest.approx(100 / 3)
    assert found["TwoLinesLongCount"] == 2
    assert found["TwoLinesTreeMedian"] == pytest.approx(60)
    assert found["TwoLinesTahoeMedian"] == pytest.approx(5)
    assert found["TwoLinesLargeMedian"] == pytest.approx(100 * math.log(2))


def test_the_table_has_sets_on_the_left_and_senders_by_their_error_on_the_right() -> None:
    held = pd.DataFrame(
        {
            "advice": [rule.RULE, rule.TREE],
            "where": [EVERYWHERE, NAMED],
            "scenarios": [12_000, 8],
            "median_%": [10.0, 9.0],
            "median_low_%": [9.99, 8.0],
            "median_high_%": [10.01, 11.0],
            "q90_%": [50.0, 40.0],
            "beyond_two_%": [5.0, 0.0],
        }
    )
    rows = rule.rows_of(evidence(), evidence(), NODES, held)
    text = rule.rule_tex(load_style(STYLE), rows)
    assert text.index("Tahoe &") < text.index("SACK &")
    assert "held-out & 12\\,000 & $10.0$ [$9.99$, $10.0$] & $50$ & $5.0$" in text
    assert next(row.group for row in rows if row.sample == rule.LINUX) == rule.ALL
    assert {len(line.split(" & ")) for line in text.splitlines() if line.endswith(r"\\")} == {10}


def test_a_report_without_a_random_sample_has_no_table_of_the_rule() -> None:
    assert rule.rule_tex(load_style(STYLE), []) == "%\n"
