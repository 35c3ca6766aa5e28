"""Numbers that the report quotes, and the LaTeX macros that print them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from tcpgoodput.comparison.errors import RIGHT, per_cent, share_within, typical
from tcpgoodput.configuration import read, validated
from tcpgoodput.engines.base import ENGINE_NAMES, PACKET, REFEREE_NAMES
from tcpgoodput.models import ERRATA, MODELS
from tcpgoodput.models.registry import ErratumClass
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report import latex
from tcpgoodput.report.agreement import Agreement
from tcpgoodput.report.validation import Coverage, Summary
from tcpgoodput.scenario.types import Part, Text
from tcpgoodput.statistics import median_interval
from tcpgoodput.storage import csv_text
from tcpgoodput.studies.reductions import Value, line_of, number_of
from tcpgoodput.studies.schema import LineFigure, Number, Source, TableFigure
from tcpgoodput.studies.store import answers_path
from tcpgoodput.style import Style

GROUPED = 10_000
"""Smallest count whose digits are printed in groups of three; chosen by hand."""

LEAST_PER_CUT, MOST_PER_CUT = "SecondsPerCutLeast", "SecondsPerCutMost"
"""Ends of the names of two numbers: the shortest and the longest mean time between loss events, at
which the window is cut."""

FEWEST_LINES = 6
"""Smallest number of models' lines whose median error gets a 95 % interval. With fewer, no such
interval exists; see `statistics.median_interval`."""

LINES = Path("paper/lines.yaml")

FLUID_STUDY = "variable_capacity"
"""Study that the median `AgreementAllButFluid` leaves out. The many lines of this study agree
closely with the measurements, and would dominate the median."""


@dataclass(frozen=True)
class Quoted:
    """A number of the report: the name by which the text quotes it, and the file it comes from."""

    name: str
    value: float
    digits: int | None
    """Number of significant digits; None for a count, which is printed in full."""
    origin: str
    low: float = math.nan
    high: float = math.nan
    """Upper end of the 95 % interval; `low` is the lower end. NaN if the number has no interval."""

    @property
    def text(self) -> str:
        """The number as LaTeX, with as many digits as the ends of its interval."""
        return self._printed(self.value)

    @property
    def interval(self) -> str | None:
        """The number's interval as LaTeX, if there is one."""
        if math.isnan(self.low):
            return None
        return f"[{self._printed(self.low)}, {self._printed(self.high)}]"

    def _printed(self, value: float) -> str:
        if self.digits is None:
            return f"{value:,.0f}".replace(",", r"\,") if value >= GROUPED else f"{value:g}"
        # Print one more digit if the interval would otherwise seem to have no width.
        ends = {latex.number(end, self.digits) for end in (self.low, self.high)}
        return latex.number(value, self.digits + (len(ends) == 1 and not math.isnan(self.low)))


class LinesFile(Part):
    """Content of `paper/lines.yaml`."""

    lines: dict[
        Text, dict[Literal["source", "figure", "panel", "line", "measured", "engine"], list[Text]]
    ] = Field(
        description="for each number by name: the values of columns of `agreement.csv` that "
        "select its lines"
    )


def camel_case(name: str) -> str:
    """Return words or a name in camel case: `delay_spikes` becomes `DelaySpikes`."""
    return "".join(part.capitalize() for part in re.split("[_ ]", name))


def macro_part(name: str) -> str:
    """Return a name as part of a LaTeX macro's name: `mathis.linux` becomes `MathisLinux`."""
    return camel_case(re.sub(r"[ .-]", "_", name))


def quoted_numbers(configuration: Configuration, results: Path) -> list[Quoted]:
    """Return the report's numbers that come from figures, and the counts of models and errata."""
    numbers = list(_counts(configuration))
    for source in configuration.sources.values():
        numbers += _of_source(source, configuration.style, results)
    return numbers


