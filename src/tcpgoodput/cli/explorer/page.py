"""The explorer's page as one HTML document, and the scenarios that it offers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.cli.explorer import my_link
from tcpgoodput.comparison.errors import BOUNDS
from tcpgoodput.comparison.families import families_of, regime, regimes
from tcpgoodput.comparison.schema import Family
from tcpgoodput.configuration import Document, read
from tcpgoodput.configuration.strict_yaml import SUFFIX
from tcpgoodput.engines.base import PACKET
from tcpgoodput.models import MODELS
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.controls import controls
from tcpgoodput.storage import digest_of_file
from tcpgoodput.style import Style

FOLDER = Path("config/scenarios")
"""Folder of the scenarios that the page offers, relative to the current directory."""


@dataclass(frozen=True)
class Preset:
    """A scenario that the page offers, and the document from which it was read."""

    document: Document
    scenario: Scenario

    @classmethod
    def of(cls, document: Document) -> Preset:
        """Check the scenario in a document, and return both as a preset.

        Raises:
            ConfigurationError: the scenario is invalid; the message lists every problem.

        """
        return cls(document, scenario_from(document))

    def record(self) -> dict[str, Any]:
        """Return the id, title and regime (kind of impairment) of the scenario, for a list."""
        title, name = self.scenario.title, regime(self.scenario)
        return {"id": self.scenario.id, "title": title, "regime": name}


def presets(named: Document | None) -> Mapping[str, Preset]:
    """Return the scenarios that the page offers, by id.

    The scenario in `named` comes first, then that of the form "My link", then those of the project.

    Raises:
        ConfigurationError: a file is invalid; the message lists every problem of the first such
            file.

    """
    files = sorted(FOLDER.glob(f"*{SUFFIX}"))
    documents = [*([named] if named else []), my_link.document(), *map(read, files)]
    found: dict[str, Preset] = {}
    for document in documents:
        preset = Preset.of(document)
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
    """Return the explorer's page as HTML, with its style, scripts and data.

    Args:
        content: the data that the scripts read, such as scenarios and colours.

    """
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


def scenarios_of(presets: Mapping[str, Preset]) -> dict[str, Any]:
    """Return the scenarios that a page lists, and an input control for each of their keys."""
    return {"presets": [p.record() for p in presets.values()], "controls": list(controls())}


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
    digests = [(file.name, digest_of_file(file)) for file in sorted(PARTS.iterdir())]
    return hashlib.sha256(repr(digests).encode()).hexdigest()[:16]


def _part(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")
