"""What the report says of a census: its size, how far off models are, what the tree is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tcpgoodput.census.advice import ALONE, ALWAYS, BEST, NAMED, SIMULATING, TREE
from tcpgoodput.census.beside import ANY, LONG, OTHER_RTO, SAME_RTO, SHORT, SIMULATED
from tcpgoodput.census.drawn import is_outside
from tcpgoodput.census.evidence import told_of_unanswered
from tcpgoodput.census.extents import BESIDE, RECORDED, SHARED, known_extent, record_of
from tcpgoodput.census.importance import FEWEST
from tcpgoodput.census.looks import to_read
from tcpgoodput.census.quantities import quantities_of
from tcpgoodput.census.space import Space
from tcpgoodput.census.spread import EVERY
from tcpgoodput.census.statuses import CLOSELY, FAMILIES, MODELS
from tcpgoodput.census.tree import SIMULATE, USELESS, advised_by
from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import RIGHT, per_cent, share_within, typical, worst
from tcpgoodput.configuration.markup import escaped, to_latex
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.report import latex
from tcpgoodput.report.comparison_numbers import STATUSES, macro_part
from tcpgoodput.report.numbers import Quoted
from tcpgoodput.report.templates import rendered

FEWEST_SHARED = 50
"""Connections in which a family must be at home with either sender, to be told of."""

STRATEGIES = {TREE: "Tree", ALONE: "TreeAlone", BEST: "Best", ALWAYS: "Always"}
_, OF_SIMULATING = SIMULATING.split("{}")
ERROR_PARTS = {
    "typical_%": "Typical",
    "bias_%": "Bias",
    "above_%": "Above",
    "within_10_%": "Within",
}
PARTS = {
    "typical_%": "Typical",
    "mean_%": "Mean",
    "within_5_%": "WithinFive",
    "within_10_%": "WithinTen",
    "within_25_%": "WithinTwentyFive",
    "regret_typical_%": "RegretTypical",
    "regret_mean_%": "RegretMean",
}
GAIN_PARTS = {
    "median": "Median",
    "q05": "Least",
    "q95": "Most",
    "within_5_%": "WithinFive",
    "within_10_%": "WithinTen",
    "faster_%": "Faster",
    "slower_%": "Slower",
}
GAIN_GROUPS = {
    (ANY, ANY): "",
    (SAME_RTO, ANY): "SameRto",
    (OTHER_RTO, ANY): "OtherRto",
    (ANY, "1"): "EachPacket",
    (ANY, "2"): "EachSecondPacket",
}
"""Smallest timeout and packets per ACK that are told of."""

TREE_PARTS = {"cubic_%": "Cubic", "typical_%": "Typical", "within_10_%": "Within"}
SHARED_PARTS = {
    "typical_beside_%": "Beside",
    "typical_%": "Typical",
    "within_10_beside_%": "BesideWithin",
    "within_10_%": "Within",
}
CENSUS = "Census"
"""What the names of numbers of a census begin with, but for what it says of held-out scenarios."""


def told_of(configuration: Configuration) -> Space | None:
    """Return the census that the report tells of: the first one, if there is any."""
    return next(iter(configuration.censuses.values()), None)


def folder_of(space: Space) -> Path:
    """Return the folder of what is known of a census, below that of all results or pictures."""
    return Path("census") / space.name / known_extent(space.name)


def beside(configuration: Configuration) -> list[Space]:
    """Return the censuses that stand beside the one that the report tells of."""
    told = told_of(configuration)
    every = configuration.censuses.values()
    return [space for space in every if told and space.census.beside == told.name]


def section_tex(configuration: Configuration) -> str:
    """Return the section on held-out scenarios and the random sample, if there are both."""
    space = told_of(configuration)
    if space is None or not configuration.comparison:
        return "%\n"
    return f"\\newcommand{{\\censusfolder}}{{{folder_of(space)}}}\n\\input{{sections/held}}\n"


def of_censuses(configuration: Configuration, results: Path) -> Iterator[Quoted]:
    """Yield all numbers of the censuses that the report tells of."""
    space = told_of(configuration)
    if space is None:
        return
    yield from _of_census(space, configuration, results)
    for other in beside(configuration):
        for own in _of_census(other, configuration, results):
            if own.name.startswith(CENSUS):
                yield replace(own, name=f"{macro_part(other.name)}{own.name}")
        yield from _of_both(other, results)


def _of_both(space: Space, results: Path) -> Iterator[Quoted]:
    """Yield what a census says beside the other one."""
    gains, errors, trees = (folder_of(space) / f"{name}.csv" for name in BESIDE)
    name = f"{macro_part(space.name)}{CENSUS}"
    yield Quoted(f"{name}ShortTransfer", SHORT, None, str(gains))
    yield Quoted(f"{name}LongTransfer", LONG, None, str(gains))
    for row in pd.read_csv(results / gains).to_dict("records"):
        part = GAIN_GROUPS.get((row["smallest_rto"], str(row["ack_every"])))
        if part is None:
            continue
        of = f"{name}Gain{_group(row['sender'])}{part}{_group(row['happening'])}"
        yield Quoted(f"{of}Connections", row["connections"], None, str(gains))
        yield Quoted(f"{of}LeftOut", row["left_out"], None, str(gains))
        for column, told in GAIN_PARTS.items():
            yield Quoted(f"{of}{told}", row[column], 2 if column.endswith("%") else 3, str(gains))
    for row in pd.read_csv(results / errors).to_dict("records"):
        group = f"{_group(row['sender'])}{_group(row['happening'])}"
        of = f"{name}Shared{macro_part(row['family'])}{group}"
        yield Quoted(f"{of}Connections", row["connections"], None, str(errors))
        for part, told in SHARED_PARTS.items():
            yield Quoted(f"{of}{told}", row[part], 2, str(errors))
    yield from _of_trees(f"{name}Trees", results, trees)


def _of_trees(name: str, results: Path, trees: Path) -> Iterator[Quoted]:
    """Yield what the trees of both censuses are worth for one of them."""
    rows = pd.read_csv(results / trees)
    everybody = rows[rows["group"].isin((SIMULATED, NAMED))].groupby("tree")["connections"].sum()
    for row in rows.to_dict("records"):
        of = f"{name}{macro_part(row['tree'])}{macro_part(row['group'])}"
        yield Quoted(f"{of}Connections", row["connections"], None, str(trees))
        share = 100 * row["connections"] / float(everybody[row["tree"]])
        yield Quoted(f"{of}Share", share, 2, str(trees))
        for part, told in TREE_PARTS.items():
            if not math.isnan(row[part]):
                yield Quoted(f"{of}{told}", row[part], 2, str(trees))


def _of_census(space: Space, configuration: Configuration, results: Path) -> Iterator[Quoted]:
    folder = folder_of(space)

    def read(name: str) -> tuple[pd.DataFrame, str]:
        path = folder / f"{name}.csv"
        return pd.read_csv(results / path), str(path)

    yield Quoted("CensusKinds", len(space.happenings), None, "config/census")
    yield Quoted("CensusImpairments", len(space.census.impairments), None, "config/census")
    asked = per_cent(space.census.precision.half_width)
    yield Quoted("CensusAskedHalfWidth", asked, 2, "config/census")
    yield from _of_counts(*read("counts"))
    yield from _of_left_out(*read("left_out"))
    errors, origin = read("errors")
    families = list(errors["family"].unique())
    yield from _of_errors(errors, origin)
    yield from _of_calibration(*read("calibration"))
    yield from _of_statuses(*read("statuses"))
    yield from _of_homes(*read("homes"))
    yield from _of_importance(*read("importance"))
    advice, origin = read("advice")
    yield from _of_advice(advice, origin)
    single = advice[(advice["group"] == EVERY) & ~advice["strategy"].isin(STRATEGIES)]
    single = single[single["simulated"] == 0].set_index("strategy")
    best = str(single["mean_%"].idxmin()) if len(single) else ""
    yield from _of_pairs(*read("pairs"), best)
    nodes, origin = read("tree")
    yield from _of_tree(nodes, families, origin)
    if configuration.comparison and configuration.comparison.judging:
        ranges, _ = read("ranges")
        yield from _of_held(configuration, results, nodes, ranges, best)


def _of_counts(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield how many connections there are, and how closely they were measured."""
    counts = rows.iloc[0]
    for name, value in counts.items():
        digits = 2 if str(name).endswith("%") or name == "typical_packets" else None
        yield Quoted(f"Census{macro_part(str(name).strip('_%'))}", value, digits, origin)
    shares = {"Close": counts["close"], "AsAsked": counts["as_asked"]}
    for name, value in shares.items():
        share = 100 * float(value) / float(counts["drawn"])
        yield Quoted(f"Census{name}Share", share, 2, origin)


