"""The jobs that show a comparison: it is described in a JSON file, and a notebook is run on it.

python -m tcpgoodput.comparison.notebook CONFIG comparison|comparison_maps NOTEBOOK FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.regime import regime
from tcpgoodput.project.settings import Configuration, load_configuration
from tcpgoodput.storage.files import write_text
from tcpgoodput.workflow.jobs import job_parser, run_job
from tcpgoodput.workflow.notebooks import run_notebook


def of_scenarios(configuration: Configuration) -> dict[str, Any]:
    """Return all that showing the scenarios depends on apart from their data."""
    compared = configuration.comparison
    assert compared is not None  # or there is nothing to show
    regime_of = {
        scenario.id: regime(scenario)
        for stem in compared.scenarios
        for scenario in compared.rows(stem)
    }
    return {
        "settings": compared.settings.model_dump(mode="json", exclude={"maps", "leave_out"}),
        "stems": list(compared.scenarios),
        "regimes": regime_of,
        "style": configuration.style.palette.model_dump(mode="json"),
    }


def of_maps(configuration: Configuration) -> dict[str, Any]:
    """Return all that showing the maps depends on apart from their data."""
    compared = configuration.comparison
    assert compared is not None  # or there is nothing to show
    return {
        "settings": compared.settings.model_dump(mode="json", include={"maps"}),
        "drawn": {name: compared.drawn(name) for name in compared.settings.maps},
        "style": configuration.style.palette.model_dump(mode="json"),
    }


DESCRIPTIONS = {"comparison": of_scenarios, "comparison_maps": of_maps}
"""What the notebook of each name shows."""


def work(arguments: argparse.Namespace) -> None:
    """Describe a part of the comparison and run its notebook."""
    configuration = load_configuration(arguments.config, arguments.changes)
    path = arguments.folder / f"{arguments.what}.json"
    content = DESCRIPTIONS[arguments.what](configuration)
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    run_notebook(arguments.notebook, path.with_suffix(".ipynb"), {arguments.what: path.name})


def main() -> int:
    """Run the job; see `run_job`."""
    parser = job_parser("tcpgoodput.comparison.notebook", config=Path)
    parser.add_argument("what", choices=DESCRIPTIONS)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("folder", type=Path)
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
