"""Retransmissions on the link (ARQ): the link repeats a failed frame, which has one packet."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, field_validator

from tcpgoodput.configuration.problems import WrongKey
from tcpgoodput.scenario.loss import MarkovChannel
from tcpgoodput.scenario.types import Part, Plausible, ProbabilityBelowOne, SecondsOrZero, whole

MOST_ERRORS = 0.7
"""Largest plausible probability that an attempt to send a frame fails."""

PROCESS = "gilbert-elliott"


def _form(error: Any) -> str:
    """Return the form in which the errors are given: as a channel (keys) or as a number."""
    return "channel" if isinstance(error, dict | MarkovChannel) else "number"


FrameErrors = Annotated[
    Annotated[ProbabilityBelowOne, Tag("number")] | Annotated[MarkovChannel, Tag("channel")],
    Discriminator(_form),
]
"""Errors of attempts: the probability of independent errors, or a two-state Markov channel."""


class Arq(Part):
    """A link that repeats failed frames (ARQ; with soft combining HARQ). A frame has one packet."""

    error: Annotated[FrameErrors, Plausible(MOST_ERRORS)] = Field(
        description="probability that an attempt to send a frame fails; or a channel, spelled as "
        "in loss, in whose bad state every attempt fails",
        examples=["0.1"],
    )
    attempts: Annotated[int, Field(ge=1, le=1000), BeforeValidator(whole)] = Field(
        description="most attempts to send a frame; after as many failures it is lost"
    )
    turnaround_s: Annotated[SecondsOrZero, Plausible(0.2)] = Field(
        0.0,
        description="time from the end of a failed attempt to the repetition; 0: the next packet "
        "waits (stop-and-wait); above 0: the link sends other packets meanwhile, as HARQ processes "
        "do, and the repeated frame goes before the queue's head",
    )
    delivery: Literal["in-order", "as-it-comes"] = Field(
        "in-order",
        description="in-order: the far end of the link holds later packets back until the repeated "
        "one has come or is lost; as-it-comes: packets may overtake it",
    )

    @field_validator("error", mode="before")
    @classmethod
    def _may_succeed(cls, error: Any) -> Any:
        if error == 1 and not isinstance(error, bool):
            raise ValueError(
                "is 1: every attempt fails and nothing is delivered; give a probability below 1, "
                "or describe an outage by spikes or by a capacity of 0"
            )
        if isinstance(error, dict) and (
            error.get("process", PROCESS) != PROCESS or "probability" in error
        ):
            raise ValueError(
                "must be a number for independent errors, such as error: 0.1, or a channel with "
                f"process: {PROCESS}"
            )
        if isinstance(error, dict) and "place" in error:
            raise WrongKey(("place",), "belongs to loss: frames fail on the link; leave it out")
        return error

    @field_validator("attempts", mode="before")
    @classmethod
    def _sends(cls, attempts: Any) -> Any:
        if attempts == 0 and not isinstance(attempts, bool):
            raise ValueError("is 0: the link would send nothing; 1 = it never repeats a frame")
        return attempts

    @property
    def error_share(self) -> float:
        """The share of attempts that fail if the link always sends."""
        return self.error.bad_share if isinstance(self.error, MarkovChannel) else self.error

    @property
    def repeats(self) -> bool:
        """Whether any attempt fails; if not, the link is as one without ARQ."""
        return self.error_share > 0
