"""Which model to take where nothing is simulated: what a random sample found of such connections.

The sample is a kept census (`data/census/`): connections that were drawn at random, simulated, and
put to every model. Its small tables say how large a model's errors were on each kind of
connections; see `by_kind`. Nothing here simulates, and no simulation of the scenario is used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.census.design import (
    ERRORS_BY_KIND,
    KEPT,
    RANGES_BY_KIND,
    beside_record,
    record_of,
)
from tcpgoodput.comparison.census.kinds import kind_of, words_for
from tcpgoodput.comparison.census.quantities import ENDLESS, QUANTITIES, Quantity
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import impairments
from tcpgoodput.storage import read_rows

FOLLOWS = ("room", "loss_window")
"""Quantities that follow from others, which say the same of a connection in plainer words."""

SMALL = 1.0
"""Window or buffer, over the path's product, below which it is not called large."""

SLACK = 1.05
"""Factor by which a value may lie beyond the largest or smallest of a random sample, whose ends
are not those of the laws that it was drawn from."""


@dataclass(frozen=True)
class Expected:
    """A model in domain, and how large its errors were on connections of the scenario's kind."""

    name: str
    status: str
    connections: int | None
    """Connections of the sample on which the model had this status; None: there are none."""
    median_error: float | None
    """Median of |ln(model / simulated)| over them."""
    q90_error: float | None
    """The same of which nine tenths are no larger."""


@dataclass(frozen=True)
class Advice:
    """Models in domain, native before reduced, and within a status by their median errors."""

    kind: str | None
    """Kind of connections, in words; None: the sample has no such connections."""
    models: tuple[Expected, ...]
    outside: tuple[str, ...] = ()
    """Quantities of the scenario beyond those of the sample's connections."""
    reason: str | None = None
    """Why the sample says nothing of the scenario, if so."""

    def record(self) -> dict[str, Any]:
        """Return the advice as `compare --json` publishes it."""
        found = asdict(self)
        return {**found, "models": list(found["models"]), "outside": list(self.outside)}


def advice_for(scenario: Scenario, records: Sequence[Mapping[str, Any]]) -> Advice:
    """Return the models in domain, with the errors that the sample found of each.

    Args:
        scenario: the connection.
        records: what models answered; see `Prediction.record`.

    """
    home = [
        Expected(record["name"], status, None, None, None)
        for status in AT_HOME
        for record in records
        if record["status"] == status
    ]
    sample = _sample_for(scenario)
    if sample is None:
        reason = (
            f"there is no sample of connections with this sender in {KEPT}/ here; if this is not "
            "the project's folder, run it there"
        )
        return Advice(None, tuple(home), reason=reason)
    name, census = sample
    kind = kind_of(scenario, census)
    ranges = list(_rows(name, RANGES_BY_KIND, kind)) if kind else []
    if kind is None or not ranges:
        found = " and ".join(sorted(impairments(scenario)))
        reason = f"the random sample has no connections with {found} as they are here"
        return Advice(None, tuple(home), reason=reason)
    errors = {(r["model"], r["status"]): r for r in _rows(name, ERRORS_BY_KIND, kind)}
    known = [_with_errors(model, errors.get((model.name, model.status))) for model in home]
    known.sort(key=lambda m: (AT_HOME.index(m.status), m.median_error is None, m.median_error or 0))
    return Advice(words_for(kind), tuple(known), tuple(_outside(scenario, ranges)))


def _sample_for(scenario: Scenario) -> tuple[str, dict[str, Any]] | None:
    """Return name and design of the largest kept census of the scenario's sender, if any."""
    found = []
    for note in sorted(KEPT.glob("*.json")):
        told = json.loads(note.read_text(encoding="utf-8"))
        census = told["asked"]["measured"]["census"]
        if census["scenario"]["tcp"].get("stack") == scenario.tcp.stack:
            found.append((told["connections"], note.stem, census))
    if not found:
        return None
    _, name, census = max(found, key=lambda one: one[0])
    return name, census


