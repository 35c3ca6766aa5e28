"""What the packet simulator was held against: ns-2, its own intervals, the clock.

The measurements are recorded in `data/`, each by a script of its own, and read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.markup import escaped
from tcpgoodput.engines.linux.engine import FLOWS_PER_CORE
from tcpgoodput.referees.records import read_provenance
from tcpgoodput.report import latex

DATA = Path("data")
NS2 = DATA / "ns2" / "agreement.csv"
INTERVALS = DATA / "intervals.csv"
SPEED = DATA / "speed.csv"
BOOKS = DATA / "books.csv"

CLOSE = 0.01
"""Of ns-2: what differs by more is listed with its reason."""


@dataclass(frozen=True)
class Summary:
    """How often the simulator and ns-2 agree."""

    cases: int
    close: int
    """Within 1 % as they are."""
    explained: int
    """Within 1 % with ns-2's habit, and only with it."""
    worst: float
    events: int
    """That were checked one by one, at so many connections."""
    connections: int


def recorded(path: Path) -> pd.DataFrame:
    """Read a recorded measurement.

    Raises:
        ConfigurationError: it is not there, or no table.

    """
    try:
        return pd.read_csv(path)
    except FileNotFoundError:
        raise refused(path, "", "no such file: a recorded measurement is missing") from None
    except (ValueError, UnicodeDecodeError):
        raise refused(path, "", "is no table of recorded measurements") from None


def summary() -> Summary:
    """Return how the recorded cases agree, and how much was checked."""
    books = recorded(BOOKS).iloc[0]
    read_provenance(NS2)
    rows = recorded(NS2)
    off = (rows["ratio"] - 1).abs()
    plain = rows["setting"] == "as it is"
    close = off <= CLOSE
    with_habit = rows[close & ~plain]
    explained = set(zip(with_habit["case"], with_habit["variant"], strict=True))
    away = rows[plain & ~close]
    return Summary(
        int(plain.sum()),
        int((plain & close).sum()),
        sum(pair in explained for pair in zip(away["case"], away["variant"], strict=True)),
        float(off[plain].max()),
        int(books["events"]),
        int(books["connections"]),
    )


def ns2_tex() -> str:
    """Return the table of goodputs beside ns-2's."""
    cells = []
    for _, row in recorded(NS2).iterrows():
        habit = row["setting"] != "as it is"
        known = row["ratio_ci95"] == row["ratio_ci95"]  # a single run has no interval
        width = rf" $\pm$ {row['ratio_ci95']:.3f}" if known else ""
        cells.append(
            [
                r"\quad with ns-2's habit" if habit else escaped(row["case"]),
                "" if habit else escaped(row["variant"]),
                latex.number(row["ours_pps"], 5),
                latex.number(row["ns2_pps"], 5),
                f"{row['ratio']:.4f}{width}",
            ]
        )
    caption = (
        r"\textbf{The simulator beside ns-2.35.} Goodput in packets per second over 10\,Mb/s and "
        "50 ms (spikes: 200 kb/s), and their ratio with its interval; where nothing is random "
        "there is none. ``With ns-2's habit'' the simulator, too, opens the window on the ACK that "
        "ends a recovery, which RFC 5681 does not ask for."
    )
    return latex.longtable(
        "@{}llrrr@{}",
        ["Case", "Variant", "Here", "ns-2", "Ratio"],
        cells,
        caption,
        "tab:ns2",
    )


def intervals_tex() -> str:
    """Return the table of the intervals' coverage."""
    cells = [
        [
            escaped(row["case"]),
            f"{row['experiments']}",
            latex.number(row["long_run_pps"], 5),
            latex.number(100 * row["mean_half_width"] / row["long_run_pps"], 2),
            rf"{100 * row['coverage']:.1f} $\pm$ {196 * row['coverage_se']:.1f}",
        ]
        for _, row in recorded(INTERVALS).iterrows()
    ]
    caption = (
        r"\textbf{Do the intervals hold what they promise?} Share of small experiments, each "
        r"planned by its own pilot, whose 95\,\% interval holds the goodput of a run 300 times as "
        "long (packets per second)."
    )
    return latex.table(
        "lrrrr",
        ["Case", "Experiments", "Long run", r"Half-width, \%", r"Coverage, \%"],
        cells,
        caption,
        "tab:intervals",
        place="htbp",
    )


def speed_tex() -> str:
    """Return the table of the engines' speed."""
    rows = recorded(SPEED)
    cells = [
        [
            escaped(row["case"]),
            latex.number(row["packet_ns"], 3),
            latex.number(row["ns2_ns"], 3),
            latex.number(row["linux_ns"], 3),
        ]
        for _, row in rows.iterrows()
    ]
    caption = (
        r"\textbf{Speed of the engines.} CPU time per packet sent in ns, the best of several runs "
        "in two sessions, without compilation. ns-2 writes no trace files; Linux runs in real time "
        f"whatever it costs, {FLOWS_PER_CORE} connections on a core. The floors are loops that do "
        "nothing but a window's growth, or read a ring, queue a packet and write the ring."
    )
    return latex.table(
        "lrrr",
        ["Case", "Here", "ns-2", "Linux"],
        cells,
        caption,
        "tab:speed",
        place="htbp",
    )
