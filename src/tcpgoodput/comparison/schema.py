"""Schema of a comparison's file, `config/comparison.yaml`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tcpgoodput.scenario.types import Identifier, Part, PlainText, Text
from tcpgoodput.studies.schema import Changes, DottedName, Grid, Name, Unit


class Variation(Part):
    """A variation: a change of some keys, which gives changed copies of scenarios."""

    label: Text = Field(description="label of the variation in tables and pictures")
    only: list[Text] = Field(
        default_factory=list, description="ids of the scenarios that are changed; default: all"
    )
    set: Changes = Field(
        description="scenario keys with their new values; expressions may use rate_pps and rtt_s"
    )
    held_out: bool = Field(
        False,
        description="whether the held-out connections that ns-2 and Linux measure are also "
        "measured with this change",
    )


class Family(Part):
    """A family of models: variants of one formula, which count as one model."""

    label: Text
    models: Annotated[list[DottedName], Field(min_length=1)] = Field(
        description="names of the models; the first is also the name of the family. On each "
        "scenario the model with the best status represents the family, of several the first"
    )
    formula: Text | None = Field(
        None, description="what the models compute, for the card of formulas"
    )
    needs: Text | None = Field(
        None, description="inputs of the models, and how each input is measured"
    )


class MapAxis(Part):
    """One axis of a map."""

    variable: Name = Field(description="name of the value in expressions")
    label: Text
    unit: Unit = ""
    values: Grid = Field(
        description="values at which the simulator measures and the models predict"
    )
    set: Changes


class Map(Part):
    """A map: errors of models over two parameters of a scenario."""

    title: Text
    caption: Text
    scenario: dict[str, Any] = Field(description="keys of the base scenario, without id")
    first: list[DottedName] = Field(
        default_factory=list, description="models that are drawn and listed first, in this order"
    )
    leave_out: list[DottedName] = Field(
        default_factory=list, description="models that this map does not draw"
    )
    half_width: Annotated[float, Field(ge=0.005, le=0.5)] = Field(
        0.022,
        description="largest half-width of each point's 95 % interval, relative to the goodput, "
        "at precision paper; 0.022 is less than half of the narrowest step of the map's colours",
    )
    x: MapAxis
    y: MapAxis


class Comparison(Part):
    """Content of `config/comparison.yaml`: scenarios, families of models, variations and maps."""

    scenarios: PlainText = Field(
        "scenarios", description="folder of scenarios, relative to the folder of this file"
    )
    held: PlainText | None = Field(
        None,
        description="file that defines the held-out connections, relative to the folder of "
        "this file; null = none",
    )
    families: list[Family] = Field(
        default_factory=list,
        description="families in the order in which they are shown; a model "
        "in no family is a family of its own",
    )
    variations: dict[Identifier, Variation] = Field(
        default_factory=dict,
        description="variations whose scenarios are also rows of the matrix of errors",
    )
    sensitivity: dict[Identifier, Variation] = Field(
        default_factory=dict, description="variations that show on which keys the goodput depends"
    )
    leave_out: list[DottedName] = Field(
        default_factory=list,
        description="models that no map shows; all other models are on each map",
    )
    maps: dict[Name, Map] = Field(default_factory=dict)
