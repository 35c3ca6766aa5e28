"""Errors of models by kind of link, and for the senders of the RFCs and of Linux.

The connections come from the random samples. `paper/links.yaml` defines the kinds of link, and the
families of models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import pandas as pd
from pydantic import Field

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.paired import shared
from tcpgoodput.comparison.spread import ERROR_COLUMNS, Row, share, share_columns, spread
from tcpgoodput.scenario.types import Identifier, Part, Text

NEARER = "nearer"
"""Beginning of the columns of the share of connections on which a model has the smaller error."""

COLUMNS = [
    *("link", "model", "other", "connections", "of_connections"),
    *ERROR_COLUMNS,
    *("other_" + column for column in ERROR_COLUMNS),
    *("different", *share_columns(NEARER)),
]

KERNEL_COLUMNS = [
    *("impairments", "family", "connections"),
    *(sender + column for sender in ("rfc_", "linux_") for column in ERROR_COLUMNS),
]

FEWEST = 20
"""Smallest number of connections for a row of Table 5; chosen by hand."""


class Link(Part):
    """A kind of link, the family recommended for it, and the families to compare it with."""

    name: Identifier
    label: Text
    impairments: list[Text] = Field(description="impairments of the row's connections; empty: any")
    capacity: Literal["constant"] | None = Field(
        None, description="only connections whose capacity is constant"
    )
    limited_by: Literal["window", "buffer"] | None = Field(
        None,
        description="window: only connections whose window the receiver window limits; "
        "buffer: only connections whose window a full buffer limits",
    )
    variant: Text | None = Field(None, description="only connections of this variant of TCP")
    measure: Text | None = Field(
        None, description="what to measure on such a link; none: Table 2 does not have the row"
    )
    model: Text = Field(description="family of models that the row recommends")
    others: list[Text] = Field(description="families with which the recommended family is compared")


class Group(Part):
    """A group of connections on which RFC senders and Linux senders are compared."""

    name: Identifier
    label: Text
    impairments: list[Text]


class Kernel(Part):
    """Families of models, and groups of connections, that give the rows of Table 5."""

    families: list[Text]
    groups: list[Group]


def nearer(errors: pd.Series, others: pd.Series) -> Row:
    """Return how often a model has the smaller of two errors, with Wilson's 95 % interval.

    Connections with errors of equal size do not count; without others, the share is NaN.

    Args:
        errors: ln(model / simulated) of the recommended model, for each connection.
        others: the same of the other model.

    """
    sizes, other_sizes = errors.abs(), others.abs()
    apart = int((sizes != other_sizes).sum())
    return {"different": apart, **share(NEARER, int((sizes < other_sizes).sum()), apart)}


def link_errors(evidence: Evidence, links: Sequence[Link]) -> Iterator[Row]:
    """Yield the rows of `links.csv`: errors of models by kind of link.

    For each kind of link there is a row with the recommended model alone. Further rows compare the
    recommended model with each other model, on connections in the domains of both. Connections
    whose goodput is measured imprecisely are left out.

    Args:
        evidence: the random sample with the senders of the RFCs.
        links: the kinds of link.

    """
    evidence = evidence.with_narrow_intervals()
    inside = evidence.statuses.isin(IN_DOMAIN) & evidence.errors.notna()
    for link in links:
        impairments = evidence.connections["impairments"]
        here = impairments.isin(link.impairments or impairments.unique())
        if link.capacity:
            here &= evidence.connections["capacity_change"] == 0
        if link.limited_by:
            # Column `room`: the receiver window over the packets that path and buffer hold.
            fits = evidence.connections["room"] <= 1
            here &= fits if link.limited_by == "window" else ~fits
        if link.variant:
            here &= evidence.connections["variant"] == link.variant
        own = here & inside[link.model]
        for other in ("", *link.others):
            both = own & inside[other] if other else own
            errors = evidence.errors[link.model][both]
            row: Row = {"link": link.name, "model": link.model, "other": other}
            row |= {"connections": int(both.sum()), "of_connections": int(here.sum())}
            row |= spread(errors)
            if other:
                others = evidence.errors[other][both]
                row |= spread(others, prefix="other_") | nearer(errors, others)
            yield row


def kernel_errors(with_linux: Evidence, evidence: Evidence, kernel: Kernel) -> Iterator[Row]:
    """Yield the rows of `kernel.csv`: errors for RFC senders and Linux senders.

    Args:
        with_linux: the random sample with Linux senders.
        evidence: the random sample with RFC senders on the same connections.
        kernel: the families and the groups of connections.

    """
    linux, rfc = shared(with_linux, evidence)
    close = linux.close & rfc.close
    for group in kernel.groups:
        inside = close & linux.connections["impairments"].isin(group.impairments)
        for family in kernel.families:
            # Require only that a connection is in the family's domain with the RFC sender. With
            # the Linux sender, late hand-offs are always out of domain, because Linux undoes the
            # window reductions that late packets cause.
            both = inside & rfc.statuses[family].isin(IN_DOMAIN)
            both &= rfc.errors[family].notna() & linux.errors[family].notna()
            if both.sum() >= FEWEST:
                row = {"impairments": group.name, "family": family, "connections": int(both.sum())}
                row |= spread(rfc.errors[family][both], prefix="rfc_")
                yield row | spread(linux.errors[family][both], prefix="linux_")
