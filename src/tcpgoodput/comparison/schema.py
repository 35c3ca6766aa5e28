"""Schema of a comparison's file, `config/comparison.yaml`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tcpgoodput.scenario.types import Identifier, Part, PlainText, Text
from tcpgoodput.studies.schema import Changes, DottedName, Grid, Name, Unit


class Variation(Part):
    """A variation: copies of scenarios with some keys changed."""

    label: Text = Field(description="title of the scenario")
    only: list[Text] = Field(
        default_factory=list, description="ids of the scenarios that are varied; default: all"
    )
    set: Changes = Field(
        description="scenario keys with their new values; expressions know rate_pps and rtt_s"
    )


class Family(Part):
    """A family: models that are variants of one formula and count once."""

    label: Text
    models: Annotated[list[DottedName], Field(min_length=1)] = Field(
        description="the first names the family, and stands for it where its status is the best"
    )
    formula: Text | None = Field(None, description="what it computes, for the card of formulas")
    needs: Text | None = Field(None, description="its inputs, and how each is measured")


class MapAxis(Part):
    """One axis of a map."""

    variable: Name = Field(description="name of the value in expressions")
    label: Text
    unit: Unit = ""
    values: Grid = Field(description="where the simulator measures and the models predict")
    set: Changes


class Map(Part):
    """A map: errors of models over two parameters of a scenario."""

    title: Text
    caption: Text
    scenario: dict[str, Any] = Field(description="the scenario vocabulary without id")
    first: list[DottedName] = Field(
        default_factory=list, description="models that are drawn and listed first, in this order"
    )
    leave_out: list[DottedName] = Field(
        default_factory=list, description="models that this map does not draw"
    )
    half_width: Annotated[float, Field(ge=0.005, le=0.5)] = Field(
        0.022,
        description="of each point's interval over its goodput at precision paper; 0.022 is within "
        "half of the narrowest step of the colours",
    )
    x: MapAxis
    y: MapAxis


class Comparison(Part):
    """Content of `config/comparison.yaml`."""

    scenarios: PlainText = Field("scenarios", description="folder of scenarios, beside this file")
    held: PlainText | None = Field(
        None, description="file that draws the held-out connections, beside this file; null = none"
    )
    families: list[Family] = Field(
        default_factory=list, description="in their order; a model in none is one of its own"
    )
    again: dict[Identifier, Variation] = Field(
        default_factory=dict, description="variations that are rows of the matrix of errors, too"
    )
    sensitivity: dict[Identifier, Variation] = Field(
        default_factory=dict, description="variations that show what goodput depends on"
    )
    leave_out: list[DottedName] = Field(
        default_factory=list, description="models that no map draws; every other is on all of them"
    )
    maps: dict[Name, Map] = Field(default_factory=dict)
