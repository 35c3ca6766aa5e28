"""Lists in the report, such as errata, as CSV and LaTeX; an empty list has its heading, too."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from tcpgoodput.comparison import agreement
from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import VARIANTS
from tcpgoodput.report import lists, sentences
from tcpgoodput.report.latex import breakable_prose
from tcpgoodput.storage import csv_text
from tests.scenarios import PLAIN, scenario


def test_an_empty_table_has_its_heading() -> None:
    assert csv_text(sentences.COLUMNS, sentences.records([])) == "sentence,refuted_by,missing\n"
    assert lists.exact_csv(agreement.COLUMNS, []) == ",".join(agreement.COLUMNS) + "\n"


def test_errata_are_listed_with_all_digits() -> None:
    rows = lists.errata_rows()
    result = list(csv.DictReader(io.StringIO(lists.exact_csv(lists.ERRATA_COLUMNS, rows))))
    assert [list(row) for row in result] == [lists.ERRATA_COLUMNS] * len(rows)
    values = [float(row["corrected_value"]) for row in result if row["corrected_value"]]
    assert values == [r["corrected_value"] for r in rows if r["corrected_value"] is not None]


def test_each_fitted_condition_is_listed_with_its_criterion() -> None:
    result = lists.conditions_tex()
    fitted = [c for m in MODELS.values() for c in m.conditions if c.basis == "fitted"]
    assert fitted
    for condition in fitted:
        assert _latex(condition.text) in result
        assert _latex(re.split("[:;]", condition.because)[0]) in result


def _latex(text: str) -> str:
    return to_latex(breakable_prose(text))


def test_the_table_of_models_counts_conditions() -> None:
    (row,) = (r for r in lists.models_tex().splitlines() if r.startswith(r"\texttt{mathis}"))
    bases = [c.basis for c in MODELS["mathis"].conditions]
    counts = [bases.count("assumption"), bases.count("derivation"), bases.count("fitted")]
    assert row.removesuffix(r" \\").split(" & ")[-3:] == [str(n) for n in counts]


def test_the_text_names_the_senders_and_acks_of_all_scenarios() -> None:
    tcp = dict(PLAIN["tcp"])
    sack, newreno = ({"tcp": {**tcp, "variant": variant}} for variant in ("sack", "newreno"))
    own = {"tcp": {**tcp, "variant": "cubic", "stack": "linux-6.18", "ack_every": 2}}
    named = {"s1-a": sack, "s2a-b": newreno, "s2b-b": newreno, "s3-x": sack, "s4-y": sack}
    alone = lists.senders_tex(scenario(id=name, **keys) for name, keys in named.items())
    assert "The sender is SACK; NewReno of RFC~6582 in s2a and s2b." in alone
    assert "The receiver acknowledges each packet.}" in alone
    more = lists.senders_tex(scenario(id=n, **k) for n, k in {**named, "n1-mine": own}.items())
    assert "; CUBIC of linux-6.18 in n1." in more
    assert "each packet; every second packet in n1." in more


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_sender_and_any_number_of_packets_per_ack_has_words(variant: str) -> None:
    own = {"tcp": {**PLAIN["tcp"], "variant": variant, "ack_every": 3}}
    text = lists.senders_tex([scenario(**own)])
    assert variant.lower() in text.lower()
    assert "The receiver acknowledges every 3 packets." in text


@pytest.mark.parametrize(("source", "included"), [(COMPARISON, True), ("mathis", False)])
def test_measured_scenarios_have_a_paragraph(tmp_path: Path, source: str, included: bool) -> None:
    (tmp_path / "referees.csv").write_text(f"source\n{source}\n", encoding="utf-8")
    text = lists.compared_referees_tex(tmp_path)
    assert ("compared_referees" in text) == included
