"""A static copy of the explorer's web page for the small test configuration, config/test.

Its measurements are simulated. Verdicts on claims, and data and pictures of figures, are synthetic.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

from tcpgoodput.answers import Conditions
from tcpgoodput.api.matrix import Matrix
from tcpgoodput.cli.explorer.page import figures
from tcpgoodput.cli.explorer.static_page import content_of, static_page
from tcpgoodput.comparison.claims.verdicts import COLUMNS
from tcpgoodput.comparison.requests import explorer_points, map_points, scenario_points, to_answer
from tcpgoodput.engines.measure import measured
from tcpgoodput.engines.measurements import Request, measurements_csv
from tcpgoodput.project.settings import Configuration, load_configuration
from tcpgoodput.storage import csv_text, write_text
from tests.folders import ROOT

DRAFT = Conditions(precision="draft")


def configuration() -> Configuration:
    return load_configuration(ROOT / "config/test/config.yaml")


def answers(tiny: Configuration, results: Path) -> dict[str, Any]:
    """Simulate and predict; write the tables to the folder `results`, return the page's data."""
    compared = tiny.comparison
    assert compared is not None
    tables: dict[str, list[Request]] = {
        "comparison.csv": [
            r for stem in compared.scenarios for r in scenario_points(compared, stem, DRAFT)
        ]
    }
    tables |= {
        f"maps/{name}.csv": list(map_points(compared, name, DRAFT))
        for name in compared.settings.maps
    }
    tables["explorer.csv"] = list(explorer_points(compared, DRAFT))
    known = {r.key: measured(r) for requests in tables.values() for r in requests}
    for name, requests in tables.items():
        table = measurements_csv(known[request.key] for request in requests)
        write_text(results / "measurements" / name, table)
    Matrix(compared, tiny.style, DRAFT, results / "measurements").save(results, None)
    folder = results / "comparison" / "scenarios"
    result = json.loads(json.dumps(to_answer(compared, DRAFT)))
    return content_of(result, known, sorted(folder.glob("*.json")))


def page(folder: Path) -> str:
    """Return the page as HTML, with a verdict on each claim and a grey picture for each figure."""
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
