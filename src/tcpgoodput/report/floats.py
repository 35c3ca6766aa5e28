"""Figures and tables of a study as LaTeX floats, in the order of the study's file of figures."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.drawing.theme import label_of
from tcpgoodput.engines.base import ENGINE_NAMES
from tcpgoodput.report import latex
from tcpgoodput.report.latex import rendered
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.open_settings import as_drawn
from tcpgoodput.studies.schema import Figure, LineFigure, Source, TableFigure

EQUATION = re.compile(r"\(\d{1,2}\)")
"""Pattern of an equation number in a caption. Captions cite the equations of the study."""


Row = list[list[str]]
"""Names of small figures that are printed in one row: for each column, from the top down."""


def floats_tex(
    source: Source, results: Path, left_out: Collection[str] = (), rows: Sequence[Row] = ()
) -> str:
    """Return the LaTeX floats of a study's figures and tables, without those left out.

    Figures are shown as they are drawn; the table of settings compares the other settings. Each of
    the `rows` of small figures has the place of its first figure.
    """
    begins = {row[0][0]: row for row in rows}
    small = {name for row in rows for column in row for name in column}
    parts = []
    for name, figure in as_drawn(source.figures).items():
        if name in begins:
            parts.append(_schematics(source, begins[name]))
        if name in left_out or name in small:
            continue
        if isinstance(figure, TableFigure):
            rows = pd.read_csv(results / source.name / f"{name}.csv")
            parts.append(_table(source, name, figure, rows))
        else:
            rows = pd.read_csv(answers_path(results, source.name, name))
            waiting = " and ".join(ENGINE_NAMES[engine] for engine in waiting_for(figure, rows))
            named = _named(source, name, figure)
            narrow = is_narrow(figure)
            parts.append(rendered("float_figure", **named, narrow=narrow, waiting=waiting))
    return "\n".join(parts)


def printed_name(name: str) -> str:
    """Return the printed name: `Fig. 6` for `fig06`, `Table 1` for `table1`, else the name."""
    for prefix, word in (("fig", "Fig."), ("table", "Table")):
        digits = name.removeprefix(prefix)
        if digits != name and digits.isdigit():
            return f"{word} {int(digits)}"
    return name.replace("_", " ")


def waiting_for(figure: Figure, rows: pd.DataFrame) -> list[str]:
    """Return the engines (simulator, ns-2, Linux) of a figure's series without any measurement."""
    if not isinstance(figure, LineFigure):
        return []
    there = set(zip(rows["panel"], rows["series"], strict=True))
    return sorted(
        {
            series.engine
            for name, panel in figure.panels.items()
            for series in panel.series
            if series.engine and (name, series.key) not in there
        }
    )


def _schematics(source: Source, row: Row) -> str:
    """Return a row of small figures as one float."""
    figures = source.figures.figures
    columns = [
        [_named(source, name, figures[name]) for name in column if name in figures]
        for column in row
    ]
    return rendered("float_schematics", source=source.name, columns=columns)


def is_narrow(figure: Figure) -> bool:
    """Whether a figure's panels are in one column, so that its caption fits at the side."""
    if not isinstance(figure, LineFigure) or figure.facets:
        return False
    return min(figure.columns, len(figure.panels)) == 1


def _named(source: Source, name: str, figure: Figure) -> dict[str, Any]:
    """Return the values that the LaTeX template of a figure or table needs."""
    return {
        "source": source.name,
        "name": name,
        "printed": printed_name(name),
        "figure": figure,
        "spoken": spoken(figure),
        "ours": source.is_ours(figure),
        "cites_equations": EQUATION.search(figure.caption) is not None,
    }


def spoken(figure: Figure) -> str:
    """Return a text that stands for a figure: its title, axes, panels and series.

    Formulas lose the signs of LaTeX, so that a Greek letter becomes its name.
    """

    def plain(text: str) -> str:
        return re.sub(r"[\\${}]", "", text.replace(r"\,", " "))

    if not isinstance(figure, LineFigure):
        return f"Diagram: {plain(figure.title)}"
    first, *_ = panels = list(figure.panels.values())
    y, x = (plain(label_of(axis)) for axis in (first.y, first.x))
    titles = [plain(panel.title) for panel in panels if panel.title]
    series = dict.fromkeys(plain(s.label or s.name) for panel in panels for s in panel.series)
    parts = [f"Plot: {plain(figure.title)}. {y} against {x}."]
    parts += [f"Panels: {'; '.join(titles)}."] if titles else []
    return " ".join([*parts, f"Series: {'; '.join(series)}."])


def _table(source: Source, name: str, figure: TableFigure, rows: pd.DataFrame) -> str:
    headings = figure.headings or {column: column.replace("_", " ") for column in rows.columns}
    columns = [column for column in headings if column in rows.columns]
    cells = [[_cell(row[column]) for column in columns] for _, row in rows.iterrows()]
    shape = "".join("r" if is_numeric_dtype(rows[column]) else "l" for column in columns)
    titles = [headings[column] for column in columns]
    named = _named(source, name, figure)
    return rendered("float_table", **named, rows=cells, titles=titles, shape=shape, waiting="")


def _cell(value: object) -> str:
    if isinstance(value, str):
        return to_latex(value)
    if value is None or value != value:  # a missing number (NaN) gives an empty cell
        return ""
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value)}"
    return latex.number(float(value), 4)
