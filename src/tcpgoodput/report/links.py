"""Tables 2, 4 and 5 of the report, and its table of pairs of models: errors with intervals.

`paper/links.yaml` defines the kinds of link in Table 2 of the report, and the families of models
that the table compares. The connections come from the random sample in `data/census`, and the
recorded links from `data/links`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.stats import binomtest

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.design import RECORDED, TREE, known_extent, record_of
from tcpgoodput.comparison.census.evidence import Evidence, read_evidence
from tcpgoodput.comparison.census.paired import shared
from tcpgoodput.comparison.census.read import to_read
from tcpgoodput.comparison.families import label_of
from tcpgoodput.configuration import read, validated
from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report import rule
from tcpgoodput.report.census import described_census, folder_of, paired_censuses
from tcpgoodput.report.latex import rendered, spaced
from tcpgoodput.report.spread import (
    ERROR_COLUMNS,
    Row,
    median_cell,
    percent,
    share_cell,
    spread,
)
from tcpgoodput.scenario.types import Identifier, Part, Text
from tcpgoodput.studies.recordings.judging import ANOTHER, HINDSIGHT

SIMULATION = "simulation"
"""Name, in the column `view`, of predictions that no model makes: the goodput that the packet
simulator finds over the first half of a recording predicts the goodput over the second half."""

FILE = Path("paper/links.yaml")
RECORDED_LINKS = Path("data/links/answers.csv")
SIMULATED_LINKS = Path("data/links/measured.csv")

NEARER = ("nearer_%", "nearer_low_%", "nearer_high_%")
"""Columns of the share of connections on which a model has the smaller error, and its ends."""

COLUMNS = [
    *("link", "model", "other", "connections", "of_connections"),
    *ERROR_COLUMNS,
    *("other_" + column for column in ERROR_COLUMNS),
    *("different", *NEARER),
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


class LinksFile(Part):
    """Content of `paper/links.yaml`."""

    links: list[Link]
    kernel: Kernel


def nearer(errors: pd.Series, others: pd.Series) -> Row:
    """Return how often a model has the smaller of two errors, with Wilson's 95 % interval.

    Connections with errors of equal size do not count; without others, the share is NaN.

    Args:
        errors: ln(model / simulated) of the recommended model, for each connection.
        others: the same of the other model.

    """
    sizes, other_sizes = errors.abs(), others.abs()
    apart = int((sizes != other_sizes).sum())
    shares = 3 * [math.nan]
    if apart:
        test = binomtest(int((sizes < other_sizes).sum()), apart)
        ends = test.proportion_ci(method="wilson")
        shares = [100 * share for share in (test.statistic, ends.low, ends.high)]
    return {"different": apart, **dict(zip(NEARER, shares, strict=True))}


def evidence_of(configuration: Configuration) -> Evidence | None:
    """Return the random sample that the report describes; None if data/census does not have it."""
    space = described_census(configuration)
    if space is None or known_extent(space.name) != RECORDED:
        return None
    looks = to_read(space, configuration.families, configuration.style)
    return read_evidence(record_of(space.name), looks["families"])


def rows_of(evidence: Evidence) -> list[Row]:
    """Return the rows of Table 2, and of the table that compares pairs of models.

    For each kind of link there is a row with the recommended model alone. Further rows compare the
    recommended model with each other model, on connections in the domains of both.
    """
    return list(_rows(evidence.with_narrow_intervals(), _settings().links))


def _settings() -> LinksFile:
    return validated(LinksFile, read(FILE))


def linux_evidence_of(configuration: Configuration) -> Evidence | None:
    """Return the random sample with Linux senders; None if data/census does not have it."""
    others = [s for s in paired_censuses(configuration) if known_extent(s.name) == RECORDED]
    if not others:
        return None
    looks = to_read(others[0], configuration.families, configuration.style)
    return read_evidence(record_of(others[0].name), looks["families"])


def kernel_rows(with_linux: Evidence | None, evidence: Evidence) -> list[Row]:
    """Return the rows of Table 5; empty if no sample with Linux senders is recorded.

    Args:
        with_linux: the random sample with Linux senders, or None.
        evidence: the random sample with RFC senders on the same connections.

    """
    if with_linux is None:
        return []
    linux, rfc = shared(with_linux, evidence)
    close = linux.close & rfc.close
    settings, rows = _settings().kernel, []
    for group in settings.groups:
        inside = close & linux.connections["impairments"].isin(group.impairments)
        for family in settings.families:
            # Require only that a connection is in the family's domain with the RFC sender. With
            # the Linux sender, late hand-offs are always out of domain, because Linux undoes the
            # window reductions that late packets cause.
            both = inside & rfc.statuses[family].isin(IN_DOMAIN)
            both &= rfc.errors[family].notna() & linux.errors[family].notna()
            if both.sum() >= FEWEST:
                row = {"impairments": group.name, "family": family, "connections": both.sum()}
                row |= spread(rfc.errors[family][both], prefix="rfc_")
                rows.append(row | spread(linux.errors[family][both], prefix="linux_"))
    return rows


def kernel_tex(configuration: Configuration, rows: Sequence[Row]) -> str:
    """Return Table 5 as LaTeX, or a comment if there are no rows."""
    if not rows:
        return "%\n"
    label = label_of(configuration.families, configuration.style)
    groups = {group.name: group.label for group in _settings().kernel.groups}
    cells, before = [], ""
    for row in rows:
        group = groups[row["impairments"]]
        cells.append(
            [
                to_latex(group) if group != before else "",
                to_latex(label(row["family"])),
                f"{row['connections']}",
                median_cell(row, "rfc_"),
                percent(row["rfc_q90_%"]),
                median_cell(row, "linux_"),
                percent(row["linux_q90_%"]),
            ]
        )
        before = group
    return rendered("kernel", rows=cells)


def _rows(evidence: Evidence, links: Sequence[Link]) -> Iterator[Row]:
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
            row = {"link": link.name, "model": link.model, "other": other}
            row |= {"connections": int(both.sum()), "of_connections": int(here.sum())}
            row |= spread(errors)
            if other:
                others = evidence.errors[other][both]
                row |= spread(others, prefix="other_") | nearer(errors, others)
            yield row


@dataclass(frozen=True)
class Found:
    """Results of the random samples that the report quotes; empty if no sample is recorded."""

    rows: list[Row]
    rule: list[Row]
    kernel: list[Row]


def found(configuration: Configuration, results: Path) -> Found:
    """Read the recorded random samples; return those results that the report quotes."""
    space, evidence = described_census(configuration), evidence_of(configuration)
    if space is None or evidence is None:
        return Found([], [], [])
    linux = linux_evidence_of(configuration)
    nodes = pd.read_csv(results / folder_of(space) / f"{TREE}.csv")
    compared = configuration.comparison
    judged = compared is not None and compared.held is not None
    held = pd.read_csv(results / "heldout/advice.csv") if judged else None
    ruled = rule.rows_of(evidence, linux, nodes, held)
    return Found(rows_of(evidence), ruled, kernel_rows(linux, evidence))


def recorded_answers() -> pd.DataFrame:
    """Return all predictions for recorded links, with those of simulations over first halves.

    The simulation of a recording's first half predicts the goodput over its second half. A
    simulation is added for each connection for which the fluid with the recorded rate is in domain,
    so that both are judged on the same connections.
    """
    answers = pd.read_csv(RECORDED_LINKS)
    connection = ["link", "buffer_bdp", "buffer_packets", "variant"]
    fluid = answers[answers["view"].eq("recorded") & answers["status"].isin(IN_DOMAIN)]
    measured = pd.read_csv(SIMULATED_LINKS)
    measured = measured[measured["stack"].isna()].merge(fluid[connection].drop_duplicates())
    simulations = measured[[*connection, "ci95_bps"]].assign(
        view=SIMULATION,
        model=SIMULATION,
        status="native",
        goodput_bps=measured["first_half_bps"],
        simulated_bps=measured["goodput_bps"],
    )
    return pd.concat([answers, simulations], ignore_index=True)


RECORDED_VIEWS = ["mean", "ar1", "recorded", ANOTHER, SIMULATION, HINDSIGHT]
"""Views (descriptions of a link for a model) that are columns of the table of recorded links."""

LINK_LABELS = {
    "evdo": "3G (EVDO)",
    "umts": "3G (UMTS)",
    "att-lte": "LTE, slower (AT\\&T)",
    "tmobile-lte": "LTE, faster (T-Mobile)",
    "att-lte-2016": "LTE, 2016 (AT\\&T)",
    "verizon-lte": "LTE, third (Verizon)",
    "nr": "5G",
    "starlink": "satellite (Starlink)",
}


def recorded_tex(answers: pd.DataFrame) -> str:
    """Return the table of errors over recorded links as LaTeX.

    Rows of single links and of single buffers have no intervals, because connections over one link
    are not independent. The last rows are all links, and those with another recording of the same
    technology; their intervals resample whole links.
    """
    every = _in_domain(answers)
    inside = _once(every)
    drives = inside["link"].isin(inside.loc[inside["view"] == ANOTHER, "link"].unique())
    links = dict.fromkeys([*LINK_LABELS, *inside["link"].unique()])
    without_drives = inside[inside["view"] != ANOTHER]
    by_link = [
        _median_line(LINK_LABELS.get(link, link), own)
        for link in links
        if len(own := inside[inside["link"] == link])
    ]
    by_buffer = [
        _median_line(f"buffer of {buffer:g} BDP", own)
        for buffer, own in every[every["view"] != ANOTHER].groupby("buffer_bdp")
    ]
    together = [
        _interval_line("all", without_drives),
        _interval_line("with another drive", inside[drives]),
    ]
    return rendered("recorded", rows=spaced([by_link, by_buffer, together]))


def _median_line(label: str, answers: pd.DataFrame) -> list[str]:
    medians = answers.groupby("view")["error"].agg(lambda errors: errors.abs().median())
    cells = [percent(100 * medians.get(view, math.nan)) for view in RECORDED_VIEWS]
    return [label, _connections(answers), *cells]


def _interval_line(label: str, answers: pd.DataFrame) -> list[str]:
    views = {str(view): own for view, own in answers.groupby("view")}
    cells = [
        median_cell(spread(views[view]["error"], views[view]["link"])) if view in views else "---"
        for view in RECORDED_VIEWS
    ]
    return [label, _connections(answers), *cells]


def _connections(answers: pd.DataFrame) -> str:
    return f"{len(answers.drop_duplicates(['link', 'buffer_packets', 'variant']))}"


def _in_domain(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the predictions in domain, with the added column `error`, ln(model / simulated)."""
    return _with_errors(answers[answers["status"].isin(IN_DOMAIN)])


