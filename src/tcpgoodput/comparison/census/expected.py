"""Advice on models without a simulation: their errors on a random sample of connections.

The sample is a recorded census (`data/census/`): random connections that were simulated and
predicted by every model. Small tables contain each model's errors for each kind of connections (set
of impairments); see `record`. The scenario itself is not simulated.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.design import (
    ERRORS_BY_KIND,
    JOINED,
    PACKAGED_SAMPLES,
    RANGES_BY_KIND,
    RECORDED_SAMPLES,
    UNIMPAIRED,
    describes_retransmission,
    record_of,
    record_table,
)
from tcpgoodput.comparison.census.quantities import INFINITE, QUANTITIES
from tcpgoodput.configuration.units import in_column
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import at_key
from tcpgoodput.scenario.physics import LINK_RETRANSMISSION, impairments
from tcpgoodput.storage import read_rows

FORMULA = "="
"""Prefix of an expression in a census file, such as `= rtt / 2`. The expression uses the quantities
that are drawn."""


def kind_of(scenario: Scenario, census: Mapping[str, Any]) -> str | None:
    """Return the kind of a sample's connections (set of impairments) that matches a scenario.

    The result is None if the census lacks the scenario's impairments. A link that retransmits
    (`arq`) is no impairment of a census, because all of its links do or none does.
    """
    parts = census["impairments"]
    found = [name for name, part in parts.items() if _has(scenario, part)]
    if len(found) + _retransmits(scenario) != len(impairments(scenario)):
        return None
    return JOINED.join(found) or UNIMPAIRED


def _retransmits(scenario: Scenario) -> bool:
    return LINK_RETRANSMISSION in impairments(scenario)


def words_for(kind: str) -> str:
    """Return the name of a kind of connections as a phrase, such as `late hand-offs`."""
    if kind == UNIMPAIRED:
        return "no impairment"
    return kind.replace("_", " ").replace("handoffs", "hand-offs")


def _has(scenario: Scenario, part: Mapping[str, Any]) -> bool:
    """Whether a scenario has an impairment of a sample and sets no further keys of it."""
    whole = scenario.model_dump(mode="json")
    stated = scenario.model_dump(mode="json", exclude_defaults=True)
    choices = {key: law["values"] for key, law in part["draw"].items() if "values" in law}
    for key, value in part["set"].items():
        if not _fits(at_key(whole, key), value, key, choices):
            return False
        if _leaves(at_key(stated, key)) - _leaves(value):
            return False
    return True


def _fits(own: Any, drawn: Any, key: str, choices: Mapping[str, list[Any]]) -> bool:
    if isinstance(drawn, Mapping):
        return isinstance(own, Mapping) and all(
            _fits(own.get(name), value, f"{key}.{name}", choices) for name, value in drawn.items()
        )
    if isinstance(drawn, str) and drawn.startswith(FORMULA):
        return bool(own)  # null or 0 means that the scenario lacks the impairment
    return own in choices.get(key, [drawn])


def _leaves(data: Any, key: str = "") -> set[str]:
    """Return the keys of all values in a nested dict that are not dicts themselves."""
    if not isinstance(data, Mapping):
        return {key}
    return {leaf for name, value in data.items() for leaf in _leaves(value, f"{key}.{name}")}


DERIVED = ("room", "loss_window")
"""Quantities that are functions of other quantities. `_outside` does not check the ranges of
derived quantities."""

SMALL = 1.0
"""A receiver window or a buffer of at most this size, in bandwidth-delay products, always counts as
a limit of the goodput: the window for any buffer, and the buffer for any window. Chosen by hand."""

SLACK = 1.05
"""Factor by which a quantity of a scenario may be outside its range in the random sample and still
count as inside. The sample does not quite reach the ends of the distributions from which it is
drawn. Chosen by hand."""


@dataclass(frozen=True)
class Expected:
    """A model in domain, and its errors on random connections with the scenario's impairments."""

    name: str
    status: str
    connections: int | None = None
    """Number of random connections on which the model had this status; None if there are none."""
    median_error: float | None = None
    """Median of |ln(model / simulated)| over the random connections."""
    q90_error: float | None = None
    """90 % quantile of |ln(model / simulated)| over the random connections."""


