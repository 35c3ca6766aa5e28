"""Schema of a file that defines a random sample (census), `config/census/<name>.yaml`.

A census draws random connections. Its file defines probability distributions of quantities and of
scenario keys, impairments that occur alone or in pairs, and conditions that every connection must
meet.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from tcpgoodput.scenario.types import Count, Part, Text, whole
from tcpgoodput.studies.schema import Changes, DottedName, Name

MOST_CHUNKS = 400
"""Largest number of chunks into which the connections of a census are divided. Each chunk is a job
of Snakemake, whose graph of jobs must stay small."""


class _Range(Part):
    low: float = Field(description="smallest value")
    high: float = Field(description="largest value")
    whole: bool = Field(False, description="true: the value is rounded to a whole number")

    @model_validator(mode="after")
    def _ordered(self) -> _Range:
        if self.high <= self.low:
            raise ValueError(f"high ({self.high:g}) must be above low ({self.low:g})")
        return self

    def _of(self, value: float) -> float:
        return round(value) if self.whole else value

    @property
    def size(self) -> float:
        """The number of possible values; infinite if the distribution is continuous."""
        return self.high - self.low + 1 if self.whole else float("inf")


class Uniform(_Range):
    """A uniform probability distribution between two values."""

    law: Literal["uniform"]

    def at(self, u: float) -> float:
        """Return the value at cumulative probability u."""
        return self._of(self.low + u * (self.high - self.low))


class LogUniform(_Range):
    """A log-uniform probability distribution between two values."""

    law: Literal["log-uniform"]

    @model_validator(mode="after")
    def _positive(self) -> LogUniform:
        if self.low <= 0:
            raise ValueError(f"low ({self.low:g}) must be above 0")
        return self

    def at(self, u: float) -> float:
        """Return the value at cumulative probability u."""
        return self._of(self.low * (self.high / self.low) ** u)


class Choice(Part):
    """A choice of one of several values, with optional weights."""

    law: Literal["choice"]
    values: Annotated[list[Any], Field(min_length=1)] = Field(
        description="the possible values; a mapping sets several keys of the scenario together"
    )
    weights: list[Annotated[float, Field(gt=0)]] | None = Field(
        None, description="relative probability of each value; null = all values are equally likely"
    )

    @model_validator(mode="after")
    def _weighed(self) -> Choice:
        if self.weights is not None and len(self.weights) != len(self.values):
            raise ValueError(
                f"{len(self.weights)} weights for {len(self.values)} values: needs one for each"
            )
        return self

    def at(self, u: float) -> Any:
        """Return the value at cumulative probability u."""
        weights = self.weights or [1.0] * len(self.values)
        left = u * sum(weights)
        for value, weight in zip(self.values, weights, strict=True):
            left -= weight
            if left < 0:
                return value
        return self.values[-1]

    @property
    def size(self) -> float:
        """The number of values among which the choice is made."""
        return len(self.values)

    @property
    def keys(self) -> list[str]:
        """The scenario keys that a value sets, if the value is a mapping."""
        several = [value for value in self.values if isinstance(value, dict)]
        return list(dict.fromkeys(key for value in several for key in value))


Law = Annotated[Uniform | LogUniform | Choice, Field(discriminator="law")]
Laws = Annotated[
    dict[DottedName, Law],
    Field(
        description="distributions by the name of the drawn quantity: a key of the scenario such "
        "as `tcp.variant`, or a name without a dot, which expressions in `set` and in conditions "
        "may use"
    ),
]


class Impairment(Part):
    """An impairment that a census may draw: its random quantities, and the keys that it sets."""

    draw: Laws = Field(default_factory=dict)
    set: Changes = Field(default_factory=dict)


class Precision(Part):
    """The precision with which the simulator measures each connection."""

    half_width: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.03,
        description="half-width of the 95 % interval, relative to the goodput, at which a "
        "measurement ends",
    )
    most_packets: Count = Field(
        1_000_000, description="largest number of packets that are sent for a connection"
    )
    replications: Annotated[int, Field(ge=3, le=1000), BeforeValidator(whole)] = Field(
        8, description="number of independent runs of each connection"
    )


class Census(Part):
    """Content of a census file: how random connections are drawn and measured."""

    title: Text
    like: Name | None = Field(
        None,
        exclude=True,
        description="name of another census in the folder, of which this one is a changed copy; "
        "keys that are equal are left out, except title and paired_with, which are not copied. An "
        "entry of draw, set, impairments or precision replaces the copied one; null removes it",
    )
    paired_with: Name | None = Field(
        None,
        description="name of another census in the folder, whose connections differ in their "
        "senders only; the results of both are compared",
    )
    points: Count = Field(
        description="number of points of the design; a point that violates a condition gives no "
        "connection. A larger number does not change the first points of a Sobol sequence"
    )
    design: Literal["sobol", "latin-hypercube"] = Field(
        "sobol", description="how points fill the space (scipy.stats.qmc)"
    )
    seed: Annotated[int, Field(ge=0, le=2**31)] = Field(
        1, description="seed of the design's randomisation"
    )
    chunk: Count = Field(
        512,
        description="number of points that one job measures; with a power of two each chunk "
        "of a Sobol sequence fills the space evenly",
    )
    sample: Count = Field(
        128, description="number of first points that a run measures if the sample is not recorded"
    )
    precision: Precision = Field(default_factory=Precision)
    models: list[DottedName] | None = Field(
        None, description="models that are evaluated; null = all"
    )
    engine: Literal["packet"] = Field("packet", description="engine that measures")
    scenario: dict[str, Any] = Field(
        description="keys of a scenario that all connections have, without id and title"
    )
    draw: Laws = Field(default_factory=dict)
    set: Changes = Field(
        default_factory=dict,
        description="scenario keys with values; expressions may use the drawn quantities",
    )
    impairments: dict[Name, Impairment] = Field(
        default_factory=dict, description="impairments by name; each is equally likely"
    )
    unimpaired: Annotated[float, Field(ge=0, le=1)] = Field(
        0.05, description="share of the connections without impairment"
    )
    pairs: Annotated[float, Field(ge=0, le=1)] = Field(
        0.5,
        description="share of the connections with two impairments; any two impairments that set "
        "no common key are a pair",
    )
    conditions: list[Text] = Field(
        default_factory=list,
        description="expressions that must be at least 0 for every connection; they may use the "
        "drawn quantities, rate_pps, rtt_s and product_packets",
    )

    @model_validator(mode="after")
    def _sensible(self) -> Census:
        if self.unimpaired + self.pairs > 1:
            raise ValueError("unimpaired and pairs are shares of all connections: above 1 together")
        chunks = -(-self.points // self.chunk)
        if chunks > MOST_CHUNKS:
            least = -(-self.points // MOST_CHUNKS)
            raise ValueError(
                f"{chunks} jobs of {self.chunk} points: at most {MOST_CHUNKS} are handed out, so "
                f"chunk must be at least {least}"
            )
        return self
