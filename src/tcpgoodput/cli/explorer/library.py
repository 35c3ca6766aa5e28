"""Results of a workflow run for the explorer's page: matrix, claims, figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.comparison.claims.verdicts import VERDICTS
from tcpgoodput.comparison.claims.words import EVIDENCE_TITLES
from tcpgoodput.comparison.table import Tables
from tcpgoodput.project.settings import Configuration
from tcpgoodput.studies.open_settings import places

Record = dict[str, Any]

TABLE = "table"
"""Kind of a figure that is a table and so has no picture."""


def library(configuration: Configuration, results: Path) -> Record:
    """Return the results of a run for the page: matrix of errors, claims, figures.

    `matrix` or `claims` is None if the run has not computed it yet.
    """
    return {
        "matrix": matrix(configuration, results),
        "claims": claims(configuration, results),
        "figures": list(figures(configuration)),
    }


def matrix(configuration: Configuration, results: Path) -> Record | None:
    """Return the prediction and error of each family of models for each scenario, or None.

    None means that no comparison is configured, or that the run has not computed it yet.
    """
    if configuration.comparison is None or not (results / "comparison.csv").is_file():
        return None
    compared = configuration.comparison
    tables = Tables.read(compared, results / "comparison")
    titles, regimes = compared.titles, compared.regimes[""]
    labels = {family: label or family for family, label in tables.labels.items()}
    rows = tables.family_rows("")
    cells = ["family", "model", "status", "reduction", "goodput_bps", "log_error", "reason"]
    return {
        "families": [{"id": family, "label": label} for family, label in labels.items()],
        "rows": [
            {
                "scenario": scenario,
                "title": titles[scenario],
                "regime": regimes[scenario],
                "simulated_bps": _plain(own["simulated_bps"].iloc[0]),
                "ci95_bps": _plain(own["ci95_bps"].iloc[0]),
                "cells": [
                    {name: _plain(value) for name, value in zip(cells, cell, strict=True)}
                    for cell in own[cells].itertuples(index=False)
                ],
            }
            for scenario, own in rows.groupby("scenario", sort=False)
        ],
    }


def claims(configuration: Configuration, results: Path) -> Record | None:
    """Return every claim of the studies with its verdicts, or None.

    There is a verdict for each kind of evidence (models, or an engine). None means that the run has
    not computed the verdicts yet.
    """
    table = results / "claims.csv"
    if not table.is_file():
        return None
    rows = pd.read_csv(table, dtype=str, keep_default_na=False)
    judged = dict(iter(rows.groupby(["source", "id"], sort=False)))
    values = ["value", "value_low", "value_high"]
    shown = ["evidence", "predicate", "verdict", *values, "bound", "note"]
    return {
        "verdicts": list(VERDICTS),
        "evidence": EVIDENCE_TITLES,
        "sources": {n: configuration.sources[n].figures.title for n in configuration.claims},
        "rows": [
            {
                "source": source,
                "id": claim.id,
                "where": claim.where,
                "statement": claim.statement,
                "figures": list(claim.figures),
                "chosen": claim.chosen,
                "verdicts": judged[source, claim.id][shown].to_dict("records"),
            }
            for source, own in configuration.claims.items()
            for claim in own.claims
            if (source, claim.id) in judged
        ],
    }


def figures(configuration: Configuration) -> Iterator[Record]:
    """Yield a record for every figure and table of every study.

    A figure in another setting than the drawn one has no picture. `of` is the name of the figure as
    drawn, and `setting` says what differs; both are None for a figure as drawn.
    """
    for study, source in configuration.sources.items():
        elsewhere = places(source.figures)
        for name, figure in source.figures.figures.items():
            place = elsewhere.get(name)
            choices = source.figures.settings[place.group].others if place else {}
            is_drawn = not place and figure.kind != TABLE
            yield {
                "source": study,
                "name": name,
                "study": source.figures.title,
                "title": figure.title,
                "caption": figure.caption,
                "of": place.figure if place else None,
                "setting": choices[place.choice].title if place else None,
                "picture": f"figures/{study}/{name}.png" if is_drawn else None,
                "data": f"results/{study}/{name}.csv",
            }


def files(configuration: Configuration, results: Path, pictures: Path) -> Mapping[str, Path]:
    """Return the existing pictures and tables of a run, by the paths that the page requests."""
    found = {}
    for figure in figures(configuration):
        for path, folder in ((figure["picture"], pictures), (figure["data"], results)):
            file = folder / figure["source"] / Path(path).name if path else None
            if file is not None and file.is_file():
                found[path] = file
    return found


def _plain(value: Any) -> Any:
    """Convert a value of a table to a Python number, or to None if it is missing."""
    return None if pd.isna(value) else value
