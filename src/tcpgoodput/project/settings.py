"""Reading and checking of the settings and of all files that they name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.files import load_census, load_censuses
from tcpgoodput.comparison.census.schema import Census
from tcpgoodput.comparison.claims.files import SourceClaims, load_claims
from tcpgoodput.comparison.claims.schema import ClaimsFile
from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.comparison.inputs import Inputs, InputsFile, load_inputs
from tcpgoodput.comparison.printed.files import PrintedFile, SourcePrinted, load_printed
from tcpgoodput.comparison.schema import Comparison, Family
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, refused, validated
from tcpgoodput.configuration.problems import LONGEST_NAME, alternatives, collecting, nearest
from tcpgoodput.configuration.strict_yaml import (
    NAMES,
    SUFFIX,
    Key,
    dotted,
    misnamed,
    other_kind,
    parse,
)
from tcpgoodput.configuration.unreadable import link_to_nowhere, no_mapping
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.packet import Packet
from tcpgoodput.models import MODELS
from tcpgoodput.models.outside import add_listed
from tcpgoodput.models.references import references_of, unprintable
from tcpgoodput.project.selections import NumbersFile, check_numbers
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.plausibility import Doubt, Suspect, suspects
from tcpgoodput.scenario.types import Part, PlainText
from tcpgoodput.studies.checks import empty_panels, empty_series, wrong_curves
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.like import in_full
from tcpgoodput.studies.open_settings import as_drawn
from tcpgoodput.studies.recordings.campaign import Campaign, load_campaign
from tcpgoodput.studies.schema import Name, Source, SourceFigures
from tcpgoodput.style import Look, Palette, Style, load_style, looks

if TYPE_CHECKING:
    from tcpgoodput.comparison.census.design import Space


DEFAULT_PATH = Path("config/config.yaml")
"""Path of the settings file that is used by default."""

CHANGED = "--config"
"""Place of problems of settings that were changed, in messages; Snakemake has this option."""

ELSEWHERE = "no such file; run this in the project's folder"
"""Message for a settings file that does not exist."""

FILES = ("figures", "claims", "printed", "style", "comparison", "census", "inputs")
"""Keys of the settings that name a file or a folder."""

RESERVED_NAMES = (
    *("agreement", "census", "claims", "comparison", "explorer", "heldout", "html", "inputs"),
    *("maps", "measurements", "referees", "report", "simulate", "site", "study", "validation"),
    *("abstract", "choice", "compared_referees", "errata", "example", "files", "held", "kernel"),
    *("mechanisms", "method", "models", "question", "recorded", "simulator", "threats"),
)
"""Names that no study may have: the workflow uses them for files or folders of results or for a
notebook, or the report has a section of this name."""


RunName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=80)]


class Settings(Part):
    """Content of `config/config.yaml`."""

    sources: Annotated[list[Name], Field(min_length=1)] = Field(
        description="names of the studies to recompute, in the report's order; each study has a "
        "file of figures"
    )
    precision: Literal["draft", "paper"] = Field(
        "paper",
        description="paper: the precision of the report; draft: coarser sweeps and shorter runs",
    )
    equations: Literal["corrected", "printed"] = Field(
        "corrected",
        description="printed: equations as published; corrected: without misprints",
    )
    seed: Annotated[int, Field(ge=0, le=2**63)] = Field(1, description="seed of all random numbers")
    run: RunName | None = Field(
        None,
        description="name of the run: its results, figures and report are in runs/NAME/; null: "
        "in results/, figures/ and paper/, and of a draft in runs/draft/",
    )
    figures: PlainText = Field(
        "figures", description="folder of the files of figures, beside this file"
    )
    claims: PlainText = Field(
        "claims", description="folder of the files of claims, beside this file; may be missing"
    )
    printed: PlainText = Field(
        "printed",
        description="folder of the files of printed numbers, beside this file; may be missing",
    )
    sentences: Literal["must-hold", "mark"] = Field(
        "mark",
        description="mark: a sentence of the report is marked if its numbers no longer support it "
        "or are not in the run; must-hold (this project's CI): such a sentence also stops a run "
        "at precision paper",
    )
    referee_points: Literal["all", "missing", "quick"] = Field(
        "all",
        description="measurements by ns-2 and Linux that `snakemake record_referees` makes: all "
        "again, only missing ones, or a sample, which is written to results/referees/sample and "
        "does not change data/",
    )
    style: PlainText = Field(
        "style.yaml",
        description="file of names, colours and markers of models and engines, beside this file",
    )
    comparison: PlainText | None = Field(
        None,
        description="file that defines the comparison of all models, beside this file; null = no "
        "comparison",
    )
    census: PlainText | None = Field(
        None,
        description="folder of censuses (random samples of connections), beside this file; null = "
        "no census",
    )
    inputs: PlainText | None = Field(
        None,
        description="file that defines what predictions know of the link, beside this file; it "
        "needs a random sample, so it is not used without `census`; null = errors are not "
        "compared by what is known",
    )
    models: Annotated[list[PlainText], Field(max_length=100)] = Field(
        default_factory=list,
        description="Python files with models of your own, in the folder of this file; they are "
        "executed as programs, so name only files that you trust",
    )
    custom_rules: Annotated[list[PlainText], Field(max_length=100)] = Field(
        default_factory=list,
        description="files with Snakemake rules of your own, in the folder of this file; the "
        "workflow includes them, and `snakemake NAME` runs the rule NAME",
    )

    @property
    def run_name(self) -> str | None:
        """The run's name; a draft is called `draft` by default, to overwrite no final results."""
        return self.run or ("draft" if self.precision == "draft" else None)

    @property
    def conditions(self) -> Conditions:
        """Equations, precision and seed with which models are evaluated."""
        return Conditions(self.equations, self.precision, self.seed)


