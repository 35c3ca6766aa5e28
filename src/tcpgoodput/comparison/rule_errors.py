"""Errors of the two-line rule and the decision tree, by set of connections, sender and path.

The rule: use PFTK if the capacity is constant, or if packets are lost, or delayed by hand-offs. Use
the fluid model if only the capacity varies, or if PFTK has no value. The function
`comparison.two_line_rule.two_line_rule` applies it. A missing prediction counts as an error of a
factor of two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pandas as pd

from tcpgoodput.comparison.census.evidence import Evidence, split_halves
from tcpgoodput.comparison.census.space import JOINED, UNIMPAIRED
from tcpgoodput.comparison.census.tree import SIMULATE, advised_by, entries_named
from tcpgoodput.comparison.errors import FACTOR_OF_TWO
from tcpgoodput.comparison.spread import ERROR_COLUMNS, Row, share, share_columns, spread
from tcpgoodput.comparison.two_line_rule import (
    FLUID,
    FLUID_ALONE,
    PFTK,
    RULE,
    TREE,
    fluid_alone,
    loses_packets,
    names_model_in_domain,
    sizes_of_advice,
    two_line_rule,
)
from tcpgoodput.comparison.validation import (
    EVERYWHERE,
    NAMED,
    WITHIN,
)

BEYOND = "beyond_two"
"""Beginning of the columns of the share of predictions that are missing or wrong by a factor of two
or more."""

STATISTICS = [*ERROR_COLUMNS, *share_columns(BEYOND)]
COLUMNS = ["sample", "where", "group", "advice", "connections", *STATISTICS]

RANDOM, LINUX, HELD_OUT = "random", "linux", "held-out"
"""Values of the column `sample`: the random sample with the senders of the RFCs, the random sample
with the sender of Linux, and the held-out connections. Of a random sample, only the half to which
the decision tree was not fitted is used."""

LONG = "without finite transfers"
"""Value of the column `where` (set of connections): all that are not finite transfers."""

BOTH_HAPPEN = "varying capacity with losses or hand-offs"
"""Value of the column `where`: all connections with varying capacity whose packets are also lost,
or lost or delayed by hand-offs."""

WITHOUT_PFTK = "without PFTK"
"""Value of the column `group` in rows whose `where` is `BOTH_HAPPEN`: connections for which the
model PFTK predicts no goodput."""

ALL = "all"
"""Value of the column `group` in a row about all connections."""

PRODUCTS = {"small": (0.0, 10.0), "middle": (10.0, 50.0), "large": (50.0, math.inf)}
"""Ranges of bandwidth-delay products in packets, for which the rule is evaluated separately. The
lower end is not included, the upper end is. Chosen by hand."""

ACKS = {"each packet": 1, "each second packet": 2}
"""Packets per acknowledgement, for which the rule is evaluated separately."""

IMPAIRMENTS = ("no impairment", "one impairment", "two impairments")
"""Names of the groups of connections with 0, 1 and 2 impairments."""

ALONE = "alone "
"""Prefix of the name of a group of connections with a single impairment; the impairment follows."""


def row_of(sample: str, where: str, group: str, advice: str, errors: pd.Series) -> Row:
    """Return a row of `rule.csv`: statistics of errors of independent connections.

    Args:
        sample: value of the column `sample`.
        where: value of the column `where`, the set of connections.
        group: value of the column `group`: the part of the set, such as all connections, or those
            with a certain number of impairments, TCP variant or bandwidth-delay product.
        advice: value of the column `advice`, which recommendation is evaluated.
        errors: ln(model / simulated) of the recommended model; NaN if it predicts no goodput.

    """
    sizes = sizes_of_advice(errors)
    beyond = int((sizes >= FACTOR_OF_TWO).sum())
    return {
        "sample": sample,
        "where": where,
        "group": group,
        "advice": advice,
        "connections": len(sizes),
        **spread(sizes),
        **share(BEYOND, beyond, len(sizes)),
    }


def rule_errors(
    evidence: Evidence, linux: Evidence | None, nodes: pd.DataFrame, held: pd.DataFrame | None
) -> list[Row]:
    """Return the rows of `rule.csv`: errors of the two-line rule and of the decision tree.

    Args:
        evidence: the random sample with the senders of the RFCs.
        linux: the random sample with the sender of Linux; None: it is not recorded.
        nodes: the rows of the decision tree that was fitted on the sample `evidence`.
        held: the table `heldout/advice.csv`; None: the run has no held-out connections.

    """
    rows = list(of_sample(RANDOM, evidence, nodes))
    if linux is not None:
        rows += of_sample(LINUX, linux, None)
    if held is not None:
        rows += [_held(row) for row in held.to_dict("records")]
    return rows


def of_sample(sample: str, evidence: Evidence, nodes: pd.DataFrame | None) -> Iterator[Row]:
    """Yield the rows of a random sample: of all connections, and of groups of them.

    Only precisely measured connections count, of the half to which the tree was not fitted.

    Args:
        sample: value of the column `sample`.
        evidence: the connections with the errors of all families.
        nodes: the rows of the decision tree; None: the tree is not evaluated.

    """
    _, judging = split_halves(evidence)
    validation = evidence.at(evidence.connections.index[evidence.close & judging])
    rule = two_line_rule(validation.errors, validation.connections)
    yield from _grouped(sample, EVERYWHERE, RULE, validation.connections, rule)
    long = ~validation.connections["impairments"].str.contains("finite_transfer")
    yield from _grouped(sample, LONG, RULE, validation.connections[long], rule[long])
    fluid = fluid_alone(validation.errors)
    yield from _grouped(sample, LONG, FLUID_ALONE, validation.connections[long], fluid[long])
    within = long & names_model_in_domain(
        validation.errors, validation.statuses, validation.connections
    )
    if within.any():
        yield row_of(sample, WITHIN, ALL, RULE, rule[within])
    yield from _where_both_happen(sample, validation)
    if nodes is not None:
        advised = advised_by(nodes, validation.connections)
        named = advised != SIMULATE
        yield from _grouped(sample, NAMED, RULE, validation.connections[named], rule[named])
        tree = entries_named(validation.errors[named], advised[named])
        yield row_of(sample, NAMED, ALL, TREE, tree)


def _where_both_happen(sample: str, validation: Evidence) -> Iterator[Row]:
    connections = validation.connections
    known = validation.errors.reindex(columns=[PFTK, FLUID])
    here = (connections["capacity_change"] > 0) & loses_packets(connections)
    here &= known[FLUID].notna()
    for group, inside in ((ALL, known[PFTK].notna()), (WITHOUT_PFTK, known[PFTK].isna())):
        for family in (PFTK, FLUID) if group == ALL else (FLUID,):
            errors = known[family][here & inside]
            if len(errors):
                yield row_of(sample, BOTH_HAPPEN, group, family, errors)


def _grouped(
    sample: str, where: str, advice: str, connections: pd.DataFrame, errors: pd.Series
) -> Iterator[Row]:
    yield row_of(sample, where, ALL, advice, errors)
    product, acks = connections["product"], connections["ack_every"]
    impairments = connections["impairments"]
    number_of = impairments.str.count(re.escape(JOINED)) + (impairments != UNIMPAIRED)
    groups = {name: number_of == number for number, name in enumerate(IMPAIRMENTS)}
    groups |= {
        f"{ALONE}{name}": impairments == name for name in impairments[number_of == 1].unique()
    }
    groups |= {v: connections["variant"] == v for v in sorted(connections["variant"].unique())}
    groups |= {part: (product > low) & (product <= high) for part, (low, high) in PRODUCTS.items()}
    groups |= {part: acks == count for part, count in ACKS.items()}
    for group, here in groups.items():
        if here.any():
            yield row_of(sample, where, group, advice, errors[here])


def _held(row: Row) -> Row:
    known = {name: row[name] for name in ("where", "advice", *STATISTICS)}
    return {"sample": HELD_OUT, "group": ALL, "connections": row["scenarios"], **known}
