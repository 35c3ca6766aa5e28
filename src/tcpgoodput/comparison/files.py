"""Read and check a comparison: its scenarios, their changed copies (variations), and its maps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tcpgoodput.answers import Precision
from tcpgoodput.comparison.census.design import Space
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.families import families_of, regime
from tcpgoodput.comparison.schema import Comparison, Map, Variation
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives, collecting, nearest
from tcpgoodput.configuration.strict_yaml import SUFFIX, Key
from tcpgoodput.models import MODELS
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.files import load_scenarios, scenario_from
from tcpgoodput.studies.expressions import resolved
from tcpgoodput.studies.quantities import wrong_unit_of_variable
from tcpgoodput.studies.sweeps import grid_values, representative_values


@dataclass(frozen=True)
class Cell:
    """A point of a map of errors: the values of both swept variables, and the scenario there."""

    x: float
    y: float
    scenario: Scenario


@dataclass(frozen=True)
class Compared:
    """The content of a comparison's file, and the scenarios that this file names."""

    settings: Comparison
    scenarios: dict[str, Scenario]
    """The scenarios of the matrix of errors, by the name of their file without ending."""
    mapped: dict[str, Scenario]
    """The base scenario of each map, by the name of the map."""
    held: Space | None = None
    """Space from which the held-out connections are drawn; None if the file names none."""

    @property
    def families(self) -> dict[str, list[str]]:
        """The models by family; a family has the name of its first model."""
        return families_of(self.settings.families, MODELS.names())

    @property
    def variation_labels(self) -> dict[str, str]:
        """The label of each variation of a scenario, by the name of the variation."""
        every = {**self.settings.variations, **self.settings.sensitivity}
        return {name: variation.label for name, variation in every.items()}

    @property
    def regimes(self) -> dict[str, dict[str, str]]:
        """The regime (set of impairments) of the matrix's scenarios, by variation and id."""
        found: dict[str, dict[str, str]] = {}
        for stem, plain in self.scenarios.items():
            for variation, scenario in self.rows(stem).items():
                found.setdefault(variation, {})[plain.id] = regime(scenario)
        return found

    @property
    def titles(self) -> dict[str, str]:
        """The title of each scenario of the matrix of errors, by id."""
        return {scenario.id: scenario.title for scenario in self.scenarios.values()}

    def rows(self, stem: str) -> dict[str, Scenario]:
        """Return the scenario in file `stem` and its variations, rows of the matrix of errors.

        The keys are the names of the variations; that of the unchanged scenario, the first, is
        empty.
        """
        plain = self.scenarios[stem]
        return {"": plain, **_each_varied(plain, self.settings.variations)}

    def sensitivities(self, stem: str) -> dict[str, Scenario]:
        """Return the copies of the scenario in file `stem`, by the change in `sensitivity`."""
        return _each_varied(self.scenarios[stem], self.settings.sensitivity)

    def drawn(self, name: str) -> list[str]:
        """Return the names of the models that a map shows; those in its key `first` come first."""
        region = self.settings.maps[name]
        left_out = {*self.settings.leave_out, *region.leave_out}
        return [m for m in dict.fromkeys([*region.first, *MODELS.names()]) if m not in left_out]

    def cells(self, name: str, precision: Precision) -> Iterator[Cell]:
        """Yield the points of a map of errors, row by row; a draft may have fewer points."""
        region = self.settings.maps[name]
        for y in grid_values(region.y.values, precision):
            for x in grid_values(region.x.values, precision):
                yield map_cell(region, self.mapped[name], float(x), float(y))


def varied(scenario: Scenario, name: str, variation: Variation) -> Scenario:
    """Return the copy of a scenario that a variation defines; its id ends with `-NAME`."""
    names = {"rate_pps": scenario.rate_pps, "rtt_s": scenario.propagation_rtt_s}
    changes = {**resolved(variation.set, names), "id": f"{scenario.id}-{name}"}
    return override(scenario, changes)


def _each_varied(scenario: Scenario, variations: Mapping[str, Variation]) -> dict[str, Scenario]:
    """Return a scenario's changed copies, by the name of each variation that applies to it."""
    return {
        name: varied(scenario, name, variation)
        for name, variation in variations.items()
        if not variation.only or scenario.id in variation.only
    }


def map_cell(region: Map, scenario: Scenario, x: float, y: float) -> Cell:
    """Return the point (x, y) of a map of errors, with its scenario.

    The scenario keys of the x axis are set before those of the y axis. Values that make the
    scenario invalid raise `ValueError`.
    """
    names = {region.x.variable: x, region.y.variable: y}
    across = override(scenario, resolved(region.x.set, names))
    return Cell(x, y, override(across, resolved(region.y.set, names)))