@dataclass(frozen=True)
class Configuration:
    """The complete configuration of a run, read and checked."""

    path: Path
    settings: Settings
    style: Style
    sources: dict[str, Source]
    claims: dict[str, SourceClaims]
    """Claims of each study that has a file of claims, by the study's name."""
    comparison: Compared | None = None
    censuses: dict[str, Space] = field(default_factory=dict)
    """Random samples of connections (censuses), by the name of their file without suffix."""
    printed: dict[str, SourcePrinted] = field(default_factory=dict)
    """Printed numbers of each study that has a file of them, by the study's name."""
    inputs: Inputs | None = None
    """What predictions know of the link, at each level; None: the settings name no such file."""

    @property
    def families(self) -> list[Family]:
        """The families of models that the comparison defines."""
        return self.comparison.settings.families if self.comparison else []


SCHEMAS: dict[str, type[BaseModel]] = {
    "scenario": Scenario,
    "figures": SourceFigures,
    "claims": ClaimsFile,
    "printed": PrintedFile,
    "settings": Settings,
    "comparison": Comparison,
    "census": Census,
    "inputs": InputsFile,
    "style": Palette,
}
"""Schemas of the kinds of files that config/README.md describes."""

KINDS = {**SCHEMAS, "numbers": NumbersFile, "recordings": Campaign}
"""Schemas of the kinds of configuration files. The kind of a file is the one whose schema has most
of the file's keys; a misspelt key counts half."""


def load_settings(path: Path, changes: Mapping[str, Any]) -> Settings:
    """Read the settings, and register the models in Python files that they name.

    The other files that the settings name are not read.

    Args:
        path: the settings file.
        changes: keys of the settings with values that override the values in the file.

    Raises:
        ConfigurationError: the file is invalid; the message lists every problem.

    """
    return _load_settings(path, changes)[0]


def _load_settings(path: Path, changes: Mapping[str, Any]) -> tuple[Settings, Document]:
    """Return the settings, and their document; register the models that they name."""
    if not path.exists():
        raise refused(path, "", ELSEWHERE)
    document = read(path)
    settings = _changed(document, changes)
    add_listed(settings.models, document, changes)
    return settings, document


