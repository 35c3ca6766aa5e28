"""What is asked of models and engines, and what models answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.unsupported import Undefined

__all__ = [
    "FAILED",
    "MEASURED",
    "Answer",
    "Conditions",
    "Equations",
    "Estimate",
    "Precision",
    "Prediction",
    "Status",
    "Undefined",
]

Equations = Literal["printed", "corrected"]
Precision = Literal["draft", "paper"]
Status = Literal["native", "reduced", "out-of-domain", "undefined"]

MEASURED = "measured"
"""The status of a goodput that an engine measured; no model has it."""

FAILED = "failed: "
"""How the reason begins where a model raised what it should not have."""


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
