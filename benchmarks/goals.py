"""Goals for the project's speed, and what limits each one.

Every benchmark prints its measurements next to their goals by `against_goal`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """A bound on a measured time, ratio or size: an upper bound if `at_most`, else a lower one."""

    bound: float
    unit: str
    limit: str
    """Known reason that explains a missed goal."""
    at_most: bool = True

    def met_by(self, value: float) -> bool:
        """Return whether a value is within the bound."""
        return value <= self.bound if self.at_most else value >= self.bound


BUSY = (
    "both cores are busy; three fifths of the CPU time are simulations of 1e10 measured packets, a "
    "number that follows from the widths of the intervals"
)
MANY_JOBS = (
    "both cores are busy: two fifths of the CPU time are the studies' models and pictures, three "
    "tenths are simulations, and each of thirty jobs takes seconds to start"
)
START = "Snakemake's imports take a third of it, reading and checking the configuration another"
CHAIN = "each packet of a recovery waits for the decision about the one before"

GOALS = {
    "paper from nothing": Goal(150, "s", BUSY),
    "draft from nothing": Goal(60, "s", MANY_JOBS),
    "nothing to do": Goal(2.0, "s", START),
    "a changed label, to the picture": Goal(8, "s", START),
    "a new scenario, to the matrix": Goal(
        12, "s", "one job after the other: measure, ask, publish, draw; each imports what it needs"
    ),
    "memory of a job": Goal(
        300, "MB", "numba with LLVM takes 180 MB and pandas 60 before there is a row of a table"
    ),
    "set-up": Goal(45, "s", "downloading, and compiling Python's own files to bytecode"),
    "a random sample of 100 000 points": Goal(
        40, "min", "four fifths are simulations: 0.05 s for a point, up to a half-width of 2.8 %"
    ),
    "the explorer's answer, 95 % within": Goal(
        100,
        "ms",
        "each change evaluates all models anew; more than half of that time is the fluid's",
    ),
    "two cores over one": Goal(1.9, "times", "memory and heat shared with others", at_most=False),
    "ns-2 over the simulator": Goal(100, "times", CHAIN, at_most=False),
    "a packet of Linux's CUBIC at 1 % loss": Goal(
        20, "ns", "each ACK computes the RTO and sets the probe timer; recoveries have no fast loop"
    ),
    "a packet of BBR at 1 % loss": Goal(
        100, "ns", "pacing adds an event for each burst, and each ACK updates all estimates"
    ),
    "a sweep of the fluid over points alone": Goal(
        3.5,
        "times",
        "sixteen vector registers for four lanes of nine numbers, and the draws of C(t)",
        at_most=False,
    ),
}


def against_goal(name: str, value: float) -> str:
    """Return a text with a value, its goal `GOALS[name]` and, if it is missed, the reason."""
    goal = GOALS[name]
    asked = f"asked: {'at most' if goal.at_most else 'at least'} {goal.bound:g} {goal.unit}"
    missed = "" if goal.met_by(value) else f"; missed: {goal.limit}"
    return f"{name}: {value:.3g} {goal.unit} ({asked}{missed})"
