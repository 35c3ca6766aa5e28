"""Count how often the packet simulator's 95 % intervals hold the long-run goodput.

python benchmarks/intervals.py [--record FILE] plays a thousand small experiments on each of several
connections, each as `tcpgoodput simulate` does it, pilot and all, with a seed of its own, and
compares their intervals with a run 300 times as long.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.every import ENGINES
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text

LONG_SEED = 10**6
LONG_PACKETS = 300_000_000

CASES: dict[str, dict[str, Any]] = {
    "independent loss, 1 %": {"loss": {"process": "bernoulli", "probability": 0.01}},
    "delay spikes, exponential": {
        "loss": {"process": "bernoulli", "probability": 0.005},
        "spikes": {
            "interval": {"distribution": "exponential", "mean_s": 20.0},
            "duration": {"distribution": "uniform", "low_s": 1.0, "high_s": 3.0},
        },
    },
    "bursts of ten packets": {
        "loss": {"process": "gilbert-elliott", "good_to_bad": 0.001, "bad_to_good": 0.1}
    },
    "independent loss, 0.1 %": {"loss": {"process": "bernoulli", "probability": 0.001}},
}


def connection(parts: dict[str, Any]) -> Scenario:
    """Return a connection over 2 Mb/s and 60 ms."""
    return Scenario.model_validate(
        {
            "id": "coverage",
            "title": "2 Mb/s, 60 ms, packets of 1000 bytes",
            "tcp": {"variant": "newreno", "mss_bytes": 1000, "max_window_packets": 64},
            "path": {
                "rate_bps": 2e6,
                "forward_delay_s": 0.03,
                "backward_delay_s": 0.03,
                "buffer_packets": 100,
            },
            **parts,
        }
    )


def coverage(parts: dict[str, Any], experiments: int) -> dict[str, Any]:
    """Return how many of the experiments' intervals hold the long-run goodput."""
    engine, scenario = ENGINES["packet"], connection(parts)
    long = engine.measure(scenario, Conditions(seed=LONG_SEED), packets=LONG_PACKETS).goodput_pps
    intervals = [
        engine.measure(scenario, Conditions(seed=seed)).goodput_pps for seed in range(experiments)
    ]
    held = sum(abs(one.mean - long.mean) <= one.half_width for one in intervals)
    share = held / experiments
    return {
        "experiments": experiments,
        "coverage": share,
        "coverage_se": math.sqrt(share * (1 - share) / experiments),
        "long_run_pps": long.mean,
        "long_run_ci95": long.half_width,
        "mean_of_means": math.fsum(one.mean for one in intervals) / experiments,
        "mean_half_width": math.fsum(one.half_width for one in intervals) / experiments,
        "replications": intervals[0].replications,
    }


def main() -> None:
    """Print and record the coverage of each case."""
    parser = argparse.ArgumentParser(description="Measure the coverage of the intervals.")
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--record", type=Path, help="write the table to this CSV file")
    arguments = parser.parse_args()
    rows = []
    for name, parts in CASES.items():
        started = time.perf_counter()
        rows.append({"case": name, **coverage(parts, arguments.experiments)})
        print(rows[-1], f"{time.perf_counter() - started:.0f} s", flush=True)
    if arguments.record:
        write_text(arguments.record, csv_text(list(rows[0]), rows))


if __name__ == "__main__":
    main()
