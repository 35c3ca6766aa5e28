"""Read and check a file of a study's printed numbers, `config/printed/<source>.yaml`.

An entry is a number or a statement of size that the study's text prints, with its place in the
text. It says what in a run is compared with the number: the value that a claim tests, selected
data of figures, or a setting of a figure's scenario. A few numbers are only quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from tcpgoodput.comparison.claims.files import SourceClaims, problems_of_data
from tcpgoodput.comparison.claims.schema import (
    EVIDENCE,
    Bound,
    Claim,
    Ratio,
    Readings,
    Within,
)
from tcpgoodput.configuration import ConfigurationError, Problem, read, validated
from tcpgoodput.configuration.problems import WrongKey, alternatives
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.engines.base import PACKET, REFEREE_NAMES
from tcpgoodput.models import ERRATA
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import at_key, scenario_keys
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.types import Identifier, Part, Text
from tcpgoodput.studies.schema import DottedName, LineFigure, Name, Panel, Series, Source, Unit
from tcpgoodput.studies.sweeps import base_scenario, grid_values, sweep_point

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
SIGNS = {"<": "below", ">": "above", "≤": "at_most", "≥": "at_least"}
"""Signs before a printed number that is a limit, with the key of the predicate `bound`."""

ONE = re.compile(rf"≈? ?({NUMBER})")
LIMIT = re.compile(rf"([<>≤≥]) ?({NUMBER})")
RANGE = re.compile(rf"({NUMBER}) to ({NUMBER})")
FRACTION = re.compile(r"(\d+)/(0*[1-9]\d*)")
SEVERAL = re.compile(rf"{NUMBER}(?:, {NUMBER})+")
ANY = re.compile("|".join(one.pattern for one in (ONE, FRACTION, LIMIT, RANGE, SEVERAL)))
FORMS = (
    "a number, ≈ a number, a fraction (2/3), a limit (< 30), a range (10 to 100), or numbers "
    "with ', ' between"
)
ROUNDING = 1e-6
"""Relative difference up to which a recomputed number equals a printed fraction, which is exact."""


class SettingOf(Part):
    """A setting of a run that is compared with a printed one: a key of a figure's scenario."""

    figure: Name = Field(description="name of a figure of the same study")
    panel: Name | None = Field(None, description="name of the panel; default: the first one")
    series: DottedName | None = Field(
        None, description="id of the series with the setting; default: the first of each engine"
    )
    key: DottedName = Field(
        description="key of the scenario, such as path.rate_bps; a quantity of the scenario: "
        "propagation_rtt_s, rtt_with_packet_s, product_packets, mean_capacity_bps, spike_s (mean "
        "length), largest_good_to_bad or smallest_bad_to_good (conditions of packet trains); "
        "sweep.KEY: a key of the panel's sweep; "
        "with.KEY: an argument of the series' curve"
    )
    times: float = Field(1.0, description="factor, e.g. 0.001 for kbit/s")


