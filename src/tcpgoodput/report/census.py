"""What the report says of a census: its size, how far off models are, what the tree is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from tcpgoodput.census.advice import ALWAYS, BEST, SIMULATE, TREE, leaf_row
from tcpgoodput.census.extents import known_extent
from tcpgoodput.census.quantities import quantities_of
from tcpgoodput.census.space import Space
from tcpgoodput.census.spread import EVERY
from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import per_cent, share_within, typical, worst
from tcpgoodput.comparison.notebook import judging
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.report.comparison_numbers import macro_part
from tcpgoodput.report.numbers import Quoted

WITHIN = 0.10
"""Size of an error up to which advice counts as right."""

STRATEGIES = {TREE: "Tree", BEST: "Best", ALWAYS: "Always"}
PARTS = {
    "typical_%": "Typical",
    "mean_%": "Mean",
    "within_5_%": "WithinFive",
    "within_10_%": "WithinTen",
    "within_25_%": "WithinTwentyFive",
    "regret_typical_%": "RegretTypical",
    "regret_mean_%": "RegretMean",
}


def told_of(configuration: Configuration) -> Space | None:
    """Return the census that the report tells of: the first one, if there is any."""
    return next(iter(configuration.censuses.values()), None)


def folder_of(space: Space) -> Path:
    """Return the folder of what is known of a census, below that of all results or pictures."""
    return Path("census") / space.name / known_extent(space.name)


def section_tex(space: Space | None) -> str:
    """Return the section on a census, if there is one, and say where its pictures are."""
    if space is None:
        return "%\n"
    return f"\\newcommand{{\\censusfolder}}{{{folder_of(space)}}}\n\\input{{sections/census}}\n"


def of_census(space: Space, configuration: Configuration, results: Path) -> Iterator[Quoted]:
    """Yield all numbers of a census."""
    folder = folder_of(space)
    origin = {name: str(folder / f"{name}.csv") for name in ("counts", "errors", "calibration")}
    counts = pd.read_csv(results / folder / "counts.csv").iloc[0]
    for name, value in counts.items():
        digits = 2 if str(name).endswith("%") else None
        yield Quoted(f"Census{macro_part(str(name).strip('_%'))}", value, digits, origin["counts"])
    shares = {"Close": counts["close"], "AsAsked": counts["as_asked"]}
    for name, value in shares.items():
        share = 100 * float(value) / float(counts["drawn"])
        yield Quoted(f"Census{name}Share", share, 2, origin["counts"])
    yield Quoted("CensusKinds", len(space.happenings), None, "config/census")
    yield Quoted("CensusImpairments", len(space.census.impairments), None, "config/census")
    yield from _of_errors(pd.read_csv(results / origin["errors"]), origin["errors"])
    calibration = pd.read_csv(results / origin["calibration"])
    yield from _of_calibration(calibration, origin["calibration"])
    yield from _of_importance(results, str(folder / "importance.csv"))
    yield from _of_advice(results, str(folder / "advice.csv"))
    nodes = pd.read_csv(results / folder / "tree.csv")
    yield from _of_tree(nodes, str(folder / "tree.csv"))
    if configuration.comparison:
        yield from _of_held(configuration, results, nodes)


def _of_errors(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield each family's errors, over all connections and over each kind of them."""
    for row in rows.to_dict("records"):
        group = "" if row["happening"] == EVERY else macro_part(row["happening"])
        name = f"Census{macro_part(row['family'])}{group}{macro_part(row['standing'])}"
        yield Quoted(name, row["answers"], None, origin)
        for part in ("typical_%", "bias_%", "within_10_%"):
            told = {"typical_%": "Typical", "bias_%": "Bias", "within_10_%": "Within"}[part]
            yield Quoted(f"{name}{told}", row[part], 2, origin)


def _of_calibration(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield which share of all answers of a status, and of each model's, is how close."""
    words = {5.0: "Five", 10.0: "Ten", 25.0: "TwentyFive"}
    for (status, bound), own in rows.groupby(["status", "bound_%"]):
        share = 100 * float((own["share"] * own["answers"]).sum() / own["answers"].sum())
        yield Quoted(f"Census{macro_part(status)}Within{words[bound]}", share, 2, origin)
        if bound == 100 * WITHIN:
            yield Quoted(f"Census{macro_part(status)}Answers", own["answers"].sum(), None, origin)
    for row in rows[rows["bound_%"] == 100 * WITHIN].to_dict("records"):
        name = f"Census{macro_part(row['model'])}{macro_part(row['status'])}"
        yield Quoted(f"{name}Calibrated", 100 * row["share"], 2, origin)


def _of_importance(results: Path, origin: str) -> Iterator[Quoted]:
    """Yield how much of each family's errors is explained, and the importances."""
    rows = pd.read_csv(results / origin)
    for family, own in rows.groupby("family"):
        name = f"CensusExplained{macro_part(str(family))}"
        yield Quoted(name, 100 * own["explained"].iloc[0], 2, origin)
    for row in rows.to_dict("records"):
        name = f"CensusImportance{macro_part(row['family'])}{macro_part(row['quantity'])}"
        yield Quoted(name, row["importance"], 2, origin)


def _of_advice(results: Path, origin: str) -> Iterator[Quoted]:
    """Yield what each strategy is worth on the half that judges."""
    rows = pd.read_csv(results / origin)
    for row in rows.to_dict("records"):
        strategy = STRATEGIES.get(row["strategy"], f"Only{macro_part(row['strategy'])}")
        group = "" if row["happening"] == EVERY else macro_part(row["happening"])
        name = f"Census{strategy}{group}"
        share = 100 * row["simulated"] / row["connections"]
        yield Quoted(f"{name}Simulated", share, 2, origin)
        for part, told in PARTS.items():
            if not math.isnan(row[part]):
                yield Quoted(f"{name}{told}", row[part], 2, origin)


def _of_tree(nodes: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    leaves = nodes[nodes["quantity"].isna()]
    yield Quoted("CensusTreeQuestions", len(nodes) - len(leaves), None, origin)
    yield Quoted("CensusTreeLeaves", len(leaves), None, origin)
    advised = leaves[leaves["family"] != SIMULATE]
    yield Quoted("CensusTreeFamilies", advised["family"].nunique(), None, origin)


def _of_held(configuration: Configuration, results: Path, nodes: pd.DataFrame) -> Iterator[Quoted]:
    """Yield what the tree advises on the held-out scenarios, which it has never seen."""
    compared = configuration.comparison
    assert compared is not None  # or nothing is held out
    origin = "comparison/held.csv"
    table = pd.read_csv(results / origin).set_index(["scenario", "family"])
    judged = judging(compared)
    leaves = {scenario.id: leaf_row(nodes, quantities_of(scenario)) for scenario in judged}
    advised = {name: str(leaf["family"]) for name, leaf in leaves.items()}
    known = {name: family for name, family in advised.items() if (name, family) in table.index}
    entries = table.loc[list(known.items())] if known else table.iloc[:0]
    errors = entries["log_error"].dropna()
    yield Quoted("HeldTreeAdvised", len(known), None, origin)
    yield Quoted("HeldTreeSimulated", len(advised) - len(known), None, origin)
    yield Quoted("HeldTreeAtHome", int(entries["status"].isin(AT_HOME).sum()), None, origin)
    yield Quoted("HeldTreeMedian", per_cent(typical(errors)), 2, origin)
    yield Quoted("HeldTreeWorst", per_cent(worst(errors)), 2, origin)
    yield Quoted("HeldTreeWithin", 100 * share_within(errors, WITHIN), 2, origin)
