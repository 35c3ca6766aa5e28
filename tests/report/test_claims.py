"""Tables of claims with their verdicts, and of changed claims."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tcpgoodput.comparison.claims.schema import Change, Claim
from tcpgoodput.report.claims import changed_tex, claims_tex
from tcpgoodput.studies.schema import Source
from tests import shipped

VERDICTS = pd.DataFrame(
    [
        ("a", "model", "depends", "1"),
        ("a", "packet", "contradicted", "2"),
        ("b", "linux", "undecided", "3"),
        ("b", "ns2", "reproduced", "4.5"),
    ],
    columns=["id", "evidence", "verdict", "value"],
)


NONE = VERDICTS.assign(source="none", verdict_before="")


def mathis() -> tuple[Source, Claim]:
    """Return a study and its first claim."""
    configuration = shipped.configuration()
    return configuration.sources["mathis"], configuration.claims["mathis"].claims[0]


def test_a_claim_is_printed_with_the_verdict_of_each_evidence(tmp_path: Path) -> None:
    source, claim = mathis()
    rows = VERDICTS.replace({"id": {"b": claim.id}}).assign(source="mathis", joint="fails")
    text = claims_tex(source, tmp_path, [claim], rows)
    assert "& ---\n& ---\n& reproduced ($4.50$)\n& undecided; ours: fails" in text.replace(
        " &", "\n&"
    )
    assert claims_tex(source, tmp_path, [], rows) == "%\n"
    alone = rows[rows["id"] == claim.id]
    assert "The first" not in claims_tex(source, tmp_path, [claim], alone)
    others = pd.concat([rows, *(rows.assign(id=f"further{n}") for n in range(3))])
    first = f"The first 1 of {others['id'].nunique()} statements"
    assert first in claims_tex(source, tmp_path, [claim], others)
    # A study with printed numbers has its claims there.
    (tmp_path / "mathis").mkdir()
    (tmp_path / "mathis" / "printed.csv").touch()
    assert claims_tex(source, tmp_path, [claim], rows) == "%\n"


def test_claims_that_changed_alike_share_a_row() -> None:
    source, claim = mathis()
    change = Change.model_validate({"was": "above", "is": "below", "why": "a word"})
    both = [
        claim.model_copy(update={"statement": f"Loss halves it: {sender}.", "changed": [change]})
        for sender in ("Reno", "SACK")
    ]
    text = changed_tex(source, both, NONE)
    assert text.count("& above") == 1
    assert "Loss halves it: Reno; SACK." in text


def test_a_changed_claim_is_printed_with_its_three_words() -> None:
    source, claim = mathis()
    change = Change.model_validate({"was": "at most 5 %", "is": "at most 10 %", "why": "no reason"})
    changed = claim.model_copy(update={"changed": [change, change]})
    text = changed_tex(source, [claim.model_copy(update={"changed": []}), changed], NONE)
    lines = " ".join(text.split())
    assert "at most 5 \\% $\\to$ at most 10 \\%" in lines
    assert lines.count("no reason") == 1  # a reason of several statements is printed once
    assert changed_tex(source, [], NONE) == "%\n"


def test_a_verdict_that_a_change_turned_is_printed() -> None:
    """Before the second change of two; the first one cannot be evaluated any more."""
    source, claim = mathis()
    changes = [
        Change.model_validate({"was": was, "is": "below", "why": "a word"})
        for was in ("above", "within")
    ]
    changed = claim.model_copy(update={"changed": changes})
    rows = VERDICTS.assign(id=claim.id, source="mathis", verdict_before=" / reproduced")
    text = " ".join(changed_tex(source, [changed], rows).split())
    assert rf"above $\to$ below (\mbox{{{claim.id}}}: ---)" in text
    assert r"model \checkmark$\to$$\circ$, packet \checkmark$\to$$\times$" in text
    assert "ns-2" not in text  # the same verdict before and after
