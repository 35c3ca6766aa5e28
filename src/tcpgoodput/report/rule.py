"""Errors of the two-line rule and of the decision tree, by set of connections, sender and path.

The two-line rule is: if the capacity is constant and PFTK predicts a goodput, use PFTK; else use
the fluid model. A missing prediction counts as an error of a factor of two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import pandas as pd

from tcpgoodput.comparison.census.evidence import Evidence, split_halves
from tcpgoodput.comparison.census.tree import SIMULATE, advised_by, entries_named
from tcpgoodput.comparison.errors import FACTOR_OF_TWO, per_cent, sizes_of_advice, two_line_rule
from tcpgoodput.comparison.validation import EVERYWHERE, NAMED
from tcpgoodput.report.latex import number, rendered
from tcpgoodput.report.numbers import Quoted, macro_part
from tcpgoodput.report.spread import ERROR_COLUMNS, Errors, percent
from tcpgoodput.style import Style

ORIGIN = "rule.csv"
COLUMNS = ["sample", "where", "group", "advice", "connections", *ERROR_COLUMNS, "beyond_two_%"]

RANDOM, LINUX, HELD_OUT = "random", "linux", "held-out"
"""Values of the column `sample`: the random sample with the senders of the RFCs, the random sample
with the sender of Linux, and the held-out connections. Of a random sample only the half is used on
which the decision tree was not fitted."""

RULE, TREE = "two-line rule", "decision tree"
"""Values of the column `advice`: which recommendation of a model a row evaluates."""

LONG = "without finite transfers"
"""A value of the column `where`; the others are `EVERYWHERE` and `NAMED`."""

ALL = "all"
"""Value of the column `group` in a row about all connections."""

PRODUCTS = {"small": (0.0, 10.0), "middle": (10.0, 50.0), "large": (50.0, math.inf)}
"""Ranges of bandwidth-delay products in packets, for which the rule is evaluated separately."""

ACKS = {"each packet": 1, "each second packet": 2}
"""Packets per acknowledgement, for which the rule is evaluated separately."""

LABELS = {
    "small": "BDP up to 10",
    "middle": "BDP of 10 to 50",
    "large": "BDP above 50",
    "each packet": "ACK for each packet",
    "each second packet": "ACK for two packets",
}


@dataclass(frozen=True)
class RuleRow:
    """Errors of the two-line rule or of the decision tree on a set of connections."""

    sample: str
    where: str
    group: str
    """The connections of the row: all, those with a TCP variant, or those with a kind of path or
    receiver."""
    advice: str
    errors: Errors
    beyond_two: float
    """Share of predictions that are missing or wrong by at least a factor of two."""

    @classmethod
    def of(cls, sample: str, where: str, group: str, advice: str, errors: pd.Series) -> RuleRow:
        """Return the statistics of errors, ln(model / simulated), of independent connections."""
        sizes = sizes_of_advice(errors)
        beyond = float((sizes >= FACTOR_OF_TWO).mean())
        return cls(sample, where, group, advice, Errors.of(sizes), beyond)

    def record(self) -> dict[str, Any]:
        """Return the row as columns of `rule.csv`."""
        return {
            "sample": self.sample,
            "where": self.where,
            "group": self.group,
            "advice": self.advice,
            "connections": self.errors.count,
            **self.errors.columns(),
            "beyond_two_%": per_cent(self.beyond_two),
        }

    @property
    def name(self) -> str:
        """The first part of the names of the row's numbers, such as `TwoLinesSack`."""
        sample = "" if self.sample == RANDOM else macro_part(self.sample)
        advice = "TwoLines" if self.advice == RULE else "TwoLinesTree"
        where = {EVERYWHERE: "Every", NAMED: "", LONG: "Long"}[self.where]
        return f"{sample}{advice}{where}{'' if self.group == ALL else macro_part(self.group)}"


def rows_of(
    evidence: Evidence, linux: Evidence | None, nodes: pd.DataFrame, held: pd.DataFrame | None
) -> list[RuleRow]:
    """Return the rows of `rule.csv` for all samples of connections.

    Args:
        evidence: the random sample with the senders of the RFCs.
        linux: the random sample with the sender of Linux; None: it is not recorded.
        nodes: the rows of the decision tree that was fitted on the sample `evidence`.
        held: the table `heldout/advice.csv`; None: the run has no held-out connections.

    """
    rows = list(of_sample(RANDOM, evidence, nodes))
    if linux is not None:
        rows += [row for row in of_sample(LINUX, linux, None) if row.where == EVERYWHERE]
    if held is not None:
        rows += [_held(row) for row in held.to_dict("records")]
    return rows