def _of_source(source: Source, style: Style, results: Path) -> Iterable[Quoted]:
    for name, figure in source.figures.figures.items():
        if not isinstance(figure, LineFigure) or not figure.numbers:
            continue
        rows = pd.read_csv(answers_path(results, source.name, name))
        for number in figure.numbers:
            panel = number.panel or next(iter(figure.panels))
            series = next(s for s in figure.panels[panel].series if s.key == number.series)
            own = rows[rows["panel"] == panel]
            if series.engine is None:
                own = at_markers(own, number)
            found = _or_nothing(own, number)
            full_name = camel_case(source.name) + number.macro
            origin = (
                f"{source.name}/{name}.csv, panel {panel}, {style.label(series)}: {number.take}"
            )
            interval = (found.low, found.high) if found.high > found.low else ()
            yield Quoted(full_name, found.value, number.digits, origin, *interval)
            if is_of_cuts(figure, number):
                measured = pd.read_csv(results / "measurements" / f"{source.name}.csv")
                yield from of_cuts(own, measured, number, full_name)


def is_of_cuts(figure: LineFigure, number: Number) -> bool:
    """Whether a number of the report is taken from a range of x of one simulated series alone."""
    panel = figure.panels[number.panel or next(iter(figure.panels))]
    engines = {series.key: series.engine for series in panel.series}
    alone = number.minus is None and number.divided_by is None and number.of_own is None
    return alone and number.over is not None and engines[number.series] == PACKET


def of_cuts(
    rows: pd.DataFrame, measured: pd.DataFrame, number: Number, name: str
) -> Iterable[Quoted]:
    """Yield the shortest and longest mean time between loss events at a series' points, in seconds.

    Args:
        rows: the data of the panel.
        measured: the table of the study's measurements, with the column `key`.
        number: a number of a simulated series; only points in the number's range of x are used.
        name: name of the number, with which the names of the two times begin.

    """
    own = rows[rows["series"] == number.series]
    inside = own[own["x"].between(*number.over)] if number.over else own
    seen = inside[["key"]].merge(measured, on="key")
    seconds = seen["measured_s"] * seen["replications"] / seen["loss_events"]
    origin = f"measurements, at the points of {name}"
    yield Quoted(f"{name}{LEAST_PER_CUT}", float(seconds.min()), 2, origin)
    yield Quoted(f"{name}{MOST_PER_CUT}", float(seconds.max()), 2, origin)


def at_markers(rows: pd.DataFrame, number: Number) -> pd.DataFrame:
    """Return a panel's rows; of a model's line only points whose x also has a measurement.

    This is for a number that divides the line by measurements (`divided_by`). At any other x, the
    measurements would have to be interpolated. If no such point exists, all rows are returned.
    """
    markers = rows[(rows["series"] == number.divided_by) & rows["origin"].isin(ENGINE_NAMES)]
    own = rows["series"] == number.series
    answered = own & (rows["y"] > 0) & rows["x"].isin(markers["x"])
    return rows[~own | answered] if answered.any() else rows


def _or_nothing(rows: pd.DataFrame, number: Number) -> Value:
    """Return a number computed from a panel's rows; NaN, printed as a dash, if data are missing."""
    try:
        return number_of(line_of(rows, number.series, number), number)
    except ValueError as error:
        print(f"{number.macro}: {error}")
        return Value(math.nan, math.nan, math.nan)


