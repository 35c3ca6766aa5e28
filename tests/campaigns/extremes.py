"""Simulate random valid scenarios, most of them extreme; each must give a goodput or a reason.

python -m tests.campaigns.extremes [--count N] [--seed K] [--record]

Each scenario is written to a file, checked as by `tcpgoodput check`, and measured at precision
draft in a separate process, which is ended if it takes too long.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario, load_scenario
from tests.campaigns.bad_files import written
from tests.campaigns.bounded import TooLong, bounded, children_s
from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.random_scenarios import random_scenario, write_random_traces

ASKED = 1000

LONGEST_S = 20
"""Largest CPU time in seconds for the measurement of one scenario; chosen by hand."""

NUMBER, REASON, LATE = "a number", "a reason", f"nothing within {LONGEST_S} s"


def measured(scenario: Scenario) -> str:
    """Simulate a scenario; return NUMBER (a finite goodput), REASON (a refusal), or a fault."""
    try:
        found = ENGINES["packet"].measure(scenario, Conditions(precision="draft"))
    except Undefined as undefined:
        return REASON if str(undefined).strip() else "an empty reason"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    numbers = (found.goodput_pps, found.half_width_pps)
    if all(math.isfinite(number) and number >= 0 for number in numbers):
        return NUMBER
    return f"goodput {numbers}"


def of_file(path: Path) -> str:
    """Simulate a file's scenario; return NUMBER (a finite goodput), REASON, or a fault's text."""
    return measured(load_scenario(path))


def campaign(seed: int, count: int) -> Outcome:
    """Simulate `count` random scenarios in turn; failures have neither a goodput nor a reason."""
    ENGINES["packet"].compile()
    started = time.perf_counter()
    found: Counter[str] = Counter()
    faults = []
    worst_s = 0.0
    with tempfile.TemporaryDirectory() as folder:
        traces = write_random_traces(Random(seed), Path(folder))
        for number in range(count):
            scenario = random_scenario(Random(f"{seed}/{number}"), traces)
            path = Path(folder) / "scenario.yaml"
            path.write_text(written(scenario.model_dump(mode="json", exclude_unset=True))[0])
            before_s = children_s()
            try:
                came = bounded(of_file, path, seconds=LONGEST_S)
            except TooLong as error:
                came = str(error)
            worst_s = max(worst_s, children_s() - before_s)
            found[came] += 1
            if came not in (NUMBER, REASON):
                faults.append(f"scenario {number}: {came}")
                print(f"\n{faults[-1]}", flush=True)
            print(f"\r{number + 1} scenarios", end="", flush=True)
    print()
    return Outcome(
        "A valid scenario, however unusual, gives a finite simulated goodput or a reason",
        "scenarios",
        ASKED,
        sum(found.values()),
        len(faults),
        time.perf_counter() - started,
        worst_s,
        "CPU seconds for one scenario",
        f"{found[NUMBER]} numbers, {found[REASON]} reasons, {found[LATE]} {LATE}; models: "
        "tests/campaigns/every_model_answers.csv",
    )


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="Simulate strange valid scenarios.")
    parser.add_argument("--count", type=int, default=ASKED)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write data/trust/extremes.csv")
    arguments = parser.parse_args()
    outcome = campaign(arguments.seed, arguments.count)
    print(outcome_line(outcome))
    if arguments.record:
        print(record("extremes", [outcome]))


if __name__ == "__main__":
    main()
