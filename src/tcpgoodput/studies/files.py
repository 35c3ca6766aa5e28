"""Read and check a study's file of figures, including everything that the file names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tcpgoodput.studies.sender_views  # noqa: F401  (registers the simulator's curves)
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives, choices, collecting, nearest
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.engines.base import REFEREE_NAMES
from tcpgoodput.models import CURVES, MODELS, TABLES
from tcpgoodput.models.references import unknown_citation
from tcpgoodput.models.registry import Register
from tcpgoodput.scenario import Scenario, override, scenario_from
from tcpgoodput.studies.like import in_full, stated_once
from tcpgoodput.studies.open_settings import in_every_setting, places, wrong_settings
from tcpgoodput.studies.quantities import wrong_unit_of_quantity, wrong_unit_of_variable
from tcpgoodput.studies.schema import (
    Area,
    Figure,
    LineFigure,
    Panel,
    Series,
    Source,
    SourceFigures,
    Sweep,
    Variation,
)
from tcpgoodput.studies.sweeps import (
    base_scenario,
    missed,
    representative_values,
    sweep_point,
    swept_scenario,
)
from tcpgoodput.style import Style


def load_source(path: Path | str, style: Style, references: Sequence[str] | None = None) -> Source:
    """Read one file of figures, and check that everything it names exists.

    Args:
        path: the file.
        style: the styles (colours, lines, markers) that series may name.
        references: keys of the bibliography that the file may cite; None: any key.

    Raises:
        ConfigurationError: the file is invalid; the message lists every problem.

    """
    file = read(path)
    try:
        return _checked(in_full(file), style, references)
    except ConfigurationError as error:
        raise ConfigurationError(stated_once(error.problems, file)) from None


def _checked(document: Document, style: Style, references: Sequence[str] | None) -> Source:
    """Return the content of a file of figures in which nothing is `like` another figure."""
    figures = validated(SourceFigures, document)
    problems: list[Problem] = []
    if figures.source != (name := Path(document.file).stem):
        message = f"must be the file's name, {name}; rename one of the two"
        problems.append(document.problem(("source",), message))
    source = Source(figures, _scenarios(document, figures, problems))
    cited = figures.citation
    if references is not None and cited and (wrong := unknown_citation(cited, references)):
        problems.append(document.problem(("citation",), wrong))
    problems += wrong_settings(document, figures)
    checker = _Checker(document, source, style, problems)
    for name, figure in figures.figures.items():
        checker.figure(figure, ("figures", name))
    if problems:
        raise ConfigurationError(problems)
    return _in_every_setting(document, source, style)


def _in_every_setting(document: Document, source: Source, style: Style) -> Source:
    """Return a sound file's figures with those in other settings, and check the latter."""
    whole = replace(source, figures=in_every_setting(source.figures))
    problems: list[Problem] = []
    for name, place in places(source.figures).items():
        found: list[Problem] = []
        _Checker(document, whole, style, found).figure(whole.figures.figures[name], ())
        at: Key = ("settings", place.group, "others", place.choice)
        problems += [document.problem(at, f"in {place.figure}: {p.message}") for p in found]
    if problems:
        raise ConfigurationError(problems)
    return whole


def _scenarios(
    document: Document, figures: SourceFigures, problems: list[Problem]
) -> dict[str, Scenario]:
    """Return the file's base scenarios by id; problems with scenarios are added to `problems`."""
    scenarios: dict[str, Scenario] = {}
    for name, data in figures.scenarios.items():
        at: Key = ("scenarios", name)
        with collecting(problems):
            if "like" in data:
                scenarios[name] = _variation(document, at, name, scenarios)
            else:
                data["id"] = name
                document.data["scenarios"][name] = data
                scenarios[name] = scenario_from(document, at)
    return scenarios


def _variation(document: Document, at: Key, name: str, scenarios: dict[str, Scenario]) -> Scenario:
    variation = validated(Variation, document, at)
    base = scenarios.get(variation.like)
    if base is None:
        hint = alternatives(variation.like, list(scenarios))
        message = f"no scenario above is {variation.like!r}{hint}"
        raise ConfigurationError([document.problem((*at, "like"), message)])
    try:
        changes = {"id": name, "title": variation.title or base.title, **variation.set}
        return override(base, changes)
    except ValueError as error:
        raise ConfigurationError([document.problem((*at, "set"), str(error))]) from None


