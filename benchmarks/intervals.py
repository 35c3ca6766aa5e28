"""Measure how often the packet simulator's 95 % intervals contain the long-run goodput.

python benchmarks/intervals.py [--case NAME]... [--record FILE] measures each of several connections
a thousand times, each time with another seed. It compares the intervals with a run 300 times as
long. If only a connection's phase is random, a measurement covers whole cycles of the TCP window.
Such intervals are compared with the mean of 4000 long runs of fixed duration, each with another
phase. Measurements of the cases `CONTINUED` go on until their interval is narrow, as those of
`tcpgoodput simulate` do. Their number of packets is therefore random.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import measured_closely
from tcpgoodput.engines.cycles import repeats
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.statistics import Interval
from tcpgoodput.storage import csv_text, read_rows, write_text

LONG_SEED = 10**6
LONG_PACKETS = 300_000_000

PHASES, PHASE_WARM_UP_S, PHASE_S = 4000, 120.0, 2000.0
"""Long runs with which measurements of whole cycles are compared: their number, and the warm-up of
the first run and the measured time of each run in seconds. The warm-ups of the other runs are
longer, so that their measured times begin at other phases of the connection."""

SAW = {"forward_delay_s": 0.1, "backward_delay_s": 0.1, "buffer_packets": 10}
"""Delays and buffer of a path on which the TCP window's saw-tooth has cycles of about six seconds,
and the link is sometimes idle."""


def saw(**capacity: Any) -> dict[str, Any]:
    """Return the scenario's path (`SAW`) and a periodic capacity of 0.5 to 2 Mbit/s."""
    return {"path": SAW, "capacity": {"min_bps": 5e5, "max_bps": 2e6, **capacity}}


CASES: dict[str, dict[str, Any]] = {
    "independent loss, 1 %": {"loss": {"process": "bernoulli", "probability": 0.01}},
    "delay spikes, exponential": {
        "loss": {"process": "bernoulli", "probability": 0.005},
        "spikes": {
            "interval": {"distribution": "exponential", "mean_s": 20.0},
            "duration": {"distribution": "uniform", "low_s": 1.0, "high_s": 3.0},
        },
    },
    "delay spikes, Pareto of shape 1.5": {
        "loss": {"process": "bernoulli", "probability": 0.005},
        "spikes": {
            "interval": {"distribution": "exponential", "mean_s": 20.0},
            "duration": {"distribution": "pareto", "mean_s": 2.0, "shape": 1.5},
        },
    },
    "a shadowed radio link": {
        "capacity": {
            "process": "shadowing",
            "peak_bps": 2e6,
            "mean_bps": 1e6,
            "speed_mps": 10.0,
        },
    },
    "bursts of ten packets": {
        "loss": {"process": "gilbert-elliott", "good_to_bad": 0.001, "bad_to_good": 0.1}
    },
    "independent loss, 0.1 %": {"loss": {"process": "bernoulli", "probability": 0.001}},
    "cycles, drop-tail alone": {"path": SAW},
    "cycles, a slow sinusoid": saw(process="sinusoid", frequency_hz=0.03),
    "cycles, a slow square wave": saw(process="square", frequency_hz=0.03),
    "cycles, a square wave as slow as the window": saw(process="square", frequency_hz=0.17),
    "cycles, a fast sinusoid": saw(process="sinusoid", frequency_hz=2.0),
}


CONTINUED: dict[str, dict[str, Any]] = {
    "continued, rare and long delay spikes": {
        "loss": {"process": "bernoulli", "probability": 0.005},
        "spikes": {
            "interval": {"distribution": "exponential", "mean_s": 60.0},
            "duration": {"distribution": "uniform", "low_s": 2.0, "high_s": 20.0},
        },
    },
    "continued, rare losses for seconds": {
        "loss": {
            "process": "gilbert-elliott",
            "good_to_bad": 1e-5,
            "bad_to_good": 1e-3,
            "clock": "slot",
        }
    },
    "continued, a capacity that varies at random": {
        "capacity": {"process": "ar1", "min_bps": 2e5, "max_bps": 2e6, "coherence_s": 20.0},
    },
}
"""Cases whose first measurement has a confidence interval wider than the target
(`closeness.usual`), so that the measurement is continued."""

