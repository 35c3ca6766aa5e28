"""Diagrams: the nodes and links of a path, and packets and ACKs between sender and receiver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from tcpgoodput.drawing import theme
from tcpgoodput.drawing.marks import INK, FigureData
from tcpgoodput.studies.schema import LadderFigure, TopologyFigure
from tcpgoodput.style import Style

if TYPE_CHECKING:
    import pandas as pd

COLUMN_CM = 3.8
ROW_CM = 2.2
BOX_CM = (2.5, 1.1)
QUEUE_CM = (3.6, 1.4)
"""Width and height of the bottleneck, in which two lines of text and packets have room."""
ACK_DEPTH_CM = 1.5


def draw_topology(figure: TopologyFigure, data: FigureData, style: Style) -> Picture:
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
    places = {
        name: (float(node["column"]) * COLUMN_CM, float(node["row"]) * ROW_CM)
        for name, node in nodes.iterrows()
    }
    colour = style.palette.lines["first"].colour
    for name, node in nodes.iterrows():
        _draw_node(axes, str(node["kind"]), places[name], str(node["label"]), colour)
    for _, link in links.iterrows():
        _draw_link(axes, link, places, nodes, style)
    return picture


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
            _arrow(axes, (x1, depth), (x1, y1 - 0.57))
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
            _arrow(axes, (x0, y0 - 0.57), (x1, arrives))
            axes.text(
                x0 + 0.15,
                (y0 - 0.57 + arrives) / 2,
                label.replace("\n", " "),
                va="center",
                color=INK,
            )
        case _:
            start, stop = x0 + half0 + 0.03, x1 - half1 - 0.03
            _arrow(axes, (start, y0), (stop, y1))
            lines = label.split("\n")
            middle = (start + stop) / 2
            axes.text(middle, y0 + 0.08, "\n".join(lines[:2]), ha="center", va="bottom", color=INK)
            if rest := "\n".join(lines[2:]):
                axes.text(middle, y0 - 0.1, rest, ha="center", va="top", color=INK)


def _arrow(axes: Axes, start: tuple[float, float], stop: tuple[float, float]) -> None:
    axes.annotate(
        "", stop, xytext=start, arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 0.9}
    )


ROUND_TRIP_CM = 2.7
LOST_PART = 0.55
"""Length of a lost packet's line, as a fraction of the distance to the receiver."""

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
pictures fit side by side."""


def draw_ladder(figure: LadderFigure, data: FigureData, style: Style) -> Picture:
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


CLOSEST_RTT = 0.1
"""Smallest distance of two numbers in a column, in round trips."""

COLUMN_PT = 16
"""Distance of the two columns of numbers, in points."""


def _number_packets(axes: Axes, packets: pd.DataFrame) -> None:
    """Write the packets' numbers, from 1, at the sender, so that none overlap.

    Retransmissions come first, and use a second column if they are close together. Of the other
    numbers, those without room are left out.
    """
    columns: tuple[list[float], list[float]] = ([], [])
    ordered = packets.assign(is_new=packets["kind"] != "retransmission")
    for row in ordered.sort_values(["is_new", "sent_rtt"]).itertuples():
        for column, taken in enumerate(columns[:1] if row.is_new else columns):
            if all(abs(row.sent_rtt - other) >= CLOSEST_RTT for other in taken):
                axes.annotate(
                    str(row.packet + 1),
                    (0, row.sent_rtt),
                    xytext=(-3 - column * COLUMN_PT, 0),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    fontsize=8,
                    fontweight="normal" if row.is_new else "bold",
                )
                taken.append(row.sent_rtt)
                break


def _line(kind: str, style: Style) -> dict[str, object]:
    _, look, line, width = KINDS[kind]
    colour = style.palette.lines[look].colour
    return {"color": colour, "linestyle": theme.LINES[line], "linewidth": width}
