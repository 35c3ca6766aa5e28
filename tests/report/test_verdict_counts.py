"""How the report counts verdicts: by what their readings name, and by statement."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.report.claims import by_readings, by_statement

VERDICTS = pd.DataFrame(
    [
        ("a", "model", "depends"),
        ("a", "packet", "contradicted"),
        ("b", "model", "depends"),
        ("c", "model", "undecided"),
        ("d", "model", "undecided"),
        ("e", "model", "contradicted"),
        ("e", "packet", "contradicted"),
        ("f", "model", "reproduced"),
    ],
    columns=["id", "evidence", "verdict"],
).assign(source="study")

READINGS = pd.DataFrame(
    [
        ("a", "model", "a Timeout of 1 s", "holds"),
        ("a", "model", "a timeout of 2 s", "fails"),
        ("b", "model", "about: a tenth", "holds"),
        ("b", "model", "about: a quarter", "fails"),
        ("c", "model", "all", "undecided"),
        ("d", "model", "all", "undecided"),
        ("d", "model", "most", "fails"),
        ("e", "packet", "all", "fails"),
        ("e", "packet", "most", "fails"),
    ],
    columns=["id", "evidence", "setting", "outcome"],
).assign(source="study")


def test_verdicts_are_counted_by_what_their_readings_say() -> None:
    counts = {number.name: number.value for number in by_readings(VERDICTS, READINGS)}
    assert counts == {
        "ClaimsDependsNamed": 1,
        "ClaimsDependsOther": 1,
        "ClaimsUndecidedFailing": 1,
        "ClaimsUndecidedTied": 1,
        "ClaimsContradictedSingle": 2,
    }


def test_a_statement_is_contradicted_by_all_or_by_some() -> None:
    counts = {number.name: number.value for number in by_statement(VERDICTS)}
    assert counts == {
        "StatementsAllReproduced": 1,
        "StatementsAllContradicted": 1,
        "StatementsContradicted": 2,
    }
