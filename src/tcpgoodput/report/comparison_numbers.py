"""Numbers that the report quotes from the comparison of all models: counts and errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.bootstrap import clustered_quantile
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.comparison.families import short_names
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.validation import ALL, EVERYWHERE, NAMED, WITHIN
from tcpgoodput.report.numbers import Quoted, macro_part

STATUSES = {"Native": "native", "Reduced": "reduced", "Away": "out-of-domain"}
PARTS = ("Typical", "Bias", "Worst")
SPREAD = {"Median": "median", "Ninety": "q90", "Within": "within_tenth", "BeyondTwo": "beyond_two"}


def of_comparison(compared: Compared, results: Path) -> Iterator[Quoted]:
    """Yield all numbers that the report quotes from the comparison of all models."""
    folder = results / "comparison"
    table = pd.read_csv(folder / "families.csv")
    plain = {s.id for s in compared.scenarios.values()}
    origin = "comparison/families.csv"
    yield from _of_statuses("Comparison", table[table["scenario"].isin(plain)], origin)
    yield from _of_ranking(folder / "ranking.csv")
    yield from _of_misjudgements(folder / "misjudged.csv")
    if compared.held:
        yield from of_held(results / "heldout")


def of_held(folder: Path) -> Iterator[Quoted]:
    """Yield the errors of models, of advice and of the simulator on held-out connections.

    Held-out connections are random connections that were drawn after the models' domains were
    fixed.

    Args:
        folder: the folder with the tables of the held-out connections.

    """
    origin = "heldout/counts.csv"
    for name, value in pd.read_csv(folder / "counts.csv").iloc[0].items():
        yield Quoted(f"Held{macro_part(str(name))}", int(value), None, origin)
    yield from _of_both(pd.read_csv(folder / "rows.csv"))
    errors = pd.read_csv(folder / "errors.csv")
    for row in errors[errors["family"] == ALL].to_dict("records"):
        name = f"HeldErrors{macro_part(row['status'])}"
        yield Quoted(name, row["answers"], None, "heldout/errors.csv")
        yield Quoted(f"{name}Scenarios", row["scenarios"], None, "heldout/errors.csv")
        yield from _of_spread(name, row, "heldout/errors.csv")
    for row in pd.read_csv(folder / "advice.csv").to_dict("records"):
        named = {EVERYWHERE: "", NAMED: "Named", WITHIN: "InDomain"}
        where = named.get(row["where"], macro_part(row["where"]))
        name = f"Held{macro_part(row['advice'])}{where}"
        yield Quoted(name, row["scenarios"], None, "heldout/advice.csv")
        yield from _of_spread(name, row, "heldout/advice.csv")
    engines = pd.read_csv(folder / "engines.csv", keep_default_na=False)
    for (engine, sender), own in engines.groupby(["engine", "sender"]):
        name = f"Held{macro_part(engine)}{macro_part(sender)}"
        sizes = np.abs(np.log(own["ratio"].astype(float)))
        yield Quoted(name, len(own), None, "heldout/engines.csv")
        yield Quoted(f"{name}Median", per_cent(float(sizes.median())), 2, "heldout/engines.csv")
        yield Quoted(
            f"{name}Ninety", per_cent(float(sizes.quantile(0.9))), 2, "heldout/engines.csv"
        )


def _of_both(rows: pd.DataFrame) -> Iterator[Quoted]:
    """Yield median errors in and out of domain, on connections with predictions of both kinds.

    For each connection, the median of its errors in domain and of those out of domain is taken
    first.

    Args:
        rows: a row for each held-out connection and family of models.

    """
    sizes = rows.dropna(subset="log_error").assign(size=lambda table: table["log_error"].abs())
    inside = sizes["status"].isin(IN_DOMAIN)
    both = sizes.groupby(["scenario", inside])["size"].median().unstack().dropna()
    yield Quoted("HeldBoth", len(both), None, "heldout/rows.csv")
    for part, column in (("InDomain", True), ("OutOfDomain", False)):
        median = per_cent(float(both[column].median())) if column in both else math.nan
        yield Quoted(f"HeldBoth{part}Median", median, 2, "heldout/rows.csv")


def _of_spread(name: str, row: Mapping[str, float], origin: str) -> Iterator[Quoted]:
    for part, column in SPREAD.items():
        low, high = (row[f"{column}_{end}_%"] for end in ("low", "high"))
        yield Quoted(f"{name}{part}", row[f"{column}_%"], 2, origin, low, high)


def _of_statuses(name: str, table: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield, for each status, the number of predictions by model families and their median error.

    Also yield the number of scenarios, and of those on which no family is in domain.
    """
    in_domain = table[table["status"].isin(IN_DOMAIN)]
    there = set(table["scenario"])
    yield Quoted(f"{name}Judged", len(there), None, origin)
    yield Quoted(f"{name}Homeless", len(there - set(in_domain["scenario"])), None, origin)
    for part, status in STATUSES.items():
        own = table[table["status"] == status]
        yield Quoted(f"{name}{part}", len(own), None, origin)
        yield _median(f"{name}{part}", own, origin)


def _median(name: str, rows: pd.DataFrame, origin: str) -> Quoted:
    """Return the median size of errors in per cent; its interval has scenarios as clusters."""
    answered = rows.dropna(subset="log_error")
    sizes = answered["log_error"].abs()
    low, high = clustered_quantile(sizes, answered["scenario"])
    ends = (per_cent(low), per_cent(high))
    return Quoted(f"{name}Median", per_cent(typical(sizes)), 2, origin, *ends)


def _of_ranking(path: Path) -> Iterator[Quoted]:
    ranking = pd.read_csv(path, keep_default_na=False)
    for entry in ranking[ranking["variation"] == ""].to_dict("records"):
        name = f"Rank{macro_part(entry['regime'])}{macro_part(entry['family'])}"
        for part in PARTS:
            value = per_cent(float(entry[part.lower()]))
            yield Quoted(f"{name}{part}", value, 2, "comparison/ranking.csv")


def _of_misjudgements(path: Path) -> Iterator[Quoted]:
    """Yield how much each family's prediction changes if the loss or the RTT is misjudged by 20 %.

    Only families in domain count.
    """
    rows = pd.read_csv(path)
    short = short_names(rows["scenario"])
    for row in rows.to_dict("records"):
        words = (short[row["scenario"]], row["family"], row["misjudged"])
        name = f"Misjudged{''.join(map(macro_part, words))}"
        yield Quoted(name, per_cent(row["change"]), 2, "comparison/misjudged.csv")
