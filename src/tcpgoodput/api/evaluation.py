"""All claims of a configuration, evaluated on the published results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import tcpgoodput.studies.sender_views  # noqa: F401  (registers what the simulator tells)
from tcpgoodput.comparison.claims.data import Data
from tcpgoodput.comparison.claims.verdicts import COLUMNS, READING_COLUMNS, Judgement, judged
from tcpgoodput.configuration import ConfigurationError, Problem
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.storage.tables import csv_text


def evaluate(configuration: Configuration, results: Path) -> list[Judgement]:
    """Return the verdicts on all claims, in the report's order of sources.

    Raises:
        ConfigurationError: every claim whose predicate cannot be evaluated.

    """
    judgements: list[Judgement] = []
    problems: list[Problem] = []
    conditions = configuration.settings.conditions
    for name, claims in configuration.claims.items():
        data = Data(configuration.sources[name], configuration.style, conditions, results)
        try:
            judgements += judged(claims, data)
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return judgements


def claims_csv(judgements: Iterable[Judgement]) -> str:
    """Return the published table."""
    return csv_text(list(COLUMNS), (judgement.record() for judgement in judgements))


def readings_csv(judgements: Iterable[Judgement]) -> str:
    """Return the outcomes at all settings of claims whose text leaves one open."""
    rows = (row for judgement in judgements for row in judgement.reading_records())
    return csv_text(list(READING_COLUMNS), rows)