class PrintedNumber(Part):
    """One number or statement of size that the study's text prints."""

    what: Text = Field(description="what the number is, in our words")
    where: Text = Field(description="section, figure, equation or page of the study")
    printed: Text | None = Field(
        None,
        description=f"the number as the text prints it: {FORMS}; or words, with a claim or "
        "untested; default, with a claim: the number that the claim tests",
    )
    unit: Unit = Field("", description="unit of the number; '' for a pure number")
    claim: Identifier | None = Field(None, description="id of a claim that tests this number")
    times: float = Field(
        1.0, description="with a claim: factor from the value that the claim tests to this unit"
    )
    plus: float = Field(0.0, description="with a claim: number to add after the factor")
    data: Readings = Field(
        default_factory=dict,
        description="data that are compared with the number, for each kind of evidence",
    )
    setting: SettingOf | None = None
    untested: Text | None = Field(
        None, description="why nothing is recomputed, e.g. because the number is quoted"
    )
    tolerance: Annotated[float, Field(ge=0)] | None = Field(
        None, description="absolute tolerance; default: half a unit of the last printed digit"
    )
    erratum: Identifier | None = Field(
        None, description="id of the erratum that explains why the numbers differ"
    )
    note: Text | None = Field(None, description="what a reader must know about the comparison")

    @model_validator(mode="after")
    def _is_compared(self) -> Self:
        if [self.claim, self.data or None, self.setting, self.untested].count(None) != 3:
            raise ValueError("names exactly one of claim, data, setting, untested")
        if self.claim is None and self.printed is None:
            raise ValueError("needs printed, unless a claim has the number")
        if (self.data or self.setting) and not ANY.fullmatch(self.printed or ""):
            raise WrongKey(("printed",), f"must be {FORMS}; is {self.printed!r}")
        lower, upper = self.limits.get("at_least"), self.limits.get("at_most")
        if lower is not None and upper is not None and lower >= upper:
            raise WrongKey(("printed",), "the first end of the range must be below the second")
        if self.claim is None and (self.times != 1.0 or self.plus != 0.0):
            raise ValueError("times and plus go with claim: a selection of data has its own times")
        if self.tolerance is not None and (self.claim or self.untested or self.limits):
            raise ValueError("tolerance is for a printed number that data or a setting are near")
        return self

    @property
    def limits(self) -> dict[str, float]:
        """The limits of a printed limit or range, as keys of the predicate `bound`; else empty."""
        text = self.printed or ""
        if limit := LIMIT.fullmatch(text):
            return {SIGNS[limit[1]]: float(limit[2])}
        if ends := RANGE.fullmatch(text):
            return {"at_least": float(ends[1]), "at_most": float(ends[2])}
        return {}

    @property
    def predicates(self) -> list[Bound | Within]:
        """The predicate of each printed number: within its tolerance, or within printed limits."""
        if self.limits:
            return [Bound(kind="bound", **self.limits)]
        if fraction := FRACTION.fullmatch(self.printed or ""):
            exact = float(fraction[1]) / float(fraction[2])
            allowed = ROUNDING * exact if self.tolerance is None else self.tolerance
            return [Within(kind="within", of=exact, tolerance=allowed)]
        numbers = (self.printed or "").removeprefix("≈").strip().split(", ")
        if self.tolerance is None:
            return [Within(kind="within", printed=number) for number in numbers]
        return [
            Within(kind="within", of=float(number), tolerance=self.tolerance) for number in numbers
        ]


class PrintedFile(Part):
    """Content of a file of printed numbers: those of one study, in the order of its text."""

    source: Name = Field(description="short name of the study, as in its file of figures")
    printed: Annotated[list[PrintedNumber], Field(min_length=1)]


@dataclass(frozen=True)
class SourcePrinted:
    """The printed numbers of one study, and the line of each entry in its file."""

    source: str
    file: str
    numbers: list[PrintedNumber]
    lines: list[int]

    def problem(self, position: int, message: str) -> Problem:
        """Return a problem with the entry at a position, with the file and the entry's line."""
        return Problem(self.file, self.lines[position], f"printed[{position}]", message)


def load_printed(path: Path | str, source: Source, claims: SourceClaims | None) -> SourcePrinted:
    """Read a study's printed numbers, and check that all that they name exists."""
    document = read(path)
    content = validated(PrintedFile, document)
    problems: list[Problem] = []
    if content.source != source.name:
        message = f"must be {source.name}, as the file of figures has it"
        problems.append(document.problem(("source",), message))
    known = {claim.id: claim for claim in claims.claims} if claims else {}
    for position, number in enumerate(content.printed):
        at = ("printed", position)
        problems += [
            document.problem((*at, *key), text) for key, text in _wrong(number, known, source)
        ]
        if number.data:
            predicate = number.predicates[0]
            problems += problems_of_data(document, source, predicate, number.data, at)
    if problems:
        raise ConfigurationError(problems)
    lines = [document.line(("printed", i, "what")) for i in range(len(content.printed))]
    return SourcePrinted(source.name, document.file, content.printed, lines)


def _wrong(
    number: PrintedNumber, claims: Mapping[str, Claim], source: Source
) -> Iterator[tuple[Key, str]]:
    """Yield the key and a message for each name in an entry that does not exist."""
    if number.erratum is not None:
        own = [erratum.id for erratum in ERRATA.values() if erratum.source == source.name]
        if number.erratum not in own:
            yield ("erratum",), f"no erratum {number.erratum!r}{alternatives(number.erratum, own)}"
    if number.claim is not None:
        if number.claim not in claims:
            yield ("claim",), f"no claim {number.claim!r}{alternatives(number.claim, claims)}"
        elif number.printed is None and not _has_number(claims[number.claim]):
            yield ("printed",), f"is required: the claim {number.claim} tests no number"
    if number.setting is not None:
        try:
            values_of_setting(source, number.setting)
        except ValueError as error:
            yield ("setting",), str(error)


def _has_number(claim: Claim) -> bool:
    predicate = claim.predicate
    if isinstance(predicate, Within):
        return predicate.target is not None
    return isinstance(predicate, Bound | Ratio)


