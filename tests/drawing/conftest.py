"""The project's style as matplotlib's defaults during tests of pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest

from tcpgoodput.drawing import theme
from tcpgoodput.style import Style, load_style

STYLE = Path(__file__).parents[2] / "config" / "style.yaml"


@pytest.fixture(scope="module")
def style() -> Iterator[Style]:
    with mpl.rc_context():
        found = load_style(STYLE)
        theme.apply(found)
        yield found
