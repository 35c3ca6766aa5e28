"""The comparison's numbers: its size, its errors, what leads where, maps, what is held out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import RIGHT, bias, per_cent, share_within, typical, worst
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.held import VARIANTS
from tcpgoodput.comparison.regime import regime
from tcpgoodput.comparison.regions import errors_of
from tcpgoodput.comparison.schema import Variation
from tcpgoodput.comparison.short import short_names
from tcpgoodput.report.bootstrap import clustered_median
from tcpgoodput.report.numbers import Quoted, camel_case
from tcpgoodput.scenario import Scenario

UNSURE = 0.25
"""Half-width of a measurement's interval, relative to it, above which it judges nobody."""

STATUSES = {"Native": "native", "Reduced": "reduced", "Away": "out-of-domain"}
PARTS = ("Typical", "Bias", "Worst")
OVERFLOW = "overflow alone"
ACK_EVERY = "tcp.ack_every"


def macro_part(name: str) -> str:
    """Return `bursts of loss` as `BurstsOfLoss`, `mathis.linux` as `MathisLinux`."""
    return camel_case(re.sub(r"[ .-]", "_", name))


def of_comparison(compared: Compared, results: Path) -> Iterator[Quoted]:
    """Yield all numbers of the comparison."""
    folder = results / "comparison"
    yield from _of_matrix(compared, pd.read_csv(folder / "families.csv"))
    yield from _of_ranking(folder / "ranking.csv")
    yield from _of_held(compared, pd.read_csv(folder / "held.csv"))
    yield from _of_changes(folder / "sensitivity.csv")
    yield from _of_misjudgements(folder / "misjudged.csv")
    for name in compared.settings.maps:
        rows = pd.read_csv(folder / "maps" / f"{name}.csv")
        yield from _of_map(name, rows, compared.drawn(name))


def _of_matrix(compared: Compared, table: pd.DataFrame) -> Iterator[Quoted]:
    """Yield the counts and errors of families on the scenarios that rank, by variation."""
    origin, again = "comparison/families.csv", compared.settings.again
    yield Quoted("ComparisonScenarios", len(compared.scenarios), None, origin)
    yield Quoted("ComparisonRows", table["scenario"].nunique(), None, origin)
    yield Quoted("ComparisonModels", sum(map(len, compared.families.values())), None, origin)
    yield Quoted("ComparisonFamilies", len(compared.families), None, origin)
    plain = {s.id for s in compared.scenarios.values()} - set(compared.settings.judges)
    for variation in ("", *again):
        ids = {f"{name}-{variation}" if variation else name for name in plain}
        own = table[table["scenario"].isin(ids)]
        yield from _of_statuses(f"Comparison{macro_part(variation)}", own, origin)
    for variation, each in as_if_each(again).items():
        errors = of_another(table, plain, variation, each)
        name = f"Comparison{macro_part(variation)}AskedEach"
        yield Quoted(name, len(errors), None, origin)
        yield from _of_errors(name, errors, origin)
    full = _full_links(s for name in compared.scenarios for s in compared.rows(name))
    yield from _besides(table[table["scenario"].isin(plain)], full, "Comparison", origin)
    width = _half_widths(table)
    yield Quoted("ComparisonHalfWidth", 100 * float(width.median()), 2, origin)
    yield Quoted("ComparisonWidest", 100 * float(width.max()), 2, origin)
    senders = [s.tcp.variant for s in (*compared.scenarios.values(), *compared.held.values())]
    yield Quoted("ScenariosOfCubic", senders.count("cubic"), None, "config/scenarios")
    yield Quoted("ScenariosOfAll", len(senders), None, "config/scenarios")


def as_if_each(again: Mapping[str, Variation]) -> dict[str, str]:
    """Return each variation of packets per ACK, with the one that has nothing else but them."""
    known = {"": {}, **{name: variation.set for name, variation in again.items()}}
    return {
        name: other
        for name, changes in known.items()
        for other, fewer in known.items()
        if ACK_EVERY in changes and {**fewer, ACK_EVERY: changes[ACK_EVERY]} == changes != fewer
    }


def of_another(
    table: pd.DataFrame, plain: set[str], variation: str, other: str
) -> pd.Series[float]:
    """Return how far off families are of one variation that are asked about another one.

    Of the pairs that are native to both: ln(what is said of `other` / what `variation` measured).
    """
    native = table[table["status"] == "native"]
    both = [
        native.assign(
            base=native["scenario"].map(
                {f"{name}-{part}" if part else name: name for name in plain}.get
            )
        ).dropna(subset=["base"])
        for part in (variation, other)
    ]
    pairs = both[0].merge(both[1], on=["base", "family"], suffixes=("", "_other"))
    return np.log(pairs["goodput_bps_other"] / pairs["simulated_bps"])


