"""Errors of the report's two-line rule, which chooses a model for a connection.

The tests check which connections count, their groups, and the printed table.
"""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.comparison import rule_errors as rule
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.errors import STATISTICS
from tcpgoodput.comparison.two_line_rule import FLUID_ALONE, RULE, two_line_rule
from tcpgoodput.comparison.validation import EVERYWHERE
from tcpgoodput.report.rule import rule_tex
from tcpgoodput.style import load_style

STYLE = Path(__file__).parents[2] / "config" / "style.yaml"


def evidence() -> Evidence:
    """Return five synthetic connections with the errors of three models.

    Numbers 0 and 1 are in the first half of the sample, 3 to 5 in the second. The fluid model has
    no value for the last one.
    """
    connections = pd.DataFrame(
        {
            "point": [0, 1, 3, 4, 5],
            "impairments": ["bursts", "bursts", "bursts", "finite_transfer", "spikes"],
            "half_width": 0.01,
            "capacity_change": [0.0, 0.0, 0.0, 1.0, 1.0],
            "product": [5.0, 20.0, 5.0, 20.0, 100.0],
            "ack_every": [1.0, 1.0, 1.0, 2.0, 2.0],
            "loss": 0.0,
            "handoff_every": 1e6,
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
    rows = rule.rule_errors(evidence(), None, None).to_dict("records")
    found = {(row["where"], row["group"], row["advice"]): row for row in rows}
    # The models that the rule chooses for the second half have the errors -0.3, 0.05 and none.
    every = found[EVERYWHERE, rule.ALL, RULE]
    assert every["n"] == 3
    assert every["median_%"] == pytest.approx(30)
    assert every["off_by_two_%"] == pytest.approx(100 / 3)
    long = found[rule.LONG, rule.ALL, RULE]
    assert long["n"] == 2
    # Lower end of Wilson's interval for one of two connections.
    assert long["off_by_two_low_%"] == pytest.approx(100 * 0.0945, rel=0.01)
    assert found[rule.LONG, rule.ALL, FLUID_ALONE]["off_by_two_%"] == pytest.approx(50)
    assert found[rule.LONG, "sack", RULE]["off_by_two_%"] == pytest.approx(50)
    assert found[rule.LONG, "large", RULE]["median_%"] == pytest.approx(100 * math.log(2))


def test_connections_are_in_domain_if_the_model_that_the_rule_names_is() -> None:
    known = evidence()
    # In the second half, the rule names PFTK for the first connection and the fluid for the others.
    known.statuses.loc[2:, "pftk"] = ["reduced", "native", "out-of-domain"]
    known.statuses.loc[2:, "variable_capacity.fluid"] = ["out-of-domain", "native", ""]
    rows = rule.rule_errors(known, None, None).set_index("where")
    assert rows.loc[rule.WITHIN, ["n", "median_%"]].tolist() == [1, pytest.approx(30)]


def test_the_rule_names_the_fluid_only_if_the_capacity_alone_varies() -> None:
    connections = pd.DataFrame(
        {
            "capacity_change": [0.0, 1.0, 1.0, 1.0, 1.0],
            "loss": [0.0, 0.0, 0.01, 0.0, 0.01],
            "handoff_every": [1e6, 1e6, 1e6, 50.0, 1e6],
        }
    )
    errors = pd.DataFrame({"pftk": [1.0, 1, 1, 1, math.nan], "variable_capacity.fluid": 2.0})
    assert two_line_rule(errors, connections).tolist() == [1, 2, 1, 1, 2]


def test_impairments_are_counted() -> None:
    known = evidence()
    known.connections["impairments"] = [
        "bursts",
        "bursts",
        "nothing",
        "bursts",
        "bursts and spikes",
    ]
    counts = {
        row["group"]: row["n"]
        for row in rule.rule_errors(known, None, None).to_dict("records")
        if (row["where"], row["advice"]) == (rule.LONG, RULE) and row["group"] in rule.IMPAIRMENTS
    }
    assert counts == dict.fromkeys(rule.IMPAIRMENTS, 1)


def test_the_table_has_sets_first_and_then_groups_without_finite_transfers() -> None:
    known = {
        "n": 12_000,
        "median_%": 10.0,
        "median_low_%": 9.99,
        "median_high_%": 10.01,
        "q90_%": 50.0,
        "off_by_two_%": 5.0,
        "off_by_two_low_%": 4.0,
        "off_by_two_high_%": 6.0,
    }
    named = {"advice": RULE, "where": EVERYWHERE}
    held = pd.DataFrame([{**dict.fromkeys(STATISTICS, 0.0), **known, **named}])
    rows = rule.rule_errors(evidence(), evidence(), held)
    text = rule_tex(load_style(STYLE), rows)
    assert r"connections & 12\,000 & $10.0$ [$9.99$, $10.0$] & $50$ & $5.0$ [$4.0$, $6.0$]" in text
    assert text.index("held-out") < text.index("SACK &")
    assert "Tahoe" not in text  # Tahoe's only connection is a finite transfer
    assert {len(line.split(" & ")) for line in text.splitlines() if line.endswith(r"\\")} == {5}


def test_a_report_without_a_random_sample_has_no_table_of_the_rule() -> None:
    assert rule_tex(load_style(STYLE), pd.DataFrame()) == "%\n"
