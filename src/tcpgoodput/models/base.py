"""What a model is: a scenario in, a prediction with its status out."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.halves import missing_half
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott, NoLoss, Trace

Equations = Literal["printed", "corrected"]
Precision = Literal["draft", "paper"]
Status = Literal["native", "reduced", "out-of-domain", "undefined"]

UNITS = ("_s", "_bps", "_hz", "_mps", "_db")
"""How the names of numbers end that can be as small as a floating-point number."""

FAILED = "failed: "
"""How the reason begins where a model raised what it should not have."""

LONGEST_FAILURE = 200
"""Characters of an exception that a reason repeats."""

SMALLEST = 1e-100
"""Number with a unit below which some quotient of two leaves the range of floating-point numbers.
Probabilities may be smaller: formulas know their limits."""

LARGEST_BPS = SMALLEST**-2
"""Goodput that over any capacity is still a number."""

VARIANTS = ("oldtahoe", "tahoe", "reno", "newreno", "sack", "cubic")
"""TCP variants of which each model says what it makes of them.

It says so where it knows them not for what it describes, in `outside_domain`; before that is
written a new one would pass for Reno.
"""


@dataclass(frozen=True)
class Conditions:
    """What a run chooses apart from the scenario."""

    equations: Equations = "corrected"
    precision: Precision = "paper"
    seed: int = 1
    reductions: bool = True
    """False: models say what they say natively, as where a study's own figure is recomputed."""


@dataclass(frozen=True)
class Estimate:
    """A goodput that was averaged over random realisations, with its 95 % interval."""

    goodput_pps: float
    low_pps: float
    high_pps: float
    replications: int


class Undefined(Exception):
    """The model gives no value for this scenario; the message says why."""


@dataclass(frozen=True)
class Answer:
    """What a model says of a scenario, before it is checked against the path."""

    goodput: float | Estimate
    reductions: tuple[str, ...] = ()
    """Names of the reductions that led to it."""
    outside: str | None = None
    """Why the scenario lies outside the domain of the model or of a reduction."""


@dataclass(frozen=True)
class Prediction:
    """A model's goodput for a scenario, and how it came about."""

    scenario: Scenario
    name: str
    status: Status
    goodput_pps: float | None
    reason: str | None = None
    reduction: str | None = None
    estimate: Estimate | None = None

    @property
    def failed(self) -> bool:
        """Whether the model broke off with an error of its own, which is a defect of the model."""
        return self.reason is not None and self.reason.startswith(FAILED)

    @property
    def goodput_bps(self) -> float | None:
        """Payload bits per second."""
        if self.goodput_pps is None:
            return None
        return self.goodput_pps * 8 * self.scenario.tcp.mss_bytes

    @property
    def utilisation(self) -> float | None:
        """Goodput over the path's rate, or over its mean capacity where capacity varies."""
        if self.goodput_bps is None:
            return None
        return self.goodput_bps / mean_capacity_bps(self.scenario)

    def record(self) -> dict[str, Any]:
        """Return the prediction as the command line and the results publish it."""
        return {
            "scenario": self.scenario.id,
            "name": self.name,
            "status": self.status,
            "reduction": self.reduction,
            "goodput_bps": self.goodput_bps,
            "goodput_pps": self.goodput_pps,
            "utilisation": self.utilisation,
            "reason": self.reason,
        }