def _of_left_out(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield which share of each group of connections was not measured closely."""
    for row in rows.to_dict("records"):
        share = 100 * row["left_out"] / row["drawn"]
        yield Quoted(f"CensusLeftOut{_group(row['happening'])}", share, 2, origin)


def _group(happening: str) -> str:
    """Return what a group is called within a name; all connections have none."""
    return "" if happening == EVERY else macro_part(happening)


def _of_errors(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield each family's errors, over all connections and over each kind of them."""
    for row in rows.to_dict("records"):
        group = _group(row["happening"])
        name = f"Census{macro_part(row['family'])}{group}{macro_part(row['standing'])}"
        yield Quoted(name, row["answers"], None, origin)
        for part, told in ERROR_PARTS.items():
            yield Quoted(f"{name}{told}", row[part], 2, origin)


def _of_calibration(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield which share of each model's answers of each status is close."""
    close = rows[rows["bound_%"] == 100 * RIGHT]
    for row in close.to_dict("records"):
        name = f"Census{macro_part(row['model'])}{macro_part(row['status'])}"
        yield Quoted(f"{name}Calibrated", 100 * row["share"], 2, origin)
    shares = close.pivot_table(index="model", columns="status", values="share")
    ordered = shares.reindex(columns=list(AT_HOME)).dropna()
    nearer = int((ordered["reduced"] > ordered["native"]).sum())
    yield Quoted("CensusReducedNearer", nearer, None, origin)


def _of_statuses(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield how near all answers of a status come; of those measured closely without saying so."""
    for row in rows.to_dict("records"):
        part = "" if row["connections"] == CLOSELY else macro_part(row["connections"])
        of = "" if row["of"] == MODELS else macro_part(row["of"])
        group = _group(row["happening"])
        # What happens may be called as a model is, whose answers are counted, too.
        when = group and f"When{group}"
        name = f"Census{part}{of}{when}{macro_part(row['status'])}"
        yield Quoted(f"{name}Answers", row["answers"], None, origin)
        for column, told in PARTS.items():
            if column in row:
                yield Quoted(f"{name}{told}", row[column], 2, origin)


def _of_homes(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield in how many connections somebody is at home, and whether others are nearer."""
    for row in rows.to_dict("records"):
        name = f"CensusHome{_group(row['happening'])}"
        for part in ("at_home", "native"):
            share = 100 * row[part] / row["connections"]
            yield Quoted(f"{name}{macro_part(part)}", share, 2, origin)
        if row["both"]:
            yield Quoted(f"{name}Both", row["both"], None, origin)
            for part in ("away_nearer", "away_clearly_nearer"):
                share = 100 * row[part] / row["both"]
                yield Quoted(f"{name}{macro_part(part)}", share, 2, origin)
            for part in ("typical_home_%", "typical_away_%"):
                yield Quoted(f"{name}{macro_part(part.strip('_%'))}", row[part], 2, origin)


def _of_importance(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield how much of each family's errors is explained, and the importances."""
    yield Quoted("CensusFewestAnswers", FEWEST, None, origin)
    for family, own in rows.groupby("family"):
        name = f"CensusExplained{macro_part(str(family))}"
        yield Quoted(name, 100 * own["explained"].iloc[0], 2, origin)
    for row in rows.to_dict("records"):
        name = f"CensusImportance{macro_part(row['family'])}{macro_part(row['quantity'])}"
        yield Quoted(name, row["importance"], 2, origin)


def _of_advice(rows: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield what each strategy is worth on the half that judges."""
    counts = rows[rows["strategy"] == TREE].set_index("group")["connections"]
    for group in counts.index[counts.index.str.startswith(NAMED)]:
        of = EVERY if group == NAMED else NAMED
        share = 100 * float(counts[group]) / float(counts[of])
        yield Quoted(f"Census{_group(group)}Share", share, 2, origin)
    for row in rows.to_dict("records"):
        strategy = _strategy(str(row["strategy"]))
        name = f"Census{strategy}{_group(row['group'])}"
        share = 100 * row["simulated"] / row["connections"]
        yield Quoted(f"{name}Simulated", share, 2, origin)
        for part, told in PARTS.items():
            if not math.isnan(row[part]):
                yield Quoted(f"{name}{told}", row[part], 2, origin)


def _strategy(name: str) -> str:
    """Return what a strategy is called within a name."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    family, simulating, _ = name.partition(OF_SIMULATING)
    return f"{'Simulating' if simulating else 'Only'}{macro_part(family)}"


def _of_pairs(rows: pd.DataFrame, origin: str, best: str) -> Iterator[Quoted]:
    """Yield how far off the best single family is beside each other one, and the reverse."""
    for row in rows.to_dict("records"):
        if best not in (row["family"], row["beside"]):
            continue
        between = f"{macro_part(row['family'])}Beside{macro_part(row['beside'])}"
        name = f"Census{between}{_group(row['capacity'])}"
        yield Quoted(name, row["connections"], None, origin)
        yield Quoted(f"{name}Typical", row["typical_%"], 2, origin)
        yield Quoted(f"{name}Within", row["within_10_%"], 2, origin)


def _of_tree(nodes: pd.DataFrame, families: list[str], origin: str) -> Iterator[Quoted]:
    """Yield the tree's size, and how often it names each family."""
    leaves = nodes[nodes["quantity"].isna()]
    yield Quoted("CensusTreeQuestions", len(nodes) - len(leaves), None, origin)
    yield Quoted("CensusTreeLeaves", len(leaves), None, origin)
    yield Quoted("CensusTreeUseless", per_cent(USELESS), None, origin)
    named = leaves[leaves["family"] != SIMULATE]
    yield Quoted("CensusTreeFamilies", named["family"].nunique(), None, origin)
    judged = named.groupby("family")["judged"].sum().reindex(families, fill_value=0)
    for family, count in judged.items():
        share = 100 * float(count) / float(judged.sum())
        yield Quoted(f"CensusTreeNames{macro_part(str(family))}", share, 2, origin)


def _of_held(
    configuration: Configuration,
    results: Path,
    nodes: pd.DataFrame,
    ranges: pd.DataFrame,
    best: str,
) -> Iterator[Quoted]:
    """Yield what the tree advises on the held-out scenarios, which it has never seen.

    Beside it: what the best single family says of the scenarios for which the tree names one.
    """
    compared = configuration.comparison
    assert compared is not None  # or nothing is held out
    origin = "comparison/held.csv"
    table = pd.read_csv(results / origin).set_index(["scenario", "family"])
    values = {scenario.id: quantities_of(scenario) for scenario in compared.judging}
    advised = advised_by(nodes, pd.DataFrame.from_dict(values, orient="index")).to_dict()
    known = {name: family for name, family in advised.items() if (name, family) in table.index}
    entries = table.loc[list(known.items())] if known else table.iloc[:0]
    outside = sum(is_outside(ranges, own) for own in values.values())
    yield Quoted("HeldTreeAdvised", len(known), None, origin)
    yield Quoted("HeldTreeSimulated", len(advised) - len(known), None, origin)
    yield Quoted("HeldTreeAtHome", int(entries["status"].isin(AT_HOME).sum()), None, origin)
    yield Quoted("HeldTreeBeyond", outside, None, origin)
    yield from _of_advised("HeldTree", entries, origin)
    pairs = [(name, best) for name in known if (name, best) in table.index]
    yield from _of_advised("HeldBest", table.loc[pairs] if pairs else table.iloc[:0], origin)


def _of_advised(name: str, entries: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    errors = entries["log_error"].dropna()
    yield Quoted(f"{name}Median", per_cent(typical(errors)), 2, origin)
    yield Quoted(f"{name}Worst", per_cent(worst(errors)), 2, origin)
    yield Quoted(f"{name}Within", 100 * share_within(errors, RIGHT), 2, origin)
    yield Quoted(f"{name}Right", int((errors.abs() <= RIGHT).sum()), None, origin)
