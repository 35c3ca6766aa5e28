"""Probability distributions of the intervals between delay spikes and of the spikes' durations."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tcpgoodput.scenario.types import Part, Probability, Seconds, SecondsOrZero


class Constant(Part):
    """A constant duration."""

    distribution: Literal["constant"]
    mean_s: Seconds = Field(description="the duration")


class Uniform(Part):
    """Durations that are uniform between two limits."""

    distribution: Literal["uniform"]
    low_s: SecondsOrZero = Field(description="shortest duration")
    high_s: Seconds = Field(description="longest duration")

    @model_validator(mode="after")
    def _ordered(self) -> Uniform:
        if self.high_s < self.low_s:
            raise ValueError(f"high_s ({self.high_s:g}) is below low_s ({self.low_s:g})")
        return self

    @property
    def mean_s(self) -> float:
        """The mean duration in seconds."""
        return (self.low_s + self.high_s) / 2


class Exponential(Part):
    """Exponential (memoryless) durations."""

    distribution: Literal["exponential"]
    mean_s: Seconds = Field(description="mean duration")


class Pareto(Part):
    """Pareto distribution of type I: heavy-tailed, with a shortest duration."""

    distribution: Literal["pareto"]
    mean_s: Seconds = Field(description="mean duration")
    shape: Annotated[float, Field(gt=1, le=1e6)] = Field(
        description="tail exponent; the mean is finite above 1, the variance above 2"
    )

    @property
    def scale_s(self) -> float:
        """The shortest duration in seconds, x_m = mean (shape − 1) / shape."""
        return self.mean_s * (self.shape - 1) / self.shape


class Lomax(Part):
    """Pareto distribution of type II (Lomax): the same heavy tail, but durations start at zero."""

    distribution: Literal["lomax"]
    mean_s: Seconds = Field(description="mean duration")
    shape: Annotated[float, Field(gt=1, le=1e6)] = Field(
        description="tail exponent; the mean is finite above 1, the variance above 2"
    )

    @property
    def spread_s(self) -> float:
        """The scale in seconds, σ = mean (shape − 1), of P(T > t) = (1 + t/σ)^(−shape)."""
        return self.mean_s * (self.shape - 1)


class MarkovExponential(Part):
    """Exponential durations whose mean depends on the state of a Markov chain with two states."""

    distribution: Literal["markov-exponential"]
    mean0_s: Seconds = Field(description="mean duration in state 0")
    mean1_s: Seconds = Field(description="mean duration in state 1")
    p01: Probability = Field(description="probability that state 1 follows state 0")
    p10: Probability = Field(description="probability that state 0 follows state 1")

    @model_validator(mode="after")
    def _moves(self) -> MarkovExponential:
        if self.p01 + self.p10 == 0:
            raise ValueError("p01 and p10 are both 0: the chain never changes state")
        return self

    @property
    def pi0(self) -> float:
        """Stationary probability of state 0 of the chain, which has one step per duration."""
        return self.p10 / (self.p01 + self.p10)

    @property
    def mean_s(self) -> float:
        """The mean duration over both states, in seconds."""
        return self.pi0 * self.mean0_s + (1 - self.pi0) * self.mean1_s


Distribution = Annotated[
    Constant | Uniform | Exponential | Pareto | Lomax | MarkovExponential,
    Field(discriminator="distribution"),
]


def shortest_s(law: Distribution) -> float:
    """Return the shortest duration of a distribution, in seconds; 0 if there is no limit."""
    match law:
        case Constant():
            return law.mean_s
        case Uniform(low_s=low_s):
            return low_s
        case Pareto(scale_s=scale_s):
            return scale_s
    return 0.0


def longest_s(law: Distribution) -> float:
    """Return the longest duration of a distribution, in seconds; infinite if there is no limit."""
    match law:
        case Constant():
            return law.mean_s
        case Uniform(high_s=high_s):
            return high_s
    return math.inf
