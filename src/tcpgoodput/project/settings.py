"""The run's settings, `config/config.yaml`, and all that they refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.configuration.strict_yaml import SUFFIX, misnamed, parse
from tcpgoodput.models.own import add_listed
from tcpgoodput.project.configuration import TAKEN, Configuration, Settings

if TYPE_CHECKING:
    from tcpgoodput.comparison.census.space import Space
    from tcpgoodput.comparison.claims.source import SourceClaims
    from tcpgoodput.studies.source import Source


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
    from tcpgoodput.comparison.census.files import load_censuses
    from tcpgoodput.comparison.claims.files import load_claims
    from tcpgoodput.comparison.files import load_comparison
    from tcpgoodput.models import MODELS
    from tcpgoodput.models.references import references_of, unprintable
    from tcpgoodput.studies.files import load_checked_source, load_source
    from tcpgoodput.style.looks import load_style

    path = Path(path)
    document = read(path)
    settings = _changed(document, changes or {})
    add_listed(settings.models, document, changes or {})
    problems: list[Problem] = []
    references = None if only else references_of(path)
    if only is None:
        _refuse_missing(settings, document, changes or {})
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
            among = f"{nearest(name, known)} ({choices(known)})" if known else ""
            message = f"no file {file}{among}"
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
    censuses: dict[str, Space] = {}
    if settings.census is not None and only is None:
        try:
            censuses = load_censuses(path.parent / settings.census)
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return Configuration(path, settings, style, sources, claims, comparison, censuses)


def _refuse_missing(settings: Settings, document: Document, changes: Mapping[str, Any]) -> None:
    """Refuse files and folders that the settings name and that are not there."""
    problems = []
    for key in ("figures", "claims", "style", "comparison", "census"):
        named = getattr(settings, key)
        # No claims are needed, unless somebody says where they are.
        said = key != "claims" or key in settings.model_fields_set
        if named is None or not said or (place := Path(document.file).parent / named).exists():
            continue
        beside = sorted(entry.name for entry in place.parent.glob("*"))
        message = f"no such file or folder: {place}{nearest(place.name, beside)}"
        given = Problem("--config", 0, key, message)
        problems.append(given if key in changes else document.problem((key,), message))
    if problems:
        raise ConfigurationError(problems)


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
