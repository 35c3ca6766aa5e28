"""Style of pictures: the names, colours and markers of `config/style.yaml`."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Literal, Protocol

from pydantic import Field

from tcpgoodput.configuration import read, validated
from tcpgoodput.models import MODELS
from tcpgoodput.scenario.types import Part, Text

Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Line = Literal["solid", "dashed", "dotted", "dashdot"]

NO_LOOK = "#777777"
"""Grey colour of models that occur in old results but no longer exist."""

SPARE_COLOURS = (
    "#332288", "#661100", "#999933", "#44AA99", "#CC6677", "#117733", "#AA4499", "#88CCEE",
)  # fmt: skip
"""Colours for models that the style file does not name: Paul Tol's muted scheme, which is safe for
colour-blind readers.

The scheme's yellow is left out because it is faint on white, and a dark brown stands in for its
wine, which is the colour of BBR: the style file uses none of these colours.
"""

LINES: tuple[Line, ...] = ("solid", "dashed", "dotted", "dashdot")


class Look(Part):
    """Colour, marker, line and label of a model, an engine (a simulator) or a kind of line."""

    label: Text
    colour: Colour
    line: Line = "solid"
    marker: Literal["o", "s", "D", "^", "v", "<", ">", "P", "X", "h", "*"] | None = Field(
        None, description="engines only: measurements are markers, models are lines"
    )
    filled: bool = Field(False, description="engines only: whether the marker is filled")


class Palette(Part):
    """The content of `config/style.yaml`."""

    font_size_pt: Annotated[float, Field(ge=5, le=14)]
    text_width_cm: Annotated[float, Field(ge=8, le=25)]
    models: dict[str, Look]
    engines: dict[str, Look]
    variants: dict[str, Look]
    lines: dict[str, Look] = Field(description="styles of other lines by role, such as `level`")


class Named(Protocol):
    """The attributes of a figure's series (line or set of markers) that determine its style."""

    style: str | None
    label: str | None

    @property
    def name(self) -> str:
        """Name of the model, engine or curve that the series shows."""


class Style:
    """All styles of models, engines and kinds of lines, by name."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self._looks = {**palette.models, **palette.engines, **palette.variants, **palette.lines}

    def __contains__(self, name: str) -> bool:
        return name in self._looks

    def names(self) -> list[str]:
        """Return all names that a series may use as its style."""
        return list(self._looks)

    def look(self, series: Named) -> Look:
        """Return the style of a series: the style it names, else that of its model or engine.

        If the style file lacks this style, the result is the style `neutral`.
        """
        return self._looks.get(series.style or series.name) or self._looks["neutral"]

    def colour(self, name: str) -> str:
        """Return the colour of a model, an engine, a sender or a kind of line, by its name.

        Raises:
            KeyError: the style file has no such name.

        """
        return self._looks[name].colour

    def of_models(self, names: Collection[str]) -> Palette:
        """Return the palette without the styles of models other than the given ones."""
        models = {name: look for name, look in self.palette.models.items() if name in names}
        return self.palette.model_copy(update={"models": models})

    def model(self, name: str) -> Look:
        """Return the style of a model; an unknown model is grey and labelled by its name."""
        return self.palette.models.get(name) or Look(label=name, colour=NO_LOOK)

    def engine(self, name: str) -> Look:
        """Return the style of an engine's markers.

        `name` is an engine's name, which may be followed by a hyphen and a setting. If the style
        file lacks this setting, the result is the style of the engine.
        """
        return self.palette.engines.get(name) or self.palette.engines[name.partition("-")[0]]

    def marker(self, engine: str) -> str:
        """Return the marker of an engine: that of the style file, else `o`, a circle."""
        return self.engine(engine).marker or "o"

    def is_filled(self, engine: str | None) -> bool:
        """Whether the markers of an engine are filled; False for a model."""
        return engine is not None and self.engine(engine).filled

    def face(self, engine: str, colour: str) -> str:
        """Return the fill colour of an engine's marker, given the colour of its edge."""
        return colour if self.is_filled(engine) else "white"

    def label(self, series: Named) -> str:
        """Return the label of a series: its own label, else the name of its model or engine."""
        return series.label or self.look(series).label


def load_style(path: Path | str) -> Style:
    """Read and check a style file; models that it does not name get a default style."""
    palette = validated(Palette, read(path))
    titles = {model.name: model.title for model in MODELS.values()}
    return Style(palette.model_copy(update={"models": looks(palette.models, titles)}))


def looks(named: Mapping[str, Look], titles: Mapping[str, str]) -> dict[str, Look]:
    """Return the models' styles in the style file, and a default style for each other model.

    The default colour depends on the model's name, so it usually stays the same if other models are
    added or removed. If two names lead to the same style, the second gets the next unused style.

    Args:
        named: the styles in the style file, by the name of the model.
        titles: titles of all models by name, in order; a title is the label of a default style.

    """
    taken = {(look.colour, look.line) for look in named.values()}
    found = dict(named)
    for name, title in titles.items():
        if name in named:
            continue
        start = zlib.crc32(name.encode()) % len(SPARE_COLOURS)
        colours = [*SPARE_COLOURS[start:], *SPARE_COLOURS[:start]]
        order = [(colour, line) for line in LINES for colour in colours]
        colour, line = next((look for look in order if look not in taken), order[0])
        taken.add((colour, line))
        found[name] = Look(label=title, colour=colour, line=line)
    return found
