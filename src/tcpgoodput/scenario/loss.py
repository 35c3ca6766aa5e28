"""Loss processes: which packets the link loses, independent of the sender.

A new process is a subclass of `LossProcess` in this file and a member of `Loss`. The packet
simulator, ns-2 and Linux lose the packets that its `bad_runs` yields. Models do not know a new
process, so their predictions are `undefined`. A model knows a process if the model's attribute
`handles` contains the name that `kind` returns.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from itertools import count
from typing import Annotated, Literal, get_args

import numpy as np
from pydantic import Field, model_validator

from tcpgoodput.scenario.types import Part, Plausible, Probability, ProbabilityBelowOne, Undefined

MOST_LOST = 0.3
"""Largest plausible share of packets that are lost. Bursty losses have no such limit."""

_place = Field(
    "after",
    description="packets are lost after the link, or before its queue (as in the study "
    "delay_spikes)",
)


class LossProcess(Part):
    """Base class of loss processes; each has the key `process`, its name, and in `Loss` `place`."""

    @classmethod
    def kind(cls) -> str:
        """Return the name by which models and figures know losses of this process.

        Models that handle "independent loss" or "bursty loss" read the parameters of `Bernoulli` or
        `GilbertElliott`. So no other process may return these two names.
        """
        (process,) = get_args(cls.model_fields["process"].annotation)
        return f"{process} loss"

    @property
    def impairment(self) -> str | None:
        """The name by `kind`, or None if the parameters are such that no packet is lost."""
        return self.kind()

    @property
    @abstractmethod
    def lost_share(self) -> float:
        """The share of packets that are lost; 0 if it depends on when the packets pass."""

    @property
    def counts_slots(self) -> bool:
        """Whether `bad_runs` counts slots of one packet time; if not, it counts packets."""
        return False

    @property
    def is_random(self) -> bool:
        """Whether `bad_runs` uses its stream, so that replications lose different packets."""
        return True

    @property
    def label(self) -> str:
        """The text at the lossy link in diagrams of the path; empty without loss."""
        return self.impairment or ""

    @abstractmethod
    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield the runs [first, end) of packets that are lost, in ascending order.

        A run is some successive packets. If `counts_slots`, slots of one packet time take the place
        of packets. Packets are numbered from 0 in the order in which they reach the place of loss.
        A finite sequence means that no further packet is lost. `checked_runs` checks the runs.

        Args:
            stream: the source of random numbers.

        """


class NoLoss(LossProcess):
    """No packet is lost on the link."""

    process: Literal["none"]
    place: Literal["before", "after"] = _place

    @property
    def impairment(self) -> None:
        """The name of the impairment: None, because no packet is lost."""
        return

    @property
    def lost_share(self) -> float:
        """The share of lost packets: 0."""
        return 0.0

    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield no runs, because no packet is lost."""
        return iter(())


class Bernoulli(LossProcess):
    """Independent losses."""

    process: Literal["bernoulli"]
    probability: Annotated[ProbabilityBelowOne, Plausible(MOST_LOST)] = Field(
        description="loss probability of each packet"
    )
    place: Literal["before", "after"] = _place

    @classmethod
    def kind(cls) -> str:
        """Return "independent loss"."""
        return "independent loss"

    @property
    def impairment(self) -> str | None:
        """The name "independent loss"; None if the loss probability is 0."""
        return self.kind() if self.probability > 0 else None

    @property
    def lost_share(self) -> float:
        """The loss probability."""
        return self.probability

    @property
    def label(self) -> str:
        """The loss probability in per cent as text; empty if it is 0."""
        return f"loss {100 * self.probability:g} %" if self.probability > 0 else ""

    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield runs of one packet, at geometrically distributed distances."""
        at = -1
        while self.probability > 0:
            at += int(stream.geometric(self.probability))
            yield at, at + 1


