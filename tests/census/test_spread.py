"""Tables of the models' errors, statuses and domains on a sample of connections.

The values are checked by counting.
"""

from __future__ import annotations

import numpy as np
import pytest

from tcpgoodput.comparison.census import summary
from tcpgoodput.comparison.census.evidence import split_halves
from tests.census.evidences import COUNT, evidence


def test_errors_by_group_equal_a_count_by_hand() -> None:
    known = evidence()
    rows = {
        (r["family"], r["impairments"], r["standing"]): r
        for r in summary.errors_of(known, ["loss"])
    }
    inside = known.connections["impairments"] == "loss"
    row = rows["one", "loss", "native"]
    by_hand = known.errors.loc[inside, "one"]
    assert row["answers"] == inside.sum()
    assert row["within_5_%"] == pytest.approx(100 * (by_hand.abs() <= 0.05).mean())
    assert row["q50_%"] == pytest.approx(100 * np.median(by_hand))
    assert row["above_%"] == pytest.approx(100 * (by_hand > 0).mean())
    assert ("one", "all", "outside") not in rows


def test_statuses_are_counted_over_three_sets_of_connections() -> None:
    known = evidence()
    known.connections.loc[:9, "half_width"] = 0.2
    known.statuses["other"] = "reduced"
    found = list(summary.statuses_of(known, ["loss"]))
    rows = {(r["connections"], r["of"], r["status"]): r for r in found if r["impairments"] == "all"}
    alone = {(r["of"], r["status"]): r for r in found if r["impairments"] == "loss"}
    impaired = (known.connections["impairments"] == "loss") & known.close
    assert rows[summary.MEASURED, summary.FAMILIES, "native"]["answers"] == COUNT
    assert rows[summary.CLOSELY, summary.FAMILIES, "reduced"]["answers"] == COUNT - 10
    row = rows[summary.IMPAIRED, summary.FAMILIES, "native"]
    by_hand = known.errors.loc[impaired, "one"].abs()
    assert row["answers"] == impaired.sum()
    assert row["within_10_%"] == pytest.approx(100 * (by_hand <= 0.1).mean())
    assert (summary.CLOSELY, summary.FAMILIES, "out-of-domain") not in rows
    assert alone[summary.FAMILIES, "native"]["answers"] == impaired.sum()


def test_a_family_out_of_domain_is_nearer_only_if_nearer_than_all_in_domain() -> None:
    known = evidence()
    known.statuses["one"] = "out-of-domain"
    known.errors.loc[:99, "other"] = np.nan
    # If the measured goodput is uncertain by ±50 %, the model with the smaller error is unknown.
    known.connections.loc[100:599, "half_width"] = 0.5
    (row, *_) = summary.domains_of(known, [])
    nearer = known.connections["loss"].loc[100:] <= 0.3
    assert row["in_domain"] == row["native"] == row["both"] == COUNT - 100
    assert row["out_of_domain_nearer"] == nearer.sum()
    assert row["out_of_domain_clearly_nearer"] == nearer.loc[600:].sum()


def test_pairs_are_compared_where_both_families_have_a_value() -> None:
    known = evidence()
    known.errors.loc[known.connections["loss"] > 0.3, "one"] = np.nan
    judged = split_halves(known)[1]
    rows = {(r["family"], r["capacity"]): r for r in summary.pairs_of(known, judged)}
    both = (judged & (known.connections["loss"] <= 0.3)).sum()
    assert rows["one", "all"]["connections"] == rows["one", "constant"]["nearer"] == both
    assert rows["other", "constant"]["nearer"] == 0
    assert ("one", "varying") not in rows


def test_wide_intervals_are_counted_as_left_out() -> None:
    known = evidence()
    known.drawn.loc[:4, "half_width"] = [0.06, np.nan, 0.05, 1.0, 0.0]
    rows = list(summary.left_out_of(known, ["loss"]))
    assert rows[0] == {"impairments": "all", "drawn": COUNT, "left_out": 3}
    assert sum(row["left_out"] for row in rows[1:]) == 3
