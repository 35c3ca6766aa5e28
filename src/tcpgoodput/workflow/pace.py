"""How long is left: from what each job once took, and how this machine compares so far.

The table is a recording of one whole run on two cores; a job that it does not know counts as an
average one.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

RECORDED = Path("benchmarks/durations.csv")


def recorded(path: Path = RECORDED) -> dict[str, float]:
    """Return the seconds that one job of each rule took, nothing where nothing is recorded."""
    if not path.is_file():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {row["rule"]: float(row["seconds"]) for row in csv.DictReader(file)}


class Pace:
    """What a run still has to do, in the recording's seconds and in its own."""

    def __init__(self, jobs: Mapping[str, int], known: Mapping[str, float]) -> None:
        """Begin with how many jobs of each rule there are."""
        self._left = Counter(jobs)
        self._known = known
        self._average_s = fmean(known.values()) if known else 1.0
        self._expected_s = self._work_s()
        self._done_s = 0.0

    def finished(self, rule: str) -> None:
        """Note that a job is done."""
        if self._left[rule] > 0:
            self._left[rule] -= 1
            self._done_s += self._known.get(rule, self._average_s)

    def left_s(self, elapsed_s: float) -> float | None:
        """Return the seconds that are left at the pace so far; None while too little is done."""
        if self._done_s < 0.02 * self._expected_s or elapsed_s <= 0:
            return None
        return self._work_s() * elapsed_s / self._done_s

    def _work_s(self) -> float:
        return sum(n * self._known.get(rule, self._average_s) for rule, n in self._left.items())
