"""The figures of one source, described by one JSON file: drawn, published, told to a notebook.

python -m tcpgoodput.drawing.gallery CONFIG SOURCE NOTEBOOK FOLDER writes that file, draws what it
describes, and runs the notebook on `study.json`, which names the pictures.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcpgoodput.drawing.style import Palette, Style
from tcpgoodput.project.settings import Configuration, load_configuration
from tcpgoodput.storage.files import as_json, write_text
from tcpgoodput.studies.schema import Figure, LineFigure, SourceFigures, TableFigure
from tcpgoodput.workflow.jobs import job_parser, run_job
from tcpgoodput.workflow.notebooks import run_notebook

if TYPE_CHECKING:  # half a second that a description does not need
    from tcpgoodput.studies.frames import FigureData


def described(configuration: Configuration, source: str) -> dict[str, Any]:
    """Return all that drawing a source's figures depends on, in the order of the file."""
    figures = configuration.sources[source].figures
    return {
        "figures": figures.model_dump(mode="json", by_alias=True),
        "style": configuration.style.of_models(_named(figures)).model_dump(mode="json"),
    }


def _named(figures: SourceFigures) -> set[str]:
    """Return what figures' lines are named after: of other models' looks they know nothing."""
    panels = [
        panel
        for figure in figures.figures.values()
        if isinstance(figure, LineFigure)
        for panel in figure.panels.values()
    ]
    return {series.style or series.name for panel in panels for series in panel.series}


def description(configuration: Configuration, source: str) -> str:
    """Return the same as JSON."""
    return json.dumps(described(configuration, source), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Exhibit:
    """One figure or table, with its data."""

    name: str
    figure: Figure
    style: Style
    data: FigureData
    stem: Path

    def draw(self) -> None:
        """Draw the figure and save it as PDF and PNG; a table has no picture."""
        from tcpgoodput.drawing import theme
        from tcpgoodput.drawing.figure import draw

        if not isinstance(self.figure, TableFigure):
            theme.apply(self.style)
            theme.save(draw(self.figure, self.data, self.style), self.stem)

    def told(self) -> dict[str, Any]:
        """Return what a notebook shows of the figure, with paths from its own folder."""
        shown = None
        if not isinstance(self.figure, TableFigure):
            shown = f"../../figures/{self.stem.parent.name}/{self.name}.png"
        return {
            "name": self.name,
            "title": self.figure.title,
            "caption": self.figure.caption,
            "kind": self.figure.kind,
            "picture": shown,
            "rows": f"{self.name}.csv",
        }


class Gallery:
    """The figures and tables of one source."""

    def __init__(self, path: str | Path) -> None:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        self.figures = SourceFigures.model_validate(content["figures"])
        self.style = Style(Palette.model_validate(content["style"]))
        self.results = Path(path).parent

    def __iter__(self) -> Iterator[Exhibit]:
        source = self.figures.source
        for name, figure in self.figures.figures.items():
            data = self._published(name, figure)
            stem = self.results.parent.parent / "figures" / source / name
            yield Exhibit(name, figure, self.style, data, stem)

    def _published(self, name: str, figure: Figure) -> FigureData:
        """Read a figure's numbers, and publish them under the labels that the figure shows."""
        from tcpgoodput.studies.frames import labelled, publish, read_data

        data = labelled(read_data(self.results / "computed" / f"{name}.csv"), figure, self.style)
        publish(data, self.results / f"{name}.csv")
        return data

    def draw(self) -> dict[str, Any]:
        """Draw everything, in the source's order, and return what a notebook shows of it."""
        exhibits = list(self)
        for exhibit in exhibits:
            exhibit.draw()
        return {
            "study": self.figures.source,
            "title": self.figures.title,
            "exhibits": [exhibit.told() for exhibit in exhibits],
        }


def work(arguments: argparse.Namespace) -> None:
    """Describe and draw the figures of one source, and run its notebook on them."""
    source, folder = arguments.source, arguments.folder
    configuration = load_configuration(arguments.config, arguments.changes, only=source)
    write_text(folder / "gallery.json", description(configuration, source))
    settings = configuration.settings
    chosen = {name: getattr(settings, name) for name in ("equations", "precision", "seed")}
    told = {**Gallery(folder / "gallery.json").draw(), "conditions": chosen}
    told["style"] = configuration.style.palette.model_dump(mode="json")
    write_text(folder / "study.json", as_json(told))
    run_notebook(arguments.notebook, folder / f"{source}.ipynb", {"run": "study.json"})


def main() -> int:
    """Draw the figures of one source and run their notebook, both into a folder."""
    parser = job_parser(
        "tcpgoodput.drawing.gallery", config=Path, source=str, notebook=Path, folder=Path
    )
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
