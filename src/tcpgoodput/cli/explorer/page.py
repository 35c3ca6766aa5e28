"""The explorer's page: its HTML, the scenarios that it offers, the results of a run, and its URL.

The URL has the state of the page. `?scenario=ID&handoffs.late_s=0.5` selects the scenario ID with
one key changed, as in `tcpgoodput compare FILE --set handoffs.late_s=0.5`. The value of a number
may have a unit (`500 ms`). Names in the URL that are not keys of a scenario are settings of the
page, such as the key to sweep.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.cli.explorer import my_link
from tcpgoodput.comparison.claims.verdicts import VERDICTS
from tcpgoodput.comparison.claims.words import EVIDENCE_TITLES
from tcpgoodput.comparison.errors import BOUNDS
from tcpgoodput.comparison.families import families_of, regime, regimes
from tcpgoodput.comparison.schema import Family
from tcpgoodput.comparison.table import Tables
from tcpgoodput.configuration import ConfigurationError, Document, read, refused
from tcpgoodput.configuration.changes import OPTION, with_changes
from tcpgoodput.configuration.problems import Problem, choices, nearest
from tcpgoodput.configuration.strict_yaml import NAMES
from tcpgoodput.configuration.units import number_in_its_unit
from tcpgoodput.engines.base import PACKET
from tcpgoodput.models import MODELS
from tcpgoodput.project.settings import Configuration
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.controls import controls, numbers
from tcpgoodput.scenario.files import ScenarioRequest, scenario_request
from tcpgoodput.storage import digest_of_file
from tcpgoodput.studies.open_settings import places
from tcpgoodput.style import Style

FOLDER = Path("config/scenarios")
"""Folder of the scenarios that the page offers, relative to the current directory."""


def presets(named: Document | None) -> Mapping[str, ScenarioRequest]:
    """Return the scenarios that the page offers, by id.

    The scenario in `named` comes first, then that of the form "My link", then those of the project.
    """
    files = sorted(FOLDER.glob(NAMES))
    documents = [*([named] if named else []), my_link.document(), *map(read, files)]
    found: dict[str, ScenarioRequest] = {}
    for document in documents:
        preset = scenario_request(document, None)
        found.setdefault(preset.scenario.id, preset)
    return found


PARTS = Path(__file__).with_name("parts")

SCRIPTS = (
    "elements",
    "address",
    "numbers",
    "axes",
    "chart",
    "saving",
    "source",
    "table",
    "controls",
    "link",
    "connection",
    "sweep",
    "matrix",
    "claims",
    "figures",
    "main",
)
"""Names of the JavaScript files in the folder `parts`, without suffix, in the order in which they
are joined. The last one starts the page."""


def page(content: Mapping[str, Any]) -> str:
    """Return the explorer's page as HTML, with its style, scripts and data."""
    script = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    data = {**content, "questions": json.loads(_part("questions.json"))}
    parts = {"STYLE": _part("page.css"), "SCRIPT": script, "DATA": as_data(data)}
    text = _part("page.html")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part, 1)
    return text