def _with_errors(answers: pd.DataFrame) -> pd.DataFrame:
    return answers.assign(error=np.log(answers["goodput_bps"] / answers["simulated_bps"]))


def _once(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the predictions without repetition: equal buffers of a link are one connection."""
    connection = ["link", "buffer_packets", "variant"]
    return answers.drop_duplicates([*connection, "view", "drive", "model"])


def recorded_csv(answers: pd.DataFrame) -> str:
    """Return all predictions for recorded links, with goodputs in bit/s and errors, as CSV text."""
    columns = ["link", "buffer_bdp", "buffer_packets", "variant", "view", "drive", "model"]
    columns += ["status", "goodput_bps", "simulated_bps", "error_%"]
    every = _with_errors(answers)
    every["error_%"] = (100 * every["error"]).round(6)
    return every[columns].to_csv(index=False, lineterminator="\n")


def links_tex(configuration: Configuration, rows: Sequence[Row]) -> str:
    """Return Table 2 as LaTeX, or a comment if no random sample is recorded."""
    if not rows:
        return "%\n"
    label = label_of(configuration.families, configuration.style)
    alone = {row["link"]: row for row in rows if not row["other"]}
    cells = [
        [
            *(to_latex(text) for text in (link.label, link.measure, label(link.model))),
            f"{row['connections']} of {row['of_connections']}",
            median_cell(row),
            percent(row["q90_%"]),
        ]
        for link in _settings().links
        if link.measure is not None and (row := alone[link.name])
    ]
    return rendered("links", rows=cells)


def pairs_tex(configuration: Configuration, rows: Sequence[Row]) -> str:
    """Return the table that compares pairs of models as LaTeX, or a comment if it is empty."""
    if not rows:
        return "%\n"
    label = label_of(configuration.families, configuration.style)
    labels = {link.name: link.label for link in _settings().links}
    cells = [
        [
            to_latex(labels[row["link"]]),
            f"{row['connections']}",
            *(
                cell
                for column, prefix in (("model", ""), ("other", "other_"))
                for cell in (
                    to_latex(label(row[column])),
                    median_cell(row, prefix),
                    percent(row[f"{prefix}q90_%"]),
                )
            ),
            f"{row['different']}",
            share_cell(row, "nearer"),
        ]
        for row in rows
        if row["other"]
    ]
    return rendered("links_pairs", rows=cells)