def _rows(census: str, table: str, kind: str) -> Iterator[dict[str, str]]:
    rows = read_rows(beside_record(record_of(census), table))
    return (row for row in rows if row["happening"] == kind)


def _with_errors(model: Expected, row: Mapping[str, str] | None) -> Expected:
    if row is None:
        return model
    return replace(
        model,
        connections=int(row["connections"]),
        median_error=float(row["typical_%"]) / 100,
        q90_error=float(row["q90_size_%"]) / 100,
    )


def _outside(scenario: Scenario, ranges: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the quantities of a scenario that no connection of the sample reaches."""
    for row in ranges:
        quantity = QUANTITIES[row["quantity"]]
        value = quantity.of(scenario)
        if row["quantity"] in FOLLOWS or _inside(value, row):
            continue
        if not _changes_nothing(row["quantity"], scenario):
            yield _told(quantity, value, row)


def _inside(value: float, row: Mapping[str, str]) -> bool:
    if value >= ENDLESS:
        return row["endless"] == "True"
    if not row["lowest"]:
        return False
    return float(row["lowest"]) / SLACK <= value <= float(row["highest"]) * SLACK


def _changes_nothing(quantity: str, scenario: Scenario) -> bool:
    """Tell whether a window or a buffer is so large that the other one is what limits."""
    window, buffer = (QUANTITIES[name].of(scenario) for name in ("window", "buffer"))
    if quantity == "window":
        return buffer < ENDLESS and window > max(1 + buffer, SMALL)
    return quantity == "buffer" and window < ENDLESS and buffer > max(window - 1, SMALL)


def _told(quantity: Quantity, value: float, row: Mapping[str, str]) -> str:
    own = "endless" if value >= ENDLESS else f"{value:.3g}"
    bounds = " to ".join(f"{float(row[end]):.3g}" for end in ("lowest", "highest") if row[end])
    return f"{quantity.meaning}: {own} ({bounds or 'endless'} there)"


def heading(advice: Advice) -> str:
    """Return what the advice is, in a sentence."""
    if not advice.models:
        return "Advice without a simulation: none of the models asked is in domain, so simulate."
    if advice.kind is None:
        models = ", ".join(f"{model.name} ({model.status})" for model in advice.models)
        return f"Advice without a simulation: models in domain, with unknown errors: {models}."
    return (
        "Advice without a simulation: the models in domain, with the sizes of their errors, "
        f"|100 ln(model/simulated)|, on random connections with {advice.kind}."
    )


def notes(advice: Advice) -> list[str]:
    """Return what must be known of the advice besides, in sentences."""
    if advice.models and advice.reason:
        return [f"Note: {advice.reason}."]
    if advice.models and advice.outside:
        return [f"Note: beyond these random connections in {'; '.join(advice.outside)}."]
    return []


def rows(advice: Advice) -> list[tuple[str, ...]]:
    """Return name, status, median error, error of nine in ten, and connections of each model."""
    return [_row(model) for model in advice.models] if advice.kind else []


def lines(advice: Advice) -> list[str]:
    """Return a line for each model."""
    return [
        f"{name}, {status}: median error {median}, nine of ten within {q90}, over {count} random "
        "connections"
        if count != "0"
        else f"{name}, {status}: error unknown, no such random connection has this status"
        for name, status, median, q90, count in rows(advice)
    ]


def text_of(advice: Advice) -> list[str]:
    """Return the whole advice, a sentence or a model in a line."""
    return [heading(advice), *lines(advice), *notes(advice)]


def _row(model: Expected) -> tuple[str, ...]:
    if model.median_error is None or model.q90_error is None:
        return (model.name, model.status, "unknown", "unknown", "0")
    sizes = (f"{100 * error:.2g} %" for error in (model.median_error, model.q90_error))
    return (model.name, model.status, *sizes, f"{model.connections}")
