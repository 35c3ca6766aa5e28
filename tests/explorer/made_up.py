"""A static page of the tiny configuration, made without a run from what its jobs would write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

from tcpgoodput.answers import Conditions
from tcpgoodput.claims.verdicts import COLUMNS
from tcpgoodput.comparison import answer as comparison_answer
from tcpgoodput.comparison.notebook import of_scenarios
from tcpgoodput.comparison.publish import publish
from tcpgoodput.comparison.requests import scenario_points
from tcpgoodput.comparison.requests import to_answer as to_answer_scenarios
from tcpgoodput.comparison.table import Tables
from tcpgoodput.engines.measure import measured
from tcpgoodput.explorer import answer
from tcpgoodput.comparison.explored import points, to_answer
from tcpgoodput.explorer.library import figures
from tcpgoodput.explorer.static_page import static_page
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.storage.tables import csv_text
from tests.folders import ROOT

DRAFT = Conditions(precision="draft")


def configuration() -> Configuration:
    """Return the tiny configuration."""
    return load_configuration(ROOT / "config/test/config.yaml")


def answers(tiny: Configuration, results: Path) -> dict[str, Any]:
    """Measure and answer all that comparison and static page ask; publish the comparison."""
    compared = tiny.comparison
    assert compared is not None
    stems = [*compared.scenarios, *compared.held]
    asked = [r for stem in stems for r in scenario_points(compared, stem, DRAFT)]
    known = {r.key: measured(r) for r in [*asked, *points(compared, DRAFT)]}
    folder = results / "comparison"
    comparison_answer.scenarios(to_answer_scenarios(compared, DRAFT), known, folder / "scenarios")
    publish(Tables.read(of_scenarios(compared, tiny.style), folder), results)
    told = json.loads(json.dumps(to_answer(compared, DRAFT)))
    return answer.found(told, known, sorted((folder / "scenarios").glob("*.json")))


def page(folder: Path) -> str:
    """Return the page, with a verdict on each claim and a grey picture for each figure."""
    tiny, results, pictures = configuration(), folder / "results", folder / "figures"
    found = answers(tiny, results)
    verdicts = [
        {
            **dict.fromkeys(COLUMNS, ""),
            "source": source,
            "id": claim.id,
            "evidence": "model",
            "verdict": "reproduced",
            "predicate": "a < b",
        }
        for source, own in tiny.claims.items()
        for claim in own.claims
    ]
    (results / "claims.csv").write_text(csv_text(COLUMNS, verdicts), encoding="utf-8")
    for figure in figures(tiny):
        table = folder / figure["data"]
        table.parent.mkdir(parents=True, exist_ok=True)
        table.write_text("x,y\n1,2\n", encoding="utf-8")
        if figure["picture"]:
            (folder / figure["picture"]).parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (1200, 600), "grey").save(folder / figure["picture"])
    return static_page(tiny, found, results, pictures)
