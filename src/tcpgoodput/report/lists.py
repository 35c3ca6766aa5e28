"""The report's lists: figures, errata, models, defaults, sections, what it was made with."""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.configuration.documentation import documented_keys
from tcpgoodput.configuration.markup import escaped, to_latex
from tcpgoodput.models import ERRATA, MODELS
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report import latex
from tcpgoodput.report.floats import engine_names, printed_name, waiting_for
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.schema import LineFigure
from tcpgoodput.studies.store import answers_path

PACKAGES = ("numpy", "scipy", "numba", "pandas", "matplotlib", "seaborn", "papermill", "snakemake")


def inventory_rows(configuration: Configuration, results: Path) -> list[dict[str, Any]]:
    """Return one row per figure and table: complete, or in part and which records it lacks."""
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


def inventory_tex(rows: Sequence[dict[str, Any]]) -> str:
    """Return the figure inventory as a table."""
    cells = []
    for row in rows:
        kind = "tab" if row["kind"] == "table" else "fig"
        reference = rf"\ref{{{kind}:{row['source']}:{row['figure']}}}"
        waits = row["waiting_for"].split()
        state = f"no record of {engine_names(waits)}" if waits else "complete"
        name = "ours" if row["ours"] else printed_name(row["figure"])
        outside = row["points_out_of_domain"] + row["points_undefined"]
        cells.append(
            [
                escaped(row["source"]),
                escaped(name),
                to_latex(row["title"]),
                reference,
                state,
                str(outside) if outside else "",
            ]
        )
    caption = (
        r"\textbf{Every figure and table of every source.} ``Here'' is its number in this report. "
        "The last column counts points at which a model is outside its domain or has no value."
    )
    return latex.longtable(
        r"@{}llp{4.6cm}lp{3.1cm}r@{}",
        ["Source", "There", "Shows", "Here", "State", "Outside"],
        cells,
        caption,
        "tab:inventory",
    )


def errata_rows() -> list[dict[str, Any]]:
    """Return one row per erratum, with its effect in numbers."""
    rows = []
    for entry in ERRATA.values():
        effect = entry.effect()
        rows.append(
            {
                "source": entry.source,
                "id": entry.id,
                "where": entry.where,
                "printed": entry.printed,
                "corrected": entry.corrected,
                "proof": entry.proof,
                "evidence": entry.evidence,
                "verdict": entry.verdict,
                "quantity": effect.quantity,
                "unit": effect.unit,
                "point": effect.point,
                "printed_value": effect.printed,
                "corrected_value": effect.corrected,
            }
        )
    return rows


def errata_tex(rows: Sequence[dict[str, Any]]) -> str:
    """Return the table of errata."""
    cells = []
    for row in rows:
        unit = f" {to_latex(row['unit'])}" if row["unit"] not in ("", "1") else ""
        printed = row["printed_value"]
        before = "no value" if printed is None else latex.number(printed, 4) + unit
        effect = (
            f"{to_latex(row['quantity'])} at {to_latex(row['point'])}: {before} as printed, "
            f"{latex.number(row['corrected_value'], 4)}{unit} here"
        )
        place = (
            rf"{escaped(row['source'])}\newline {row['where']}\newline \textit{{{row['evidence']}}}"
        )
        text = rf"{row['printed']}\newline\textbf{{here:}} {row['corrected']}"
        cells.append([place, text, rf"{row['proof']} \textit{{{effect}.}}"])
    caption = (
        r"\textbf{Errata and readings.} \textit{Seen}: legible in our copy of the text, a "
        r"misprint. \textit{Inferred}: our copy is garbled there, or the text is silent; then "
        "this is our reading, and not called a misprint."
    )
    return latex.longtable(
        r"@{}>{\raggedright\arraybackslash}p{2.9cm}"
        r">{\raggedright\arraybackslash}p{5.6cm}>{\raggedright\arraybackslash}p{6.6cm}@{}",
        ["Where", "As printed, and here", "Why, and what it changes"],
        cells,
        caption,
        "tab:errata",
    )


def models_tex() -> str:
    """Return the table of models."""
    cells = [
        [
            rf"\texttt{{{escaped(m.name)}}}",
            rf"{to_latex(m.title)} \citep{{{m.citation}}}",
            to_latex(m.domain),
        ]
        for m in MODELS.values()
    ]
    return latex.longtable(
        r"@{}lp{3.4cm}>{\raggedright\arraybackslash}p{5.4cm}@{}",
        ["Name", "Model", "At home"],
        cells,
        r"\textbf{The models}, each asked about a scenario by its name.",
        "tab:models",
    )


def defaults_tex() -> str:
    """Return the scenario vocabulary with its defaults and where they come from."""
    cells = [
        [rf"\texttt{{{escaped(r.key)}}}", escaped(r.allowed), escaped(r.default), to_latex(r.text)]
        for r in documented_keys(Scenario)
    ]
    narrow = r">{\raggedright\arraybackslash}p"
    return latex.longtable(
        rf"@{{}}l{narrow}{{2.8cm}}{narrow}{{1.6cm}}{narrow}{{3.8cm}}@{{}}",
        ["Key", "Allowed", "Default", "Meaning"],
        cells,
        r"\textbf{The scenario vocabulary.} A dot marks a key without default.",
        "tab:defaults",
    )


def sections_tex(configuration: Configuration) -> str:
    """Return each source's section, or a heading where none is written, and its floats."""
    parts = []
    for name, source in configuration.sources.items():
        heading = rf"\section{{{to_latex(source.figures.title)}}}"
        parts.append(
            "\\suppressfloats[t]\n"  # no figure above its section's heading
            rf"\IfFileExists{{sections/{name}.tex}}{{\input{{sections/{name}}}}}{{{heading}}}"
            "\n"
            rf"\input{{../results/{name}/figures}}"
            "\n\\clearpage\n"
            rf"\input{{../results/{name}/agreement}}"
            "\n"
        )
    return "".join(parts)


def provenance_tex(configuration: Configuration) -> str:
    """Return with what the numbers were made."""
    settings = configuration.settings
    rows = [
        ("Precision", settings.precision),
        ("Equations", settings.equations),
        ("Seed", str(settings.seed)),
        ("tcpgoodput", version("tcpgoodput")),
        ("Python", platform.python_version()),
        *((package, version(package)) for package in PACKAGES),
    ]
    return latex.tabular("@{}ll@{}", ["Made with", ""], [[escaped(a), escaped(b)] for a, b in rows])


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV text."""
    buffer = io.StringIO()
    if not rows:
        return ""
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()
