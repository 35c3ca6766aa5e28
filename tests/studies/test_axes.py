"""Axes and positions in a figure's definition that cannot be drawn are refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tcpgoodput.studies.schema import Axis, HorizontalLine


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"limits": [1.0, 1.0]}, "must rise"),
        ({"limits": [2.0, 1.0]}, "must rise"),
        ({"limits": [-1.0, 1.0], "scale": "log"}, "above 0"),
        ({"tick_labels": ["a"]}, "needs ticks"),
        ({"ticks": [1.0, 2.0], "tick_labels": ["a"]}, "one for each"),
    ],
)
def test_an_axis_that_cannot_be_drawn_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Axis(label="x", **keys)


def test_a_position_is_a_number_or_an_expression() -> None:
    assert HorizontalLine(kind="hline", y="= SD").y == "= SD"
    with pytest.raises(ValidationError, match="an expression after =; is 'hello'") as refused:
        HorizontalLine(kind="hline", y="hello")
    assert refused.value.error_count() == 1
