"""Predicates of claims in words are short, and name the series of figures by their labels.

In these tests the label of a series is its id in capitals.
"""

from __future__ import annotations

from typing import Any

import pytest

from tcpgoodput.comparison.claims.schema import Claim
from tcpgoodput.comparison.claims.words import in_force, in_words


def claim_of(predicate: dict[str, Any], readings: list[dict[str, Any]], **more: Any) -> Claim:
    own = {"id": "x", "where": "page 1", "statement": "A is below B.", "predicate": predicate}
    return Claim.model_validate({**own, "data": {"model": readings}, **more})


@pytest.mark.parametrize(
    ("predicate", "readings", "text"),
    [
        (
            {"kind": "ordering", "strict": False, "holds": "mostly"},
            [{"figure": "a", "series": ["a", "b"], "over": [1.0, 2.0]}],
            "A ≤ B, mostly [a, x from 1 to 2]",
        ),
        (
            {"kind": "ordering", "above": 0.5},
            [{"figure": "a", "series": ["a", "b"], "of_own": "last"}],
            "A / its own at the right end < B / its own at the right end, the last > 0.5 [a]",
        ),
        (
            {"kind": "bound", "above": 0.5, "at_most": 1.0},
            [{"figure": "a", "series": "a", "minus": "b", "divided_by": "c", "take": "max"}],
            "largest (A − B) / C > 0.5, ≤ 1 [a]",
        ),
        (
            {"kind": "ordering"},
            [{"figure": "a", "series": ["b", "c"], "minus": "m", "absolute": True}],
            "|(B − M)| < |(C − M)| [a]",
        ),
        (
            {"kind": "ratio", "below": 0.5, "negated": True},
            [{"figure": n, "series": "a", "take": "at", "at": 2.0} for n in "ab"],
            "not: A at 2 (a) / A at 2 (b) < 0.5 [a, b]",
        ),
        (
            {"kind": "within", "printed": "8.68"},
            [{"model": "m", "scenario": "s", "set": {"k": 2.0}, "quantity": "goodput_pps"}],
            "m (s; k = 2) = 8.68 ± 0.005",
        ),
        (
            {"kind": "within", "percent": 5.0},
            [{"erratum": "e", "form": form} for form in ("printed", "corrected")],
            "e as printed ≈ e as corrected within 5 %",
        ),
        (
            {"kind": "monotone", "direction": "falling"},
            [{"figure": "t", "column": "some_column", "rows": {"variant": "sack"}}],
            "some column (variant sack): falling [t]",
        ),
        (
            {"kind": "crossing", "between": [1.0, 2.0], "side": "below"},
            [{"figure": "a", "panel": "left", "series": ["a", "b"]}],
            "A crosses B between 1 and 2, coming from below [a left]",
        ),
        (
            {"kind": "extremum", "which": "min", "between": [1.0, 2.0]},
            [{"figure": "a", "series": "a"}],
            "A: least between 1 and 2 [a]",
        ),
    ],
)
def test_a_predicate_is_described_in_words(
    predicate: dict[str, Any], readings: list[dict[str, Any]], text: str
) -> None:
    claim = claim_of(predicate, readings)
    assert claim.predicate is not None
    found = in_words(claim.predicate, claim.data["model"], lambda _, series: series.upper())
    assert found == text


def test_what_is_in_force_are_predicates_with_ranges_settings_and_missing_evidence() -> None:
    line = {"figure": "a", "series": ["a", "b"]}
    other = {"data": {"model": line}, "predicate": {"kind": "ordering"}}
    claim = claim_of(
        {"kind": "ratio", "at_least": 0.5, "holds": "mostly"},
        [{**line, "over": [1.0, 2.0]}],
        chosen="a fine timer",
        open=[{"setting": "a coarse timer", **other}],
    )
    assert list(in_force(claim)) == [
        *("first / second ≥ 0.5, mostly, x from 1 to 2", "a fine timer"),
        *("first < second", "a coarse timer", "no packet", "no ns2", "no linux"),
    ]
