"""Tables on the simulator's validation: conformance, intervals, speed.

This module reads the results of these checks, which scripts have recorded in `data/`.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.markup import escaped
from tcpgoodput.engines.linux.engine import FLOWS_PER_CORE
from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.report import latex
from tcpgoodput.report.latex import rendered

DATA = Path("data")
INTERVALS = DATA / "intervals.csv"
SPEED = DATA / "speed.csv"


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


def compared_referees_tex(results: Path) -> str:
    """Return LaTeX code that includes the paragraph on scenarios measured by ns-2 or Linux.

    The code is a comment if `referees.csv` has no such measurement.
    """
    pairs = pd.read_csv(results / "referees.csv")
    recorded = (pairs["source"] == COMPARISON).any()
    return "\\input{sections/compared_referees}\n" if recorded else "%\n"