def product_packets(scenario: Scenario) -> float:
    """Return the product of rate and propagation round trip in packets."""
    return scenario.propagation_rtt_s * scenario.rate_pps


QUANTITIES: dict[str, Callable[[Scenario], float]] = {
    "propagation_rtt_s": lambda scenario: scenario.propagation_rtt_s,
    "rtt_with_packet_s": lambda scenario: (
        scenario.propagation_rtt_s + scenario.packet_bits / scenario.path.rate_bps
    ),
    "product_packets": product_packets,
    "mean_capacity_bps": mean_capacity_bps,
    "spike_s": lambda scenario: scenario.spikes.duration.mean_s if scenario.spikes else 0.0,
    "largest_good_to_bad": lambda scenario: product_packets(scenario) ** -2,
    "smallest_bad_to_good": lambda scenario: 2 / product_packets(scenario),
}
"""Quantities that follow from a scenario, by the name that a file of printed numbers uses.

The last two are the conditions α ≤ 1/(μT)² and β > 2/(μT) of the study of packet trains, below
(32), for the product μT.
"""

SWEEP, WITH = "sweep.", "with."


def values_of_setting(source: Source, setting: SettingOf) -> dict[str, float]:
    """Return the value of a setting for each kind of evidence whose series the panel has.

    If the setting is swept, the value is that at the first point of the sweep. A figure, panel,
    series or key that does not exist raises `ValueError`, and a value that is no number.
    """
    figures = source.figures.figures
    if setting.figure not in figures:
        raise ValueError(f"no figure {setting.figure!r}{alternatives(setting.figure, figures)}")
    figure = figures[setting.figure]
    if not isinstance(figure, LineFigure):
        raise ValueError(f"{setting.figure} has no panels")
    panel_name = setting.panel or next(iter(figure.panels))
    if panel_name not in figure.panels:
        raise ValueError(f"no panel {panel_name!r}{alternatives(panel_name, figure.panels)}")
    panel = figure.panels[panel_name]
    found = {
        evidence: _value(source, panel, series, setting) * setting.times
        for evidence, series in _series_of(panel, setting).items()
        if _concerns(setting.key, evidence)
    }
    if not found:
        raise ValueError(f"{setting.key} concerns no series of the panel {panel_name}")
    return found


def _series_of(panel: Panel, setting: SettingOf) -> dict[str, Series]:
    """Return the first series of the panel for each kind of evidence, or the named series."""
    known = [series.key for series in panel.series]
    if setting.series is not None and setting.series not in known:
        raise ValueError(f"no series {setting.series!r}{alternatives(setting.series, known)}")
    chosen = [one for one in panel.series if setting.series in (None, one.key)]
    first: dict[str, Series] = {}
    for series in chosen:
        first.setdefault(series.engine or "model", series)
    return {evidence: first[evidence] for evidence in EVIDENCE if evidence in first}


def _concerns(key: str, evidence: str) -> bool:
    """Return whether a setting, such as `recorded…` of a sweep, concerns a kind of evidence."""
    if key.startswith(f"{SWEEP}recorded"):
        return evidence in REFEREE_NAMES
    if key.startswith(f"{SWEEP}measured"):
        return evidence == PACKET
    return not key.startswith(WITH) or evidence == "model"


def _value(source: Source, panel: Panel, series: Series, setting: SettingOf) -> float:
    key = setting.key
    if key.startswith(SWEEP):
        data = panel.sweep.model_dump() if panel.sweep else {}
        return _number(at_key(data, key.removeprefix(SWEEP)), key)
    if key.startswith(WITH):
        return _number(at_key(series.options, key.removeprefix(WITH)), key)
    if panel.scenario is None:
        raise ValueError("the panel has no scenario")
    scenario = source.scenarios[panel.scenario]
    if panel.sweep is None:
        scenario = base_scenario(scenario, panel, series)
    else:
        first = float(grid_values(panel.sweep.values, "draft")[0])
        scenario = sweep_point(scenario, panel, panel.sweep, series, first).scenario
    if key in QUANTITIES:
        return QUANTITIES[key](scenario)
    if key not in scenario_keys():
        known = [*QUANTITIES, *sorted(scenario_keys())]
        raise ValueError(f"no key {key!r} of a scenario{alternatives(key, known)}")
    return _number(at_key(scenario.model_dump(), key), key)


def _number(value: Any, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{key} is no number here, but {value!r}")
    return float(value)