class _Checker:
    """Checker of a file's figures against the names, scenarios and styles that they use."""

    def __init__(
        self, document: Document, source: Source, style: Style, problems: list[Problem]
    ) -> None:
        self.document = document
        self.source = source
        self.style = style
        self.problems = problems

    def problem(self, at: Key, message: str) -> None:
        self.problems.append(self.document.problem(at, message))

    def figure(self, figure: Figure, at: Key) -> None:
        if isinstance(figure, LineFigure):
            for name, panel in figure.panels.items():
                self.panel(panel, (*at, "panels", name))
            self.numbers(figure, at)
        elif figure.kind == "ladder":
            for name, exchange in figure.panels.items():
                place = (*at, "panels", name)
                self.scenario(exchange.scenario, exchange.set, (*place, "scenario"))
                self.named(TABLES, exchange.table, exchange.options, (*place, "table"))
        elif figure.kind == "topology":
            self.scenario(figure.scenario, figure.set, (*at, "scenario"))
        else:
            self.named(TABLES, figure.table, figure.options, (*at, "table"))
            for position, name in enumerate(figure.scenarios):
                self.scenario(name, figure.set, (*at, "scenarios", position))

    def panel(self, panel: Panel, at: Key) -> None:
        base = None
        if panel.scenario is not None:
            base = self.scenario(panel.scenario, panel.set, (*at, "scenario"))
        self.units(panel, at)
        labels = [self.style.label(series) for series in panel.series]
        keys = [series.key for series in panel.series]
        xs = representative_values(panel.sweep.values) if panel.sweep else []
        for position, mark in enumerate(panel.marks):
            if isinstance(mark, Area) and mark.series not in (None, *keys):
                message = f"no series is called {mark.series!r} ({choices(keys)})"
                self.problem((*at, "marks", position, "series"), message)
        sound = not (base and panel.sweep) or self.swept(base, panel, panel.sweep, xs, at)
        for position, series in enumerate(panel.series):
            place = (*at, "series", position)
            if labels.count(labels[position]) > 1:
                self.problem(place, f"two series are labelled {labels[position]!r}: rename one")
            if keys.count(series.key) > 1:
                self.problem(place, f"two series are called {series.key}: give each an id")
            if series.style and series.style not in self.style:
                hint = alternatives(series.style, self.style.names())
                self.problem((*place, "style"), f"no style {series.style!r}{hint}")
            if series.against not in (None, *keys) or series.against == series.key:
                message = f"no other series is called {series.against!r} ({choices(keys)})"
                self.problem((*place, "against"), message)
            if series.stands_for:
                self.check_stands_for(series.stands_for, panel, (*place, "stands_for"))
            if series.model:
                self.named(MODELS, series.model, {}, (*place, "model"))
            if series.curve:
                self.named(CURVES, series.curve, series.options, (*place, "curve"))
            if base is not None and sound:
                self.series_scenarios(base, panel, series, xs, place)

    def units(self, panel: Panel, at: Key) -> None:
        """Check that the axes have the units of the quantities of models and engines."""
        if panel.quantity and (wrong := wrong_unit_of_quantity(panel.quantity, panel.y.unit)):
            self.problem((*at, "y", "unit"), wrong)
        if (sweep := panel.sweep) and (
            wrong := wrong_unit_of_variable(sweep.variable, sweep.set, panel.x.unit)
        ):
            self.problem((*at, "x", "unit"), wrong)

    def check_stands_for(self, name: str, panel: Panel, at: Key) -> None:
        """Check that `stands_for` names an ns-2 or Linux series that no other series names."""
        measured = [series.key for series in panel.series if series.engine in REFEREE_NAMES]
        if name not in measured:
            message = f"no referee's series is called {name!r}{nearest(name, measured)}"
            self.problem(at, f"{message} ({choices(measured)})" if measured else message)
        elif [series.stands_for for series in panel.series].count(name) > 1:
            self.problem(at, f"two series stand for {name}: remove one")

    def swept(self, base: Scenario, panel: Panel, sweep: Sweep, xs: list[float], at: Key) -> bool:
        """Return whether a panel's sweep, without changes by series, gives valid scenarios at `xs`.

        If it does not, add the problem to the list of problems.
        """
        try:
            for x in xs:
                swept_scenario(base, panel, sweep, x)
        except ValueError as error:
            self.problem((*at, "sweep", "set"), str(error))
            return False
        return True

    def series_scenarios(
        self, base: Scenario, panel: Panel, series: Series, xs: list[float], at: Key
    ) -> None:
        try:
            if series.curve:
                base_scenario(base, panel, series)
            elif panel.sweep:
                for x in xs:
                    tcp = sweep_point(base, panel, panel.sweep, series, x).scenario.tcp
                    if panel.quantity == "transfer_s" and tcp.transfer_packets is None:
                        raise ValueError("transfer_s needs tcp.transfer_packets: a transfer's end")
        except ValueError as error:
            self.problem(at, str(error))

    def numbers(self, figure: LineFigure, at: Key) -> None:
        for position, number in enumerate(figure.numbers):
            place = (*at, "numbers", position)
            panel = figure.panels.get(number.panel or next(iter(figure.panels)))
            if panel is None or (number.panel is None and len(figure.panels) > 1):
                self.problem(place, f"panel must be one of {', '.join(figure.panels)}")
                continue
            known = [series.key for series in panel.series]
            for key in ("series", "minus", "divided_by"):
                name = getattr(number, key)
                if isinstance(name, str) and name not in known:
                    message = f"no series is called {name!r}{nearest(name, known)}"
                    self.problem((*place, key), f"{message} ({choices(known)})")
            swept = [series.key for series in panel.series if series.curve is None]
            sweep = panel.sweep if number.series in swept else None
            if sweep and (found := missed(number, sweep)):
                self.problem((*place, found[0]), found[1])

    def scenario(self, name: str, changes: dict[str, Any], at: Key) -> Scenario | None:
        base = self.source.scenarios.get(name)
        if base is None:
            hint = alternatives(name, list(self.source.scenarios))
            self.problem(at, f"no scenario {name!r}{hint}")
            return None
        try:
            override(base, changes)
        except ValueError as error:
            self.problem((*at[:-1], "set"), str(error))
            return None
        return base

    def named(self, register: Register[Any], name: str, options: dict[str, Any], at: Key) -> None:
        try:
            thing = register[name]
        except LookupError as error:
            self.problem(at, str(error))
            return
        if register is MODELS:
            return
        known = option_names(thing)
        for option in options:
            if option not in known:
                hint = alternatives(option, known)
                self.problem((*at[:-1], "with", option), f"{name} has no such option{hint}")


def option_names(function: Callable[..., Any]) -> list[str]:
    """Return the options of a curve or table, which are its parameters except scenarios."""
    parameters = inspect.signature(function).parameters
    return [name for name in parameters if name not in ("scenario", "scenarios")]