def load_configuration(path: Path | str, changes: Mapping[str, Any] | None = None) -> Configuration:
    """Read and check the settings and every file that they name.

    Args:
        path: the settings file.
        changes: keys of the settings with values that override the values in the file.

    Raises:
        ConfigurationError: a file is invalid; the message lists every problem of all files.

    """
    path, changes = Path(path), changes or {}
    settings, document = _load_settings(path, changes)
    references = references_of(path)
    _refuse_missing(settings, document, changes)
    problems: list[Problem] = [*unprintable(MODELS.values(), references)]
    for folder in (settings.figures, settings.claims, settings.printed):
        problems += misnamed(path.parent / folder)
    style = load_style(path.parent / settings.style)
    sources: dict[str, Source] = {}
    for position, name in enumerate(settings.sources):
        file = path.parent / settings.figures / f"{name}{SUFFIX}"
        place = ("sources", position)
        if name in RESERVED_NAMES:
            message = "no study can be called so: the workflow uses this name itself; rename it"
            problems.append(document.problem(place, message))
        elif name in sources:
            problems.append(document.problem(place, "is listed twice; remove one of the two"))
        elif not file.is_file():
            known = sorted(p.stem for p in file.parent.glob(NAMES))
            hint = link_to_nowhere(file) or (alternatives(name, known) if known else "")
            problems.append(document.problem(place, f"no file {file}{hint}"))
        else:
            with collecting(problems):
                sources[name] = load_source(file, style, references)
    claims: dict[str, SourceClaims] = {}
    printed: dict[str, SourcePrinted] = {}
    for name, source in sources.items():
        file = path.parent / settings.claims / f"{name}{SUFFIX}"
        # Printed numbers refer to claims, so they are not checked if the claims are invalid.
        with collecting(problems):
            if file.is_file():
                claims[name] = load_claims(file, source)
            if (file := path.parent / settings.printed / f"{name}{SUFFIX}").is_file():
                printed[name] = load_printed(file, source, claims.get(name))
    comparison = None
    censuses: dict[str, Space] = {}
    with collecting(problems):
        if settings.comparison is not None:
            comparison = load_comparison(path.parent / settings.comparison)
    with collecting(problems):
        if settings.census is not None:
            censuses = load_censuses(path.parent / settings.census)
    inputs = None
    if settings.inputs is not None and settings.census is not None and not problems:
        with collecting(problems):
            inputs = load_inputs(path.parent / settings.inputs, censuses)
    if problems:
        raise ConfigurationError(_in_their_place(problems, path, settings))
    return Configuration(
        path, settings, style, sources, claims, comparison, censuses, printed, inputs
    )


def _in_their_place(
    problems: Iterable[Problem], path: Path, settings: Settings
) -> Iterator[Problem]:
    """Yield problems; of a file that is of another kind than its folder, only where it belongs."""
    folders = {path.parent / getattr(settings, kind): kind for kind in ("figures", "claims")}
    folders[path.parent / settings.printed] = "printed"
    if settings.census is not None:
        folders[path.parent / settings.census] = "census"
    for file, own in groupby(sorted(problems), lambda problem: problem.file):
        expected = folders.get(Path(file).parent)
        moved = _misplaced(Path(file), expected) if expected else None
        yield from own if moved is None else [moved]


def _misplaced(path: Path, expected: str) -> Problem | None:
    """Return the problem that a file is of another kind than expected; None if it is not."""
    try:
        kind = kind_of(read(path))
    except ConfigurationError:
        return None
    if kind == expected:
        return None
    folder = FOLDERS.get(kind, "config/")
    message = f"is a file of the kind {kind}, not {expected}; move it to {folder}"
    return Problem(str(path), 0, "", message)


def _refuse_missing(settings: Settings, document: Document, changes: Mapping[str, Any]) -> None:
    """Refuse files and folders that the settings name but that do not exist."""
    problems = []
    for key in FILES:
        named = getattr(settings, key)
        # These two are optional unless the settings name their folder explicitly.
        is_explicit = key not in ("claims", "printed") or key in settings.model_fields_set
        if named is None or not is_explicit:
            continue
        place = Path(document.file).parent / named
        if place.exists():
            continue
        siblings = sorted(entry.name for entry in place.parent.glob("*"))
        hint = link_to_nowhere(place) or nearest(place.name, siblings)
        message = f"no such file or folder: {place}{hint}"
        given = Problem(CHANGED, 0, key, message)
        problems.append(given if key in changes else document.problem((key,), message))
    for position, file in enumerate(settings.custom_rules):
        place = Path(document.file).parent / file
        if not place.is_file():
            message = f"no such file: {place}; it must have Snakemake rules"
            problems.append(document.problem(("custom_rules", position), message))
    if problems:
        raise ConfigurationError(problems)


def _changed(document: Document, changes: Mapping[str, Any]) -> Settings:
    """Return the settings after changes by the option `--config`.

    Error messages about changed settings name the option, not the file.
    """
    settings = validated(Settings, document)
    if not changes:
        return settings
    text = "\n".join(f"{key}: {_as_yaml(key, value)}" for key, value in changes.items())
    given = parse(text, CHANGED)
    data = {**document.data, **given.data}
    problems = {key: replace(problem, line=0) for key, problem in given.problems.items()}
    merged = Document(CHANGED, data, {(): 0}, problems)
    return validated(Settings, merged)


def _as_yaml(key: str, value: Any) -> str:
    """Return the new value of a key of the settings as YAML: null, a text in quotes, or as it is.

    Snakemake turns the option `run=2024` into a number, and removes quotes.
    """
    if value is None or value == "null":
        return "null"
    if key in ("run", *FILES) or isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False)
    return str(value)


