"""The packet simulator held against ns-2 and Linux: all pairs, summed up and drawn."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcpgoodput.api.agreement import COLUMNS, pairs
from tcpgoodput.comparison.files import Compared
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.referees import by_figure, by_scenario, draw
from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.project.checked import checked
from tcpgoodput.project.configuration import DEFAULT_PATH
from tcpgoodput.project.points import NO_SEED, compared_asked
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.style.looks import Style

if TYPE_CHECKING:
    from IPython.display import Image

WIDTH = 760
"""Of a picture on a notebook's page, in pixels."""


def referees(
    configuration: str | Path = DEFAULT_PATH, results: str | Path = "results", **changes: Any
) -> Pairs:
    """Pair what the packet simulator and a referee measured of one connection.

    Args:
        configuration: the settings, a file as `config/config.yaml`.
        results: the folder in which figures and scenarios are answered.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Raises:
        ConfigurationError: anything wrong in any of the files, or in a record.

    """
    found = checked(configuration, changes)
    asked = list(asked_of_referees(found.comparison)) if found.comparison else []
    rows = [pair.record() for pair in pairs(found, asked, Path(results))]
    return Pairs(csv_text(COLUMNS, rows), found.style, found.comparison is not None)


def asked_of_referees(compared: Compared) -> Iterator[dict[str, Any]]:
    """Yield which rows of the comparison are asked of each referee, and under which key."""
    for stem in compared.scenarios:
        for engine in REFEREES:
            for row, asked in enumerate(compared_asked(compared, stem, engine)):
                request = asked.request("paper", NO_SEED)
                yield {
                    "stem": stem,
                    "row": row,
                    "engine": engine,
                    "scenario": asked.scenario.id,
                    "sender": asked.scenario.tcp.stack or "",
                    "key": request.key,
                    "setting": request.setting,
                }


class Pairs:
    """All pairs of measurements of one connection, by the simulator and by a referee."""

    def __init__(self, csv: str, style: Style, compares: bool) -> None:
        """Tell pairs of figures from those of scenarios.

        Args:
            csv: the published table.
            style: names and sizes.
            compares: whether the run compares models on scenarios.

        """
        self.csv, self.style = csv, style
        self.table = pd.read_csv(io.StringIO(csv))
        compared = self.table["source"] == COMPARISON
        self.of_figures, self.of_scenarios = self.table[~compared], self.table[compared]
        self.pictures = ["agreement", "scenarios"] if compares else ["agreement"]

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

    @cached_property
    def _files(self) -> dict[str, dict[str, bytes]]:
        """The pictures as files: the ratios of the figures, and of the scenarios."""
        theme.apply(self.style)
        groups = {
            "agreement": by_figure(self.of_figures),
            "scenarios": by_scenario(self.of_scenarios),
        }
        return {name: theme.rendered(draw(groups[name], self.style)) for name in self.pictures}

    def show(self, name: str) -> Image | None:
        """Return a picture for a notebook, `agreement` or `scenarios`; None: there is none."""
        from IPython.display import Image

        return Image(self._files[name][".png"], width=WIDTH) if name in self.pictures else None

    def save(self, results: str | Path | None, figures: str | Path | None) -> None:
        """Write the table and the pictures below two folders; None: not."""
        if results is not None:
            write_text(Path(results, "referees.csv"), self.csv)
        for name, files in self._files.items() if figures is not None else ():
            theme.keep(files, Path(str(figures), "referees", name))