@dataclass(frozen=True)
class Advice:
    """Models in domain for a scenario: native before reduced, then by their median error."""

    kind: str | None
    """Impairments of the scenario in words; None if the random sample has no such connections."""
    models: tuple[Expected, ...]
    outside: tuple[str, ...] = ()
    """Quantities of the scenario that are outside their range in the random sample."""
    reason: str | None = None
    """Why there are no models or no errors of models; None if there are some."""

    def record(self) -> dict[str, Any]:
        """Return the advice as a dict, which `compare --json` prints."""
        found = asdict(self)
        return {**found, "models": list(found["models"]), "outside": list(self.outside)}


def advice_for(scenario: Scenario, records: Sequence[Mapping[str, Any]]) -> Advice:
    """Return the models in domain, with their errors on random connections like the scenario.

    The random connections have the scenario's impairments and its `tcp.stack` (imitated kernel).
    `records` are the predictions of models for the scenario, as dicts.
    """
    in_domain = [
        Expected(record["name"], status)
        for status in IN_DOMAIN
        for record in records
        if record["status"] == status
    ]
    if not in_domain:
        counts = Counter(record["status"] for record in records)
        listed = ", ".join(f"{count} {status}" for status, count in counts.most_common())
        hint = "predict --all has the reason of each; simulate the link"
        return Advice(None, (), reason=f"no model is in domain ({listed}): {hint}")
    alike = _samples_for(scenario)
    own = [
        (count, name, census) for count, name, stack, census in alike if stack == scenario.tcp.stack
    ]
    if not own:
        links = " over links that retransmit" if _retransmits(scenario) else ""
        reason = f"no random sample in {RECORDED_SAMPLES}/ has connections with this sender{links}"
        if alike:
            stacks = dict.fromkeys(stack for _, _, stack, _ in alike)
            others = (f"tcp.stack: {stack}" if stack else "no tcp.stack" for stack in stacks)
            reason += f"; there is one with {' and one with '.join(others)}"
        return Advice(None, tuple(in_domain), reason=reason)
    _, name, census = max(own, key=lambda one: one[0])  # the largest
    kind = kind_of(scenario, census)
    ranges = _rows(name, RANGES_BY_KIND, kind) if kind else []
    if kind is None or not ranges:
        found = " and ".join(sorted(impairments(scenario)))
        reason = f"the random sample has no connections with {found} of this kind"
        return Advice(None, tuple(in_domain), reason=reason)
    errors = {(r["model"], r["status"]): r for r in _rows(name, ERRORS_BY_KIND, kind)}
    known = [_with_errors(model, errors.get((model.name, model.status))) for model in in_domain]
    known.sort(
        key=lambda m: (IN_DOMAIN.index(m.status), m.median_error is None, m.median_error or 0)
    )
    words = words_for(kind)
    if _retransmits(scenario):
        link = LINK_RETRANSMISSION
        words = link if kind == UNIMPAIRED else f"{words} over {link}"
    outside = (*_outside(scenario, ranges), *_outside_attempts(scenario, census))
    return Advice(words, tuple(known), outside)


def _with_errors(model: Expected, row: Mapping[str, str] | None) -> Expected:
    if row is None:
        return model
    median, q90 = (float(row[name]) / 100 for name in ("median_%", "q90_%"))
    return replace(model, connections=int(row["n"]), median_error=median, q90_error=q90)


def _samples_for(scenario: Scenario) -> list[tuple[int, str, str | None, dict[str, Any]]]:
    """Return the recorded samples with the scenario's variant of TCP and kind of link.

    Each has its number of connections, its name, its `tcp.stack` and its settings. The links of a
    sample retransmit if the scenario's does.
    """
    found = []
    for note in sorted(_samples().glob("*.json")):
        provenance = json.loads(note.read_text(encoding="utf-8"))
        census = provenance["request"]["measured"]["census"]
        tcp = census["scenario"]["tcp"]
        variants = census["draw"].get("tcp.variant", {}).get("values", [tcp.get("variant")])
        has_link = describes_retransmission(census["scenario"]) == _retransmits(scenario)
        if has_link and scenario.tcp.variant in variants:
            found.append((provenance["connections"], note.stem, tcp.get("stack"), census))
    return found


def _samples() -> Path:
    """Return the folder of recorded samples: that of the current project, else the package's."""
    return RECORDED_SAMPLES if RECORDED_SAMPLES.is_dir() else PACKAGED_SAMPLES


def _rows(census: str, table: str, kind: str) -> list[dict[str, str]]:
    rows = read_rows(record_table(_samples() / record_of(census).name, table))
    return [row for row in rows if row["impairments"] == kind]


