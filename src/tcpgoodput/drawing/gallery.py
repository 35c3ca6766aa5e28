"""What a figure notebook calls: the figures of one source, described by one JSON file.

python -m tcpgoodput.drawing.gallery CONFIG SOURCE NOTEBOOK FOLDER writes that file and runs the
notebook.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcpgoodput.drawing.style import Palette, Style
from tcpgoodput.project.settings import Configuration
from tcpgoodput.studies.schema import Figure, LineFigure, SourceFigures, TableFigure
from tcpgoodput.workflow.notebooks import notebook_job

if TYPE_CHECKING:  # half a second that a description does not need
    import pandas as pd

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

    def show(self) -> None:
        """Draw the figure, save it as PDF and PNG, and show it with its caption."""
        from IPython.display import Image, Markdown, display

        from tcpgoodput.drawing import theme
        from tcpgoodput.drawing.figure import draw

        display(Markdown(f"## {self.name}: {self.figure.title}"))
        if isinstance(self.figure, TableFigure):
            display(self._table(self.figure, self.data.rows))
        else:
            theme.apply(self.style)
            theme.save(draw(self.figure, self.data, self.style), self.stem)
            display(Image(self.stem.with_suffix(".png").read_bytes(), width=760))
        display(Markdown(self.figure.caption))

    @staticmethod
    def _table(figure: TableFigure, rows: pd.DataFrame) -> pd.DataFrame:
        if not figure.headings:
            return rows
        return rows[list(figure.headings)].rename(columns=figure.headings).fillna("")


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

    def show(self) -> None:
        """Draw and show everything, in the source's order."""
        for exhibit in self:
            exhibit.show()


def main() -> int:
    """Describe the figures of one source and run their notebook, both into a folder."""
    return notebook_job(
        "tcpgoodput.drawing.gallery", "gallery", "gallery.json", description, "{source}.ipynb"
    )


if __name__ == "__main__":
    sys.exit(main())