def of_agreement(found: Sequence[Agreement]) -> Iterable[Quoted]:
    """Yield the number of models' lines compared with measurements, and their median errors.

    A line is a model's curve in a figure. There are numbers in total and by study. Only the
    studies' own figures and models count. Lines are compared with the simulator, and in domain also
    with ns-2 and Linux. A formula that is evaluated with the measured loss event rate does not
    count. A line that a study draws in two figures counts once.
    """
    own = _each_once(a for a in found if not a.ours and not a.at_measured_rate)
    in_domain = [a for a in own if a.engine == PACKET and a.in_domain]
    yield from _of_lines(in_domain, "AgreementAll")
    unswept = [a for a in in_domain if a.source != FLUID_STUDY]
    yield from _of_lines(unswept, "AgreementAllButFluid")
    for variant in ("sack", "newreno"):
        followed = [a for a in in_domain if a.source == FLUID_STUDY and a.variant == variant]
        yield from _of_lines(followed, f"AgreementFluid{camel_case(variant)}")
    yield from _by_study(own)
    for name, wanted in validated(LinesFile, read(LINES)).lines.items():
        records = [(a.typical, a.record()) for a in own if a.in_domain]
        sizes = [size for size, row in records if all(row[key] in ok for key, ok in wanted.items())]
        yield Quoted(f"Agreement{name}Count", len(sizes), None, "agreement.csv")
        yield Quoted(f"Agreement{name}Median", per_cent(typical(sizes)), 2, "agreement.csv")


def _each_once(lines: Iterable[Agreement]) -> list[Agreement]:
    found: dict[tuple[object, ...], Agreement] = {}
    for a in lines:
        errors = (a.points, a.mean, a.typical, a.worst, a.worst_x)
        found.setdefault((a.source, a.engine, a.variant, *errors), a)
    return list(found.values())


def _of_lines(lines: Sequence[Agreement], name: str) -> Iterable[Quoted]:
    sizes, origin = [a.typical for a in lines], "agreement.csv"
    worst = max((a.worst for a in lines), key=abs, default=math.nan)
    yield Quoted(f"{name}Lines", len(lines), None, origin)
    yield Quoted(f"{name}Median", per_cent(typical(sizes)), 2, origin)
    yield Quoted(f"{name}Within", 100 * share_within(sizes, RIGHT), 2, origin)
    yield Quoted(f"{name}Worst", per_cent(worst), 2, origin)


def _by_study(own: Sequence[Agreement]) -> Iterable[Quoted]:
    for source in dict.fromkeys(a.source for a in own):
        every = [a for a in own if a.source == source]
        simulated = [a for a in every if a.engine == PACKET]
        name = f"Agreement{camel_case(source)}"
        origin = f"agreement.csv, {source}"
        points = [a.points for a in simulated if a.in_domain]
        in_domain = [a.typical for a in simulated if a.in_domain]
        out_of_domain = [a.typical for a in simulated if not a.in_domain]
        yield Quoted(f"{name}Lines", len(simulated), None, origin)
        yield Quoted(f"{name}Home", len(in_domain), None, origin)
        yield Quoted(f"{name}Away", len(out_of_domain), None, origin)
        yield Quoted(f"{name}Points", sum(points), None, origin)
        yield Quoted(f"{name}SinglePoints", points.count(1), None, origin)
        ninety = float(np.quantile(in_domain, 0.9)) if in_domain else math.nan
        yield Quoted(f"{name}Ninety", per_cent(ninety), 2, origin)
        errors = {"": in_domain, "Away": out_of_domain}
        for engine in REFEREE_NAMES:
            errors[camel_case(engine)] = [
                a.typical for a in every if a.engine == engine and a.in_domain
            ]
            yield Quoted(
                f"{name}{camel_case(engine)}Lines", len(errors[camel_case(engine)]), None, origin
            )
        for part, sizes in errors.items():
            ends = map(per_cent, median_interval(sizes)[1:]) if len(sizes) >= FEWEST_LINES else ()
            yield Quoted(f"{name}{part}Median", per_cent(typical(sizes)), 2, origin, *ends)


def of_validation(summary: Summary) -> Iterable[Quoted]:
    """Yield how often the packet simulator and ns-2 agree, and the largest difference."""
    origin = "data/ns2/agreement.csv"
    yield Quoted("NsCases", summary.cases, None, origin)
    yield Quoted("NsClose", summary.close, None, origin)
    yield Quoted("NsExplained", summary.explained, None, origin)
    yield Quoted("NsWorstPercent", 100 * summary.worst, 2, origin)
    yield Quoted("BooksEvents", summary.events / 1e6, 3, "data/books.csv")
    yield Quoted("BooksConnections", summary.connections, None, "data/books.csv")