def as_data(content: Any) -> str:
    """Return content as JSON with `<` escaped, so that it cannot end an HTML script element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def scenarios_of(scenarios: Iterable[Scenario]) -> dict[str, Any]:
    """Return the scenarios that a page lists, and an input control for each of their keys."""
    listed = [{"id": s.id, "title": s.title, "regime": regime(s)} for s in scenarios]
    return {"presets": listed, "controls": list(controls())}


def looks(style: Style, families: Sequence[Family]) -> dict[str, Any]:
    """Return the colours, labels and markers of the page, the same as in all figures.

    `families` are those of the project. The page draws one model of each family at first.
    """
    # Import this only here, because it loads matplotlib, which takes half a second.
    from tcpgoodput.drawing.scales import COLOURS, INKS, words

    bins = [
        {"colour": colour, "ink": ink, "label": label}
        for colour, ink, label in zip(COLOURS, INKS, words(), strict=True)
    ]
    return {
        "models": {name: style.model(name).model_dump() for name in MODELS.names()},
        "families": list(families_of(families, MODELS.names()).values()),
        "engine": style.palette.engines[PACKET].model_dump(),
        "verdicts": {name: look.model_dump() for name, look in style.palette.lines.items()},
        "errors": {"bounds": list(BOUNDS), "bins": bins},
        "regimes": regimes(),
    }


def digest_of_parts() -> str:
    """Return a digest of all files in the folder `parts`, of which the page consists."""
    digests = [(file.name, digest_of_file(file)) for file in sorted(PARTS.glob("[!.]*"))]
    return hashlib.sha256(repr(digests).encode()).hexdigest()[:16]


def _part(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")


Record = dict[str, Any]

TABLE = "table"
"""Kind of a figure that is a table and so has no picture."""


def library(configuration: Configuration, results: Path) -> Record:
    """Return the results of a run for the page: matrix of errors, claims, figures.

    `matrix` or `claims` is None if the run has not computed it yet.
    """
    return {
        "matrix": matrix(configuration, results),
        "claims": claims(configuration, results),
        "figures": list(figures(configuration)),
    }


def matrix(configuration: Configuration, results: Path) -> Record | None:
    """Return the prediction and error of each family of models for each scenario, or None.

    None means that no comparison is configured, or that the run has not computed it yet.
    """
    if configuration.comparison is None or not (results / "comparison.csv").is_file():
        return None
    compared = configuration.comparison
    tables = Tables.read(compared, results / "comparison")
    titles, regimes = compared.titles, compared.regimes[""]
    labels = {family: label or family for family, label in tables.labels.items()}
    rows = tables.family_rows("")
    cells = ["family", "model", "status", "reduction", "goodput_bps", "log_error", "reason"]
    return {
        "families": [{"id": family, "label": label} for family, label in labels.items()],
        "rows": [
            {
                "scenario": scenario,
                "title": titles[scenario],
                "regime": regimes[scenario],
                "simulated_bps": _plain(own["simulated_bps"].iloc[0]),
                "ci95_bps": _plain(own["ci95_bps"].iloc[0]),
                "cells": [
                    {name: _plain(value) for name, value in zip(cells, cell, strict=True)}
                    for cell in own[cells].itertuples(index=False)
                ],
            }
            for scenario, own in rows.groupby("scenario", sort=False)
        ],
    }


def claims(configuration: Configuration, results: Path) -> Record | None:
    """Return every claim of the studies with its verdicts, or None.

    There is a verdict for each kind of evidence (models, or an engine). None means that the run has
    not computed the verdicts yet.
    """
    table = results / "claims.csv"
    if not table.is_file():
        return None
    rows = pd.read_csv(table, dtype=str, keep_default_na=False)
    judged = dict(iter(rows.groupby(["source", "id"], sort=False)))
    values = ["value", "value_low", "value_high"]
    shown = ["evidence", "predicate", "verdict", *values, "bound", "note"]
    return {
        "verdicts": list(VERDICTS),
        "evidence": EVIDENCE_TITLES,
        "sources": {n: configuration.sources[n].figures.title for n in configuration.claims},
        "rows": [
            {
                "source": source,
                "id": claim.id,
                "where": claim.where,
                "statement": claim.statement,
                "figures": list(claim.figures),
                "chosen": claim.chosen,
                "verdicts": judged[source, claim.id][shown].to_dict("records"),
            }
            for source, own in configuration.claims.items()
            for claim in own.claims
            if (source, claim.id) in judged
        ],
    }


def figures(configuration: Configuration) -> Iterator[Record]:
    """Yield a record for every figure and table of every study.

    A figure in another setting than the drawn one has no picture. `of` is the name of the figure as
    drawn, and `setting` says what differs; both are None for a figure as drawn.
    """
    for study, source in configuration.sources.items():
        elsewhere = places(source.figures)
        for name, figure in source.figures.figures.items():
            place = elsewhere.get(name)
            others = source.figures.settings[place.group].others if place else {}
            is_drawn = not place and figure.kind != TABLE
            yield {
                "source": study,
                "name": name,
                "study": source.figures.title,
                "title": figure.title,
                "caption": figure.caption,
                "of": place.figure if place else None,
                "setting": others[place.choice].title if place else None,
                "picture": f"figures/{study}/{name}.png" if is_drawn else None,
                "data": f"results/{study}/{name}.csv",
            }


def files(configuration: Configuration, results: Path, pictures: Path) -> Mapping[str, Path]:
    """Return the existing pictures and tables of a run, by the paths that the page requests."""
    found = {}
    for figure in figures(configuration):
        for path, folder in ((figure["picture"], pictures), (figure["data"], results)):
            file = folder / figure["source"] / Path(path).name if path else None
            if file is not None and file.is_file():
                found[path] = file
    return found


def _plain(value: Any) -> Any:
    """Convert a value of a table to a Python number, or to None if it is missing."""
    return None if pd.isna(value) else value


SCENARIO = "scenario"

Pairs = Sequence[tuple[str, str]]
"""Names and values of a URL's query, in the order of the URL."""