def load_comparison(path: Path) -> Compared:
    """Read and check a comparison's file and everything that the file names."""
    document = read(path)
    settings = validated(Comparison, document)
    problems: list[Problem] = []
    scenarios: dict[str, Scenario] = {}
    folder = path.parent / settings.scenarios
    if folder.is_dir():
        with collecting(problems):
            if not (scenarios := load_scenarios(folder)):
                message = f"no scenario in {folder}: no file *{SUFFIX}"
                problems.append(document.problem(("scenarios",), message))
    else:
        problems.append(document.problem(("scenarios",), f"no folder {folder}"))
    held: Space | None = None
    if settings.held:
        file = path.parent / settings.held
        if file.is_file():
            with collecting(problems):
                held = load_census(file)
        else:
            problems.append(document.problem(("held",), f"no file {file}"))
    problems += _wrong_families(document, settings)
    problems += _wrong_variations(document, settings, scenarios)
    mapped: dict[str, Scenario] = {}
    problems += _wrong_models(document, ("leave_out",), settings.leave_out)
    for name, region in settings.maps.items():
        for key, axis in (("x", region.x), ("y", region.y)):
            if wrong := wrong_unit_of_variable(axis.variable, axis.set, axis.unit):
                problems.append(document.problem(("maps", name, key, "unit"), wrong))
        problems += _wrong_map(document, name, region, mapped)
        problems += _wrong_models(document, ("maps", name, "leave_out"), region.leave_out)
        left_out = [*settings.leave_out, *region.leave_out]
        problems += _wrong_models(document, ("maps", name, "first"), region.first, left_out)
    compared = Compared(settings, scenarios, mapped, held)
    if not problems:
        for name in settings.maps:
            if not compared.drawn(name):
                problems.append(document.problem(("maps", name), "leaves out every model"))
    if problems:
        raise ConfigurationError(problems)
    return compared


def _wrong_families(document: Document, settings: Comparison) -> Iterator[Problem]:
    """Yield problems with families, such as a model that belongs to two families."""
    placed: dict[str, str] = {}
    for number, family in enumerate(settings.families):
        if family.label in [other.label for other in settings.families[:number]]:
            message = f"another family is labelled {family.label!r}"
            yield document.problem(("families", number, "label"), message)
        at: Key = ("families", number, "models")
        yield from _wrong_models(document, at, family.models)
        for position, model in enumerate(family.models):
            if placed.setdefault(model, family.label) != family.label:
                message = f"{model} is in the family {placed[model]!r}, too"
                yield document.problem((*at, position), message)


def _wrong_variations(
    document: Document, settings: Comparison, scenarios: Mapping[str, Scenario]
) -> Iterator[Problem]:
    """Yield problems with names, scenarios and changed keys of variations."""
    for name in settings.variations.keys() & settings.sensitivity.keys():
        yield document.problem(("sensitivity", name), f"{name} is in `variations`, too")
    ids = {scenario.id: stem for stem, scenario in scenarios.items()}
    for kind in ("variations", "sensitivity"):
        for name, variation in getattr(settings, kind).items():
            # A variation's name and a scenario's id must not be mistaken for each other.
            is_named_twice = kind == "sensitivity" and name in settings.variations
            for own, stem in ids.items():
                if own.endswith(f"-{name}") and not is_named_twice:
                    message = (
                        f"the id {own} of {stem}.yaml ends as those of this variation do: "
                        "rename one of them"
                    )
                    yield document.problem((kind, name), message)
            for position, asked in enumerate(variation.only if scenarios else ()):
                if asked not in ids:
                    message = f"no scenario has the id {asked!r}{nearest(asked, ids)}"
                    yield document.problem((kind, name, "only", position), message)
            for scenario in scenarios.values():
                try:
                    _each_varied(scenario, {name: variation})
                except ValueError as error:
                    yield document.problem((kind, name, "set"), f"of {scenario.id}: {error}")
                    break


def _wrong_models(
    document: Document, at: Key, models: Sequence[str], left_out: Collection[str] = ()
) -> Iterator[Problem]:
    """Yield problems with a list of models, such as a model that is also left out."""
    known = MODELS.names()
    for position, model in enumerate(models):
        if model not in known:
            message = f"no model is called {model!r}{alternatives(model, known)}"
            yield document.problem((*at, position), message)
        elif model in models[:position]:
            yield document.problem((*at, position), f"{model} is listed twice")
        elif model in left_out:
            yield document.problem((*at, position), f"{model} is left out at the same time")


def _wrong_map(
    document: Document, name: str, region: Map, mapped: dict[str, Scenario]
) -> Iterator[Problem]:
    """Yield problems with a map; if the map has none, add its scenario to `mapped`."""
    at: Key = ("maps", name)
    # The id of a map's base scenario is the name of the map.
    document.data["maps"][name]["scenario"]["id"] = name.replace("_", "-")
    try:
        mapped[name] = scenario_from(document, (*at, "scenario"))
    except ConfigurationError as error:
        yield from error.problems
        return
    for x in representative_values(region.x.values):
        for y in representative_values(region.y.values):
            try:
                map_cell(region, mapped[name], x, y)
            except ValueError as error:
                yield document.problem(at, f"at x = {x:g}, y = {y:g}: {error}")
                return