class Model(ABC):
    """One analytical model of TCP goodput.

    A model states what it is (the class attributes), computes its goodput, and says where it is
    not at home. `predict` turns these into a prediction with a status, and never into a NaN, a
    traceback or a silently clipped value: a model that raises anything but `Undefined` has failed,
    and says so in its own row.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    citation: ClassVar[str]
    """Key in paper/references.bib, or of `bibtex`."""
    bibtex: ClassVar[str | None] = None
    """The BibTeX entry of a model whose citation is not in paper/references.bib."""
    inputs: ClassVar[tuple[str, ...]]
    """Keys of the scenario that the goodput depends on."""
    domain: ClassVar[str]
    """Where the model is at home, in a sentence."""
    handles: ClassVar[frozenset[str]] = frozenset()
    """Impairments that the model describes, of those that `impairments` names."""
    reduces: ClassVar[frozenset[str]] = frozenset()
    """Impairments that reductions translate into what the model describes."""
    costly: ClassVar[bool] = False
    """Takes a good part of a second a point: the workflow gives its figures jobs of their own."""

    @abstractmethod
    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float | Estimate:
        """Return the long-run goodput in packets per second, or raise `Undefined`."""

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return why the scenario lies outside the model's domain, or None if it lies inside."""
        return None

    def limited(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return why window, rate or buffer limit what the model lets grow, or None."""
        return None

    def too_slow_to_search(self, scenario: Scenario) -> str | None:
        """Return why some tens of answers about scenarios like this one take too long, or None."""
        return None

    def compile(self) -> None:  # noqa: B027  (most models have nothing to compile)
        """Compile what the model needs, so that parallel jobs find it in the cache."""

    def answer(self, scenario: Scenario, conditions: Conditions) -> Answer:
        """Return the model's goodput, through reductions where it takes them and needs them.

        Raises:
            Undefined: it has none.

        """
        if tiny := _too_small(scenario):
            raise Undefined(tiny)
        if scenario.tcp.variant not in VARIANTS:
            raise missing_half("models/base.py", "VARIANTS", scenario.tcp.variant)
        foreign = impairments(scenario) - self.handles
        limit = None if foreign else self.limited(scenario, conditions)
        reducible = conditions.reductions and self.reduces and foreign <= self.reduces
        if reducible and (foreign or limit):
            # Reductions are made of models: they can only be loaded after them.
            from tcpgoodput.models.reductions import reduced_answer

            return reduced_answer(self, scenario, conditions)
        if foreign:
            known = self.reduces if conditions.reductions else frozenset()
            raise Undefined(f"has no notion of {' and '.join(sorted(foreign - known))}")
        goodput = self.goodput_pps(scenario, conditions)
        return Answer(goodput, outside=self.outside_domain(scenario, conditions) or limit)

    def predict(self, scenario: Scenario, conditions: Conditions | None = None) -> Prediction:
        """Return the model's prediction for a scenario.

        An error in the model's own code is a prediction, too: undefined, with a reason that begins
        with "failed: ". What numpy would warn of shows in the value, which must be finite.
        """
        try:
            with np.errstate(all="ignore"):
                return self.judged(scenario, self.answer(scenario, conditions or Conditions()))
        except Undefined as undefined:
            return Prediction(scenario, self.name, "undefined", None, str(undefined))
        except ConfigurationError:  # bad input, which no other model could read either
            raise
        except Exception as error:  # any: one model's defect must not take the others' rows with it
            return Prediction(scenario, self.name, "undefined", None, self._failure(error))

    def judged(self, scenario: Scenario, answer: Answer) -> Prediction:
        """Return an answer as a prediction, checked against the path.

        Raises:
            Undefined: the goodput is no number of a size that can be published.
            ArithmeticError: it is negative.

        """
        estimate = answer.goodput if isinstance(answer.goodput, Estimate) else None
        value = estimate.goodput_pps if estimate else float(answer.goodput)
        reason = answer.outside or _impossible(scenario, value)
        reduction = "+".join(answer.reductions) or None
        status: Status = "out-of-domain" if reason else "reduced" if reduction else "native"
        if value < 0:
            raise ArithmeticError(f"a negative goodput, {value:.3g} packets/s")
        if not value * 8 * scenario.tcp.mss_bytes < LARGEST_BPS:  # nor is it a NaN
            raise Undefined("the value lies beyond the range of floating-point numbers")
        return Prediction(scenario, self.name, status, value, reason, reduction, estimate)

    def _failure(self, error: Exception) -> str:
        """Return an exception as a reason: its class, its message and its place, on one line."""
        message = " ".join(str(error).split())
        text = f"{type(error).__name__}: {message}" if message else type(error).__name__
        shortened = text if len(text) <= LONGEST_FAILURE else text[: LONGEST_FAILURE - 1] + "…"
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if f.filename == type(self).goodput_pps.__code__.co_filename]
        place = (own or frames)[-1]
        return f"{FAILED}{shortened} ({Path(place.filename).name}, line {place.lineno})"


def impairments(scenario: Scenario) -> frozenset[str]:
    """Name what a scenario does to a TCP connection beyond a constant rate and delay."""
    loss = scenario.loss
    if not isinstance(loss, NoLoss | Bernoulli | GilbertElliott):
        raise missing_half("models/base.py", "impairments", loss)
    found = {
        "independent loss": isinstance(loss, Bernoulli) and loss.probability > 0,
        "bursty loss": isinstance(loss, GilbertElliott) and loss.good_to_bad > 0,
        "delay spikes": scenario.spikes is not None,
        "hand-offs": scenario.handoffs is not None,
        "varying capacity": scenario.capacity is not None,
        "a finite transfer": scenario.tcp.transfer_packets is not None,
    }
    return frozenset(name for name, present in found.items() if present)


def _too_small(part: BaseModel, within: str = "") -> str | None:
    """Return a reason where a time, a rate or another number with a unit is all but zero."""
    for name, value in part:
        if isinstance(value, BaseModel):
            if reason := _too_small(value, f"{within}{name}."):
                return reason
        elif isinstance(value, float) and 0 < value < SMALLEST and name.endswith(UNITS):
            return (
                f"{within}{name} is {value:.3g}: with numbers below {SMALLEST:g} results leave "
                "the range of floating-point numbers"
            )
    return None


def mean_capacity_bps(scenario: Scenario) -> float:
    """Return the rate that utilisation is measured against.

    Raises:
        Undefined: a trace carries all but nothing.

    """
    if scenario.capacity is None:
        return scenario.path.rate_bps
    if isinstance(scenario.capacity, Trace):
        from tcpgoodput.scenario.capacity_trace import mean_of_trace_bps

        mean_bps = mean_of_trace_bps(scenario.capacity.file)
        if mean_bps < SMALLEST:
            raise Undefined(f"the trace's mean capacity is {mean_bps:.3g} bit/s, all but nothing")
        return mean_bps
    return scenario.capacity.mean_capacity_bps


def window_limit_pps(scenario: Scenario) -> float:
    """Return the most that the receiver window lets through: W_max per propagation round trip."""
    window = scenario.tcp.max_window_packets
    return float("inf") if window is None else window / scenario.propagation_rtt_s


def lost_share(scenario: Scenario) -> float:
    """Return the share of packets that the link's loss process takes, whoever sends them."""
    loss = scenario.loss
    if isinstance(loss, Bernoulli):
        return loss.probability
    if isinstance(loss, GilbertElliott) and loss.clock == "packet":
        return loss.good_to_bad / (loss.good_to_bad + loss.bad_to_good)
    return 0.0  # of slots, not of packets: a window may come in between the bad ones


def _impossible(scenario: Scenario, goodput_pps: float) -> str | None:
    """Say so when a value exceeds what the path or the window can carry."""
    tolerance = 1 + 1e-9
    arrives = 1 - lost_share(scenario)
    path_pps = mean_capacity_bps(scenario) / scenario.packet_bits
    path_pps *= arrives if scenario.loss.place == "after" else 1.0
    if goodput_pps > path_pps * tolerance:
        return f"predicts more than the path delivers ({path_pps:.4g} packets/s)"
    if goodput_pps > window_limit_pps(scenario) * arrives * tolerance:
        return "predicts more than the receiver window lets through"
    return None