MOST_CHANGES, LONGEST_VALUE = 60, 2000
"""Largest number of keys that a URL may change, and largest number of characters in a change
`KEY=VALUE`. Both were chosen by hand."""


def scenario_of_url(pairs: Pairs, presets: Mapping[str, ScenarioRequest]) -> ScenarioRequest:
    """Return the scenario that a URL selects."""
    names = dict(pairs)
    name = names.get(SCENARIO, "")
    if name not in presets:
        hint = nearest(name, list(presets))
        raise refused(SCENARIO, "", f"no scenario is called {name!r}{hint}")
    changes = [f"{key}={_without_unit(key, value)}" for key, value in pairs if is_key(key)]
    if len(changes) > MOST_CHANGES or any(len(change) > LONGEST_VALUE for change in changes):
        limits = f"{MOST_CHANGES} changes of {LONGEST_VALUE} characters"
        raise refused("address", "", f"is too long: at most {limits}")
    document = presets[name].document
    try:
        _keep_the_files(with_changes(document, changes), document)
        return scenario_request(document, changes)
    except ConfigurationError as error:
        raise ConfigurationError(map(_without_option, error.problems)) from None


def _without_unit(key: str, text: str) -> str:
    """Return the value of a key for a text that the user has typed, such as `30 ms`."""
    is_number = any(control["key"] == key for control in numbers())
    return (is_number and number_in_its_unit(key.rpartition(".")[2], text)) or text


def _without_option(problem: Problem) -> Problem:
    """Return a problem in the words of the page, which has no command-line option `--set`."""
    file, message = (text.replace(f"{OPTION} ", "") for text in (problem.file, problem.message))
    return replace(problem, file=file, message=message)


def is_key(name: str) -> bool:
    """Whether a name in a URL is a key of a scenario."""
    return name.partition(".")[0] in Scenario.model_fields


def own(pairs: Pairs, known: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the page, such as the key to sweep: defaults and those of a URL.

    Raises:
        ConfigurationError: a name is neither a setting nor a key of a scenario.

    """
    found = {name: value for name, value in pairs if not is_key(name) and name != SCENARIO}
    for name in found:
        if name not in known:
            raise refused(name, "", f"is no key{nearest(name, [*known])} ({choices(known)})")
    return {**known, **found}


def _keep_the_files(changed: Document, document: Document) -> None:
    """Refuse changes by a URL that would make the server read another trace file."""
    for name in ("capacity", "delay"):
        parts = [one.data.get(name) for one in (changed, document)]
        file, own = (part.get("file") if isinstance(part, dict) else None for part in parts)
        if file is not None and file != own:
            message = "the page reads no other file than the scenario's own"
            raise refused(f"{name}.file", "", message)
