"""The run's settings, `config/config.yaml`, and all that they refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from tcpgoodput.answers import Conditions
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.configuration.strict_yaml import SUFFIX, misnamed, parse
from tcpgoodput.project.own_models import add_listed
from tcpgoodput.scenario.types import Part, Text
from tcpgoodput.studies.schema import Name

if TYPE_CHECKING:
    from tcpgoodput.claims.files import SourceClaims
    from tcpgoodput.comparison.files import Compared
    from tcpgoodput.drawing.style import Style
    from tcpgoodput.studies.files import Source


DEFAULT_PATH = Path("config/config.yaml")
"""The settings that are read where none are named."""

TAKEN = ("agreement", "claims", "comparison", "referees", "report")
"""Names of files and folders that the workflow has itself, beside those of the studies."""


RunName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=80)]


class Settings(Part):
    """The file `config/config.yaml`."""

    sources: Annotated[list[Name], Field(min_length=1)] = Field(
        description="studies to recompute, in the report's order; each has a file of figures"
    )
    precision: Literal["draft", "paper"] = Field(
        "paper", description="draft: coarser sweeps and shorter runs, for a first look"
    )
    equations: Literal["corrected", "printed"] = Field(
        "corrected", description="printed: the sources' own misprints left in"
    )
    seed: Annotated[int, Field(ge=0, le=2**63)] = Field(
        1, description="first part of the key of every random stream"
    )
    run: RunName | None = Field(
        None,
        description="name of the run: its results, figures and report are in runs/NAME/; null: "
        "in results/, figures/ and paper/, and of a draft in runs/draft/",
    )
    figures: Text = Field("figures", description="folder of the files of figures, beside this file")
    claims: Text = Field(
        "claims", description="folder of the files of claims, beside this file; none is needed"
    )
    referee_points: Literal["all", "missing", "quick"] = Field(
        "all",
        description="what `snakemake referees` records: everything again, what is not recorded "
        "yet, or a sample, which goes to results/referees/sample and leaves data/ alone",
    )
    style: Text = Field("style.yaml", description="names, colours and markers, beside this file")
    comparison: Text | None = Field(
        None, description="file of the comparison of all models, beside this file; null = none"
    )
    models: list[Text] = Field(
        default_factory=list,
        description="Python files with models of your own, beside this file; they are run as "
        "programs are: name none that you do not trust",
    )

    @property
    def run_name(self) -> str | None:
        """The run's name; a draft has its own, so that it overwrites nothing at precision paper."""
        return self.run or ("draft" if self.precision == "draft" else None)

    @property
    def conditions(self) -> Conditions:
        """The conditions under which models are asked."""
        return Conditions(self.equations, self.precision, self.seed)


@dataclass(frozen=True)
class Configuration:
    """Everything that a run is made of, read and checked."""

    path: Path
    settings: Settings
    style: Style
    sources: dict[str, Source]
    claims: dict[str, SourceClaims]
    """Of the sources that have a file of claims."""
    comparison: Compared | None = None


def load_settings(path: Path, changes: Mapping[str, Any]) -> Settings:
    """Read the settings alone, for a job of the workflow that needs no more of them.

    Raises:
        ConfigurationError: every problem in the file.

    """
    document = read(path)
    settings = _changed(document, changes)
    add_listed(settings.models, document, changes)
    return settings


def load_configuration(
    path: Path | str, changes: Mapping[str, Any] | None = None, only: str | None = None
) -> Configuration:
    """Read the settings and every file that they name.

    Args:
        path: The settings file.
        changes: Keys of the settings given on the command line, which win over the file's.
        only: The one source that a job of the workflow needs, which was checked before.

    Raises:
        ConfigurationError: every problem in all of the files.

    """
    # A job that needs the settings alone does without what reads all the rest.
    from tcpgoodput.claims.files import load_claims
    from tcpgoodput.comparison.files import load_comparison
    from tcpgoodput.drawing.style import load_style
    from tcpgoodput.models import MODELS
    from tcpgoodput.project.references import references_of, unprintable
    from tcpgoodput.studies.files import load_checked_source, load_source

    path = Path(path)
    document = read(path)
    settings = _changed(document, changes or {})
    add_listed(settings.models, document, changes or {})
    problems: list[Problem] = []
    references = None if only else references_of(path)
    if only is None:
        problems += unprintable(MODELS.values(), references)
        for folder in (settings.figures, settings.claims):
            problems += misnamed(path.parent / folder)
    style = load_style(path.parent / settings.style)
    sources: dict[str, Source] = {}
    for position, name in enumerate(settings.sources):
        file = path.parent / settings.figures / f"{name}{SUFFIX}"
        line = document.line(("sources", position))
        if name in TAKEN:
            message = "no study can be called so: the workflow uses this name itself"
            problems.append(Problem(str(path), line, f"sources[{position}]", message))
        elif name in sources:
            problems.append(Problem(str(path), line, f"sources[{position}]", "is listed twice"))
        elif only is not None and name != only:
            continue
        elif not file.is_file():
            known = sorted(p.stem for p in file.parent.glob(f"*{SUFFIX}"))
            message = f"no file {file}{nearest(name, known)} ({choices(known)})"
            problems.append(Problem(str(path), line, f"sources[{position}]", message))
        else:
            try:
                if only:
                    sources[name] = load_checked_source(file)
                else:
                    sources[name] = load_source(file, style, references)
            except ConfigurationError as error:
                problems += error.problems
    claims: dict[str, SourceClaims] = {}
    for name, source in sources.items() if only is None else []:
        file = path.parent / settings.claims / f"{name}{SUFFIX}"
        try:
            if file.is_file():
                claims[name] = load_claims(file, source)
        except ConfigurationError as error:
            problems += error.problems
    comparison = None
    if settings.comparison is not None and only is None:
        try:
            comparison = load_comparison(path.parent / settings.comparison)
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return Configuration(path, settings, style, sources, claims, comparison)


def _changed(document: Document, changes: Mapping[str, Any]) -> Settings:
    """Check the settings with the command line's changes, which are named as such if wrong."""
    if not changes:
        return validated(Settings, document)
    validated(Settings, document)
    text = "\n".join(f"{key}: {value}" for key, value in changes.items())
    given = parse(text, "--config")
    data = {**document.data, **given.data}
    told = {key: replace(problem, line=0) for key, problem in given.problems.items()}
    merged = Document("--config", data, {(): 0}, told)
    return validated(Settings, merged)
