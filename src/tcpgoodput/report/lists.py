"""Lists in the report: figures, errata, models, conditions, sections, recorded measurements."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import Field

from tcpgoodput.comparison.errors import share
from tcpgoodput.comparison.families import short_names
from tcpgoodput.configuration import read, refused, validated
from tcpgoodput.configuration.markup import escaped
from tcpgoodput.engines.linux.engine import FLOWS_PER_CORE
from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.models import ERRATA, MODELS
from tcpgoodput.models.reductions import REDUCTIONS
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report import latex
from tcpgoodput.report.floats import waiting_for
from tcpgoodput.report.latex import rendered
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.types import Part, Text
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.schema import LineFigure

INVENTORY_COLUMNS = [
    *("source", "figure", "title", "kind", "status", "waiting_for", "ours"),
    *("points_out_of_domain", "points_undefined"),
]
ERRATA_COLUMNS = [
    *("source", "id", "where", "printed", "corrected", "proof", "evidence"),
    *("quantity", "unit", "point", "printed_value", "corrected_value"),
]
"""Columns of `errata.csv`: fields of `Erratum`, then fields of `Effect`."""

ASSUMPTION = "our assumption"

MOST_TITLES = 2
"""Largest number of models that a cell of the table of conditions names. If more models share a
condition, the cell has only their number. Chosen by hand."""


def inventory_rows(configuration: Configuration, results: Path) -> list[dict[str, Any]]:
    """Return a row of `inventory.csv` for each figure and table of the studies."""
    rows = []
    for source in configuration.sources.values():
        for name, figure in source.figures.figures.items():
            answers = pd.read_csv(answers_path(results, source.name, name))
            waits = waiting_for(figure, answers)
            statuses = answers["status"] if isinstance(figure, LineFigure) else pd.Series(dtype=str)
            rows.append(
                {
                    "source": source.name,
                    "figure": name,
                    "title": figure.title,
                    "kind": figure.kind,
                    "status": "in part" if waits else "complete",
                    "waiting_for": " ".join(waits),
                    "ours": source.is_ours(figure),
                    "points_out_of_domain": int((statuses == "out-of-domain").sum()),
                    "points_undefined": int((statuses == "undefined").sum()),
                }
            )
    return rows


def errata_rows() -> list[dict[str, Any]]:
    """Return one row per erratum of the studies, with its effect on a number, for `errata.csv`."""
    about = ERRATA_COLUMNS[:7]
    return [
        {name: getattr(entry, name) for name in about}
        | dict(zip(ERRATA_COLUMNS[7:], vars(entry.effect()).values(), strict=True))
        for entry in ERRATA.values()
    ]


def errata_tex(rows: Sequence[dict[str, Any]]) -> str:
    """Return the table of misprints and proved errors as LaTeX, without our assumptions."""
    return rendered("errata", rows=[row for row in rows if row["evidence"] != ASSUMPTION])


def models_tex() -> str:
    """Return the table of models as LaTeX."""
    return rendered("models", rows=MODELS.values())


def conditions_tex() -> str:
    """Return the LaTeX table of the conditions of models' domains whose thresholds are fitted.

    The conditions are grouped by the criterion by which the thresholds were chosen. Remarks after a
    colon or semicolon in a criterion are left out.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    for model in MODELS.values():
        for condition in model.conditions:
            if condition.basis == "fitted":
                texts = groups.setdefault(re.split("[:;]", condition.because)[0], {})
                texts.setdefault(condition.text, []).append(model.title)
    rows = [
        {
            "criterion": criterion,
            "conditions": [
                (text, "; ".join(own) if len(own) <= MOST_TITLES else f"{len(own)} models")
                for text, own in texts.items()
            ],
        }
        for criterion, texts in groups.items()
    ]
    return rendered("conditions", rows=rows)


SENDERS = {
    "oldtahoe": "OldTahoe",
    "tahoe": "Tahoe",
    "reno": "Reno",
    "newreno": "NewReno of RFC~6582",
    "sack": "SACK",
    "cubic": "CUBIC",
    "bbr": "BBR",
}
"""Names of senders in sentences, by `tcp.variant`."""


