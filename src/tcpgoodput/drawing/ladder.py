"""Ladder diagrams of packets and ACKs between sender and receiver; time increases downwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D

from tcpgoodput.drawing import theme
from tcpgoodput.drawing.data import FigureData
from tcpgoodput.drawing.marks import INK
from tcpgoodput.studies.schema import LadderFigure
from tcpgoodput.style import Style

if TYPE_CHECKING:
    import pandas as pd

ROUND_TRIP_CM = 2.7
LOST_PART = 0.55
"""Length of a lost packet's line, as a fraction of the distance to the receiver; chosen by hand."""

KINDS = {
    "data": ("new packet", "first", "solid", 0.7),
    "retransmission": ("retransmission", "second", "solid", 1.3),
    "lost": ("lost packet", "second", "dotted", 1.0),
    "late": ("late packet", "fifth", "solid", 1.3),
    "ack": ("ACK of new data", "third", "solid", 0.7),
    "partial": ("partial ACK", "fourth", "solid", 1.3),
    "duplicate": ("duplicate ACK", "level", "dotted", 0.7),
}
"""For each kind of packet: text of the legend, name of the style with its colour, dashes of the
line, and width of the line in points."""


ALONE_WIDTH = 0.55
"""Width of a picture with a single diagram, as a fraction of the text's width, so that two such
pictures fit side by side. Chosen by hand."""


def draw(figure: LadderFigure, data: FigureData, style: Style) -> Picture:
    """Draw one ladder diagram for each panel, side by side, and a legend below."""
    rows = data.rows
    end = rows["sent_rtt"].max()
    alone = len(figure.panels) == 1
    width_cm = style.palette.text_width_cm * (ALONE_WIDTH if alone else 1)
    picture = theme.new_picture(style, ROUND_TRIP_CM * end + 2.2, width_cm)
    grid = picture.subplots(1, len(figure.panels), squeeze=False, sharey=True)
    for axes, (name, panel) in zip(grid.flat, figure.panels.items(), strict=True):
        _draw_exchange(axes, rows[rows["panel"] == name], end, style)
        axes.set_title(panel.title or "")
    grid[0, 0].set_ylabel("time [round trips]")
    seen = [kind for kind in KINDS if kind in set(rows["kind"])]
    picture.legend(
        [Line2D([], [], **_line(kind, style)) for kind in seen],
        [KINDS[kind][0] for kind in seen],
        loc="outside lower center",
        ncols=2 if alone else 4,
        frameon=False,
    )
    return picture


def _draw_exchange(axes: Axes, rows: pd.DataFrame, end: float, style: Style) -> None:
    for row in rows.itertuples():
        start, stop = (0.0, 1.0) if row.direction == "data" else (1.0, 0.0)
        arrives = row.arrives_rtt
        if row.kind == "lost":
            stop, arrives = LOST_PART, row.sent_rtt + 0.5 * LOST_PART
            axes.plot(stop, arrives, "x", color=style.palette.lines["second"].colour, markersize=5)
        if row.sent_rtt > end:
            continue
        axes.plot([start, stop], [row.sent_rtt, arrives], **_line(row.kind, style))
    _number_packets(axes, rows[rows["direction"] == "data"])
    for side in (0, 1):
        axes.axvline(side, color=INK, linewidth=1.2)
    axes.set(xlim=(-0.22, 1.02), ylim=(end + 0.05, -0.1), xticks=[0, 1])
    axes.set_xticklabels(["sender", "receiver"])
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", length=0)
    axes.grid(False, axis="x")
    axes.spines[:].set_visible(False)


def _number_packets(axes: Axes, packets: pd.DataFrame, closest_rtt: float = 0.095) -> None:
    """Write the packets' numbers, from 1, at the sender; leave out numbers that would overlap.

    Args:
        axes: the axes of the diagram.
        packets: the data packets, with the times at which they are sent.
        closest_rtt: smallest distance of two numbers in round trips; for retransmissions 0.6 of it.

    """
    last = float("-inf")
    for row in packets.sort_values("sent_rtt").itertuples():
        important = row.kind == "retransmission"
        if row.sent_rtt - last >= closest_rtt * (0.6 if important else 1):
            weight = "bold" if important else "normal"
            axes.annotate(
                str(row.packet + 1),
                (0, row.sent_rtt),
                xytext=(-3, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=8,
                fontweight=weight,
            )
            last = row.sent_rtt


def _line(kind: str, style: Style) -> dict[str, object]:
    _, look, line, width = KINDS[kind]
    colour = style.palette.lines[look].colour
    return {"color": colour, "linestyle": theme.LINES[line], "linewidth": width}
