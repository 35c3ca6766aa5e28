"""Conditions under which models and engines are evaluated, and the predictions of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.types import Undefined

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
    "is_failure",
]

Equations = Literal["printed", "corrected"]
Precision = Literal["draft", "paper"]
Status = Literal["native", "reduced", "out-of-domain", "undefined"]

MEASURED = "measured"
"""Status of a goodput that an engine (a simulator, or Linux) measured and no model predicted."""

FAILED = "failed: "
"""Prefix of the `reason` of a prediction whose model raised an unexpected exception."""


def is_failure(reason: str | None) -> bool:
    """Return whether a prediction's reason says that its model raised an unexpected exception."""
    return reason is not None and reason.startswith(FAILED)


@dataclass(frozen=True)
class Conditions:
    """Settings of an evaluation or measurement besides the scenario, such as the random seed."""

    equations: Equations = "corrected"
    precision: Precision = "paper"
    seed: int = 1
    reductions: bool = True
    """True if models may use reductions: rules that restate a scenario in the model's terms. False
    when a study's own figure is recomputed."""


@dataclass(frozen=True)
class Estimate:
    """A model's goodput averaged over random realisations, with its 95 % confidence interval."""

    goodput_pps: float
    low_pps: float
    high_pps: float
    replications: int


@dataclass(frozen=True)
class Answer:
    """Goodput in packets/s that a model returns, before it is compared with the path's limits."""

    goodput: float | Estimate
    reductions: tuple[str, ...] = ()
    """Names of the reductions (rules that restate a scenario in the model's terms) that were
    used to compute the goodput; empty if the model needed none."""
    outside: str | None = None
    """Why the scenario is outside the domain of the model or of a reduction; None if it is in
    domain."""


@dataclass(frozen=True)
class Prediction:
    """Goodput that a model predicts, with its status (in or out of domain) and reason."""

    scenario: Scenario
    name: str
    status: Status
    goodput_pps: float | None
    reason: str | None = None
    reduction: str | None = None
    estimate: Estimate | None = None

    @property
    def goodput_bps(self) -> float | None:
        """Predicted goodput in payload bits per second; None if the model has no value."""
        if self.goodput_pps is None:
            return None
        return self.goodput_pps * 8 * self.scenario.tcp.mss_bytes

    @property
    def utilisation(self) -> float | None:
        """Goodput over the path's rate, or over its mean capacity if that varies; None if no value.

        Only payload bits count, not the bits of headers.
        """
        if self.goodput_bps is None:
            return None
        return self.goodput_bps / mean_capacity_bps(self.scenario)

    def record(self) -> dict[str, Any]:
        """Return the prediction as a dict of plain values, for output as JSON, CSV or a table."""
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
