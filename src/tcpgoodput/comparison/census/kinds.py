"""Kinds of connections of a census, and two small tables by kind: errors and ranges.

The kind of a connection is its combination of impairments. `advise` reads these tables because
reading the whole sample would take too long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence, read_evidence
from tcpgoodput.comparison.census.measure import STATUS
from tcpgoodput.comparison.census.space import JOINED, UNIMPAIRED
from tcpgoodput.comparison.census.summary import RANGE_COLUMNS, ranges_of
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import impairments
from tcpgoodput.storage import csv_text, write_text

FORMULA = "="
"""Prefix of an expression in a census file, such as `= rtt / 2`. It uses drawn quantities."""


def kind_of(scenario: Scenario, census: Mapping[str, Any]) -> str | None:
    """Return the kind of connections of a census to which a scenario belongs.

    Args:
        scenario: any scenario.
        census: the settings of the census; see `Census`.

    Returns:
        The name of the kind, or None if the census lacks the scenario's impairments.

    """
    parts = census["impairments"]
    found = [name for name, part in parts.items() if _has(scenario, part)]
    if len(found) != len(impairments(scenario)):
        return None
    return JOINED.join(found) or UNIMPAIRED


def words_for(kind: str) -> str:
    """Return the name of a kind of connections as a phrase, such as `late hand-offs`."""
    if kind == UNIMPAIRED:
        return "no impairment"
    return kind.replace("_", " ").replace("handoffs", "hand-offs")


def _has(scenario: Scenario, part: Mapping[str, Any]) -> bool:
    """Whether a scenario has an impairment of a census, without further keys in that part."""
    whole = scenario.model_dump(mode="json")
    stated = scenario.model_dump(mode="json", exclude_defaults=True)
    choices = {key: law["values"] for key, law in part["draw"].items() if "values" in law}
    for key, value in part["set"].items():
        if not _fits(_at(whole, key), value, key, choices):
            return False
        if _leaves(_at(stated, key)) - _leaves(value):
            return False
    return True


def _fits(own: Any, drawn: Any, key: str, choices: Mapping[str, list[Any]]) -> bool:
    if isinstance(drawn, Mapping):
        return isinstance(own, Mapping) and all(
            _fits(own.get(name), value, f"{key}.{name}", choices) for name, value in drawn.items()
        )
    if isinstance(drawn, str) and drawn.startswith(FORMULA):
        return bool(own)  # null and 0 mean no impairment
    return own in choices.get(key, [drawn])


def _at(data: Any, key: str) -> Any:
    for name in key.split("."):
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _leaves(data: Any, key: str = "") -> set[str]:
    """Return the keys of all values of a nested dict."""
    if not isinstance(data, Mapping):
        return {key}
    return {leaf for name, value in data.items() for leaf in _leaves(value, f"{key}.{name}")}


NINE_OF_TEN = 0.9

ERROR_COLUMNS = ["happening", "model", "status", "connections", "typical_%", "q90_size_%"]
KIND_RANGE_COLUMNS = ["happening", *RANGE_COLUMNS]


def write_tables(table: Path, errors: Path, ranges: Path) -> None:
    """Write the errors of models and the ranges of quantities for each kind of connections.

    Args:
        table: path of the table of a census.
        errors: path of the CSV file with the errors.
        ranges: path of the CSV file with the ranges.

    """
    names = pq.read_schema(table).names
    models = [name.removeprefix(STATUS) for name in names if name.startswith(STATUS)]
    evidence = read_evidence(table, {model: [model] for model in models}).closely()
    write_text(errors, csv_text(ERROR_COLUMNS, errors_by_kind(evidence)))
    write_text(ranges, csv_text(KIND_RANGE_COLUMNS, ranges_by_kind(evidence)))


def errors_by_kind(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield each model's errors in its domain, for each kind of connections."""
    for happening, connections in evidence.connections.groupby("happening", sort=True):
        errors = evidence.of_models.loc[connections.index]
        statuses = evidence.statuses_of_models.loc[connections.index]
        for model in errors:
            for status in IN_DOMAIN:
                sizes = errors.loc[statuses[model] == status, model].dropna().abs()
                if not sizes.empty:
                    yield {
                        "happening": happening,
                        "model": model,
                        "status": status,
                        "connections": len(sizes),
                        "typical_%": per_cent(typical(sizes)),
                        "q90_size_%": per_cent(float(np.quantile(sizes, NINE_OF_TEN))),
                    }


def ranges_by_kind(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield the range of each quantity over each kind of connections."""
    for happening, connections in evidence.connections.groupby("happening", sort=True):
        for row in ranges_of(connections):
            yield {"happening": happening, **row}
