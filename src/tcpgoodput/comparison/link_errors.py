"""Errors of models by kind of link, and for the senders of the RFCs and of Linux.

The connections come from the random samples. `paper/links.yaml` defines the kinds of link, and the
families of models.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence, shared
from tcpgoodput.comparison.census.quantities import INFINITE
from tcpgoodput.comparison.errors import TIED, errors_by, share
from tcpgoodput.configuration import read, validated
from tcpgoodput.scenario.types import Identifier, Part, Text

FILE = Path("paper/links.yaml")

SHOWN = ["median_%", "median_low_%", "median_high_%", "q90_%"]
"""Statistics of `errors_by` in the tables of kinds of link."""

COLUMNS = [
    *("link", "model", "other", "n", "of_connections", *SHOWN),
    *("other_" + name for name in SHOWN),
    *("different", "nearer_%", "nearer_low_%", "nearer_high_%"),
]

KERNEL = ["impairments", "family", "sender"]
"""Columns of `kernel.csv` before those of `errors_by`."""

FEWEST = 20
"""Smallest number of connections for a row of the table of Linux's sender; chosen by hand."""


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
    domain_only: bool = Field(
        False, description="true: the row is for connections in the domain of its model"
    )
    measure: Text | None = Field(
        None, description="what to measure on such a link; none: the report does not have the row"
    )
    model: Text = Field(description="family of models that the row recommends")
    others: list[Text] = Field(description="families with which the recommended family is compared")

    def holds(self, connections: pd.DataFrame) -> pd.Series[bool]:
        """Return, for each connection, whether it is of this kind."""
        impairments = connections["impairments"]
        here = impairments.isin(self.impairments or impairments.unique())
        if self.capacity:
            here &= connections["capacity_change"] == 0
        if self.limited_by:
            # Column `room`: the receiver window over the packets that path and buffer hold.
            # Without either limit it is almost 1, and nothing limits the window.
            fits = connections["room"] <= 1
            limited = fits & (connections["window"] < INFINITE)
            here &= limited if self.limited_by == "window" else ~fits
        if self.variant:
            here &= connections["variant"] == self.variant
        return here


class Group(Part):
    """A group of connections on which RFC senders and Linux senders are compared."""

    name: Identifier
    label: Text
    impairments: list[Text]


class Kernel(Part):
    """Families of models, and groups of connections: the rows of the table of Linux's sender."""

    families: list[Text]
    groups: list[Group]


class LinksFile(Part):
    """Content of `paper/links.yaml`."""

    links: list[Link]
    kernel: Kernel


def read_links() -> LinksFile:
    """Return the kinds of link of the report's tables."""
    return validated(LinksFile, read(FILE))


def link_errors(evidence: Evidence, links: Sequence[Link]) -> pd.DataFrame:
    """Return the table `links.csv`: errors of models by kind of link, on RFC senders.

    For each kind of link there is a row with the recommended model alone. Further rows compare the
    recommended model with each other model (`other`), on connections in the domains of both:
    `nearer_%` is the share of connections on which the recommended model has the smaller error,
    among those (`different`) on which the sizes of the errors differ. Connections whose goodput is
    measured imprecisely are left out.
    """
    evidence = evidence.with_narrow_intervals()
    inside = evidence.statuses.isin(IN_DOMAIN) & evidence.errors.notna()
    rows: list[dict[str, Any]] = []
    for link in links:
        here = link.holds(evidence.connections)
        own = here & inside[link.model]
        for other in ("", *link.others):
            both = own & inside[other] if other else own
            errors = evidence.errors.loc[both, [link.model, *filter(None, [other])]]
            row = {"link": link.name, "model": link.model, "other": other}
            row |= {"n": len(errors), "of_connections": int(here.sum())}
            found = errors_by(errors.melt(), "variable", error="value").set_index("variable")
            for prefix, family in (("", link.model), ("other_", other)):
                if family in found.index:
                    row |= {prefix + name: found.at[family, name] for name in SHOWN}
            if other:
                lead = (errors[other].abs() - errors[link.model].abs()).to_numpy()
                row["different"] = int((np.abs(lead) > TIED).sum())
                row |= share("nearer", int((lead > TIED).sum()), row["different"])
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def kernel_errors(with_linux: Evidence, evidence: Evidence, kernel: Kernel) -> pd.DataFrame:
    """Return the table `kernel.csv`: errors for RFC and Linux senders on the same connections."""
    linux, rfc = shared(with_linux, evidence)
    close = linux.close & rfc.close
    parts = []
    for group in kernel.groups:
        inside = close & linux.connections["impairments"].isin(group.impairments)
        for family in kernel.families:
            # Require only that a connection is in the family's domain with the RFC sender. With
            # the Linux sender, late hand-offs are always out of domain, because Linux undoes the
            # window reductions that late packets cause.
            both = inside & rfc.statuses[family].isin(IN_DOMAIN)
            both &= rfc.errors[family].notna() & linux.errors[family].notna()
            if both.sum() >= FEWEST:
                errors = {"rfc": rfc.errors[family][both], "linux": linux.errors[family][both]}
                own = pd.DataFrame(errors).melt(var_name="sender", value_name="log_error")
                parts.append(own.assign(impairments=group.name, family=family))
    rows = pd.concat(parts) if parts else pd.DataFrame(columns=[*KERNEL, "log_error"])
    return errors_by(rows, KERNEL)
