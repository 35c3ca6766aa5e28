"""Read and check a study's file of printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.claims.files import SourceClaims, problems_of_data
from tcpgoodput.comparison.claims.schema import EVIDENCE, Bound, Claim, Ratio, Within
from tcpgoodput.comparison.printed.schema import PrintedFile, PrintedNumber, SettingOf
from tcpgoodput.configuration import ConfigurationError, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.engines.base import PACKET, REFEREE_NAMES
from tcpgoodput.models import ERRATA
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import at_key, scenario_keys
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.studies.schema import LineFigure, Panel, Series, Source
from tcpgoodput.studies.sweeps import base_scenario, grid_values, sweep_point


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
    """Read the printed numbers of a study, and check that everything that they name exists.

    Entries may refer to the study's claims; None if it has no file of claims.
    """
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
    chosen = panel.series
    if setting.series is not None:
        chosen = [series for series in panel.series if series.key == setting.series]
        if not chosen:
            known = [series.key for series in panel.series]
            raise ValueError(f"no series {setting.series!r}{alternatives(setting.series, known)}")
    first: dict[str, Series] = {}
    for series in chosen:
        first.setdefault(series.engine or "model", series)
    return {evidence: first[evidence] for evidence in EVIDENCE if evidence in first}


def _concerns(key: str, evidence: str) -> bool:
    """Return whether a setting concerns a kind of evidence.

    The keys `recorded…` of a sweep concern ns-2 and Linux, `measured…` the packet simulator.
    """
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
