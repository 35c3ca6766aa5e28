"""What a model is: what it says of itself, its goodput, and where it is not at home."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from tcpgoodput.answers import Conditions, Estimate
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario import Scenario

T = TypeVar("T")

Told = float | Estimate | Exception
"""A goodput, or what a model raised instead."""


def attempt(ask: Callable[[], T]) -> T | Exception:
    """Return what is told, or the error that comes instead: it is one scenario's alone.

    Raises:
        ConfigurationError: bad input, which no other model could read either.

    """
    try:
        return ask()
    except ConfigurationError:
        raise
    except Exception as error:  # any: what a model raises is its answer
        return error


class Model(ABC):
    """One analytical model of TCP goodput.

    A model states what it is (the class attributes), computes its goodput, and says where it is
    not at home; `tcpgoodput.models.predict` makes predictions of that.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    """What the model is called in lists, legends and tables, beside its name."""
    source: ClassVar[str]
    citation: ClassVar[str]
    """Key in paper/references.bib, or of `bibtex`."""
    bibtex: ClassVar[str | None] = None
    """The BibTeX entry of a model whose citation is not in paper/references.bib."""
    inputs: ClassVar[tuple[str, ...]]
    """Keys of the scenario that the goodput depends on."""
    domain: ClassVar[str]
    """Where the model is at home, in a sentence."""
    equation: ClassVar[str] = ""
    """X, the goodput in packets/s, and what each of its symbols means; in plain text."""
    handles: ClassVar[frozenset[str]] = frozenset()
    """Impairments that the model describes, of those that `impairments` names."""
    reduces: ClassVar[frozenset[str]] = frozenset()
    """Impairments that reductions translate into what the model describes."""
    costly: ClassVar[bool] = False
    """Takes a good part of a second a point: the workflow gives its figures jobs of their own."""

    @abstractmethod
    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float | Estimate:
        """Return the long-run goodput in packets per second, or raise `Undefined`."""

    def goodputs_pps(self, scenarios: Sequence[Scenario], conditions: Conditions) -> list[Told]:
        """Return each scenario's `goodput_pps`, or the error that came instead.

        A model that can compute several at once says how.
        """
        return [attempt(lambda s=s: self.goodput_pps(s, conditions)) for s in scenarios]

    def record(self) -> dict[str, Any]:
        """Return what the model says of itself, as the command line lists it."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "citation": self.citation,
            "inputs": list(self.inputs),
            "impairments": sorted(self.handles),
            "domain": self.domain,
            "equation": self.equation,
        }

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
