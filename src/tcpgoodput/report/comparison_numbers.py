"""Numbers of the comparison: how many families have predictions, and their errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.comparison.families import regime
from tcpgoodput.comparison.files import Compared
from tcpgoodput.report.bootstrap import clustered_median
from tcpgoodput.report.numbers import Quoted, camel_case
from tcpgoodput.scenario import Scenario

STATUSES = {"Native": "native", "Reduced": "reduced", "Away": "out-of-domain"}
PARTS = ("Typical", "Bias", "Worst")
OVERFLOW = "overflow alone"


def macro_part(name: str) -> str:
    """Return `bursts of loss` as `BurstsOfLoss`, `mathis.linux` as `MathisLinux`."""
    return camel_case(re.sub(r"[ .-]", "_", name))


def of_comparison(compared: Compared, results: Path) -> Iterator[Quoted]:
    """Yield all numbers of the comparison."""
    folder = results / "comparison"
    table = pd.read_csv(folder / "families.csv")
    plain = {s.id for s in compared.scenarios.values()} - set(compared.settings.judges)
    origin = "comparison/families.csv"
    yield from _of_statuses("Comparison", table[table["scenario"].isin(plain)], origin)
    yield from _of_ranking(folder / "ranking.csv")
    held, origin = pd.read_csv(folder / "held.csv"), "comparison/held.csv"
    yield Quoted("HeldDrawn", len(compared.held), None, origin)
    yield from _of_statuses("Held", held, origin)
    buffer_alone = {s.id for s in compared.judging if is_limited_by_buffer(s)}
    native = held[(held["status"] == "native") & ~held["scenario"].isin(buffer_alone)]
    yield Quoted("HeldBesides", len(native), None, origin)
    yield _median("HeldBesides", native, origin)
    yield from _of_misjudgements(folder / "misjudged.csv")


def is_limited_by_buffer(scenario: Scenario) -> bool:
    """Whether only the buffer drops packets, so that the saw-tooth formula is nearly exact."""
    return regime(scenario) == OVERFLOW


def _of_statuses(name: str, table: pd.DataFrame, origin: str) -> Iterator[Quoted]:
    """Yield the number of pairs of scenario and family with each status, and their errors."""
    home = table[table["status"].isin(AT_HOME)]
    there = set(table["scenario"])
    yield Quoted(f"{name}Judged", len(there), None, origin)
    yield Quoted(f"{name}Homeless", len(there - set(home["scenario"])), None, origin)
    for part, status in STATUSES.items():
        own = table[table["status"] == status]
        yield Quoted(f"{name}{part}", len(own), None, origin)
        yield _median(f"{name}{part}", own, origin)


def _median(name: str, rows: pd.DataFrame, origin: str) -> Quoted:
    """Return the median error of pairs; its interval resamples whole scenarios."""
    answered = rows.dropna(subset="log_error")
    sizes = answered["log_error"].abs()
    low, high = clustered_median(sizes, answered["scenario"])
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
    """Yield the median effect of misjudged inputs on the families in domain."""
    medians = pd.read_csv(path).groupby(["family", "misjudged"])["change"].median()
    for (family, misjudged), change in medians.items():
        name = f"Misjudged{macro_part(family)}{macro_part(misjudged)}"
        yield Quoted(name, per_cent(float(change)), 2, "comparison/misjudged.csv")
