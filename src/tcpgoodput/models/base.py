"""What a model is: what it says of itself, its goodput, and where it is not at home."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from tcpgoodput.answers import Conditions, Estimate
from tcpgoodput.scenario import Scenario


class Model(ABC):
    """One analytical model of TCP goodput.

    A model states what it is (the class attributes), computes its goodput, and says where it is
    not at home; `tcpgoodput.models.predict` makes predictions of that.
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
