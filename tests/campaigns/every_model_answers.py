"""Evaluate every model on many random valid scenarios, and count its statuses and faults.

python -m tests.campaigns.every_model_answers [--scenarios N] [--seed K] [--record FILE]

The test suite does the same with fewer scenarios. A seed and a number n always give the same
scenario, so that a reported fault can be reproduced. Scenarios with even numbers use the corrected
equations, and those with odd numbers the printed equations. The packet-train models, which solve
Markov chains, are evaluated on one scenario in nine. The fluid models are evaluated on one scenario
in 51, and at both precisions, because only their results depend on the precision. A status, such as
`out-of-domain`, says whether a goodput exists and counts as valid. Recorded times are CPU times.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.models import MODELS, Model
from tcpgoodput.storage import csv_text, write_text
from tests.random_scenarios import checked_prediction, random_scenario, write_random_traces

ASKED_EVERY = {"packet_trains": 9, "variable_capacity.fluid": 51, "bbr.fluid": 51}
"""Slow models, by the beginning of the name, with a number n: the model is evaluated on one
scenario in n. The numbers are odd, so that the corrected and the printed equations are both
used."""

SCENARIOS_PER_JOB = 250

PRECISIONS: tuple[Precision, ...] = ("draft", "paper")

STATUSES = ("native", "reduced", "out-of-domain", "undefined")


@dataclass
class Tally:
    """Number of each status and fault of one model, for one form of equations and one precision."""

    statuses: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """Number of times of each fault; a fault's text begins with the scenario's number."""
    worst_s: float = 0.0
    worst_scenario: int = -1

    def add(self, other: Tally) -> None:
        """Add the counts of other scenarios, and keep the longest CPU time of both."""
        self.statuses += other.statuses
        self.faults += other.faults
        if other.worst_s > self.worst_s:
            self.worst_s, self.worst_scenario = other.worst_s, other.worst_scenario


Tallies = dict[tuple[str, str, str], Tally]
"""Statuses and faults by model, form of the equations (corrected or printed), and precision."""


def questions(number: int) -> Iterator[tuple[Model, Conditions]]:
    """Yield the models to evaluate on scenario `number`, each with equations and precision."""
    for model in MODELS.values():
        every = next((n for name, n in ASKED_EVERY.items() if model.name.startswith(name)), 1)
        if number % every:
            continue
        for precision in PRECISIONS if model.costly else PRECISIONS[:1]:
            yield model, Conditions("printed" if number % 2 else "corrected", precision)


def part(seed: int, first: int, traces: list[Path]) -> Tallies:
    """Evaluate models on the `SCENARIOS_PER_JOB` scenarios that begin with number `first`."""
    for model in MODELS.values():
        model.compile()
    tallies: Tallies = {}
    for number in range(first, first + SCENARIOS_PER_JOB):
        scenario = random_scenario(Random(f"{seed}/{number}"), traces)
        for model, conditions in questions(number):
            key = (model.name, conditions.equations, conditions.precision)
            tally = tallies.setdefault(key, Tally())
            started = time.process_time()
            prediction, fault = checked_prediction(model, scenario, conditions)
            took_s = time.process_time() - started
            tally.statuses[prediction.status] += 1
            if fault:
                tally.faults[f"scenario {number}: {fault}"] += 1
            if took_s > tally.worst_s:
                tally.worst_s, tally.worst_scenario = took_s, number
    return tallies


def campaign(seed: int, count: int) -> Tallies:
    """Evaluate all models on `count` scenarios, on all cores.

    The number of scenarios is rounded up to a multiple of `SCENARIOS_PER_JOB`.
    """
    total: Tallies = {}
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(os.cpu_count()) as pool:
        traces = write_random_traces(Random(seed), Path(folder))
        starts = range(0, count, SCENARIOS_PER_JOB)
        jobs = [pool.submit(part, seed, first, traces) for first in starts]
        for done, job in enumerate(jobs, start=1):
            for key, tally in job.result().items():
                total.setdefault(key, Tally()).add(tally)
            print(f"\r{done * SCENARIOS_PER_JOB} scenarios", end="", flush=True)
    print()
    return total


def main() -> None:
    """Run the campaign, print the faults, and write the counts if --record is given."""
    parser = argparse.ArgumentParser(description="Ask every model about random scenarios.")
    parser.add_argument("--scenarios", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path, help="write the table to this CSV file")
    arguments = parser.parse_args()
    now = datetime.now(UTC).date()
    processor = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    rows = []
    for (model, equations, precision), tally in campaign(
        arguments.seed, arguments.scenarios
    ).items():
        for fault in tally.faults:
            print(f"{model} ({equations}, {precision}): {fault}")
        rows.append(
            {
                "date": now.isoformat(),
                "machine": processor,
                "seed": arguments.seed,
                "model": model,
                "equations": equations,
                "precision": precision,
                "scenarios": sum(tally.statuses.values()),
                **{status.replace("-", "_"): tally.statuses[status] for status in STATUSES},
                "faults": sum(tally.faults.values()),
                "worst_cpu_s": round(tally.worst_s, 3),
                "worst_scenario": tally.worst_scenario,
            }
        )
    slowest = max(rows, key=lambda row: row["worst_cpu_s"])
    print(f"slowest: {slowest['model']}, {slowest['worst_cpu_s']} s")
    print(f"{sum(row['faults'] for row in rows)} faults")
    if arguments.record:
        write_text(arguments.record, csv_text(list(rows[0]), rows))


if __name__ == "__main__":
    main()