FOLDERS = {
    "scenario": "config/scenarios/",
    "figures": "config/figures/",
    "claims": "config/claims/",
    "printed": "config/printed/",
    "census": "config/census/",
}
"""Folders of files by their kind; files of other kinds are in `config/`. For messages."""

MOST_COMPARED = 100
"""Most keys of a file by which its kind is recognised; chosen by hand."""


@dataclass(frozen=True)
class Checked:
    """Result of the check of a valid file: a summary, and values that look like mistakes."""

    found: str
    suspects: list[Suspect]


def kind_of(document: Document) -> str:
    """Return the kind of a configuration file, such as `scenario` or `figures`; see `KINDS`.

    Raises:
        ConfigurationError: the file is of no known kind.

    """
    data = document.data
    if not isinstance(data, dict):
        raise refused(document.file, "", no_mapping(data))
    likenesses = {kind: _likeness(data, schema) for kind, schema in KINDS.items()}
    kind = max(likenesses, key=lambda kind: likenesses[kind])
    if likenesses[kind] < 1:
        known = "; ".join(f"{name} ({', '.join(k.model_fields)})" for name, k in KINDS.items())
        hint = other_kind(document.file)
        message = f"is no configuration file known by its keys{hint} (keys: {known})"
        raise refused(document.file, "", message)
    return kind


def _likeness(keys: Iterable[str], schema: type[BaseModel]) -> float:
    """Return how many of the first keys a schema has; a misspelt key counts half."""
    names = list(schema.model_fields)
    return sum(
        1.0 if key in names else 0.5 * bool(get_close_matches(key[:LONGEST_NAME], names, n=1))
        for key in islice(keys, MOST_COMPARED)
    )


def check_document(document: Document) -> Checked:
    """Check one configuration file, and all files that it names."""
    path, doubtful = Path(document.file), list[Suspect]()
    match kind_of(document):
        case "settings":
            return _check_settings(path)
        case "scenario":
            scenario = scenario_from(document)
            found, doubtful = f"scenario {scenario.id}", suspects(document, scenario)
        case "figures":
            source = load_source(path, load_style(style_next_to(path)), references_of(path))
            document = in_full(document)
            if problems := _empty_panels(document, source, Conditions()):
                raise ConfigurationError(problems)
            found = f"{len(as_drawn(source.figures))} figures of {source.name}"
            doubtful = _suspects_of_source(document, source, Conditions())
        case "claims":
            source = load_source(figures_next_to(path), load_style(style_next_to(path)))
            found = f"{len(load_claims(path, source).claims)} claims of {source.name}"
        case "printed":
            source = load_source(figures_next_to(path), load_style(style_next_to(path)))
            beside = path.parent.parent / "claims" / path.name
            known = load_claims(beside, source) if beside.is_file() else None
            numbers = load_printed(path, source, known).numbers
            found = f"{len(numbers)} printed numbers of {source.name}"
        case "comparison":
            compared = load_comparison(path)
            found = f"{len(compared.scenarios)} scenarios to compare models on"
            doubtful = _suspects_of_comparison(path, compared)
        case "census":
            space = load_census(path)
            groups = len(space.impairment_groups)
            found = f"a census of {space.census.points} points, {groups} kinds of connections"
        case "inputs":
            # Without the samples next to the file, the samples' names are not checked.
            samples = path.parent / "census"
            if samples.is_dir():
                settings = load_inputs(path, load_censuses(samples)).settings
            else:
                settings = validated(InputsFile, document)
            found = f"{len(settings.levels)} levels of what is known of a link"
        case "recordings":
            found = f"{len(load_campaign(path).recordings)} recorded links"
        case "numbers":
            found = f"{check_numbers(document)} numbers of the report"
        case _:
            found = f"{len(load_style(path).names())} styles"
    return Checked(f"{found}, no errors", doubtful)