def _outside(scenario: Scenario, ranges: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the quantities of a scenario that are outside their range in the random sample."""
    for row in ranges:
        name, quantity = row["quantity"], QUANTITIES[row["quantity"]]
        value = quantity.of(scenario)
        bounds = [float(row[end]) for end in ("lowest", "highest") if row[end]]
        if value >= INFINITE:
            is_inside = row["endless"] == "True"
        else:
            is_inside = bool(bounds) and bounds[0] / SLACK <= value <= bounds[1] * SLACK
        if not (is_inside or name in DERIVED or _changes_nothing(name, scenario)):
            own = "endless" if value >= INFINITE else f"{value:.3g}"
            others = " to ".join(f"{bound:.3g}" for bound in bounds) or "endless"
            yield f"{quantity.meaning}: {own} (random connections: {others})"


def _outside_attempts(scenario: Scenario, census: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a link that retransmits which the random sample does not draw so."""
    whole = scenario.model_dump(mode="json")
    for key, law in census["draw"].items():
        own, values = at_key(whole, key), law.get("values")
        is_number = isinstance(own, int | float)
        if key.startswith("arq.") and not (
            own in values if values else is_number and law["low"] <= own <= law["high"]
        ):
            shown = own if is_number or isinstance(own, str) else "a channel"
            drawn = values or [law["low"], "to", law["high"]]
            yield f"{key}: {shown} (random connections: {' '.join(map(str, drawn))})"


def _changes_nothing(quantity: str, scenario: Scenario) -> bool:
    """Whether `quantity`, receiver window or buffer, is too large to affect the goodput."""
    window, buffer = (QUANTITIES[name].of(scenario) for name in ("window", "buffer"))
    if quantity == "window":
        return buffer < INFINITE and window > max(1 + buffer, SMALL)
    return quantity == "buffer" and window < INFINITE and buffer > max(window - 1, SMALL)


def heading(advice: Advice) -> str:
    """Return the sentence above the list of recommended models."""
    if not advice.models:
        return f"Advice without a simulation: {advice.reason}."
    if advice.kind is None:
        models = ", ".join(f"{model.name} ({model.status})" for model in advice.models)
        return f"Advice without a simulation: models in domain, with unknown errors: {models}."
    return (
        "Advice without a simulation: the models in domain, with the sizes of their errors, "
        f"|100 ln(model/simulated)|, on random connections with {advice.kind}."
    )


def notes(advice: Advice) -> list[str]:
    """Return the restrictions of the advice on models, as sentences."""
    if advice.models and advice.reason:
        return [f"Note: {advice.reason}."]
    if advice.models and advice.outside:
        return [
            f"Note: outside the range of these random connections: {'; '.join(advice.outside)}."
        ]
    return []


def choice(advice: Advice) -> list[str]:
    """Return a list with one sentence that names the model to use, or an empty list.

    The model is the first of `advice.models`: native before reduced, then by median error. The list
    is empty if no model is in domain, or if the random sample does not apply to the scenario.
    """
    if not advice.models or advice.kind is None:
        return []
    name, status, median, *_ = rows(advice)[0]
    is_known = advice.models[0].median_error is not None
    error = f"median error {median}" if is_known else "with an unknown error"
    if is_known and advice.outside:
        error += " on random connections, but the scenario is outside their range"
    return [f"To use one model, take {name}: {status}, {error}."]


def rows(advice: Advice) -> list[tuple[str, ...]]:
    """Return name, status, median error, 90 % quantile and number of connections of each model."""
    if not advice.kind:
        return []
    medians, q90s = (
        in_column((e and 100 * e for e in errors), digits=2)
        for errors in zip(*((m.median_error, m.q90_error) for m in advice.models), strict=True)
    )
    return [
        (m.name, m.status, f"{median} %", f"{q90} %", f"{m.connections}")
        if median and q90
        else (m.name, m.status, "unknown", "unknown", "0")
        for m, median, q90 in zip(advice.models, medians, q90s, strict=True)
    ]


def lines(advice: Advice) -> list[str]:
    """Return a line of text for each model; empty if the sample has no similar connections."""
    return [
        f"{name}, {status}: median error {median}, nine of ten within {q90}, over {count} random "
        "connections"
        if count != "0"
        else f"{name}, {status}: error unknown, no such random connection has this status"
        for name, status, median, q90, count in rows(advice)
    ]


def text_of(advice: Advice) -> list[str]:
    """Return the lines of the advice: heading, models, choice of a model, and restrictions."""
    return [heading(advice), *lines(advice), *choice(advice), *notes(advice)]
