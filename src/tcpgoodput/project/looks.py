"""The looks that are at hand: those of the project's style file, else plain ones."""

from __future__ import annotations

from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.engines.packet import Packet
from tcpgoodput.models import MODELS
from tcpgoodput.project.configuration import DEFAULT_PATH
from tcpgoodput.style.looks import Look, Palette, Style, load_style, looks

STYLE = DEFAULT_PATH.with_name("style.yaml")

LINES = {
    "neutral": Look(label="Curve", colour="#333333"),
    "second": Look(label="Second", colour="#D55E00"),
    "level": Look(label="Level", colour="#777777"),
}
"""Looks that pictures of a window need."""


def style_at_hand() -> Style:
    """Return the style of the project in this folder, else one with the models' own titles."""
    if STYLE.is_file():
        return load_style(STYLE)
    titles = {model.name: model.title for model in MODELS.values()}
    engine = Look(label=Packet.title, colour="#000000", marker="o")
    palette = Palette(
        font_size_pt=8,
        text_width_cm=16,
        models=looks({}, titles),
        engines={REFERENCE: engine},
        variants={},
        lines=LINES,
    )
    return Style(palette)
