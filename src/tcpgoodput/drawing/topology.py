"""Block diagrams: the nodes and links of a scenario's path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from tcpgoodput.drawing import theme
from tcpgoodput.drawing.data import FigureData
from tcpgoodput.drawing.marks import INK
from tcpgoodput.studies.schema import TopologyFigure
from tcpgoodput.style import Style

if TYPE_CHECKING:
    import pandas as pd

COLUMN_CM = 3.8
ROW_CM = 2.2
BOX_CM = (2.5, 1.1)
QUEUE_CM = (3.6, 1.4)
"""Width and height of the bottleneck, in which two lines of text and packets have room."""
ACK_DEPTH_CM = 1.5


def draw(figure: TopologyFigure, data: FigureData, style: Style) -> Picture:
    """Draw the nodes and links of a path: data to the right, ACKs below, other paths above."""
    rows = data.rows
    nodes = rows[rows["source"].isna()].set_index("name")
    links = rows[rows["source"].notna()]
    top = max(float(nodes["row"].max()) * ROW_CM, 1.6 if "old-path" in set(rows["kind"]) else 0)
    bottom, above = -ACK_DEPTH_CM - 0.7, top + 1.2
    left, right = -BOX_CM[0] / 2 - 0.1, 3.4 * COLUMN_CM + BOX_CM[0] / 2 + 0.1
    picture = theme.new_picture(style, above - bottom, right - left)
    axes = picture.subplots()
    axes.set_axis_off()
    axes.set(xlim=(left, right), ylim=(bottom, above), aspect="equal")
    places = {name: _place(node) for name, node in nodes.iterrows()}
    colour = style.palette.lines["first"].colour
    for name, node in nodes.iterrows():
        _draw_node(axes, str(node["kind"]), places[name], str(node["label"]), colour)
    for _, link in links.iterrows():
        _draw_link(axes, link, places, nodes, style)
    return picture


def _place(node: pd.Series) -> tuple[float, float]:
    return float(node["column"]) * COLUMN_CM, float(node["row"]) * ROW_CM


def _half_width(kind: str) -> float:
    return (QUEUE_CM if kind in ("queue", "traffic") else BOX_CM)[0] / 2


def _half_height(kind: str) -> float:
    return (QUEUE_CM if kind == "queue" else BOX_CM)[1] / 2


def _draw_node(axes: Axes, kind: str, place: tuple[float, float], label: str, colour: str) -> None:
    x, y = place
    width, height = 2 * _half_width(kind), 2 * _half_height(kind)
    corner = (x - width / 2, y - height / 2)
    axes.add_patch(
        FancyBboxPatch(
            corner,
            width,
            height,
            boxstyle="round,pad=0.02,rounding_size=0.15",
            facecolor="#EEF4F9" if kind == "queue" else "white",
            edgecolor=colour,
            linewidth=0.9,
        )
    )
    if kind == "queue":  # draw packets that wait for the server
        for position in range(4):
            left = x + width / 2 - 0.2 * (position + 1)
            axes.add_patch(
                Rectangle((left, y - height / 2 + 0.1), 0.14, 0.22, facecolor=colour, alpha=0.45)
            )
    axes.text(x, y + (0.16 if kind == "queue" else 0), label, ha="center", va="center")


def _draw_link(
    axes: Axes,
    link: pd.Series,
    places: dict[str, tuple[float, float]],
    nodes: pd.DataFrame,
    style: Style,
) -> None:
    source, target, label = str(link["source"]), str(link["target"]), str(link["label"])
    (x0, y0), (x1, y1) = places[source], places[target]
    half0, half1 = _half_width(nodes["kind"][source]), _half_width(nodes["kind"][target])
    match link["kind"]:
        case "ack":
            depth = -ACK_DEPTH_CM
            axes.plot(
                [x0, x0, x1], [y0 - 0.6, depth, depth], color=INK, linewidth=0.9, ls=(0, (4, 2))
            )
            _arrow(axes, (x1, depth), (x1, y1 - 0.57), INK)
            axes.text((x0 + x1) / 2, depth - 0.1, label, ha="center", va="top", color=INK)
        case "old-path":
            colour = style.palette.lines["second"].colour
            base = y0 + _half_height(nodes["kind"][source]) + 0.02
            start, stop = (x0 + 0.4, base), (x1 - 0.4, y1 + 0.57)
            axes.add_patch(
                FancyArrowPatch(
                    start,
                    stop,
                    connectionstyle="arc3,rad=-0.32",
                    arrowstyle="-|>",
                    mutation_scale=9,
                    color=colour,
                    linewidth=1.1,
                    linestyle=(0, (4, 2)),
                )
            )
            # The height of matplotlib's arc3 above its chord is rad / 2 times the chord's length.
            top = base + 0.16 * (stop[0] - start[0])
            axes.text((x0 + x1) / 2, top + 0.08, label, ha="center", va="bottom", color=colour)
        case _ if y0 != y1:
            arrives = y1 + _half_height(nodes["kind"][target]) + 0.02
            _arrow(axes, (x0, y0 - 0.57), (x1, arrives), INK)
            axes.text(
                x0 + 0.15,
                (y0 - 0.57 + arrives) / 2,
                label.replace("\n", " "),
                va="center",
                color=INK,
            )
        case _:
            start, stop = x0 + half0 + 0.03, x1 - half1 - 0.03
            _arrow(axes, (start, y0), (stop, y1), INK)
            lines = label.split("\n")
            middle = (start + stop) / 2
            axes.text(middle, y0 + 0.08, "\n".join(lines[:2]), ha="center", va="bottom", color=INK)
            if rest := "\n".join(lines[2:]):
                axes.text(middle, y0 - 0.1, rest, ha="center", va="top", color=INK)


def _arrow(axes: Axes, start: tuple[float, float], stop: tuple[float, float], colour: str) -> None:
    axes.annotate(
        "", stop, xytext=start, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 0.9}
    )
