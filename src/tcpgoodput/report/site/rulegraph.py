"""Draw the graph of the workflow's rules as SVG, from the Mermaid flowchart in `docs/`.

Rules are arranged in columns. A rule is to the right of all rules on which it depends. An arrow
crosses a column between boxes, and arrows to the same rule share the position of the crossing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean

ARROW = re.compile(r"^ *(\w+) --> (\w+)$", re.MULTILINE)

LETTER, PADDING, HEIGHT = 7.0, 16, 24
GAP, BETWEEN, EDGE = 12, 40, 10
"""Distances in pixels: between boxes (GAP), between columns (BETWEEN), and around the whole picture
(EDGE). `LETTER` is the width of a letter, `PADDING` the space around a name, and `HEIGHT` the
height of a box. All were chosen by hand."""

SWEEPS = 12
"""Number of passes over all columns that reorder their boxes to reduce crossings of arrows. Chosen
by hand."""

HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0f} {h:.0f}" width="{w:.0f}">
<style>
text {{ font: 11.5px ui-monospace, Menlo, Consolas, monospace; }}
text {{ fill: #1b1f24; text-anchor: middle; }}
.rule {{ fill: #eef3f8; stroke: #8aa3bb; }}
.arrow {{ fill: none; stroke: #6b7f93; }}
</style>
<marker id="head" viewBox="0 0 8 8" refX="7" refY="4"
 markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 1 L8 4 L0 7 z" fill="#6b7f93"/>
</marker>
<rect width="100%" height="100%" rx="8" fill="#ffffff"/>
"""

Arrows = Sequence[tuple[str, str]]
Node = tuple[str, int]
"""A rule and the number of a column. The column contains the rule's box, or a point through which
the arrows to the rule pass."""


def svg(mermaid: str) -> str:
    """Return the SVG picture of a flowchart that is given as Mermaid code."""
    arrows = ARROW.findall(mermaid)
    column = _columns(arrows)
    links = _links(arrows, column)
    columns = _ordered(links)
    widths = [
        max(LETTER * len(rule) + PADDING for rule, n in nodes if n == column[rule])
        for nodes in columns
    ]
    lefts = [EDGE + sum(widths[:n]) + n * BETWEEN for n in range(len(widths))]
    height = 2 * EDGE + max(map(len, columns)) * (HEIGHT + GAP) - GAP
    middles = {
        node: (height - (len(nodes) - 1) * (HEIGHT + GAP)) / 2 + row * (HEIGHT + GAP)
        for nodes in columns
        for row, node in enumerate(nodes)
    }

    def drawn() -> Iterator[str]:
        yield HEAD.format(w=lefts[-1] + widths[-1] + EDGE, h=height)
        for start, end in links:
            x, to = lefts[start[1]] + widths[start[1]], lefts[end[1]]
            y, y_to, half = middles[start], middles[end], BETWEEN / 2
            head = ' marker-end="url(#head)"' if end[1] == column[end[0]] else ""
            yield (
                f'<path class="arrow" d="M{x:.0f} {y:.0f} C{x + half:.0f} {y:.0f} '
                f'{to - half:.0f} {y_to:.0f} {to:.0f} {y_to:.0f}"'
                f"{head}/>\n"
            )
        for (rule, n), y in middles.items():
            x, width = lefts[n], widths[n]
            if n < column[rule]:
                yield f'<path class="arrow" d="M{x:.0f} {y:.0f} h{width:.0f}"/>\n'
                continue
            yield (
                f'<rect class="rule" x="{x:.0f}" y="{y - HEIGHT / 2:.0f}" '
                f'width="{width:.0f}" height="{HEIGHT}" rx="5"/>\n'
                f'<text x="{x + width / 2:.0f}" y="{y + 4:.0f}">{rule}</text>\n'
            )

    return "".join(drawn()) + "</svg>\n"


def _columns(arrows: Arrows) -> dict[str, int]:
    """Return each rule's column, which is to the right of all rules on which it depends."""
    column = dict.fromkeys((rule for arrow in arrows for rule in arrow), 0)
    for _ in column:
        for start, end in arrows:
            column[end] = max(column[end], column[start] + 1)
    return column


def _links(arrows: Arrows, column: dict[str, int]) -> list[tuple[Node, Node]]:
    """Return the arrows between rules, each divided into parts from one column to the next."""
    links: dict[tuple[Node, Node], None] = {}
    for start, end in arrows:
        passed = [(end, n) for n in range(column[start] + 1, column[end] + 1)]
        links |= dict.fromkeys(pairwise([(start, column[start]), *passed]))
    return list(links)


def _ordered(links: Sequence[tuple[Node, Node]]) -> list[list[Node]]:
    """Return the nodes of each column in an order with few crossings of arrows."""
    nodes = dict.fromkeys(node for link in links for node in link)
    columns = [
        [node for node in nodes if node[1] == n] for n in range(1 + max(n for _, n in nodes))
    ]
    for sweep in range(SWEEPS):
        step = -1 if sweep % 2 else 1
        for n in range(len(columns))[::step][1:]:
            near = {node: row for row, node in enumerate(columns[n - step])}

            def middle(node: Node, near: dict[Node, int] = near) -> float:
                ends = [b if a == node else a for a, b in links if node in (a, b)]
                rows = [near[end] for end in ends if end in near]
                return fmean(rows) if rows else len(near) / 2

            columns[n].sort(key=middle)
    return columns
