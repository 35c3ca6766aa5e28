"""Interface of a model: its description, goodput, and domain (scenarios for which it is valid).

The functions after the class call a model's methods and check the types of the results. A user's
own model may return anything. A wrong type would otherwise stop a command later, with an error that
names a file of this project.
"""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from tcpgoodput.answers import Conditions, Estimate
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario import Scenario

T = TypeVar("T")

GoodputOrError = float | Estimate | Exception
"""A goodput in packets/s, or the exception that the model raised instead."""


def attempt(function: Callable[[], T]) -> T | Exception:
    """Return the result of a function, or the exception that it raises.

    A `ConfigurationError` is raised: the input is invalid for every model, so no other is tried.
    """
    try:
        return function()
    except ConfigurationError:
        raise
    except Exception as error:  # including errors in a user's own model
        return error


ROUND_TRIP = ("path.forward_delay_s", "path.backward_delay_s")
LINK = ("path.rate_bps", *ROUND_TRIP)
PACKET = ("tcp.mss_bytes", "tcp.header_bytes")
ACKS = ("tcp.ack_every", "tcp.growth")
"""Keys of the scenario that are inputs of many models."""

REDUCIBLE = frozenset(
    {
        "independent loss",
        "bursty loss",
        "hand-offs",
        "delay spikes",
        "varying capacity",
        "link retransmission",
    }
)
"""Impairments that a reduction (`models.reductions`) can translate."""

Basis = Literal["assumption", "derivation", "fitted"]
"""Origin of a condition of a model's domain; `Condition.basis` explains the three values."""


Check = Callable[[Scenario, Conditions], str | Literal[False] | None]
"""Function of a scenario and the settings of the evaluation. It returns the reason, shown to users,
why the scenario violates a condition, or False or None if the condition holds."""


@dataclass(frozen=True)
class Condition:
    """One condition of a model's domain, with the reason for it and its check.

    The attributes `text` and `because` do not end with a full stop.
    """

    text: str
    """The condition that holds in the domain, for example "at most 2 % of packets lost"."""
    basis: Basis
    """`assumption`: the text or the equations of the model's study assume it. `derivation`: it
    follows from the model's equations, or from the definition of the sender. `fitted`: a threshold
    that this project chose by comparison with packet simulation."""
    because: str
    """Reason for the condition: the section of the study, the derivation, or the criterion by which
    a fitted number was chosen. The report's table of fitted conditions shows only the text before
    the first colon or semicolon."""
    fails: Check | None = field(default=None, repr=False, compare=False)
    """Check of the condition. None: a user's model checks the condition in `outside_domain` or
    `limited`, which it overrides."""
    is_limit: bool = field(default=False, repr=False, compare=False)
    """True if the condition says that receiver window, path rate or buffer do not limit the
    goodput. Then `limited` checks it, not `outside_domain`."""

    def __str__(self) -> str:
        return f"{self.text} [{self.basis}: {self.because}]"


def first_violation(
    domain: Iterable[Condition], scenario: Scenario, conditions: Conditions
) -> str | None:
    """Return why a scenario violates the first condition that does not hold, or None if all do."""
    checks = (condition.fails for condition in domain if condition.fails is not None)
    return next((reason for fails in checks if (reason := fails(scenario, conditions))), None)


