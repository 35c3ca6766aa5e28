"""Errors of the two-line rule and of the fluid alone, by set of connections, sender and path.

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
from tcpgoodput.comparison.errors import FACTOR_OF_TWO, STATISTICS, errors_by
from tcpgoodput.comparison.two_line_rule import (
    FLUID,
    FLUID_ALONE,
    PFTK,
    RULE,
    fluid_alone,
    loses_packets,
    names_model_in_domain,
    two_line_rule,
)
from tcpgoodput.comparison.validation import EVERYWHERE, WITHIN

GROUPS = ["sample", "where", "group", "advice"]
"""Columns of `rule.csv` that name a group of errors: a sample, a set of its connections, the part
of the set (all, or those with a certain number of impairments, TCP variant or bandwidth-delay
product), and which recommendation is evaluated."""

COLUMNS = [*GROUPS, *STATISTICS]

SIGNED = ["bias_%", "above_%"]
"""Columns in which missing predictions do not count."""

RANDOM, LINUX, HELD_OUT = "random", "linux", "held-out"
"""Values of the column `sample`: the random sample with the senders of the RFCs, the random sample
with the sender of Linux, and the held-out connections. Of a random sample, only the half on which
the rule was not chosen is used."""

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


def rule_errors(
    evidence: Evidence, linux: Evidence | None, held: pd.DataFrame | None
) -> pd.DataFrame:
    """Return the table `rule.csv`: errors of the two-line rule and of the fluid alone.

    Args:
        evidence: the random sample with the senders of the RFCs.
        linux: the random sample with the sender of Linux; None: it is not recorded.
        held: the table `heldout/advice.csv`; None: the run has no held-out connections.

    """
    parts = list(of_sample(RANDOM, evidence))
    if linux is not None:
        parts += of_sample(LINUX, linux)
    every = pd.concat(parts)
    # A missing prediction is as wrong as a factor of two, but neither above nor below.
    sizes = errors_by(every.assign(log_error=every["log_error"].fillna(FACTOR_OF_TWO)), GROUPS)
    signed = errors_by(every, GROUPS)[[*GROUPS, *SIGNED]]
    tables = [sizes.drop(columns=SIGNED).merge(signed, how="left")]
    if held is not None:
        tables.append(held.assign(sample=HELD_OUT, group=ALL))
    return pd.concat(tables).reindex(columns=COLUMNS)


def of_sample(sample: str, evidence: Evidence) -> Iterator[pd.DataFrame]:
    """Yield the errors in a random sample: of all connections, and of groups of them.

    Only precisely measured connections count, of the half on which the rule was not chosen.

    Args:
        sample: value of the column `sample`.
        evidence: the connections with the errors of all families.

    """
    _, judging = split_halves(evidence)
    validation = evidence.at(evidence.connections.index[evidence.close & judging])
    rule = two_line_rule(validation.errors, validation.connections)
    yield from _grouped((sample, EVERYWHERE), RULE, validation.connections, rule)
    long = ~validation.connections["impairments"].str.contains("finite_transfer")
    yield from _grouped((sample, LONG), RULE, validation.connections[long], rule[long])
    fluid = fluid_alone(validation.errors)
    yield from _grouped((sample, LONG), FLUID_ALONE, validation.connections[long], fluid[long])
    within = long & names_model_in_domain(
        validation.errors, validation.statuses, validation.connections
    )
    yield _part((sample, WITHIN), ALL, RULE, rule[within])
    yield from _where_both_happen(sample, validation)


def _part(where: tuple[str, str], group: str, advice: str, errors: pd.Series) -> pd.DataFrame:
    named = dict(zip(GROUPS, (*where, group, advice), strict=True))
    return pd.DataFrame({"log_error": errors}).assign(**named)


def _where_both_happen(sample: str, validation: Evidence) -> Iterator[pd.DataFrame]:
    connections = validation.connections
    known = validation.errors.reindex(columns=[PFTK, FLUID])
    here = (connections["capacity_change"] > 0) & loses_packets(connections)
    here &= known[FLUID].notna()
    for group, inside in ((ALL, known[PFTK].notna()), (WITHOUT_PFTK, known[PFTK].isna())):
        for family in (PFTK, FLUID) if group == ALL else (FLUID,):
            yield _part((sample, BOTH_HAPPEN), group, family, known[family][here & inside])


def _grouped(
    where: tuple[str, str], advice: str, connections: pd.DataFrame, errors: pd.Series
) -> Iterator[pd.DataFrame]:
    yield _part(where, ALL, advice, errors)
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
        yield _part(where, group, advice, errors[here])
