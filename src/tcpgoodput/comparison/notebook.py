"""The jobs that show a comparison: it is described in a JSON file, and a notebook is run on it.

python -m tcpgoodput.comparison.notebook LOOKS NOTEBOOK FOLDER
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tcpgoodput.comparison.regime import regime
from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.jobs.notebooks import run_notebook
from tcpgoodput.storage.files import write_text

if TYPE_CHECKING:
    from tcpgoodput.comparison.files import Compared
    from tcpgoodput.scenario import Scenario
    from tcpgoodput.style.looks import Style


def judging(compared: Compared) -> list[Scenario]:
    """Return the scenarios that judge: of the matrix the judges, then the held-out ones."""
    judges = [s for s in compared.scenarios.values() if s.id in compared.settings.judges]
    return [*judges, *compared.held.values()]


def of_scenarios(compared: Compared, style: Style) -> dict[str, Any]:
    """Return all that showing the scenarios depends on apart from their data."""
    every = [s for stem in (*compared.scenarios, *compared.held) for s in compared.rows(stem)]
    return {
        "settings": compared.settings.model_dump(mode="json", exclude={"maps", "leave_out"}),
        "stems": list(compared.scenarios),
        "held": list(compared.held),
        "regimes": {scenario.id: regime(scenario) for scenario in every},
        "titles": {scenario.id: scenario.title for scenario in every},
        "style": style.palette.model_dump(mode="json"),
    }


def of_maps(compared: Compared, style: Style) -> dict[str, Any]:
    """Return all that showing the maps depends on apart from their data."""
    return {
        "settings": compared.settings.model_dump(mode="json", include={"maps"}),
        "drawn": {name: compared.drawn(name) for name in compared.settings.maps},
        "style": style.palette.model_dump(mode="json"),
    }


def work(arguments: argparse.Namespace) -> None:
    """Put a description beside the results that it describes, and run its notebook there."""
    described = arguments.folder / arguments.looks.name
    write_text(described, arguments.looks.read_text(encoding="utf-8"))
    output = described.with_suffix(".ipynb")
    run_notebook(arguments.notebook, output, {described.stem: described.name})


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(
        job_parser("tcpgoodput.comparison.notebook", "looks", "notebook", "folder"), work
    )


if __name__ == "__main__":
    sys.exit(main())
