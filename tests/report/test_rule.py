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
from tcpgoodput.comparison.two_line_rule import RULE, TREE, two_line_rule
from tcpgoodput.comparison.validation import EVERYWHERE, NAMED
from tcpgoodput.report.rule import rule_tex
from tcpgoodput.style import load_style

NODES = pd.DataFrame({"node": [0], "quantity": [None], "family": ["mathis"]})
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
    rows = rule.rule_errors(evidence(), None, NODES, None)
    found = {(row["where"], row["group"], row["advice"]): row for row in rows}
    # The models that the rule chooses for the second half have the errors -0.3, 0.05 and none.
    every = found[EVERYWHERE, rule.ALL, RULE]
    assert every["connections"] == 3
    assert every["median_%"] == pytest.approx(30)
    assert every["beyond_two_%"] == pytest.approx(100 / 3)
    long = found[rule.LONG, rule.ALL, RULE]
    assert long["connections"] == 2
    # Lower end of Wilson's interval for one of two connections.
    assert long["beyond_two_low_%"] == pytest.approx(100 * 0.0945, rel=0.01)
    assert found[NAMED, rule.ALL, TREE]["median_%"] == pytest.approx(60)
    assert found[rule.LONG, "sack", RULE]["beyond_two_%"] == pytest.approx(50)
    assert found[rule.LONG, "large", RULE]["median_%"] == pytest.approx(100 * math.log(2))


def test_connections_are_in_domain_if_the_model_that_the_rule_names_is() -> None:
    known = evidence()
    # In the second half, the rule names PFTK for the first connection and the fluid for the others.
    known.statuses.loc[2:, "pftk"] = ["reduced", "native", "out-of-domain"]
    known.statuses.loc[2:, "variable_capacity.fluid"] = ["out-of-domain", "native", ""]
    (row,) = [
        row for row in rule.of_sample(rule.RANDOM, known, None) if row["where"] == rule.WITHIN
    ]
    assert (row["connections"], row["median_%"]) == (1, pytest.approx(30))


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
        row["group"]: row["connections"]
        for row in rule.of_sample(rule.RANDOM, known, None)
        if row["where"] == rule.LONG and row["group"] in rule.IMPAIRMENTS
    }
    assert counts == dict.fromkeys(rule.IMPAIRMENTS, 1)


def test_the_table_has_sets_first_and_then_groups_without_finite_transfers() -> None:
    held = pd.DataFrame(
        {
            "advice": [RULE, TREE],
            "where": [EVERYWHERE, NAMED],
            "scenarios": [12_000, 8],
            "median_%": [10.0, 9.0],
            "median_low_%": [9.99, 8.0],
            "median_high_%": [10.01, 11.0],
            "q90_%": [50.0, 40.0],
            "beyond_two_%": [5.0, 0.0],
            "beyond_two_low_%": [4.0, 0.0],
            "beyond_two_high_%": [6.0, 10.0],
        }
    )
    rows = rule.rule_errors(evidence(), evidence(), NODES, held)
    text = rule_tex(load_style(STYLE), rows)
    assert r"connections & 12\,000 & $10.0$ [$9.99$, $10.0$] & $50$ & $5.0$ [$4.0$, $6.0$]" in text
    assert text.index("held-out") < text.index("SACK &")
    assert "Tahoe" not in text  # Tahoe's only connection is a finite transfer
    assert {len(line.split(" & ")) for line in text.splitlines() if line.endswith(r"\\")} == {5}


def test_a_report_without_a_random_sample_has_no_table_of_the_rule() -> None:
    assert rule_tex(load_style(STYLE), []) == "%\n"
