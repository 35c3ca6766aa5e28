"""Numbers that the report quotes from censuses (random samples of connections)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from scipy.stats import binomtest

from tcpgoodput.comparison.census.advice import ALONE, NAMED, TREE
from tcpgoodput.comparison.census.design import TREES, known_extent
from tcpgoodput.comparison.census.files import described
from tcpgoodput.comparison.census.paired import OWN
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.census.summary import CLOSELY, EVERY, FAMILIES
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report.numbers import Quoted, macro_part

NEARER = {"Nearer": "out_of_domain_nearer", "ClearlyNearer": "out_of_domain_clearly_nearer"}
"""Columns of `in_domain.csv`, by the ends of the names of the report's numbers. The columns count
connections on which a model out of domain is nearer to the simulation than all models in domain."""


def described_census(configuration: Configuration) -> Space | None:
    """Return the census (random sample) that the report describes; None if there is none."""
    name = described(configuration.censuses)
    return configuration.censuses[name] if name else None


def folder_of(space: Space) -> Path:
    """Return the path of a census's folder, relative to the folder of results or of pictures."""
    return Path("census") / space.name / known_extent(space.name)


def paired_censuses(configuration: Configuration) -> list[Space]:
    """Return the censuses that are paired with the census that the report describes.

    Paired censuses have the same connections, but another sender.
    """
    described = described_census(configuration)
    every = configuration.censuses.values()
    return [space for space in every if described and space.census.paired_with == described.name]


def section_tex(configuration: Configuration) -> str:
    """Return LaTeX code that includes the section on held-out scenarios and the random sample.

    The code is a comment if the run has no random sample or no comparison.
    """
    space = described_census(configuration)
    if space is None or not configuration.comparison:
        return "%\n"
    return f"\\newcommand{{\\censusfolder}}{{{folder_of(space)}}}\n\\input{{sections/held}}\n"


def of_censuses(configuration: Configuration, results: Path) -> Iterator[Quoted]:
    """Yield all numbers that the report quotes from its census and the censuses paired with it."""
    space = described_census(configuration)
    if space is None:
        return
    folder = folder_of(space)
    impairments = len(space.census.impairments)
    yield Quoted("CensusImpairments", impairments, None, "config/census")
    for name, of in READ.items():
        path = folder / f"{name}.csv"
        yield from of(pd.read_csv(results / path), str(path))
    for other in paired_censuses(configuration):
        path = folder_of(other) / f"{TREES}.csv"
        yield from _of_trees(macro_part(other.name), pd.read_csv(results / path), str(path))


def _of_counts(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield the number of random connections, and how precisely their goodputs are measured."""
    counts = rows.iloc[0]
    share = 100 * float(counts["close"]) / float(counts["drawn"])
    yield Quoted("CensusDrawn", counts["drawn"], None, origin)
    yield Quoted("CensusCloseShare", share, 2, origin)
    yield Quoted("CensusLeftOut", 100 - share, 2, origin)
    yield Quoted("CensusTypicalHalfWidth", counts["typical_half_width_%"], 2, origin)


def _group(group: str) -> str:
    """Return the part of a number's name that denotes a group of connections; empty for `EVERY`."""
    return "" if group == EVERY else macro_part(group)


def _of_statuses(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield the median error of model families by status of the prediction.

    There are numbers for three sets of connections: those with a narrow interval of the goodput,
    those of them with an impairment, and all measured connections.
    """
    for row in rows[rows["of"] == FAMILIES].to_dict("records"):
        if row["impairments"] == EVERY:
            part = "" if row["connections"] == CLOSELY else macro_part(row["connections"])
            name = f"Census{part}{macro_part(FAMILIES)}{macro_part(row['status'])}"
            yield Quoted(f"{name}Typical", row["typical_%"], 2, origin)


def _of_domains(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield, for each group of connections, numbers that compare models in and out of domain.

    They are the share of connections with a family in domain, and how often families out of domain
    have the smaller error.
    """
    for row in rows.to_dict("records"):
        group = _group(row["impairments"])
        share = 100 * row["in_domain"] / row["connections"]
        yield Quoted(f"CensusInDomain{group}", share, 2, origin)
        name = f"CensusDomain{group}"
        if row["both"]:
            yield Quoted(f"{name}Both", row["both"], None, origin)
            for part, column in NEARER.items():
                share = binomtest(int(row[column]), int(row["both"]))
                ends = (100 * end for end in share.proportion_ci(method="wilson"))
                value = 100 * share.statistic
                yield Quoted(f"{name}Away{part}", value, 2, origin, *ends)
            yield Quoted(f"{name}OneAwayNearer", row["one_out_of_domain_nearer_%"], 2, origin)
            yield Quoted(f"{name}HomeTypical", row["typical_error_in_domain_%"], 2, origin)
            yield Quoted(f"{name}AwayTypical", row["typical_error_out_of_domain_%"], 2, origin)


def _of_left_out(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield the share of connections left out because of wide intervals, by impairment.

    Connections with two impairments are one group.
    """
    for row in rows[rows["impairments"] != EVERY].to_dict("records"):
        share = 100 * row["left_out"] / row["drawn"]
        yield Quoted(f"CensusLeftOut{_group(row['impairments'])}", share, 2, origin)


def _of_advice(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield the decision tree's median error, and how often the tree advises to simulate.

    The same numbers follow for the tree if it always names a family instead (`ALONE`). All are
    computed on the half of the sample to which the tree was not fitted.
    """
    for strategy, name in ((TREE, "Tree"), (ALONE, "TreeAlone")):
        own = rows[rows["strategy"] == strategy].set_index("group")
        every = own.loc[EVERY]
        share = 100 * float(every["simulated"]) / float(every["connections"])
        yield Quoted(f"Census{name}Simulated", share, 2, origin)
        yield Quoted(f"Census{name}Typical", float(every["typical_%"]), 2, origin)
        if strategy == TREE and NAMED in own.index:
            yield Quoted("CensusTreeNamedTypical", own.loc[NAMED, "typical_%"], 2, origin)


def _of_tree(nodes: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield the number of questions in the decision tree."""
    questions = int(nodes["quantity"].notna().sum())
    yield Quoted("CensusTreeQuestions", questions, None, origin)


def _of_trees(name: str, rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield the median error of a paired census's own decision tree where it names a family.

    Args:
        name: the census, as the part of a number's name.
        rows: the table of the trees' errors.
        origin: path of the table.

    """
    own = rows[(rows["tree"] == OWN) & (rows["group"] == NAMED)]
    for value in own["typical_%"]:
        yield Quoted(f"{name}CensusTreesOwnNamedTypical", value, 2, origin)


READ = {
    "counts": _of_counts,
    "statuses": _of_statuses,
    "in_domain": _of_domains,
    "left_out": _of_left_out,
    "advice": _of_advice,
    "tree": _of_tree,
}
