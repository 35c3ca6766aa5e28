"""Tables on the site's pages that are made from the code and from what is recorded in `data/`."""

from __future__ import annotations

import csv
from pathlib import Path

from tcpgoodput.census.kinds import words_for
from tcpgoodput.census.space import JOINED
from tcpgoodput.configuration.documentation import markdown
from tcpgoodput.models import MODELS
from tcpgoodput.models.reductions.catalogue import REDUCTIONS

DATA = Path("data")

FEWEST = 100
"""Number of random connections that a recommendation rests on at least."""


def models() -> str:
    """Return every model with what it describes and where it is at home."""
    rows = [
        (f"`{m.name}`", f"{m.title}: {', '.join(sorted(m.handles)) or 'overflow alone'}", m.domain)
        for m in MODELS.values()
    ]
    return markdown(("model", "what it is, and describes", "at home"), rows)


def reductions() -> str:
    """Return every reduction with its formula."""
    rows = [(f"`{r.id}`", r.of, r.to.replace("--", "–"), r.formula) for r in REDUCTIONS.values()]
    return markdown(("reduction", "turns", "into", "by"), rows)


def choice() -> str:
    """Return, for each impairment alone, the native and the reduced model with the least error."""
    best: dict[tuple[str, str], dict[str, str]] = {}
    for row in _recorded("census/connections_errors.csv"):
        place = row["happening"], row["status"]
        if JOINED in row["happening"] or int(row["connections"]) < FEWEST:
            continue
        if place not in best or float(row["typical_%"]) < float(best[place]["typical_%"]):
            best[place] = row
    rows = [
        (
            words_for(happening),
            f"`{row['model']}` ({MODELS[row['model']].title})",
            status,
            f"{float(row['typical_%']):.1f} %",
            f"{float(row['q90_size_%']):.0f} %",
            row["connections"],
        )
        for (happening, status), row in sorted(best.items())
    ]
    head = ("your link has", "model", "status", "median error", "nine of ten within", "connections")
    return markdown(head, rows)


def coverage() -> str:
    """Return how often intervals hold the long-run goodput."""
    rows = [
        (row["case"], row["experiments"], f"{float(row['coverage']):.1%}".replace("%", " %"))
        for row in _recorded("intervals.csv")
    ]
    return markdown(("connection", "experiments", "intervals that hold the truth"), rows)


def trust() -> str:
    """Return the artifact's promises, and what campaigns have made of them."""
    rows = [
        (
            row["promise"],
            f"{row['done']} of {row['asked']} {row['counted']}",
            row["failed"],
            f"{row['worst']} {row['worst_is']}" if row["worst"] else "",
            row["date"],
            row["note"],
        )
        for file in sorted((DATA / "trust").glob("*.csv"))
        for row in _recorded(f"trust/{file.name}")
    ]
    return markdown(("promise", "tried, of what is asked", "failed", "worst", "when", "note"), rows)


def speed() -> str:
    """Return what a packet costs in each engine, in nanoseconds of CPU time."""
    timed = [row for row in _recorded("speed.csv") if row["ns2_ns"] or row["linux_ns"]]
    engines = ("packet_ns", "ns2_ns", "linux_ns")
    rows = [(row["case"], *(_whole(row[engine]) for engine in engines)) for row in timed]
    return markdown(("connection", "packet simulator", "ns-2", "Linux"), rows)


def _recorded(name: str) -> list[dict[str, str]]:
    with open(DATA / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _whole(number: str) -> str:
    return f"{float(number):.0f}" if number else "–"