def of_sample(sample: str, evidence: Evidence, nodes: pd.DataFrame | None) -> Iterator[RuleRow]:
    """Yield the rows of a random sample: for all connections, and by sender, path, receiver.

    Only precisely measured connections of the sample's second half count.
    """
    _, judging = split_halves(evidence)
    judged = evidence.at(evidence.connections.index[evidence.close & judging])
    rule = two_line_rule(judged.errors, judged.connections["capacity_change"])
    yield from _grouped(sample, EVERYWHERE, judged.connections, rule)
    long = ~judged.connections["happening"].str.contains("finite_transfer")
    yield from _grouped(sample, LONG, judged.connections[long], rule[long])
    if nodes is not None:
        advised = advised_by(nodes, judged.connections)
        named = advised != SIMULATE
        yield from _grouped(sample, NAMED, judged.connections[named], rule[named])
        tree = entries_named(judged.errors[named], advised[named])
        yield RuleRow.of(sample, NAMED, ALL, TREE, tree)


def _grouped(
    sample: str, where: str, connections: pd.DataFrame, rule: pd.Series
) -> Iterator[RuleRow]:
    yield RuleRow.of(sample, where, ALL, RULE, rule)
    product, acks = connections["product"], connections["ack_every"]
    groups = {v: connections["variant"] == v for v in sorted(connections["variant"].unique())}
    groups |= {part: (product > low) & (product <= high) for part, (low, high) in PRODUCTS.items()}
    groups |= {part: acks == count for part, count in ACKS.items()}
    for group, here in groups.items():
        yield RuleRow.of(sample, where, group, RULE, rule[here])


def _held(row: Mapping[str, Any]) -> RuleRow:
    errors = Errors(int(row["scenarios"]), *(float(row[column]) / 100 for column in ERROR_COLUMNS))
    beyond = float(row["beyond_two_%"]) / 100
    return RuleRow(HELD_OUT, row["where"], ALL, row["advice"], errors, beyond)


def quoted(rows: Sequence[RuleRow]) -> Iterator[Quoted]:
    """Yield the report's numbers from the rows of `rule.csv`, except held-out connections.

    The numbers of the held-out connections come from their own table.
    """
    for row in rows:
        if row.sample != HELD_OUT and (row.group == ALL or row.where == NAMED):
            yield from row.errors.quoted(row.name, ORIGIN)
            yield Quoted(f"{row.name}BeyondTwo", per_cent(row.beyond_two), 2, ORIGIN)


def rule_tex(style: Style, rows: Sequence[RuleRow]) -> str:
    """Return the two-line rule's table of errors as LaTeX, or a comment if there are no rows.

    The left part of the table has a row for each set of connections. The right part has groups of
    random connections for which the tree recommends a model family; TCP variants are in the order
    of their medians.
    """
    if not rows:
        return "%\n"
    sets = [row for row in rows if row.group == ALL]
    named = [row for row in rows if (row.sample, row.where) == (RANDOM, NAMED)]
    groups = [row for row in named if row.group != ALL]
    senders = [row for row in groups if row.group not in LABELS]
    senders.sort(key=lambda row: row.errors.median)
    right = [*senders, *(row for row in groups if row.group in LABELS)]
    labels = LABELS | {name: look.label for name, look in style.palette.variants.items()}
    lines = zip_longest(
        ([_label(row), *_cells(row)] for row in sets),
        ([labels[row.group], *_cells(row)] for row in right),
        fillvalue=5 * [""],
    )
    return rendered("rule", rows=[[*one, *other] for one, other in lines])


def _label(row: RuleRow) -> str:
    if row.where == EVERYWHERE:
        names = {RANDOM: "random sample", LINUX: "with Linux's sender", HELD_OUT: "held-out"}
        return names[row.sample]
    if row.advice == TREE:
        return r"\qquad tree instead of rule"
    return r"\quad " + {LONG: "no finite transfers", NAMED: "where the tree names"}[row.where]


def _cells(row: RuleRow) -> list[str]:
    beyond = number(per_cent(row.beyond_two), 2)
    return [row.errors.size, row.errors.cell, percent(row.errors.ninety), beyond]