class Model(ABC):
    """One analytical model of TCP goodput.

    The class attributes describe the model. The methods compute its goodput and check whether a
    scenario is in its domain. `tcpgoodput.models.predict` makes predictions from both results.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    """Title of the model in lists, legends and tables."""
    source: ClassVar[str]
    citation: ClassVar[str]
    """Key of the cited work in paper/references.bib or in `bibtex`."""
    bibtex: ClassVar[str | None] = None
    """BibTeX entry of a work that is not in paper/references.bib."""
    inputs: ClassVar[tuple[str, ...]]
    """Keys of the scenario on which the goodput depends, such as `tcp.mss_bytes`."""
    domain: ClassVar[str]
    """Domain of the model, in a sentence."""
    conditions: ClassVar[tuple[Condition, ...]] = ()
    """Conditions of the model's domain, in the order in which they are checked."""
    equation: ClassVar[str] = ""
    """Equation of the goodput X in packets/s, with the meaning of its symbols, in plain text."""
    handles: ClassVar[frozenset[str]] = frozenset()
    """Impairments that the model describes, such as "bursty loss"; `scenario.physics.impairments`
    returns the names of a scenario's impairments."""
    reduces: ClassVar[frozenset[str]] = frozenset()
    """Impairments that the model does not describe, but that a reduction (`models.reductions`) may
    translate into impairments that it describes."""
    counts_transmission: ClassVar[bool] = False
    """Whether the model's round trip contains the transmission of a packet at the path's rate.
    Otherwise it is the propagation round trip."""
    costly: ClassVar[bool] = False
    """True if computing one goodput takes a large part of a second. Checks evaluate such models
    last."""

    @abstractmethod
    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float | Estimate:
        """Return the long-run goodput in packets per second, or raise `Undefined`.

        The argument `conditions` has the settings of the evaluation, such as the random seed.
        """

    def goodputs_pps(
        self, scenarios: Sequence[Scenario], conditions: Conditions
    ) -> list[GoodputOrError]:
        """Return each scenario's `goodput_pps`, or the exception that it raised, in order.

        A model that computes several scenarios faster together overrides this method.
        """
        return [attempt(lambda s=s: self.goodput_pps(s, conditions)) for s in scenarios]

    def record(self) -> dict[str, Any]:
        """Return the model's description as a dict, which `tcpgoodput models` prints."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "citation": self.citation,
            "inputs": list(self.inputs),
            "impairments": sorted(self.handles),
            "domain": self.domain,
            "conditions": [
                {"text": c.text, "basis": c.basis, "because": c.because} for c in self.conditions
            ],
            "equation": self.equation,
        }

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return why the scenario is outside the model's domain, or None if it is inside.

        The reason is that of the first violated condition in `conditions`, limits excluded.
        """
        inside = [condition for condition in self.conditions if not condition.is_limit]
        return first_violation(inside, scenario, conditions)

    def limited(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return why receiver window, path rate or buffer limits the goodput, or None.

        None: none of them limits it, or the model's equation includes the limit. The reason is that
        of the first violated limit in `conditions`.
        """
        limits = [condition for condition in self.conditions if condition.is_limit]
        return first_violation(limits, scenario, conditions)

    def too_slow_to_search(self, scenario: Scenario) -> str | None:
        """Return why dozens of evaluations of the model would take too long, or None.

        Some reductions search for a parameter and evaluate the model at each trial value.
        """
        return None

    def compile(self) -> None:  # noqa: B027  (most models have nothing to compile)
        """Compile the model's code in advance, so that parallel jobs load it from numba's cache."""


class WrongResult(TypeError):
    """A method of a model returned an object of a wrong type; the message says which."""

    def __init__(self, model: Model, method: str, found: object, needed: str) -> None:
        super().__init__(f"{method} returned {reprlib.repr(found)}; it must return {needed}")
        code = getattr(getattr(type(model), method), "__code__", None)
        self.place = type(model).__module__
        """File and line of the method; the model's module if the method has no source."""
        if code is not None:
            self.place = f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


def goodput_of(model: Model, scenario: Scenario, conditions: Conditions) -> float | Estimate:
    """Return the model's goodput in packets/s; it may be `Undefined`."""
    return checked_goodput(model, model.goodput_pps(scenario, conditions))


def checked_goodput(model: Model, goodput: float | Estimate) -> float | Estimate:
    """Return the goodput that a model returned, or raise `WrongResult` if it is no number.

    A text such as "5" is no number either, and no bool.
    """
    if isinstance(goodput, Estimate):
        return goodput
    try:
        is_number = not isinstance(goodput, str | bytes | bool)
        float(goodput)
    except (TypeError, ValueError):
        is_number = False
    if not is_number:
        raise WrongResult(model, "goodput_pps", goodput, "a number of packets per second")
    return goodput


def reason_of(
    model: Model,
    method: Literal["outside_domain", "limited"],
    scenario: Scenario,
    conditions: Conditions,
) -> str | None:
    """Return the result of one of the model's two methods that give a reason or None."""
    found = getattr(model, method)(scenario, conditions)
    if found is not None and not isinstance(found, str):
        raise WrongResult(model, method, found, "a text or None")
    return found