def senders_tex(scenarios: Iterable[Scenario]) -> str:
    """Return a LaTeX macro with the sentences about senders and ACKs in the scenarios compared."""
    every = list(scenarios)
    short = short_names(scenario.id for scenario in every)
    senders: dict[str, list[str]] = {}
    acks: dict[str, list[str]] = {}
    for scenario in every:
        tcp = scenario.tcp
        name = SENDERS[tcp.variant] + (f" of {escaped(tcp.stack)}" if tcp.stack else "")
        senders.setdefault(name, []).append(short[scenario.id])
        ordinals = {1: "each packet", 2: "every second packet"}
        packets = ordinals.get(tcp.ack_every, f"every {tcp.ack_every} packets")
        acks.setdefault(packets, []).append(short[scenario.id])
    sentences = _mostly("The sender is", senders) + _mostly("The receiver acknowledges", acks)
    return f"\\newcommand\\scenariosenders{{{sentences.strip()}}}%\n"


def _mostly(beginning: str, found: Mapping[str, Sequence[str]]) -> str:
    """Return a sentence with the most frequent case, and with the scenarios of all others."""
    first, *others = sorted(found, key=lambda name: -len(found[name])) or [""]
    rest = [f"{name} in {_and([*map(escaped, found[name])])}" for name in others]
    return f"{beginning} {'; '.join([first, *rest])}. " if first else ""


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def reductions_tex() -> str:
    """Return the table of reductions (rules that restate a scenario for a model) as LaTeX."""
    rows = [[escaped(r.id), r.of, r.to, r.formula] for r in REDUCTIONS.values()]
    return rendered("reductions", rows=rows)


def sections_tex(configuration: Configuration, left_out: Mapping[str, list[str]]) -> str:
    """Return the report's sections on all studies as LaTeX.

    A study about which the report has no text gets only a heading. Figures that are left out are
    listed by name.
    """
    sources = configuration.sources
    titles = {name: source.figures.title for name, source in sources.items()}
    named = {
        name: [figure for figure in left_out.get(name, []) if figure in source.figures.figures]
        for name, source in sources.items()
    }
    return rendered("sections", sources=titles, left_out=named)


def exact_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV text in which numbers are not rounded."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


SUPPLEMENT = Path("paper/supplement.yaml")


class Supplement(Part):
    """Content of `paper/supplement.yaml`."""

    left_out: dict[Text, list[Text]] = Field(
        default_factory=dict, description="figures that the supplement leaves out, by study"
    )
    schematics: dict[Text, list[list[list[Text]]]] = Field(
        default_factory=dict,
        description="rows of small figures, by study: for each column of a row, its figures from "
        "the top down; the figure of a single column is wide, with its caption beside it",
    )


def supplement() -> Supplement:
    """Read and check `paper/supplement.yaml`."""
    return validated(Supplement, read(SUPPLEMENT))


DATA = Path("data")
INTERVALS = DATA / "intervals.csv"
SPEED = DATA / "speed.csv"


def recorded(path: Path) -> pd.DataFrame:
    """Read a table of recorded measurements."""
    try:
        return pd.read_csv(path)
    except FileNotFoundError:
        raise refused(path, "", "no such file: a recorded measurement is missing") from None
    except (ValueError, UnicodeDecodeError):
        raise refused(path, "", "is no table of recorded measurements") from None


def intervals_tex() -> str:
    """Return the table of how often confidence intervals contain the true goodput, as LaTeX."""
    cells = []
    for _, row in recorded(INTERVALS).iterrows():
        inside = round(row["coverage"] * row["experiments"])
        coverage, low, high = share("", inside, row["experiments"]).values()
        cells.append(
            [
                escaped(row["case"]),
                row["measured"],
                latex.number(row["long_run_pps"], 5),
                latex.number(100 * row["mean_half_width"] / row["long_run_pps"], 2),
                f"{coverage:.1f} [{low:.1f}, {high:.1f}]",
            ]
        )
    return rendered("intervals", rows=cells)


def speed_tex() -> str:
    """Return the table of each engine's CPU time per packet, as LaTeX."""
    rows = recorded(SPEED)
    cells = [
        [
            escaped(row["case"]),
            *(latex.number(row[f"{name}_ns"], 3) for name in ("packet", "ns2", "htsim", "linux")),
        ]
        for _, row in rows.iterrows()
    ]
    where = rows.iloc[0]
    about = {"date": where["date"], "machine": escaped(where["machine"])}
    return rendered("speed", rows=cells, flows_per_core=FLOWS_PER_CORE, **about)


def compared_referees_tex(results: Path) -> str:
    """Return LaTeX that includes the paragraph on compared scenarios if any was recorded."""
    pairs = pd.read_csv(results / "referees.csv")
    recorded = (pairs["source"] == COMPARISON).any()
    return "\\input{sections/compared_referees}\n" if recorded else "%\n"
