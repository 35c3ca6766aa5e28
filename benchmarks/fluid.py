"""Time the fluid model per 1000 s of a connection, for one run and for eight runs in one call.

Run it on an idle machine: python benchmarks/fluid.py. Times are CPU times on one core, the best of
several runs. The first output line has the time of compilation, which the other lines exclude.
1000 s at a round trip T_m = 100 ms are a million steps of 1 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from goals import against_goal

from tcpgoodput.models.variable_capacity.runs import Averaged, Run, averages, grid_of
from tcpgoodput.scenario import Scenario, random_stream

RUNS = 5
POINTS = 8
"""Number of runs in one call, as a sweep has: twice the four runs of one vectorised loop."""
MEASURED_S = 4000
RANGE = {"min_bps": 1e7, "max_bps": 1e8}

CAPACITIES: dict[str, dict[str, Any] | None] = {
    "constant": None,
    "sinusoid, 1 Hz": {"process": "sinusoid", **RANGE, "frequency_hz": 1.0},
    "sinusoid, 10 Hz": {"process": "sinusoid", **RANGE, "frequency_hz": 10.0},
    "square, 1 Hz": {"process": "square", **RANGE, "frequency_hz": 1.0},
    "autoregressive": {"process": "ar1", **RANGE, "coherence_s": 0.1},
    "shadowing": {"process": "shadowing", "peak_bps": 1e8, "mean_bps": 6e7, "speed_mps": 8.0},
}


def link(capacity: dict[str, Any] | None) -> Scenario:
    """Return a connection over a link with a capacity process, or with 100 Mbit/s if it is None."""
    return Scenario.model_validate(
        {
            "id": "benchmark",
            "title": "T_m = 100 ms, 84 packets",
            "tcp": {"variant": "sack", "mss_bytes": 1500},
            "path": {
                "rate_bps": 1e8,
                "forward_delay_s": 0.01,
                "backward_delay_s": 0.09,
                "buffer_packets": 84,
            },
            "capacity": capacity,
        }
    )


def run(scenario: Scenario, duration_s: float, points: int = 1) -> None:
    """Evaluate the fluid model for `points` random replications of a scenario in one call."""
    steps = grid_of(scenario).steps(duration_s)
    runs = (Run(scenario, random_stream(scenario, 1, n)) for n in range(points))
    averages(Averaged(one, 0, steps) for one in runs)


def best_of(count: int, work: Callable[[], None]) -> float:
    """Call `work` `count` times; return the smallest CPU time of a call in seconds."""
    times = []
    for _ in range(count):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print the fluid model's CPU time in ms per 1000 simulated seconds, by capacity process."""
    start = time.process_time()
    for capacity in CAPACITIES.values():
        run(link(capacity), 1.0)
    print(f"import of numba, compilation or its cache: {time.process_time() - start:.1f} s")
    for name, capacity in CAPACITIES.items():
        scenario = link(capacity)
        alone = best_of(RUNS, lambda s=scenario: run(s, MEASURED_S))  # type: ignore[misc]
        sweep = best_of(RUNS, lambda s=scenario: run(s, MEASURED_S, POINTS)) / POINTS  # type: ignore[misc]
        alone, sweep = (1e6 * seconds / MEASURED_S for seconds in (alone, sweep))
        print(f"{name:16} {alone:6.1f} ms per 1000 s alone, {sweep:6.1f} ms in a sweep of {POINTS}")
        print(f"  {against_goal('a sweep of the fluid over points alone', alone / sweep)}")


if __name__ == "__main__":
    main()
