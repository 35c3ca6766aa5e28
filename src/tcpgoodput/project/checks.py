"""Checking any configuration file: what kind it is shows in its keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic import BaseModel

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.census.schema import Census
from tcpgoodput.comparison.claims.files import load_claims
from tcpgoodput.comparison.claims.schema import ClaimsFile
from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, refused
from tcpgoodput.configuration.strict_yaml import SUFFIX, Key, dotted
from tcpgoodput.models.references import references_of
from tcpgoodput.project.configuration import Settings
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.plausibility import Suspect, suspects
from tcpgoodput.studies.curves import wrong_curves
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.schema import SourceFigures
from tcpgoodput.studies.source import Source
from tcpgoodput.studies.values import empty_panels
from tcpgoodput.style.looks import Palette, load_style

KINDS: dict[str, type[BaseModel]] = {
    "scenario": Scenario,
    "figures": SourceFigures,
    "claims": ClaimsFile,
    "settings": Settings,
    "comparison": Comparison,
    "census": Census,
    "style": Palette,
}
"""By their keys files are known: the kind that has most of a file's keys, or nearly has, wins."""


@dataclass(frozen=True)
class Checked:
    """What a good file was found to be, and what in it is hardly meant."""

    found: str
    suspects: list[Suspect]


def kind_of(document: Document) -> str:
    """Return what kind of configuration file a document is.

    Raises:
        ConfigurationError: none that is known.

    """
    data = document.data
    if not isinstance(data, dict):
        raise refused(document.file, "", "must be a mapping of keys")
    likenesses = {kind: _likeness(data, schema) for kind, schema in KINDS.items()}
    kind = max(likenesses, key=lambda kind: likenesses[kind])
    if likenesses[kind] < 1:
        known = "; ".join(f"{name} ({', '.join(k.model_fields)})" for name, k in KINDS.items())
        message = f"is no configuration file known by its keys: {known}"
        raise refused(document.file, "", message)
    return kind


def _likeness(keys: Iterable[str], schema: type[BaseModel]) -> float:
    """Return how many keys a schema has; one that it has but for a slip counts half."""
    names = list(schema.model_fields)
    return sum(
        1.0 if key in names else 0.5 * bool(get_close_matches(key, names, n=1)) for key in keys
    )


def check_document(document: Document) -> Checked:
    """Check one configuration file, and all that it names.

    Raises:
        ConfigurationError: everything that is wrong with it.

    """
    path = Path(document.file)
    match kind_of(document):
        case "scenario":
            scenario = scenario_from(document)
            found = f"scenario {scenario.id}, no errors"
            return Checked(found, suspects(document, scenario))
        case "figures":
            source = load_source(path, load_style(style_beside(path)), references_of(path))
            _refuse_empty_panels(document, source)
            found = f"{len(source.figures.figures)} figures of {source.name}, no errors"
            return Checked(found, _suspects_of_source(document, source))
        case "claims":
            source = load_source(figures_beside(path), load_style(style_beside(path)))
            claims = load_claims(path, source).claims
            return Checked(f"{len(claims)} claims of {source.name}, no errors", [])
        case "comparison":
            compared = load_comparison(path)
            found = f"{len(compared.scenarios)} scenarios to compare models on, no errors"
            return Checked(found, _suspects_of_comparison(path, compared))
        case "census":
            space = load_census(path)
            happenings = len(space.happenings)
            return Checked(
                f"a census of {space.census.points} points, {happenings} kinds of connections, "
                "no errors",
                [],
            )
        case "settings":
            return _check_settings(path)
        case _:
            return Checked(f"{len(load_style(path).names())} styles, no errors", [])


def _check_settings(path: Path) -> Checked:
    configuration = load_configuration(path)
    settings = configuration.settings
    found: list[Suspect] = []
    problems: list[Problem] = []
    for name, source in configuration.sources.items():
        document = read(path.parent / settings.figures / f"{name}.yaml")
        found += _suspects_of_source(document, source)
        problems += _empty_panels(document, source, settings.conditions)
    if problems:
        raise ConfigurationError(problems)
    if configuration.comparison is not None and settings.comparison is not None:
        file = path.parent / settings.comparison
        found += _suspects_of_comparison(file, configuration.comparison)
    figures = sum(len(s.figures.figures) for s in configuration.sources.values())
    claims = sum(len(c.claims) for c in configuration.claims.values())
    sources = len(configuration.sources)
    told = f"settings, {sources} sources, {figures} figures, {claims} claims, no errors"
    if passed_over := _passed_over(path, settings):
        told += f"; not read, for sources does not name them: {', '.join(passed_over)}"
    return Checked(told, found)


def _passed_over(path: Path, settings: Settings) -> list[str]:
    """Return the files of figures and claims that are of no source of the settings."""
    files = [
        file
        for folder in (settings.figures, settings.claims)
        for file in sorted((path.parent / folder).glob(f"*{SUFFIX}"))
    ]
    return [str(file) for file in files if file.stem not in settings.sources]


def _refuse_empty_panels(document: Document, source: Source) -> None:
    if problems := _empty_panels(document, source, Conditions()):
        raise ConfigurationError(problems)


def _empty_panels(document: Document, source: Source, conditions: Conditions) -> list[Problem]:
    """Return what is wrong with a study's panels that only models and curves can tell."""
    if wrong := [document.problem(at, message) for at, message in wrong_curves(source)]:
        return wrong
    return [
        document.problem(("figures", empty.figure, "panels", empty.panel), empty.message)
        for empty in empty_panels(source, conditions)
    ]


def _suspects_of_source(document: Document, source: Source) -> list[Suspect]:
    """Return what looks like a slip in base scenarios, once where others are `like` them."""
    found: list[Suspect] = []
    for name, scenario in source.scenarios.items():
        at: Key = ("scenarios", name)
        own = suspects(document, scenario, at)
        if "like" in document.data["scenarios"][name]:
            changed = document.data["scenarios"][name].get("set", {})
            own = [s for s in own if dotted(s.doubt.key) in changed]
        found += own
    return found


def _suspects_of_comparison(path: Path, compared: Compared) -> list[Suspect]:
    settings = compared.settings
    folders = ((settings.scenarios, compared.scenarios), (settings.held, compared.held))
    return [
        suspect
        for folder, scenarios in folders
        for stem, scenario in scenarios.items()
        for suspect in suspects(read(path.parent / str(folder) / f"{stem}.yaml"), scenario)
    ]


def style_beside(path: Path) -> Path:
    """Return the style file of a file of figures: beside it, above it, or the project's."""
    for folder in (*path.resolve().parents, Path.cwd()):
        for candidate in (folder / "style.yaml", folder / "config" / "style.yaml"):
            if candidate.is_file():
                return candidate
    raise refused(path, "", "no style.yaml beside it, above it, or in config/")


def figures_beside(path: Path) -> Path:
    """Return the file of figures that a file of claims is about: in the folder beside its own."""
    candidate = path.parent.parent / "figures" / path.name
    if not candidate.is_file():
        raise refused(path, "source", f"claims need the source's figures: no file {candidate}")
    return candidate
