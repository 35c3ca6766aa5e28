"""The job that holds the packet simulator against the referees: a table, and a notebook on it.

python -m tcpgoodput.referees.notebook PLAN NOTEBOOK RESULTS
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.jobs.notebooks import run_notebook
from tcpgoodput.project.resolved import restored
from tcpgoodput.referees.agreement import COLUMNS, pairs
from tcpgoodput.storage.files import described, write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.style.looks import Palette, Style

if TYPE_CHECKING:
    import pandas as pd
    from IPython.display import Image

    from tcpgoodput.drawing.referees import Group


class Referees:
    """What the notebook shows: the published pairs."""

    def __init__(self, path: str | Path) -> None:
        import pandas as pd

        content = described(path)
        self.style = Style(Palette.model_validate(content["style"]))
        self.compares = content["compares"]
        self.results = Path(path).resolve().parent
        pairs = pd.read_csv(self.results / "referees.csv")
        compared = pairs["source"] == COMPARISON
        self.of_figures, self.of_scenarios = pairs[~compared], pairs[compared]

    def summary(self) -> pd.DataFrame:
        """Return how many pairs of each series agree, and how far apart the rest is."""
        groups = self.of_figures.groupby(["source", "figure", "engine", "series"], sort=False)
        return groups.agg(
            pairs=("ratio", "size"),
            agree=("agrees", "sum"),
            median=("ratio", "median"),
            lowest=("ratio", "min"),
            highest=("ratio", "max"),
        ).round(3)

    def show(self) -> Image:
        """Draw the ratios of the studies' figures, save the picture and return it."""
        from tcpgoodput.drawing.referees import by_figure

        return self._show("agreement", by_figure(self.of_figures))

    def show_scenarios(self) -> Image | None:
        """Draw the ratios of the comparison's scenarios, if there is one, save and return it."""
        if not self.compares:
            return None
        from tcpgoodput.drawing.referees import by_scenario

        return self._show("scenarios", by_scenario(self.of_scenarios))

    def _show(self, name: str, groups: list[Group]) -> Image:
        from IPython.display import Image

        from tcpgoodput.drawing import theme
        from tcpgoodput.drawing.referees import draw

        theme.apply(self.style)
        stem = self.results.parent / "figures" / "referees" / name
        theme.save(draw(groups, self.style), stem)
        return Image(stem.with_suffix(".png").read_bytes(), width=760)


def work(arguments: argparse.Namespace) -> None:
    """Publish the pairs and run the notebook."""
    plan = json.loads(arguments.plan.read_text(encoding="utf-8"))
    configuration = restored(plan)
    results = arguments.results
    rows = [pair.record() for pair in pairs(configuration, plan["asked"], results)]
    write_text(results / "referees.csv", csv_text(COLUMNS, rows))
    described = results / "referees.json"
    content = {
        "style": configuration.style.palette.model_dump(mode="json"),
        "compares": bool(plan["asked"]),
    }
    write_text(described, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    run_notebook(arguments.notebook, results / "referees.ipynb", {"referees": described.name})


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(job_parser("tcpgoodput.referees.notebook", "plan", "notebook", "results"), work)


if __name__ == "__main__":
    sys.exit(main())
