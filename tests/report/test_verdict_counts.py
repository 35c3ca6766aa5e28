"""How the report counts verdicts: by what their readings name, and by statement."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.project.settings import load_configuration
from tcpgoodput.report.claims import by_readings, by_statement, counted, of_studies
from tests.folders import ROOT

VERDICTS = pd.DataFrame(
    [
        ("a", "model", "depends"),
        ("a", "packet", "contradicted"),
        ("b", "model", "depends"),
        ("c", "model", "undecided"),
        ("d", "model", "undecided"),
        ("e", "model", "contradicted"),
        ("e", "packet", "contradicted"),
        ("e", "linux", "contradicted"),
        ("f", "model", "reproduced"),
        ("f", "ns2", "reproduced"),
        ("g", "model", "undecided"),
    ],
    columns=["id", "evidence", "verdict"],
).assign(source="study")

READINGS = pd.DataFrame(
    [
        ("a", "model", "a Timeout of 1 s", "holds"),
        ("a", "model", "a timeout of 2 s", "fails"),
        ("a", "model", "two packets, a timeout of 2 s; from 0 to 1", "fails"),
        ("b", "model", "about: a tenth, a buffer of 5 packets", "holds"),
        ("b", "model", "about: a quarter, a buffer of 5 packets", "fails"),
        ("c", "model", "all", "undecided"),
        ("d", "model", "all", "undecided"),
        ("d", "model", "most", "fails"),
        ("g", "model", "all", "holds"),
        ("g", "model", "most", "undecided"),
        ("e", "packet", "all", "fails"),
        ("e", "packet", "most", "fails"),
    ],
    columns=["id", "evidence", "setting", "outcome"],
).assign(source="study")


def test_verdicts_are_counted_by_what_their_readings_say() -> None:
    counts = {number.name: number.value for number in by_readings(VERDICTS, READINGS)}
    assert counts == {
        "ClaimsModelDependsParted": 1,
        "ClaimsModelDependsOther": 1,
        "ClaimsModelUndecidedFailing": 1,
        "ClaimsModelUndecidedHolding": 1,
        "ClaimsModelUndecidedTied": 1,
        "ClaimsModelContradictedSingle": 1,
        "ClaimsMeasuredDependsParted": 0,
        "ClaimsMeasuredDependsOther": 0,
        "ClaimsMeasuredUndecidedFailing": 0,
        "ClaimsMeasuredUndecidedHolding": 0,
        "ClaimsMeasuredUndecidedTied": 0,
        "ClaimsMeasuredContradictedSingle": 2,
    }


def test_a_statement_is_contradicted_by_all_that_was_measured_or_by_some() -> None:
    counts = {number.name: number.value for number in by_statement(VERDICTS)}
    assert counts == {
        "StatementsMeasured": 3,
        "StatementsAllReproduced": 1,
        "StatementsAllContradicted": 2,
        "StatementsContradicted": 2,
    }


def test_what_models_say_of_themselves_is_counted_apart() -> None:
    configuration = load_configuration(ROOT / "config" / "config.yaml")
    some = configuration.claims["mathis"].claims[0].id
    said = VERDICTS[VERDICTS["id"].isin(["e", "f"])].assign(source="mathis", id=some, note="")
    counts = {n.name: n.value for n in counted(configuration, said)}
    assert (counts["ClaimsMeasuredRows"], counts["ClaimsModelRows"]) == (3, 2)
    assert counts["ClaimsMeasuredReproduced"] == counts["ClaimsMathisMeasuredReproduced"] == 1
    assert counts["ClaimsModelReproduced"] == counts["ClaimsMathisModelReproduced"] == 1
    assert counts["ClaimsMeasuredContradicted"] == 2


def test_what_we_say_of_our_own_data_is_not_counted() -> None:
    configuration = load_configuration(ROOT / "config" / "config.yaml")
    said = VERDICTS.assign(source="links", note="")
    assert of_studies(configuration, said).empty
    counts = {n.name: n.value for n in counted(configuration, of_studies(configuration, said))}
    published = {n: c.claims for n, c in configuration.claims.items() if n != "links"}
    assert counts["ClaimsCount"] == sum(map(len, published.values()))
    assert counts["ClaimsModelRows"] == counts["ClaimsMeasuredRows"] == 0
    assert "ClaimsLinksCount" not in counts
