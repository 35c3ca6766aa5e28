"""Comparison of a second reader's verdicts on the papers' claims with this project's verdicts."""

from __future__ import annotations

import csv

from tcpgoodput.comparison.claims.verdicts import VERDICTS
from tcpgoodput.report.claims import SECOND_READER, second_reader, studies
from tests.claims.made_up import configuration
from tests.folders import ROOT

ROWS = list(csv.DictReader((ROOT / SECOND_READER).open(newline="", encoding="utf-8")))


def test_every_row_belongs_to_a_claim_or_is_marked_gone() -> None:
    known = {
        (name, claim.id) for name, own in configuration().claims.items() for claim in own.claims
    }
    for row in ROWS:
        assert row["verdict"] in VERDICTS
        assert (row["source"], row["id"]) in known or "gone" in row["settled"]
    claimed = {name for name in studies(configuration()) if name in configuration().claims}
    assert {row["source"] for row in ROWS} == claimed


def test_agreement_counts_rows_with_both_verdicts() -> None:
    first, second, third = ROWS[0], ROWS[1], ROWS[2]
    names = ["/".join(row[k] for k in ("source", "id", "evidence")) for row in (first, second)]
    ours = {names[0]: first["verdict"], names[1]: "no verdict"}
    found = {quoted.name: quoted.value for quoted in second_reader(ours)}
    assert found["SecondReaderVerdicts"] == 2
    assert found["SecondReaderAgrees"] == 1
    assert found["SecondReaderUnsettled"] == (second["settled"] == "")
    harsher = [row for row in (first, second) if row["verdict"] == "contradicted"]
    assert found["SecondReaderContradicted"] == len(harsher)
    assert found["SecondReaderContradictedToo"] == (first in harsher)
    assert third["source"]
