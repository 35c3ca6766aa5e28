"""The page as one HTML document: markup, style, scripts and what they show, and no other file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tcpgoodput.cli.explorer.presets import Preset
from tcpgoodput.comparison.errors import BOUNDS
from tcpgoodput.comparison.regime import regimes
from tcpgoodput.drawing.sizes import COLOURS, INKS, words
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.models import MODELS
from tcpgoodput.scenario.controls import controls
from tcpgoodput.storage.files import digest_of_file
from tcpgoodput.style.looks import Style

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
    "connection",
    "sweep",
    "matrix",
    "claims",
    "figures",
    "main",
)
"""In the order in which they stand on the page, which is one script: the last one begins."""


def page(content: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        content: what the page shows and may request; see `live` and `static_page`.

    """
    script = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    data = {**content, "questions": json.loads(_part("questions.json"))}
    parts = {"STYLE": _part("page.css"), "SCRIPT": script, "DATA": as_data(data)}
    text = _part("page.html")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part, 1)
    return text


def as_data(content: Any) -> str:
    """Return content as JSON that can stand within a page: nothing in it ends the script."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def scenarios_of(presets: Mapping[str, Preset]) -> dict[str, Any]:
    """Return the scenarios that a page lists, and a control for each of their keys."""
    return {"presets": [p.record() for p in presets.values()], "controls": list(controls())}


def looks(style: Style) -> dict[str, Any]:
    """Return how everything looks that a page shows, as in all figures."""
    bins = [
        {"colour": colour, "ink": ink, "label": label}
        for colour, ink, label in zip(COLOURS, INKS, words(), strict=True)
    ]
    return {
        "models": {name: style.model(name).model_dump() for name in MODELS.names()},
        "engine": style.palette.engines[REFERENCE].model_dump(),
        "verdicts": {name: look.model_dump() for name, look in style.palette.lines.items()},
        "errors": {"bounds": list(BOUNDS), "bins": bins},
        "regimes": regimes(),
    }


def digests_of_parts() -> dict[str, str]:
    """Return a digest of each part that the page is put together from, by its name."""
    files = sorted(PARTS.iterdir())
    return {file.name: digest_of_file(file) for file in files}


def _part(name: str) -> str:
    return (PARTS / name).read_text(encoding="utf-8")