def of_conformance(outcomes: Mapping[str, int]) -> Iterable[Quoted]:
    """Yield how many packet sequences of other projects, RFCs and Linux the simulator has."""
    origin = "data/conformance.csv"
    yield Quoted("ConformanceSequences", sum(outcomes.values()), None, origin)
    yield Quoted("ConformanceAgrees", outcomes.get("agrees", 0), None, origin)
    yield Quoted("ConformanceDiffers", outcomes.get("differs", 0), None, origin)
    yield Quoted("ConformanceLeftOut", outcomes.get("does not apply", 0), None, origin)


def of_coverage(found: Iterable[Coverage]) -> Iterable[Quoted]:
    """Yield how often intervals contain the true goodput, and the bias, by kind of measurement."""
    origin = "data/intervals.csv"
    for one in found:
        name = f"Coverage{camel_case(one.measured)}"
        yield Quoted(f"{name}Least", 100 * one.least, 3, origin)
        yield Quoted(f"{name}Most", 100 * one.most, 3, origin)
        yield Quoted(f"{name}Bias", per_cent(one.bias), 2, origin)


ERRATA_CLASSES: dict[str, ErratumClass] = {
    "Misprints": "misprint seen in the text",
    "Reasoning": "error of reasoning proved",
    "Assumptions": "our assumption",
}
"""Classes of errata, by the part of a number's name that denotes the class."""


def _counts(configuration: Configuration) -> Iterable[Quoted]:
    figures = [f for s in configuration.sources.values() for f in s.figures.figures.values()]
    tables = [f for f in figures if isinstance(f, TableFigure)]
    classes = Counter(erratum.evidence for erratum in ERRATA.values())
    counts = {
        "Sources": sum(not source.figures.ours for source in configuration.sources.values()),
        "Models": len(MODELS.names()),
        "Errata": len(ERRATA.names()),
        **{f"Errata{name}": classes[words] for name, words in ERRATA_CLASSES.items()},
        "Exhibits": len(figures),
        "Tables": len(tables),
    }
    for name, count in counts.items():
        yield Quoted(f"Count{name}", count, None, "registers and configuration")


def by_name(numbers: Iterable[Quoted]) -> dict[str, float]:
    """Return the values of all numbers by name.

    Raises:
        ValueError: two numbers have the same name.

    """
    found: dict[str, float] = {}
    for own in numbers:
        if own.name in found:
            raise ValueError(f"two numbers of the report are called {own.name}: see {own.origin}")
        found[own.name] = own.value
    return found


def ends(numbers: Iterable[Quoted]) -> dict[str, float]:
    """Return the ends of each number's interval, under the names `NAME_low` and `NAME_high`.

    The conditions in `paper/sentences.yaml` use these names.
    """
    found: dict[str, float] = {}
    for own in numbers:
        if not math.isnan(own.low):
            found |= {f"{own.name}_low": own.low, f"{own.name}_high": own.high}
    return found


def macros_tex(numbers: Iterable[Quoted]) -> str:
    r"""Return the LaTeX definitions that `\result{Name}` and `\interval{Name}` print."""
    lines = []
    for own in numbers:
        lines.append(rf"\defineresult{{{own.name}}}{{{own.text}}}% {own.origin}")
        if own.interval:
            lines.append(rf"\defineinterval{{{own.name}}}{{{own.interval}}}")
    return "\n".join(lines) + "\n"


def macros_csv(numbers: Iterable[Quoted]) -> str:
    """Return the numbers as CSV: name, value, ends of the interval, origin."""
    rows = (
        {
            "name": own.name,
            "value": own.value,
            "value_low": own.low,
            "value_high": own.high,
            "origin": own.origin,
        }
        for own in numbers
    )
    return csv_text(["name", "value", "value_low", "value_high", "origin"], rows)
