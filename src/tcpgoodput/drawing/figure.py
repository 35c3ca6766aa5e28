"""Draw a figure of a study from its published numbers."""

from __future__ import annotations

from matplotlib.figure import Figure as Picture

from tcpgoodput.drawing import ladder, lines, topology
from tcpgoodput.drawing.data import FigureData
from tcpgoodput.studies.schema import Figure, LadderFigure, LineFigure, TopologyFigure
from tcpgoodput.style import Style


def draw(figure: Figure, data: FigureData, style: Style) -> Picture:
    """Draw a figure of any kind except a table.

    Raises:
        TypeError: the figure is a table.

    """
    match figure:
        case LineFigure():
            return lines.draw(figure, data, style)
        case LadderFigure():
            return ladder.draw(figure, data, style)
        case TopologyFigure():
            return topology.draw(figure, data, style)
    raise TypeError(f"a {figure.kind} is not drawn")
