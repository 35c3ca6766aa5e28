"""The table of settings that a study's text leaves open, with the sentences that hold in each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.comparison.claims.joint import (
    DRAWN,
    OUTCOMES,
    best_settings,
    sentences_that_hold,
)
from tcpgoodput.report.floats import printed_name
from tcpgoodput.report.latex import rendered
from tcpgoodput.studies.schema import Before, Source

SHOWN = ("model", "packet", "ns2")
"""Kinds of evidence with a column of the table. Linux measures no figure in several settings."""


def settings_tex(source: Source, results: Path) -> str:
    """Return the LaTeX table of a study's settings; a comment if the study's text leaves none open.

    Args:
        source: the study.
        results: the folder of the run's results, with the study's `settings.csv`.

    """
    if not source.figures.settings:
        return "%\n"
    path = results / source.name / "settings.csv"
    rows = pd.read_csv(path, keep_default_na=False, dtype=str) if path.exists() else None
    if rows is None or rows.empty:
        return "%\n"
    counts, best = sentences_that_hold(rows), best_settings(rows)
    shown: list[dict[str, Any]] = []
    for group, settings in source.figures.settings.items():
        own = counts[counts["group"] == group]
        if len(own):
            named = [printed_name(figure) for figure in settings.figures]
            shown += [{"figures": named, "title": "", "drawn": False, "cells": []}]
            shown += _settings(own, settings.before)
    groups = source.figures.settings
    passed = [name for name, setting in best.items() if setting != DRAWN]
    note = f"In this run another setting holds more of them: {', '.join(passed)}." if passed else ""
    left = [f"{one.what} ({one.where})" for group in groups.values() for one in group.open]
    return rendered(
        "settings",
        source=source.name,
        title=source.figures.title,
        rows=shown,
        note=note,
        open="; ".join(left),
    )


def _settings(counts: pd.DataFrame, before: Before | None) -> Iterator[dict[str, Any]]:
    """Yield the settings of a group of figures, for the LaTeX template."""
    for (setting, title), own in counts.groupby(["setting", "title"], sort=False):
        by_evidence = own.set_index("evidence")[list(OUTCOMES)].to_dict("index")
        cells = [by_evidence.get(kind) for kind in SHOWN]
        why = before.why if before and before.setting == setting else ""
        drawn = setting == DRAWN
        yield {"figures": [], "title": title, "drawn": drawn, "before": why, "cells": cells}