class Periodic(LossProcess):
    """One packet in 1/p is lost, at equal distances (the assumption of the study mathis)."""

    process: Literal["periodic"]
    probability: Annotated[ProbabilityBelowOne, Plausible(MOST_LOST)] = Field(
        description="p, the share of lost packets: every 1/p-th packet is lost"
    )
    place: Literal["before", "after"] = _place

    @property
    def impairment(self) -> str | None:
        """The name "periodic loss"; None if no packet is lost."""
        return self.kind() if self.probability > 0 else None

    @property
    def lost_share(self) -> float:
        """The share p of lost packets."""
        return self.probability

    @property
    def label(self) -> str:
        """The share of lost packets in per cent as text; empty if it is 0."""
        return f"periodic loss {100 * self.probability:g} %" if self.probability > 0 else ""

    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield the packets ⌊(k + φ)/p⌋, k = 0, 1, 2, …; the phase φ in [0, 1) is random.

        If 1/p is no whole number, the distances are the two whole numbers next to it.
        """
        phase = stream.random()
        if self.probability == 0:
            return
        for number in count():
            at = int(min((number + phase) / self.probability, LAST_PACKET))
            yield at, at + 1


class MarkovChannel(LossProcess):
    """A two-state Markov channel: every packet passes in the good state, none in the bad one.

    It has no key `place`; the errors of a link that retransmits (`arq.error`) are such a channel.
    """

    process: Literal["gilbert-elliott"]
    good_to_bad: Probability = Field(description="α, per step of the clock")
    bad_to_good: Probability = Field(description="β, per step of the clock")
    clock: Literal["slot", "packet"] = Field(
        "slot",
        description="the chain has one step per packet time (as in the study packet_trains), or "
        "one step per packet",
    )

    @model_validator(mode="after")
    def _moves(self) -> MarkovChannel:
        if self.bad_to_good == 0:
            raise ValueError("bad_to_good is 0: the channel never recovers")
        return self

    @classmethod
    def kind(cls) -> str:
        """Return "bursty loss"."""
        return "bursty loss"

    @property
    def impairment(self) -> str | None:
        """The name "bursty loss"; None if the bad state never occurs (α = 0)."""
        return self.kind() if self.good_to_bad > 0 else None

    @property
    def bad_share(self) -> float:
        """The stationary probability of the bad state, π_B = α/(α + β)."""
        return self.good_to_bad / (self.good_to_bad + self.bad_to_good)

    @property
    def steps_per_run(self) -> float:
        """The mean number of steps from the beginning of a bad run to that of the next one."""
        return math.inf if self.good_to_bad == 0 else 1 / self.good_to_bad + 1 / self.bad_to_good

    @property
    def lost_share(self) -> float:
        """The share of bad steps if the chain has a step per packet; 0 if it has a step per slot.

        With slots, the share of lost packets depends on the times at which the sender sends them.
        """
        return 0.0 if self.counts_slots else self.bad_share

    @property
    def counts_slots(self) -> bool:
        """Whether the chain has one step per slot of one packet time, not one per packet."""
        return self.clock == "slot"

    @property
    def label(self) -> str:
        """The two transition probabilities α and β as text; empty if the bad state never occurs."""
        if self.good_to_bad == 0:
            return ""
        return f"bursty loss α = {self.good_to_bad:g}, β = {self.bad_to_good:g}"

    def bad_runs(self, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield the runs of steps in the bad state: packets, or slots if the clock is "slot".

        The chain begins in its stationary distribution.
        """
        if self.good_to_bad == 0:
            return
        begins_bad = stream.random() < self.bad_share
        at = 0
        while True:
            good = stream.geometric(self.good_to_bad, _BLOCK)
            bad = stream.geometric(self.bad_to_good, _BLOCK)
            if begins_bad:
                good[0], begins_bad = 0, False
            ends = at + np.cumsum(good + bad)
            yield from zip((ends - bad).tolist(), ends.tolist(), strict=True)
            at = int(ends[-1])


class GilbertElliott(MarkovChannel):
    """A two-state Markov channel: every packet passes in the good state, none in the bad one."""

    place: Literal["before", "after"] = _place


_BLOCK = 256
"""Number of bad runs whose lengths are drawn at once; drawing them one by one takes ten times as
long."""

Loss = Annotated[NoLoss | Bernoulli | Periodic | GilbertElliott, Field(discriminator="process")]

LOSS_KINDS: frozenset[str] = frozenset(
    process.kind() for process in get_args(get_args(Loss)[0]) if process is not NoLoss
)
"""The names (`kind`) of all loss processes that lose packets, such as "bursty loss"."""

LAST_PACKET = 2**62
"""Number that no packet or slot of a simulation reaches; it fits into 64-bit integers."""

_WHOLE = (int, np.integer)


def checked_runs(loss: LossProcess, stream: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Yield the runs of lost packets of `bad_runs` up to `LAST_PACKET`, each after a check.

    `stream` is the source of random numbers.

    Raises:
        Undefined: a run is empty, is not two whole numbers, or begins before the previous one ends.

    """
    end = 0
    for first, beyond in loss.bad_runs(stream):
        whole = isinstance(first, _WHOLE) and isinstance(beyond, _WHOLE)
        if not (whole and end <= first < beyond):
            raise Undefined(
                f"{type(loss).__name__}.bad_runs yields ({first}, {beyond}) after a run that ends "
                f"at {end}: runs are whole numbers, not empty, in ascending order"
            )
        if first >= LAST_PACKET:
            return
        yield first, min(beyond, LAST_PACKET)
        end = beyond
