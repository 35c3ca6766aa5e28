"""An axis that cannot be drawn is refused when it is read."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tcpgoodput.studies.schema import Axis


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
