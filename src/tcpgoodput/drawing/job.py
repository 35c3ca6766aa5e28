"""Draw one picture of what a whole stage found: the job that comparison and census share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure as Picture

from tcpgoodput.drawing import theme
from tcpgoodput.style.looks import Palette, Style

Drawn = Callable[[str, Mapping[str, Any], Path, Style], Picture]
"""From a picture's name, the looks that were planned, and the folder of what was found."""


def work(drawn: Drawn, looks: Path, folder: Path, picture: Path) -> None:
    """Draw a picture, named by its file, as PDF and PNG."""
    told = json.loads(looks.read_text(encoding="utf-8"))
    style = Style(Palette.model_validate(told["style"]))
    theme.apply(style)
    theme.save(drawn(picture.stem, told, folder, style), picture.with_suffix(""))
