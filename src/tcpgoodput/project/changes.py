"""A configuration as plain data, its files, and its differences from that of the previous run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.census.files import in_full
from tcpgoodput.comparison.claims.schema import ClaimsFile
from tcpgoodput.comparison.files import Compared
from tcpgoodput.configuration import ConfigurationError, read
from tcpgoodput.configuration.strict_yaml import NAMES
from tcpgoodput.models import MODELS
from tcpgoodput.project.settings import Configuration
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage import as_json, write_text
from tcpgoodput.studies.schema import Source

Record = dict[str, Any]


def as_data(configuration: Configuration) -> Record:
    """Return the whole configuration (settings and all files they name) as data for JSON."""
    compared = configuration.comparison
    return {
        "path": str(configuration.path),
        "settings": configuration.settings.model_dump(mode="json"),
        "style": configuration.style.palette.model_dump(mode="json"),
        "sources": {name: _source(source) for name, source in configuration.sources.items()},
        "claims": {
            name: {
                "file": own.file,
                "content": ClaimsFile(source=own.source, claims=own.claims).model_dump(
                    mode="json", by_alias=True
                ),
            }
            for name, own in configuration.claims.items()
        },
        "printed": {
            name: [number.model_dump(mode="json", by_alias=True) for number in printed.numbers]
            for name, printed in configuration.printed.items()
        },
        "comparison": _compared(compared) if compared else None,
        "censuses": {
            name: space.census.model_dump(mode="json")
            for name, space in configuration.censuses.items()
        },
        "inputs": configuration.inputs.settings.model_dump(mode="json")
        if configuration.inputs
        else None,
    }


def _source(source: Source) -> Record:
    figures = source.figures.model_dump(
        mode="json", by_alias=True, exclude={"scenarios"}, exclude_defaults=True
    )
    return {"figures": {**figures, "scenarios": {}}, "scenarios": _scenarios(source.scenarios)}


def _scenarios(scenarios: dict[str, Scenario]) -> Record:
    return {name: scenario.stated() for name, scenario in scenarios.items()}


def _compared(compared: Compared) -> Record:
    return {
        "settings": compared.settings.model_dump(mode="json"),
        "scenarios": _scenarios(compared.scenarios),
        "mapped": _scenarios(compared.mapped),
        "held": compared.held.census.model_dump(mode="json") if compared.held else None,
    }


NAME = "configured.json"
"""Name of the file in the folder of results with the digests of a finished run's configuration."""

Items = dict[str, str]
"""Digests of the parts of a configuration, by kind and name, such as `figure STUDY/NAME`."""


def items_of(configuration: Configuration) -> Items:
    """Return a digest for each part of a configuration: figures, claims, scenarios and others."""
    return {
        name: hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
        for name, content in _items(configuration)
    }


def _items(configuration: Configuration) -> Iterator[tuple[str, Any]]:
    record = as_data(configuration)
    for model in MODELS.names():
        yield f"model {model}", model
    for study, part in record["sources"].items():
        yield f"study {study}", part["figures"]["title"]
        for name, figure in part["figures"]["figures"].items():
            yield f"figure {study}/{name}", figure
    for study, part in record["claims"].items():
        for claim in part["content"]["claims"]:
            yield f"claim {study}/{claim['id']}", claim
    for study, numbers in record["printed"].items():
        yield f"printed numbers {study}", numbers
    for name, census in record["censuses"].items():
        yield f"census {name}", census
    if inputs := record["inputs"]:
        for name, level in inputs["levels"].items():
            yield f"level of knowledge {name}", level
        yield "settings of inputs", {**inputs, "levels": None}
    if compared := record["comparison"]:
        for scenario in compared["scenarios"].values():
            yield f"scenario {scenario['id']}", scenario
        if compared["held"]:
            yield "held-out connections", compared["held"]
        for kind in ("variations", "sensitivity"):
            for name, variation in compared["settings"][kind].items():
                yield f"variation {name} ({kind})", variation
        for name, settings in compared["settings"]["maps"].items():
            yield f"map {name}", settings


def stated(configuration: Configuration) -> dict[str, str]:
    """Return a digest of the data in each YAML file of a configuration, by the file's path.

    Comments and layout do not change a digest. A random sample counts with all keys that it copies
    from another one. The digest of a file that is not valid YAML, which no setting names, changes
    with its bytes.
    """
    found = {}
    for file in map(str, yaml_files(configuration)):
        try:
            content = json.dumps(in_full(read(file)).data).encode()
        except ConfigurationError:
            content = Path(file).read_bytes()
        found[file] = hashlib.sha256(content).hexdigest()[:16]
    return found


def yaml_files(configuration: Configuration) -> Iterator[Path]:
    """Yield the YAML files of a configuration: the settings, and all files that they name."""
    folder, settings = configuration.path.parent, configuration.settings
    yield configuration.path
    yield folder / settings.style
    folders = (settings.figures, settings.claims, settings.printed, settings.census)
    for named in filter(None, folders):
        yield from sorted((folder / named).glob(NAMES))
    if settings.inputs:
        yield folder / settings.inputs
    if settings.comparison and (compared := configuration.comparison):
        file = folder / settings.comparison
        yield file
        yield from sorted((file.parent / compared.settings.scenarios).glob(NAMES))
        if compared.settings.held:
            yield file.parent / compared.settings.held


def named_files(content: Any) -> Iterator[str]:
    """Yield the files with data, such as traces, that a part of `as_data` names.

    The key of such a file is `file`, or ends in `.file` as under `set`.
    """
    match content:
        case dict():
            named = (part for key, part in content.items() if key.rpartition(".")[2] == "file")
            yield from (part for part in named if isinstance(part, str) and Path(part).is_file())
            yield from named_files([*content.values()])
        case list():
            for part in content:
                yield from named_files(part)


def data_files(configuration: Configuration) -> dict[str, dict[str, list[str]]]:
    """Return the files with data that each study (`sources`) and each sample (`censuses`) names."""
    record = as_data(configuration)
    return {
        kind: {name: sorted({*named_files(part)}) for name, part in record[kind].items()}
        for kind in ("sources", "censuses")
    }


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of the configuration's parts that are new, changed and removed (`gone`)."""
    return {
        "new": [name for name in now if name not in before],
        "changed": [name for name in now if before.get(name, now[name]) != now[name]],
        "gone": [name for name in before if name not in now],
    }


def read_items(results: Path) -> Items | None:
    """Return the digests that `write_items` wrote for the last finished run.

    None if there is no finished run in the folder of results, or if its file is damaged.
    """
    try:
        content = json.loads((results / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def write_items(results: Path, items: Items) -> None:
    """Record the digests of the configuration of a finished run in its folder of results."""
    write_text(results / NAME, as_json(items))
