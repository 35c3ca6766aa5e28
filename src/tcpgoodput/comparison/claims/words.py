"""Predicates of claims in words, for the table of verdicts and for the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tcpgoodput.comparison.claims.predicates import limits_text
from tcpgoodput.comparison.claims.schema import EVIDENCE, Claim, DataSelection, Predicate
from tcpgoodput.engines.base import ENGINE_NAMES, PACKET

EVIDENCE_TITLES = {"model": "models", **ENGINE_NAMES, PACKET: "packet simulator"}
"""Names of the kinds of evidence for readers."""

TAKEN = {
    "min": "least {}",
    "max": "largest {}",
    "argmin": "place of the least {}",
    "argmax": "place of the largest {}",
    "first": "{} at the left end",
    "last": "{} at the right end",
    "mean": "mean {}",
    "crossing": "crossing of {}",
}


Label = Callable[[DataSelection, str], str]
"""Function that returns the label of a selected series in its figure."""


def in_words(predicate: Predicate, readings: Sequence[DataSelection], label: Label) -> str:
    """Return a predicate in words, with the names of the lines and numbers that it compares."""
    names = [name for reading in readings for name in reading_names(reading, label)]
    if len(set(names)) < len(names):  # names are equal if a series is in several figures or panels
        names = [f"{n} ({_place(r)})" for r in readings for n in reading_names(r, label)]
    text = _predicate_text(predicate, names) + _ranges(readings)
    return f"not: {text}" if predicate.negated else text


ORDINALS = ("first", "second", "third", "fourth")


def condition_in_words(predicate: Predicate, readings: Sequence[DataSelection]) -> str:
    """Return a predicate without the names of data: `first / second ≥ 0.9, x from 20 to 50`."""
    count = sum(max(len(reading.ids), 1) for reading in readings)
    names: Sequence[str] = ["each"]
    among = predicate.kind == "within" and predicate.target is None
    if among or predicate.kind in ("ordering", "ratio", "crossing"):
        names = [*ORDINALS, "..."][:count]
    text = ", ".join([_predicate_text(predicate, names), *_spans(readings)])
    return f"not: {text}" if predicate.negated else text


def in_force(claim: Claim) -> Iterator[str]:
    """Yield everything that `is` of a change may say: today's predicates, settings and evidence."""
    for evidence in claim.data:
        for setting, predicate, readings in claim.readings(evidence):
            yield condition_in_words(predicate, readings)
            if setting:
                yield setting
    yield from (f"no {evidence}" for evidence in EVIDENCE if evidence not in claim.data)


def _predicate_text(predicate: Predicate, names: Sequence[str]) -> str:
    listed = "; ".join(names)
    holds = getattr(predicate, "holds", "everywhere")
    at = "" if holds == "everywhere" else f", {holds}"
    match predicate.kind:
        case "ordering":
            sign = " < " if predicate.strict else " ≤ "
            level = "" if predicate.above is None else f", the last > {predicate.above:g}"
            return sign.join(names) + level + at
        case "bound":
            return f"{listed} {limits_text(predicate)}{at}"
        case "ratio":
            return f"{names[0]} / {names[1]} {limits_text(predicate)}{at}"
        case "within":
            if predicate.target is not None:
                return f"{listed} = {predicate.target:g} ± {predicate.allowed:.3g}{at}"
            percent, allowed = predicate.percent, predicate.allowed
            within = f"{allowed:g}" if percent is None else f"{percent:g} %"
            return f"{' ≈ '.join(names)} within {within}{at}"
        case "monotone":
            strictly = "strictly " if predicate.strict else ""
            return f"{listed}: {strictly}{predicate.direction}"
        case "crossing":
            where = " between {:g} and {:g}".format(*predicate.between) if predicate.between else ""
            side = f", coming from {predicate.side}" if predicate.side else ""
            return f"{names[0]} crosses {names[1]}{where}{side}"
        case "extremum":
            word = "least" if predicate.which == "min" else "largest"
            return "{}: {} between {:g} and {:g}".format(listed, word, *predicate.between)


def reading_names(reading: DataSelection, label: Label) -> list[str]:
    """Return a name for each series or number of a data selection."""
    times = "" if reading.times == 1 else f"{reading.times:g} × "
    changes = ", ".join(f"{k} = {_value(v)}" for k, v in reading.set.items())
    if reading.model is not None:
        parts = [f"{reading.scenario}{'; ' if changes else ''}{changes}", reading.equations]
        return [f"{times}{reading.model} ({', '.join(p for p in parts if p)})"]
    if reading.curve is not None:
        inside = f" ({changes})" if changes else ""
        return [f"{times}{reading.landmark} of {reading.curve}{inside}"]
    if reading.erratum is not None:
        return [f"{times}{reading.erratum} as {reading.form}"]
    return [f"{times}{_taken(reading, name)}" for name in _lines(reading, label)]


def _lines(reading: DataSelection, label: Label) -> list[str]:
    if reading.column is not None:
        rows = ", ".join(f"{k} {_value(v)}" for k, v in reading.rows.items())
        return [reading.column.replace("_", " ") + (f" ({rows})" if rows else "")]
    names = [_series(reading, series, label) for series in reading.ids]
    if reading.minus is not None:
        taken = reading.minus
        less = _series(reading, taken, label) if isinstance(taken, str) else _value(taken)
        names = [f"({name} − {less})" for name in names]
    if reading.divided_by is not None:
        names = [f"{name} / {_series(reading, reading.divided_by, label)}" for name in names]
    return [f"|{name}|" for name in names] if reading.absolute else names


def _series(reading: DataSelection, series: str, label: Label) -> str:
    name = label(reading, series)
    if reading.of_own is None:
        return name
    return f"{name} / {TAKEN[reading.of_own].format('its own')}"


def _taken(reading: DataSelection, name: str) -> str:
    if reading.take is None:
        return name
    if reading.take == "at":
        return f"{name} at {reading.at:g}"
    if reading.column is not None and reading.take in ("first", "last"):
        return name if reading.rows and reading.take == "first" else f"{reading.take} {name}"
    return TAKEN[reading.take].format(name)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {_value(v)}" for k, v in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def _ranges(readings: Sequence[DataSelection]) -> str:
    """Return text that names the figures and ranges of x of data selections, each once."""
    parts = [*dict.fromkeys(_place(r) for r in readings if r.figure), *_spans(readings)]
    return f" [{', '.join(parts)}]" if parts else ""


def _place(reading: DataSelection) -> str:
    return " ".join(part for part in (reading.figure, reading.panel) if part)


def _spans(readings: Sequence[DataSelection]) -> dict[str, None]:
    return dict.fromkeys("x from {:g} to {:g}".format(*r.over) for r in readings if r.over)