def _check_settings(path: Path) -> Checked:
    configuration = load_configuration(path)
    settings = configuration.settings
    found: list[Suspect] = []
    problems: list[Problem] = []
    for name, source in configuration.sources.items():
        document = in_full(read(path.parent / settings.figures / f"{name}.yaml"))
        found += _suspects_of_source(document, source, settings.conditions)
        problems += _empty_panels(document, source, settings.conditions)
    if problems:
        raise ConfigurationError(problems)
    if configuration.comparison is not None and settings.comparison is not None:
        file = path.parent / settings.comparison
        found += _suspects_of_comparison(file, configuration.comparison)
    figures = sum(len(as_drawn(s.figures)) for s in configuration.sources.values())
    claims = sum(len(c.claims) for c in configuration.claims.values())
    printed = sum(len(p.numbers) for p in configuration.printed.values())
    text = (
        f"settings, {len(configuration.sources)} sources, {figures} figures, {claims} claims, "
        f"{printed} printed numbers, no errors"
    )
    passed_over = [
        str(file)
        for folder in (settings.figures, settings.claims, settings.printed)
        for file in sorted((path.parent / folder).glob(NAMES))
        if file.stem not in settings.sources
    ]
    if passed_over:
        text += f"; not read, for sources does not name them: {', '.join(passed_over)}"
    return Checked(text, found)


def _empty_panels(document: Document, source: Source, conditions: Conditions) -> list[Problem]:
    """Return the problems with a study's curves and marks; if there are none, its empty panels."""
    wrong = list(wrong_curves(source)) or list(empty_panels(source, conditions))
    return [document.problem(at, message) for at, message in wrong]


def _suspects_of_source(
    document: Document, source: Source, conditions: Conditions
) -> list[Suspect]:
    """Return the suspicious values of a study's scenarios, and its models without any value.

    If a scenario is defined as `like` another scenario, only its changed keys are reported.
    """
    found: list[Suspect] = []
    for name, scenario in source.scenarios.items():
        at: Key = ("scenarios", name)
        own = suspects(document, scenario, at)
        if "like" in document.data["scenarios"][name]:
            changed = document.data["scenarios"][name].get("set", {})
            own = [s for s in own if dotted(s.doubt.key) in changed]
        found += own
    for key, message in empty_series(source, conditions):
        found.append(Suspect(document.problem(key, message), Doubt(key, None, message)))
    return found


def _suspects_of_comparison(path: Path, compared: Compared) -> list[Suspect]:
    folder = path.parent / compared.settings.scenarios
    return [
        suspect
        for stem, scenario in compared.scenarios.items()
        for suspect in suspects(read(folder / f"{stem}.yaml"), scenario)
    ]


def style_next_to(path: Path) -> Path:
    """Return the style file for a file of figures, the nearest `style.yaml` above it.

    In each folder above the file, and at last in the current folder, `style.yaml` and
    `config/style.yaml` are tried.

    Raises:
        ConfigurationError: there is no style file.

    """
    for folder in (*path.resolve().parents, Path.cwd()):
        for candidate in (folder / "style.yaml", folder / "config" / "style.yaml"):
            if candidate.is_file():
                return candidate
    raise refused(
        path, "", "no style.yaml beside it, above it, or in config/; copy one from a project"
    )


def figures_next_to(path: Path) -> Path:
    """Return the file that defines the figures to which a file of claims or printed numbers refers.

    It has the same name, and is in the folder `figures` next to the folder of the file.

    Raises:
        ConfigurationError: the file of figures does not exist.

    """
    candidate = path.parent.parent / "figures" / path.name
    if candidate == path and (moved := _misplaced(path, "figures")):
        raise ConfigurationError([moved])
    if not candidate.is_file():
        message = (
            f"needs the figures of its study, {candidate}: no such file; put this file into the "
            "project's config/claims/ or config/printed/, with the name of its study's file of "
            "figures"
        )
        raise refused(path, "source", message)
    return candidate


STYLE = DEFAULT_PATH.with_name("style.yaml")

COMPARISON = DEFAULT_PATH.with_name("comparison.yaml")

LINES = {
    "neutral": Look(label="Curve", colour="#333333"),
    "second": Look(label="Second", colour="#D55E00"),
    "level": Look(label="Level", colour="#777777"),
}
"""Default line styles for plots of the window over time, for use without a style file."""


def style_at_hand() -> Style:
    """Return the style of the project in the current folder, or a default style."""
    if STYLE.is_file():
        return load_style(STYLE)
    titles = {model.name: model.title for model in MODELS.values()}
    engine = Look(label=Packet.title, colour="#000000", marker="o")
    palette = Palette(
        font_size_pt=9,
        text_width_cm=16,
        models=looks({}, titles),
        engines={PACKET: engine},
        variants={},
        lines=LINES,
    )
    return Style(palette)


def families_at_hand() -> list[Family]:
    """Return the families of models of the project in the current folder; none outside of it."""
    return validated(Comparison, read(COMPARISON)).families if COMPARISON.is_file() else []
