"""One name, colour and marker for each model and engine, everywhere: `config/style.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Protocol

from pydantic import Field

from tcpgoodput.configuration import read, validated
from tcpgoodput.scenario.types import Part, Text

Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]


NO_LOOK = "#777777"
"""Colour of a model that the style file does not name."""


class Look(Part):
    """How a model, an engine or a kind of line looks, and what it is called."""

    label: Text
    colour: Colour
    line: Literal["solid", "dashed", "dotted", "dashdot"] = "solid"
    marker: Literal["o", "s", "D", "^", "v", "<", ">", "P", "X", "h", "*"] | None = Field(
        None, description="engines only: measurements are markers, models are lines"
    )


class Palette(Part):
    """The file `config/style.yaml`."""

    font_size_pt: Annotated[float, Field(ge=5, le=14)]
    text_width_cm: Annotated[float, Field(ge=8, le=25)]
    models: dict[str, Look]
    engines: dict[str, Look]
    variants: dict[str, Look]
    lines: dict[str, Look] = Field(description="looks by role: levels, states, compared laws")


class Named(Protocol):
    """A series of a figure, as far as its look is concerned."""

    style: str | None
    label: str | None

    @property
    def name(self) -> str:
        """Name of the model, engine or curve."""


class Style:
    """Looks by name."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self._looks = {**palette.models, **palette.engines, **palette.variants, **palette.lines}

    def __contains__(self, name: str) -> bool:
        return name in self._looks

    def names(self) -> list[str]:
        """Return all names that a series may give as its style."""
        return list(self._looks)

    def look(self, series: Named) -> Look:
        """Return the look of a series: that of its style, else of its model or engine."""
        return self._looks.get(series.style or series.name) or self._looks["neutral"]

    def model(self, name: str) -> Look:
        """Return the look of a model; one that has none of its own is grey, under its name."""
        return self.palette.models.get(name) or Look(label=name, colour=NO_LOOK)

    def marker(self, engine: str) -> str:
        """Return an engine's marker, whatever style gives the series its colour."""
        return self.palette.engines[engine].marker or "o"

    def label(self, series: Named) -> str:
        """Return the label of a series: its own, else the name of its model or engine."""
        return series.label or self.look(series).label


def load_style(path: Path | str) -> Style:
    """Read and check a style file."""
    return Style(validated(Palette, read(path)))
