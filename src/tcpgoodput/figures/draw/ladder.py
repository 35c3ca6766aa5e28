"""Ladder diagrams: packets and ACKs between sender and receiver, time running downwards."""

from __future__ import annotations

from matplotlib.figure import Figure as Picture

from tcpgoodput.figures.compute import FigureData
from tcpgoodput.figures.draw import theme
from tcpgoodput.figures.schema import LadderFigure
from tcpgoodput.style import Style


def draw(figure: LadderFigure, data: FigureData, style: Style) -> Picture:
    """Draw one ladder per panel."""
    return theme.new_picture(style, 12)
