"""Write the results of a run into one page that needs neither server nor network.

python -m tcpgoodput.cli.explorer.static_page RESULTS FIGURES PAGE [--configuration FILE] …
"""

from __future__ import annotations

import argparse
import base64
import gzip
import sys
from pathlib import Path
from typing import Any

from tcpgoodput.cli.explorer.answer import found
from tcpgoodput.cli.explorer.library import files, library
from tcpgoodput.cli.explorer.page import Preset, looks, page, scenarios_of
from tcpgoodput.comparison.explored import to_answer
from tcpgoodput.configuration import Document
from tcpgoodput.drawing.smaller import smaller
from tcpgoodput.engines.measurements import read_measurements
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.project.checked import add_configuration, configuration_of
from tcpgoodput.project.settings import Configuration
from tcpgoodput.storage import as_lines, write_text


def static_page(configuration: Configuration, answers: Any, results: Path, figures: Path) -> str:
    """Return the page as HTML.

    Args:
        configuration: the configuration of the run.
        answers: the result of `explorer.answer`.
        results: the folder with the results of the run.
        figures: the folder with the pictures of the run.

    """
    compared = configuration.comparison
    assert compared is not None  # the workflow makes this page only with a comparison
    known = {s.id: Preset(Document(s.id, {}), s) for s in compared.scenarios.values()}
    there = files(configuration, results, figures)
    return page(
        {
            "is_live": False,
            "begin": next(iter(known)),
            "looks": looks(configuration.style),
            **scenarios_of(known),
            **answers,
            "library": library(configuration, results),
            "pictures": {
                name: f"data:image/png;base64,{_text(smaller(file))}"
                for name, file in there.items()
                if file.suffix == ".png"
            },
            "tables": {name: _packed(p) for name, p in there.items() if p.suffix == ".csv"},
        }
    )


def _packed(file: Path) -> str:
    return _text(gzip.compress(file.read_bytes(), mtime=0))


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def work(arguments: argparse.Namespace) -> None:
    """Compute the predictions for all sweeps, and write them and the page."""
    configuration, results = configuration_of(arguments), arguments.results
    compared = configuration.comparison
    assert compared is not None  # the workflow makes this page only with a comparison
    request = to_answer(compared, configuration.settings.conditions)
    known = read_measurements(results / "measurements" / "explorer.csv")
    folder = results / "comparison" / "scenarios"
    parts = [folder / f"{stem}.json" for stem in compared.scenarios]
    answers = found(request, known, parts)
    write_text(results / "explorer.json", as_lines(answers))
    page = static_page(configuration, answers, results, arguments.figures)
    write_text(arguments.page, page)


def main() -> int:
    """Run the job; see `run_job`."""
    parser = job_parser("tcpgoodput.cli.explorer.static_page", "results", "figures", "page")
    add_configuration(parser)
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
