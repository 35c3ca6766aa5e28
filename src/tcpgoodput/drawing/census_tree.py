"""Picture of the decision tree of a census, a random sample of connections.

The tree has questions at its nodes, and recommended models with their errors at its leaves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import FancyBboxPatch

from tcpgoodput.comparison.census.evidence import LARGEST
from tcpgoodput.comparison.census.tree import SIMULATE
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.drawing import theme
from tcpgoodput.style import Style

ROW_CM, TOP_CM, WIDTH_CM = 1.12, 0.4, 16.0
STEP_CM, LEAF_CM = 2.35, 4.3
"""Largest distance between successive questions, and width of a leaf's box, in cm. Both were chosen
by hand."""
FIRST_CM, LAST_CM = 1.4, 1.6
"""Position of the first question, and smallest distance of the last question from the leaves, in
cm. Both were chosen by hand."""
EDGE, NO_MODEL = "#555555", "#AAAAAA"
TALL = 0.86
TEXT_PT = 7.0
SIDE = 0.22
"""Vertical distance from a question to the labels of its branches (yes, no), in rows of leaves;
chosen by hand."""


def draw(nodes: pd.DataFrame, labels: Mapping[str, str], style: Style) -> Picture:
    """Draw the decision tree from left to right; leaves show the recommended model and its errors.

    Args:
        nodes: a row for each node; see `comparison.census.tree.tree_rows`.
        labels: labels of the families, by the name of the family.
        style: colours of the models.

    """
    by_number = nodes.set_index("node")
    order = _order(nodes)
    rows = {number: row for row, number in enumerate(n for n in order if _is_leaf(by_number, n))}
    depth = {number: _depth(by_number, number) for number in order}
    deepest = max((depth[n] for n in order if not _is_leaf(by_number, n)), default=0)
    across = {number: _x(depth[number], deepest) for number in order}
    height = {number: _height(nodes, by_number, rows, number) for number in order}
    tall = TOP_CM + ROW_CM * len(rows)
    picture = theme.new_picture(style, tall)
    axes = picture.add_subplot()
    axes.axis("off")
    axes.set(xlim=(0, WIDTH_CM), ylim=(len(rows) - 0.4, -0.9))
    for number in order:
        entry = by_number.loc[number]
        leaf = _is_leaf(by_number, number)
        x, y = WIDTH_CM - LEAF_CM if leaf else across[number], height[number]
        if leaf:
            _leaf(axes, x, y, entry, labels, style)
        else:
            _question(axes, x, y, entry)
        if not math.isnan(entry["parent"]):
            parent = int(entry["parent"])
            _branch(axes, (across[parent], height[parent]), (x, y), str(entry["side"]))
    return picture


def _x(depth: int, deepest: int) -> float:
    """Return the x position of questions at a depth; in a deep tree, they are closer together."""
    room = WIDTH_CM - LEAF_CM - FIRST_CM - LAST_CM
    return FIRST_CM + min(STEP_CM, room / max(deepest, 1)) * depth


def _is_leaf(by_number: pd.DataFrame, number: int) -> bool:
    return not isinstance(by_number.loc[number, "quantity"], str)


def _order(nodes: pd.DataFrame) -> list[int]:
    """Return the numbers of nodes from top to bottom: `yes` branch, question, `no` branch."""
    children = nodes.dropna(subset="parent").groupby("parent")

    def below(number: int) -> list[int]:
        if number not in children.groups:
            return [number]
        own = children.get_group(number).set_index("side")["node"]
        return [*below(int(own["yes"])), number, *below(int(own["no"]))]

    return below(int(nodes["node"].iloc[0]))


def _depth(by_number: pd.DataFrame, number: int) -> int:
    parent = by_number.loc[number, "parent"]
    return 0 if math.isnan(parent) else 1 + _depth(by_number, int(parent))


def _height(
    nodes: pd.DataFrame, by_number: pd.DataFrame, rows: Mapping[int, int], number: int
) -> float:
    """Return the y position of a node: a leaf's row, or the mean of its children's positions."""
    if _is_leaf(by_number, number):
        return float(rows[number])
    children = nodes.loc[nodes["parent"] == number, "node"]
    return sum(_height(nodes, by_number, rows, int(child)) for child in children) / 2


def _question(axes: Axes, x: float, y: float, entry: pd.Series) -> None:
    box = {"boxstyle": "round,pad=0.25", "facecolor": "#F2F2F2", "edgecolor": EDGE, "lw": 0.6}
    place = {"ha": "center", "va": "center", "fontsize": TEXT_PT, "zorder": 3}
    axes.text(x, y, entry["question"], bbox=box, **place)


def _branch(axes: Axes, start: tuple[float, float], end: tuple[float, float], side: str) -> None:
    (x0, y0), (x1, y1) = start, end
    axes.plot([x0, x0, x1], [y0, y1, y1], color=EDGE, linewidth=0.6, zorder=1)
    above = y1 < y0
    place = {"fontsize": TEXT_PT, "style": "italic", "va": "bottom" if above else "top"}
    axes.text(x0 + 0.08, y0 - SIDE if above else y0 + SIDE, side, **place)


def _leaf(
    axes: Axes, left: float, y: float, entry: pd.Series, labels: Mapping[str, str], style: Style
) -> None:
    simulated = entry["family"] == SIMULATE
    colour = NO_MODEL if simulated else style.model(entry["best_family"]).colour
    shape = FancyBboxPatch(
        (left, y - TALL / 2),
        LEAF_CM - 0.1,
        TALL,
        boxstyle="round,pad=0,rounding_size=0.08",
        facecolor="white",
        edgecolor=colour,
        linewidth=1.1,
    )
    axes.add_patch(shape)
    place = {"ha": "center", "va": "center", "fontsize": TEXT_PT, "linespacing": 1.05}
    text = _leaf_text(entry, labels.get(entry["best_family"], entry["best_family"]))
    axes.text(left + (LEAF_CM - 0.1) / 2, y, text, **place)


def _leaf_text(entry: pd.Series, best: str) -> str:
    """Return a leaf's text: the best family, the number of validation connections, the errors."""
    count = f"{entry['validation_connections']:.0f}"
    if entry["expected_%"] >= per_cent(LARGEST) * (1 - 1e-9):
        return f"{SIMULATE}\n{count}: no family answers"
    found = f"{count}: {entry['typical_%']:.2g} % off\n{entry['within_10_%']:.0f} % within 10 %"
    if entry["family"] == SIMULATE:
        return f"{SIMULATE} (best: {best})\n{found}"
    return f"{best}\n{found}"
