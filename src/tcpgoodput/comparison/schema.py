"""What the file of a comparison may say: `config/comparison.yaml`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tcpgoodput.scenario.types import Count, Identifier, Part, Text
from tcpgoodput.studies.schema import Changes, DottedName, Grid, Name


class Variation(Part):
    """Every scenario once more, with keys changed."""

    label: Text = Field(description="what a reader should know it as")
    set: Changes = Field(
        description="scenario keys with their new values; expressions know rate_pps and rtt_s"
    )


class MapAxis(Part):
    """One direction of a map."""

    variable: Name = Field(description="name of the value in expressions")
    label: Text
    unit: Annotated[str, Field(max_length=40)] = ""
    values: Grid = Field(description="where the simulator and the models are asked")
    set: Changes


class Map(Part):
    """A region of scenarios: which model is nearest where."""

    title: Text
    caption: Text
    scenario: dict[str, Any] = Field(description="the scenario vocabulary without id")
    first: list[DottedName] = Field(
        default_factory=list, description="models that are drawn and listed first, in this order"
    )
    leave_out: list[DottedName] = Field(
        default_factory=list, description="models that this map does not draw"
    )
    packets: Annotated[Count, Field(ge=10_000, le=10**8)] = Field(
        300_000, description="sent at each point at precision paper, about"
    )
    x: MapAxis
    y: MapAxis


class Comparison(Part):
    """The file `config/comparison.yaml`."""

    scenarios: Text = Field("scenarios", description="folder of scenarios, beside this file")
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
