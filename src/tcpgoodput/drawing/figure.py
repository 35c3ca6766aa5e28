"""Draw a figure from its published numbers and a description of its looks.

python -m tcpgoodput.drawing.figure PUBLISHED BESIDE LOOKS PICTURE.pdf
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from matplotlib.figure import Figure as Picture

from tcpgoodput.drawing import ladder, lines, theme, topology
from tcpgoodput.drawing.data import FigureData
from tcpgoodput.studies.requests import figure_of
from tcpgoodput.studies.schema import Figure, LadderFigure, LineFigure, TopologyFigure
from tcpgoodput.style.looks import Palette, Style


def draw(figure: Figure, data: FigureData, style: Style) -> Picture:
    """Draw a figure of any kind but a table."""
    match figure:
        case LineFigure():
            return lines.draw(figure, data, style)
        case LadderFigure():
            return ladder.draw(figure, data, style)
        case TopologyFigure():
            return topology.draw(figure, data, style)
    raise TypeError(f"a {figure.kind} is not drawn")


def work(published: Path, beside: Path, looks: Path, picture: Path) -> None:
    """Draw one figure, as PDF and PNG."""
    request = json.loads(looks.read_text(encoding="utf-8"))
    figure, style = figure_of(request), Style(Palette.model_validate(request["style"]))
    known = json.loads(beside.read_text(encoding="utf-8"))
    theme.apply(style)
    drawn = draw(figure, FigureData(published, known["landmarks"], known["outside"]), style)
    theme.save(drawn, picture.with_suffix(""))


if __name__ == "__main__":
    work(*map(Path, sys.argv[1:]))
