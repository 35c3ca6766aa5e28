"""Read and check a study's file of claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.claims.schema import (
    Claim,
    ClaimsFile,
    DataSelection,
    Evidence,
    Predicate,
    Readings,
)
from tcpgoodput.comparison.claims.words import in_force
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives, nearest
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.models import CURVES, ERRATA, MODELS
from tcpgoodput.models.registry import Register
from tcpgoodput.scenario import override
from tcpgoodput.studies.files import option_names
from tcpgoodput.studies.open_settings import places
from tcpgoodput.studies.schema import Figure, LineFigure, Panel, Source, TableFigure
from tcpgoodput.studies.sweeps import missed


@dataclass(frozen=True)
class SourceClaims:
    """The claims of one study, and the line of each claim in its file."""

    source: str
    file: str
    claims: list[Claim]
    lines: dict[str, int]

    def problem(self, claim: Claim, message: str) -> Problem:
        """Return a problem with a claim, with the file and the line of the claim."""
        return Problem(self.file, self.lines[claim.id], f"claim {claim.id}", message)


SELECTIONS = {"ordering": (2, 20), "ratio": (2, 2), "crossing": (2, 2)}
SELECTIONS |= dict.fromkeys(("bound", "within", "monotone", "extremum"), (1, 20))
"""Smallest and largest number of compared lines and numbers, by kind of predicate."""
MEASURED_BY = {"packet": ("simulator.", "links.simulated"), "linux": ("links.like_kernel",)}
"""Prefixes of the names of tables and curves that contain measurements by an engine, by the name of
the engine."""

LINES_ONLY = ("monotone", "crossing", "extremum")


def load_claims(path: Path | str, source: Source) -> SourceClaims:
    """Read the claims of a study, and check that everything that they name exists."""
    document = read(path)
    content = validated(ClaimsFile, document)
    checker = _Checker(document, source)
    if content.source != source.name:
        checker.problem(("source",), f"must be {source.name}, as the file of figures has it")
    ids = [claim.id for claim in content.claims]
    for position, claim in enumerate(content.claims):
        place: Key = ("claims", position)
        if claim.id in ids[:position]:
            checker.problem(
                (*place, "id"), f"another claim is called {claim.id!r}; give it another id"
            )
        checker.claim(claim, place)
    if checker.problems:
        raise ConfigurationError(checker.problems)
    lines = {id: document.line(("claims", i, "id")) for i, id in enumerate(ids)}
    return SourceClaims(source.name, document.file, content.claims, lines)


def problems_of_data(
    document: Document, source: Source, predicate: Predicate, data: Readings, at: Key
) -> list[Problem]:
    """Return the problems with selected data of a study that a predicate compares.

    The selections are for each kind of evidence; `at` is the key of the entry of the file that has
    them under its key `data`.
    """
    entry = document.data
    for part in at:
        entry = entry[part]
    checker = _Checker(document, source)
    checker.data(predicate, data, entry, at)
    return checker.problems


class _Checker:
    """Checker of the names that claims use; the checker collects all problems."""

    def __init__(self, document: Document, source: Source) -> None:
        self.document = document
        self.source = source
        self.figures = source.figures.figures
        self.elsewhere = places(source.figures)
        self.problems: list[Problem] = []

    def problem(self, at: Key, message: str) -> None:
        self.problems.append(self.document.problem(at, message))

    def unknown(self, at: Key, kind: str, name: str, known: Sequence[str]) -> None:
        self.problem(at, f"no {kind} {name!r}{alternatives(name, known)}")

    def claim(self, claim: Claim, at: Key) -> None:
        for position, name in enumerate(claim.figures):
            if name not in self.figures:
                self.unknown((*at, "figures", position), "figure", name, list(self.figures))
        if claim.erratum is not None:
            self.erratum(claim.erratum, (*at, "erratum"))
        known = list(dict.fromkeys(in_force(claim)))
        for position, change in enumerate(claim.changed):
            if change.now not in known:
                message = f"is not what the claim tests today: {' | '.join(known)}"
                self.problem((*at, "changed", position, "is"), message)
        entry = self.document.data["claims"][at[1]]
        if claim.predicate is not None:
            self.data(claim.predicate, claim.data, entry, at)
            for evidence, readings in claim.data.items():
                for reading in readings:
                    if drawn := self.elsewhere.get(reading.figure or ""):
                        message = (
                            f"{reading.figure} is {drawn.figure} in another setting; read "
                            f"{drawn.figure}, and the claim is evaluated in every setting of "
                            f"settings.{drawn.group}"
                        )
                        self.problem((*at, "data", evidence), message)
        for position, other in enumerate(claim.open):
            predicate = other.predicate or claim.predicate
            assert predicate is not None  # the schema requires a predicate if there are data
            place = (*at, "open", position)
            self.data(predicate, other.data, entry["open"][position], place)
            if other.predicate and not other.data:
                for evidence, readings in claim.data.items():
                    self.readings(predicate, readings, evidence, place)

    def data(self, predicate: Predicate, data: Readings, entry: dict[str, Any], at: Key) -> None:
        """Check the data selections of the predicate at key `at`, for each kind of evidence."""
        for evidence, readings in data.items():
            place = (*at, "data", evidence)
            # A file may contain one data selection instead of a list of them. The key of a problem
            # then has no list index.
            alone = isinstance(entry["data"][evidence], dict)
            for position, reading in enumerate(readings):
                self.reading(reading, evidence, place if alone else (*place, position))
            self.readings(predicate, readings, evidence, place)

    def readings(
        self, predicate: Predicate, readings: Sequence[DataSelection], evidence: Evidence, at: Key
    ) -> None:
        kind = predicate.kind
        least, most = SELECTIONS[kind]
        if predicate.kind == "within" and predicate.target is None:
            least = 2  # they are compared with each other
        count = sum(max(len(reading.ids), 1) for reading in readings)
        if not least <= count <= most:
            allowed = str(least) if least == most else f"{least} to {most}"
            self.problem(at, f"{kind} takes {allowed} reading(s), not {count}")
        if kind in LINES_ONLY and not all(reading.is_line for reading in readings):
            self.problem(at, f"{kind} is about lines: of figures, without `take`")
        if evidence != "model" and not any(self._measured(r, evidence) for r in readings):
            self.problem(at, f"nothing is read here that {evidence} measures")

    def _measured(self, reading: DataSelection, evidence: str) -> bool:
        figure = self.figures.get(reading.figure or "")
        own = MEASURED_BY.get(evidence, ())
        if reading.curve is not None:
            return reading.curve.startswith(own)
        if isinstance(figure, TableFigure):
            return figure.table.startswith(own)
        if not isinstance(figure, LineFigure):
            return False
        read = {*reading.ids, reading.minus, reading.divided_by}
        return any(
            (series.engine == evidence or (series.curve or "").startswith(own))
            and series.key in read
            for panel in figure.panels.values()
            for series in panel.series
        )

    def reading(self, reading: DataSelection, evidence: str, at: Key) -> None:
        if reading.figure is not None:
            figure = self.figures.get(reading.figure)
            if figure is None:
                self.unknown((*at, "figure"), "figure", reading.figure, list(self.figures))
            else:
                self.of_figure(reading, figure, evidence, at)
        if reading.model is not None:
            self.registered(MODELS, reading.model, (*at, "model"))
        if reading.curve is not None and self.registered(CURVES, reading.curve, (*at, "curve")):
            known = option_names(CURVES[reading.curve])
            for option in reading.options:
                if option not in known:
                    self.unknown((*at, "with", option), "option", option, known)
        if reading.scenario is not None:
            scenarios = self.source.scenarios
            if reading.scenario not in scenarios:
                self.unknown((*at, "scenario"), "scenario", reading.scenario, list(scenarios))
            else:
                try:
                    override(scenarios[reading.scenario], reading.set)
                except ValueError as error:
                    self.problem((*at, "set"), str(error))
        if reading.erratum is not None:
            self.erratum(reading.erratum, (*at, "erratum"))

    def of_figure(self, reading: DataSelection, figure: Figure, evidence: str, at: Key) -> None:
        if isinstance(figure, TableFigure):
            if reading.column is None:
                self.problem(at, f"{reading.figure} is a table: name a column, not a series")
            return
        if not isinstance(figure, LineFigure) or reading.column is not None:
            self.problem(at, f"{reading.figure} has no such data: it is no table")
            return
        panel = figure.panels.get(reading.panel or next(iter(figure.panels)))
        if panel is None or (reading.panel is None and len(figure.panels) > 1):
            known = list(figure.panels)
            hint = nearest(reading.panel or "", known)
            self.problem((*at, "panel"), f"must be one of {', '.join(known)}{hint}")
            return
        selected = [("series", series) for series in reading.ids]
        for key in ("minus", "divided_by"):
            if isinstance(series := getattr(reading, key), str):
                selected.append((key, series))
        for key, series in selected:
            self.series(series, panel, evidence, (*at, key))
        swept = {series.key for series in panel.series if series.curve is None}
        known = panel.sweep if swept.issuperset(reading.ids) else None
        if known and (found := missed(reading, known)):
            self.problem((*at, found[0]), found[1])

    def series(self, series: str, panel: Panel, evidence: str, at: Key) -> None:
        engines = {series.key: series.engine for series in panel.series}
        if series not in engines:
            self.unknown(at, "series", series, list(engines))
        elif engines[series] not in (None, evidence):
            self.problem(at, f"{series} is measured by {engines[series]}, not evidence {evidence}")

    def registered(self, register: Register[Any], name: str, at: Key) -> bool:
        try:
            register[name]
        except LookupError as error:
            self.problem(at, str(error))
            return False
        return True

    def erratum(self, name: str, at: Key) -> None:
        own = [e.id for e in ERRATA.values() if e.source == self.source.name]
        if name not in own:
            self.unknown(at, "erratum", name, own)