def _half_widths(table: pd.DataFrame) -> pd.Series[float]:
    """Return the half-widths of the simulated goodputs, relative to them, a scenario each."""
    each = table.drop_duplicates("scenario")
    return each["ci95_bps"] / each["simulated_bps"]


def _full_links(scenarios: Iterable[Scenario]) -> set[str]:
    """Return the scenarios in which only the buffer loses packets."""
    return {scenario.id for scenario in scenarios if regime(scenario) == OVERFLOW}


def _besides(table: pd.DataFrame, full: set[str], name: str, origin: str) -> Iterator[Quoted]:
    """Yield the native pairs and their errors but for full links, where a saw-tooth is exact."""
    native = table[(table["status"] == "native") & ~table["scenario"].isin(full)]
    yield Quoted(f"{name}Besides", len(native), None, origin)
    yield Quoted(f"{name}BesidesScenarios", native["scenario"].nunique(), None, origin)
    answered = native.dropna(subset="log_error")
    errors, clusters = answered["log_error"], answered["scenario"]
    yield from _of_errors(f"{name}Besides", errors, origin, clusters)


def _of_statuses(name: str, table: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield how many pairs of scenario and family have which status, and their errors."""
    home = table[table["status"].isin(AT_HOME)]
    there = set(table["scenario"])
    yield Quoted(f"{name}Judged", len(there), None, origin)
    yield Quoted(f"{name}Cells", len(table), None, origin)
    yield Quoted(f"{name}Undefined", int((table["status"] == "undefined").sum()), None, origin)
    yield Quoted(f"{name}Homeless", len(there - set(home["scenario"])), None, origin)
    groups = {part: table[table["status"] == status] for part, status in STATUSES.items()}
    for part, own in (*groups.items(), ("Home", home)):
        answered = own.dropna(subset="log_error")
        yield Quoted(f"{name}{part}", len(own), None, origin)
        errors, scenarios = answered["log_error"], answered["scenario"]
        yield from _of_errors(f"{name}{part}", errors, origin, scenarios)


def _of_errors(
    name: str, errors: Iterable[float], origin: str, scenarios: pd.Series | None = None
) -> Iterator[Quoted]:
    """Yield errors in short; the interval of their median draws whole scenarios again."""
    found = list(errors)
    low = high = math.nan
    if scenarios is not None:
        low, high = clustered_median(pd.Series(np.abs(found)), scenarios.reset_index(drop=True))
    ends = (per_cent(low), per_cent(high))
    yield Quoted(f"{name}Median", per_cent(typical(found)), 2, origin, *ends)
    yield Quoted(f"{name}Worst", per_cent(worst(found)), 2, origin)
    yield Quoted(f"{name}Within", 100 * share_within(found, RIGHT), 2, origin)


def _of_ranking(path: Path) -> Iterator[Quoted]:
    ranking = pd.read_csv(path, keep_default_na=False)
    for entry in ranking[ranking["variation"] == ""].to_dict("records"):
        name = f"Rank{macro_part(entry['regime'])}{macro_part(entry['family'])}"
        for part in PARTS:
            value = per_cent(float(entry[part.lower()]))
            yield Quoted(f"{name}{part}", value, 2, "comparison/ranking.csv")


def _of_held(compared: Compared, table: pd.DataFrame) -> Iterator[Quoted]:
    """Yield what the held-out scenarios say of families."""
    origin = "comparison/held.csv"
    yield Quoted("HeldDrawn", len(compared.held), None, origin)
    yield Quoted("HeldJudges", len(compared.settings.judges), None, origin)
    yield from _of_statuses("Held", table, origin)
    judged = compared.judging
    yield from _besides(table, _full_links(judged), "Held", origin)
    yield from _by_sender(judged, table, origin)
    width = _half_widths(table)
    yield Quoted("HeldHalfWidth", 100 * float(width.median()), 2, origin)
    yield Quoted("HeldUnsure", int((width > UNSURE).sum()), None, origin)
    for family in compared.families:
        own = table[table["family"] == family]
        home = own[own["status"].isin(AT_HOME)]["log_error"].dropna()
        away = own[~own["status"].isin(AT_HOME)]["log_error"].dropna()
        name = f"Held{macro_part(family)}"
        yield Quoted(f"{name}Home", len(home), None, origin)
        for part, value in zip(PARTS, (typical(home), bias(home), worst(home)), strict=True):
            yield Quoted(f"{name}{part}", per_cent(value), 2, origin)
        yield Quoted(f"{name}Away", len(away), None, origin)
        yield Quoted(f"{name}AwayTypical", per_cent(typical(away)), 2, origin)
    short = short_names(table["scenario"])
    for entry in table[table["status"].isin(AT_HOME)].to_dict("records"):
        name = f"Held{macro_part(entry['family'])}{macro_part(short[entry['scenario']])}"
        yield Quoted(name, per_cent(float(entry["log_error"])), 2, origin)


def _by_sender(scenarios: Iterable[Scenario], table: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield how many scenarios have which sender, and in how many nobody is at home."""
    homes = set(table[table["status"].isin(AT_HOME)]["scenario"])
    away = Counter[str]()
    every = Counter[str]()
    for scenario in scenarios:
        every[scenario.tcp.variant] += 1
        away[scenario.tcp.variant] += scenario.id not in homes
    for variant in VARIANTS:
        name = f"Held{camel_case(variant)}"
        yield Quoted(f"{name}Judged", every[variant], None, origin)
        yield Quoted(f"{name}Homeless", away[variant], None, origin)


def _of_changes(path: Path) -> Iterator[Quoted]:
    """Yield what each variation changes in each scenario: simulated, and of families at home."""
    every = pd.read_csv(path)
    table = every.drop_duplicates(["scenario", "variation"])
    short = short_names(table["scenario"])
    for entry in every[every["status"].isin(AT_HOME)].to_dict("records"):
        name = f"Change{macro_part(entry['variation'])}{macro_part(short[entry['scenario']])}"
        value = per_cent(float(entry["model_change"]))
        yield Quoted(f"{name}{macro_part(entry['family'])}", value, 2, "comparison/sensitivity.csv")
    for entry in table.to_dict("records"):
        name = f"Change{macro_part(entry['variation'])}{macro_part(short[entry['scenario']])}"
        value = per_cent(float(entry["simulated_change"]))
        yield Quoted(name, value, 2, "comparison/sensitivity.csv")
        yield Quoted(f"{name}Size", abs(value), 2, "comparison/sensitivity.csv")


def _of_misjudgements(path: Path) -> Iterator[Quoted]:
    """Yield what misjudged inputs do to families, in the median of where they are at home."""
    medians = pd.read_csv(path).groupby(["family", "misjudged"])["change"].median()
    for (family, misjudged), change in medians.items():
        name = f"Misjudged{macro_part(family)}{macro_part(misjudged)}"
        yield Quoted(name, per_cent(float(change)), 2, "comparison/misjudged.csv")


def _of_map(name: str, rows: pd.DataFrame, models: Sequence[str]) -> Iterator[Quoted]:
    """Yield how much of a plane each model is at home in, how near, and where others are nearer."""
    title, origin = f"Map{camel_case(name)}", f"comparison/maps/{name}.csv"
    found = {model: errors_of(rows, model) for model in models}
    width = rows["half_width_pps"] / rows["goodput_pps"]
    yield Quoted(f"{title}Points", len(rows), None, origin)
    yield Quoted(f"{title}HalfWidth", 100 * float(width.median()), 2, origin)
    yield Quoted(f"{title}Widest", 100 * float(width.max()), 2, origin)
    at_home = np.array([own["at_home"] & own["log_error"].notna() for own in found.values()])
    sizes = np.array([own["log_error"].abs() for own in found.values()])
    somebody = at_home.any(axis=0)
    yield Quoted(f"{title}Somebody", int(somebody.sum()), None, origin)
    home = np.where(at_home, sizes, np.inf).min(axis=0)[somebody]
    away = np.where(at_home | np.isnan(sizes), np.inf, sizes).min(axis=0)[somebody]
    yield Quoted(f"{title}AwayNearer", _share(away < home), 2, origin)
    clearly = away + width.to_numpy()[somebody] < home
    yield Quoted(f"{title}AwayClearlyNearer", _share(clearly), 2, origin)
    for model, own in found.items():
        errors = own[own["at_home"]]["log_error"].dropna()
        part = f"{title}{macro_part(model)}"
        yield Quoted(f"{part}Home", 100 * len(errors) / len(rows), 2, origin)
        yield from _of_errors(part, errors, origin)


def _share(holds: np.ndarray) -> float:
    return 100 * float(holds.mean()) if holds.size else math.nan
