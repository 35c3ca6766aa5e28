"""Names of lines are next to their own lines, cover nothing, and are connected if far away."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tcpgoodput.drawing import names, theme
from tcpgoodput.style import Style

X = np.linspace(0, 1, 41)
Lines = dict[str, Callable[[np.ndarray], np.ndarray]]
APART: Lines = {"low": lambda x: 0.2 + 0 * x, "high": lambda x: 0.5 + 0.4 * x}
MEETING: Lines = {"left": lambda x: 0.3 + 0.4 * x, "right": lambda x: 0.7 + 0 * x}
CLOSE: Lines = {"top": lambda x: 0.54 - 0 * x, "between": lambda x: 0.5 + 0 * x,
                "bottom": lambda x: 0.46 + 0 * x}  # fmt: skip


def placed(lines: Lines, style: Style) -> tuple[Axes, dict[str, names.Name]]:
    """Draw lines with names, and return the axes and the placed names."""
    picture = theme.new_picture(style, 6, 10)
    axes = picture.subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    found = {}
    for text, line in lines.items():
        axes.plot(X, line(X), color="#0072B2")
        name = names.Name(text, "#0072B2", 8, np.column_stack([X, line(X)]))
        found[text] = axes.add_artist(name)
    theme.rendered(picture, [".pdf"])
    FigureCanvasAgg(picture).draw()
    return axes, found


def distances_pt(axes: Axes, name: names.Name, lines: Lines) -> dict[str, float]:
    """Return the distance of a name's box from each line, in points."""
    box, fine = name.get_window_extent(), np.linspace(0, 1, 2001)
    found = {}
    for text, line in lines.items():
        at = axes.transData.transform(np.column_stack([fine, line(fine)]))
        gaps = np.maximum(np.maximum(box.min - at, at - box.max), 0)
        found[text] = float(np.hypot(*gaps.T).min()) * 72 / axes.figure.dpi
    return found


def leaders(axes: Axes) -> int:
    return sum(line.get_linewidth() == names.LEADER_WIDTH for line in axes.lines)


@pytest.mark.parametrize("lines", [APART, MEETING])
def test_a_name_is_nearest_to_its_own_line_and_covers_none(lines: Lines, style: Style) -> None:
    axes, found = placed(lines, style)
    for text, name in found.items():
        apart = distances_pt(axes, name, lines)
        assert min(apart, key=apart.__getitem__) == text
        assert 0.5 * names.GAP_PT < apart[text] < 4 * names.GAP_PT
        whole = axes.get_window_extent()
        assert whole.x0 < name.get_window_extent().x0
        assert name.get_window_extent().y1 < whole.y1
    assert leaders(axes) == 0


def test_a_line_without_room_around_it_is_connected_with_its_name(style: Style) -> None:
    axes, found = placed(CLOSE, style)
    assert leaders(axes) == 1
    (leader,) = (line for line in axes.lines if line.get_linewidth() == names.LEADER_WIDTH)
    assert leader.get_ydata()[-1] == pytest.approx(0.5)
    start = axes.transData.transform(leader.get_xydata()[0])
    assert found["between"].get_window_extent().padded(1).contains(*start)
    assert min(distances_pt(axes, found["between"], CLOSE).values()) > 0


def test_names_of_equal_lines_do_not_collide(style: Style) -> None:
    same: Lines = {"one": APART["low"], "other": APART["low"]}
    _, found = placed(same, style)
    one, other = (name.get_window_extent() for name in found.values())
    assert not one.overlaps(other)


def test_a_line_beyond_the_axes_has_no_name(style: Style) -> None:
    _, found = placed({"inside": APART["low"], "beyond": lambda x: 2 + 0 * x}, style)
    assert {text: name.get_visible() for text, name in found.items()} == {
        "inside": True,
        "beyond": False,
    }


def test_a_name_does_not_cover_markers(style: Style) -> None:
    picture = theme.new_picture(style, 6, 10)
    axes = picture.subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    xs, ys = (values.ravel() for values in np.meshgrid(X[X <= 0.6], np.linspace(0, 1, 41)))
    axes.plot(xs, ys, linestyle="", marker="o")
    name = axes.add_artist(names.Name("name", "#0072B2", 8, np.column_stack([X, 0.5 + 0 * X])))
    theme.rendered(picture, [".pdf"])
    FigureCanvasAgg(picture).draw()
    left = axes.transData.inverted().transform(name.get_window_extent().min)[0]
    assert left > xs.max()


def test_names_have_the_contrast_of_readable_text() -> None:
    # On white, #767676 has a contrast of 4.54 and #777777 one of 4.48: the known bounds of 4.5.
    assert names.readable("#767676") == "#767676"
    assert names.readable("#777777") < "#777777"
    # The hue is kept: yellow has no blue, before and after.
    yellow = names.readable("#e69f00")
    assert yellow.endswith("00")
    assert int(yellow[1:3], 16) / int(yellow[3:5], 16) == pytest.approx(0xE6 / 0x9F, rel=0.02)