CASES |= CONTINUED


def connection(parts: dict[str, Any]) -> Scenario:
    """Return a NewReno connection (2 Mbit/s, RTT 60 ms) with parts such as `path` replaced."""
    path = {"rate_bps": 2e6, "forward_delay_s": 0.03, "backward_delay_s": 0.03}
    return Scenario.model_validate(
        {
            "id": "coverage",
            "title": "2 Mb/s, packets of 1000 bytes",
            "tcp": {"variant": "newreno", "mss_bytes": 1000, "max_window_packets": 64},
            **parts,
            "path": {**path, "buffer_packets": 100, **parts.get("path", {})},
        }
    )


def what_is_measured(name: str) -> str:
    """Return how a case is measured: whole cycles, replications, or continued replications."""
    if name in CONTINUED:
        return "continued replications"
    return "whole cycles" if repeats(connection(CASES[name])) else "replications"


def by_packets(scenario: Scenario) -> Interval:
    """Return the long-run goodput (packets/s) from one measurement of 300 million packets."""
    conditions = Conditions(seed=LONG_SEED)
    return _interval(ENGINES["packet"].measure(scenario, conditions, packets=LONG_PACKETS))


def _interval(found: Measurement) -> Interval:
    half_width = math.inf if found.half_width_pps is None else found.half_width_pps
    return Interval(found.goodput_pps or 0.0, half_width, found.replications)


def by_phases(scenario: Scenario) -> Interval:
    """Return the long-run goodput (packets/s) from `PHASES` runs, each with another phase."""
    goodputs = []
    for phase in range(PHASES):
        simulation = Simulation(scenario, random_stream(scenario, LONG_SEED, phase))
        # Runs begin at different points of a cycle.
        begin_s = PHASE_WARM_UP_S * (1 + phase / PHASES)
        simulation.run(begin_s)
        before = simulation.counts
        simulation.run(begin_s + PHASE_S)
        goodputs.append((simulation.counts - before).delivered / PHASE_S)
    return Interval.of(goodputs)


def coverage(name: str, experiments: int) -> dict[str, Any]:
    """Measure case `name` with `experiments` seeds; return a row with the intervals' coverage.

    The coverage is the share of 95 % intervals that contain the long-run goodput.
    """
    scenario = connection(CASES[name])
    long = by_phases(scenario) if repeats(scenario) else by_packets(scenario)
    measure = measured_closely if name in CONTINUED else ENGINES["packet"].measure
    intervals = [_interval(measure(scenario, Conditions(seed=seed))) for seed in range(experiments)]
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
    """Print and record, for each case, the share of intervals with the long-run goodput."""
    parser = argparse.ArgumentParser(description="Measure the coverage of the intervals.")
    parser.add_argument("--experiments", type=int, default=1000)
    parser.add_argument("--case", action="append", choices=list(CASES), help="only this one")
    parser.add_argument("--record", type=Path, help="write the table to this CSV file")
    arguments = parser.parse_args()
    kept = read_rows(arguments.record) if arguments.case and arguments.record else []
    rows: list[dict[str, Any]] = [
        {**row, "measured": what_is_measured(row["case"])}
        for row in kept
        if row["case"] not in arguments.case
    ]
    for name in arguments.case or CASES:
        started = time.perf_counter()
        known = {"case": name, "measured": what_is_measured(name)}
        rows.append({**known, **coverage(name, arguments.experiments)})
        print(rows[-1], f"{time.perf_counter() - started:.0f} s", flush=True)
    if arguments.record:
        write_text(arguments.record, csv_text(list(rows[-1]), rows))


if __name__ == "__main__":
    main()
