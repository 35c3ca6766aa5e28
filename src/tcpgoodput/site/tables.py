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

FEWEST = 50
"""Least number of random connections behind a recommendation."""


def models() -> str:
    """Return every model with what it describes and its domain."""
    rows = [
        (
            _link("..", m.name),
            f"{m.title}: {', '.join(sorted(m.handles)) or 'overflow alone'}",
            m.domain,
        )
        for m in MODELS.values()
    ]
    return markdown(("model", "what it is, and describes", "domain"), rows)


def reductions() -> str:
    """Return every reduction with its formula."""
    rows = [(f"`{r.id}`", r.of, r.to.replace("--", "–"), r.formula) for r in REDUCTIONS.values()]
    return markdown(("reduction", "turns", "into", "by"), rows)


def choice() -> str:
    """Return, for each impairment alone, the native and the reduced model of the widest domain."""
    widest: dict[tuple[str, str], dict[str, str]] = {}
    for row in _recorded("census/connections_errors.csv"):
        place = row["happening"], row["status"]
        if JOINED not in row["happening"] and int(row["connections"]) >= FEWEST:
            widest[place] = max(widest.get(place, row), row, key=_width)
    rows = [
        (
            words_for(happening),
            f"{_link('.', row['model'])} ({MODELS[row['model']].title})",
            status,
            row["connections"],
            f"{float(row['typical_%']):.1f} %",
            f"{float(row['q90_size_%']):.0f} %",
        )
        for (happening, status), row in sorted(widest.items())
    ]
    head = ("your link has", "model", "status", "connections", "median error", "9 of 10 within")
    return markdown(head, rows)


def errors_of(model: str) -> str:
    """Return the errors of a model on the recorded random connections, by impairment."""
    rows = [
        (
            words_for(row["happening"]),
            row["status"],
            row["connections"],
            f"{float(row['typical_%']):.1f} %",
            f"{float(row['q90_size_%']):.0f} %",
        )
        for row in _recorded("census/connections_errors.csv")
        if row["model"] == model
    ]
    head = ("impairment", "status", "connections", "median error", "9 of 10 within")
    return markdown(head, rows) if rows else "It was in domain on none of them."


def _link(root: str, model: str) -> str:
    return f"[`{model}`]({root}/reference/models/{model}.md)"


def _width(row: dict[str, str]) -> tuple[int, float]:
    """Return what orders models: connections in domain, then smaller errors."""
    return int(row["connections"]), -float(row["typical_%"])


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
