"""Tables on the simulator's validation: agreement with ns-2, conformance, intervals, speed.

This module reads the results of these checks, which scripts have recorded in `data/`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.markup import escaped
from tcpgoodput.engines.linux.engine import FLOWS_PER_CORE
from tcpgoodput.engines.records import read_provenance
from tcpgoodput.report import latex
from tcpgoodput.report.latex import rendered

DATA = Path("data")
NS2 = DATA / "ns2" / "agreement.csv"
INTERVALS = DATA / "intervals.csv"
SPEED = DATA / "speed.csv"
BOOKS = DATA / "books.csv"
CONFORMANCE = DATA / "conformance.csv"

CLOSE = 0.01
"""Largest |ln(simulated goodput / goodput in ns-2)| that counts as agreement: 1 %; chosen by
hand."""


@dataclass(frozen=True)
class Summary:
    """Summary of the comparison of the packet simulator with ns-2."""

    cases: int
    close: int
    """Number of cases (connections) whose goodputs agree within 1 % without any adjustment."""
    explained: int
    """Number of cases whose goodputs agree within 1 % only if the simulator imitates a deviation of
    ns-2 from the RFCs."""
    worst: float
    """Largest |ln(simulated goodput / goodput in ns-2)| of all cases, without any adjustment."""
    events: int
    """Number of simulated events after each of which the conservation of packets was checked, in a
    total of `connections` random connections."""
    connections: int


def recorded(path: Path) -> pd.DataFrame:
    """Read a table of recorded measurements.

    Raises:
        ConfigurationError: the file does not exist, or is not a CSV table.

    """
    try:
        return pd.read_csv(path)
    except FileNotFoundError:
        raise refused(path, "", "no such file: a recorded measurement is missing") from None
    except (ValueError, UnicodeDecodeError):
        raise refused(path, "", "is no table of recorded measurements") from None


def summary() -> Summary:
    """Return the summary of the recorded comparison with ns-2."""
    books = recorded(BOOKS).iloc[0]
    read_provenance(NS2)
    rows = recorded(NS2)
    off = np.log(rows["ratio"]).abs()
    plain = rows["setting"] == "as it is"
    close = off <= CLOSE
    with_habit = rows[close & ~plain]
    explained = set(zip(with_habit["case"], with_habit["variant"], strict=True))
    differing = rows[plain & ~close]
    return Summary(
        int(plain.sum()),
        int((plain & close).sum()),
        sum(
            pair in explained for pair in zip(differing["case"], differing["variant"], strict=True)
        ),
        float(off[plain].max()),
        int(books["events"]),
        int(books["connections"]),
    )


def conformance() -> dict[str, int]:
    """Return, for each outcome of the tests in `tests/conformance`, the number of packet sequences.

    The outcomes are `agrees`, `differs` and `does not apply`.
    """
    return {str(k): int(n) for k, n in recorded(CONFORMANCE)["conformance"].value_counts().items()}


def ns2_tex() -> str:
    """Return the table that compares simulated goodputs with ns-2's, as LaTeX."""
    rows = [
        {
            **row,
            "habit": row["setting"] != "as it is",
            # The ratio of goodputs from a single run has no interval.
            "width": None if math.isnan(row["ratio_ci95"]) else row["ratio_ci95"],
        }
        for row in recorded(NS2).to_dict("records")
    ]
    return rendered("ns2", rows=rows)


def intervals_tex() -> str:
    """Return the table of how often confidence intervals contain the true goodput, as LaTeX."""
    cells = [
        [
            escaped(row["case"]),
            row["measured"],
            latex.number(row["long_run_pps"], 5),
            latex.number(100 * row["mean_half_width"] / row["long_run_pps"], 2),
            rf"{100 * row['coverage']:.1f} $\pm$ {196 * row['coverage_se']:.1f}",
        ]
        for _, row in recorded(INTERVALS).iterrows()
    ]
    return rendered("intervals", rows=cells)


@dataclass(frozen=True)
class Coverage:
    """How often confidence intervals of one kind of measurement contain the true goodput."""

    measured: str
    least: float
    most: float
    """Largest coverage over all connections; `least` is the smallest one."""
    bias: float
    """Largest relative difference, over all connections, between the mean of all measurements and
    the true goodput."""


def coverages() -> list[Coverage]:
    """Return how often intervals contain the true goodput, for each kind of measurement."""
    rows = recorded(INTERVALS)
    rows["bias"] = (rows["mean_of_means"] / rows["long_run_pps"] - 1).abs()
    return [
        Coverage(str(kind), own["coverage"].min(), own["coverage"].max(), own["bias"].max())
        for kind, own in rows.groupby("measured")
    ]


def speed_tex() -> str:
    """Return the table of each engine's CPU time per packet, as LaTeX."""
    rows = recorded(SPEED)
    cells = [
        [
            escaped(row["case"]),
            latex.number(row["packet_ns"], 3),
            latex.number(row["ns2_ns"], 3),
            latex.number(row["htsim_ns"], 3),
            latex.number(row["linux_ns"], 3),
        ]
        for _, row in rows.iterrows()
    ]
    where = rows.iloc[0]
    about = {"date": where["date"], "machine": escaped(where["machine"])}
    return rendered("speed", rows=cells, flows_per_core=FLOWS_PER_CORE, **about)
