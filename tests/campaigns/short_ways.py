"""Compare the simulator's three fast loops with its general code, bit for bit.

python -m tests.campaigns.short_ways [--count N] [--first K] [--longest SECONDS]
    [--record [--further]]

Connection number n is the same in every run. One connection in 400 is drawn from all values that
the keys of a scenario may have. The others are realistic, half of them with windows large enough
for the fastest code. Each simulation stops at several simulated times. At these times, the states
of sender, receiver, counts and random generator must be identical with and without the fast code.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import Any

import numpy as np

from tcpgoodput.answers import Undefined
from tcpgoodput.engines.packet import out_of_reach
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.receiver import RECEIVER
from tcpgoodput.simulator.simulation import Simulation
from tests.campaigns.bounded import TooLong, bounded
from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.random_scenarios import random_scenario

ASKED = 100_000

PACKETS = 4000
"""Number of packets sent after which the simulation of a connection ends; chosen by hand."""

FIRST_S, LATEST_S, GROWTH = 1e-9, 1e6, 3.0
"""Simulated times in seconds at which the states of both simulations are compared. FIRST_S: first
time for a connection with any values (see `ANY_OF`). LATEST_S: last time for any connection.
GROWTH: largest ratio of a time to the one before."""

LONGEST_STRETCH_S, LONGEST_S = 0.3, 5
"""Limits of CPU time in seconds. LONGEST_STRETCH_S: if the full simulation between two comparisons
takes longer, no further time is compared, and the connection counts. LONGEST_S: if a connection
with any values (see `ANY_OF`) takes longer, it is stopped and not counted."""

ANY_OF = 400
"""One connection in `ANY_OF` is drawn from all values that the keys of a scenario may have."""

PER_JOB = 500

VARIANTS = ("oldtahoe", "tahoe", "reno", "newreno", "sack", "cubic")

OF_SENDERS: dict[str, list[Any]] = {
    "growth": ["packets"],
    "slow_start": ["hystart++"],
    "window_validation": [True],
    "ssthresh_from": ["window"],
    "reduction": ["proportional"],
    "f_rto": [True],
    "max_dupthresh": [300],
    "timestamps": [True],
    "ca_increment": ["whole"],
}
OF_SACK = {"loss_detection": ["rack"], "dsack": [True]}
FEATURES = {"newreno": OF_SENDERS, "sack": OF_SENDERS | OF_SACK, "cubic": OF_SENDERS | OF_SACK}
"""Keys of today's senders, and the values that connections get, by variant."""

NOT_KEPT = ("joined", "twice", "reported", "echo")
"""Fields of the receiver that are compared only for senders with a scoreboard: they describe the
last arrival, or are read only by these senders."""

BETWEEN_EVENTS = [name for name in RECEIVER.names or () if name not in NOT_KEPT]


def connection(number: int) -> Scenario:
    draw = Random(f"short ways/{number}")
    if number % ANY_OF == 0:
        return random_scenario(draw)
    return _of_networks(draw, wide=number % 2 == 0)


def _of_networks(draw: Random, wide: bool) -> Scenario:
    rate_bps = 10 ** draw.uniform(7, 8.5) if wide else 10 ** draw.uniform(5, 7)
    rarer = 40 if wide else 1

    def sometimes(value: Any, share: float = 0.25) -> Any:
        return value if draw.random() < share else None

    def length(low: float, high: float) -> dict[str, Any]:
        mean_s = 10 ** draw.uniform(low, high)
        return draw.choice(
            [
                {"distribution": "constant", "mean_s": mean_s},
                {"distribution": "exponential", "mean_s": mean_s},
                {"distribution": "uniform", "low_s": 0.5 * mean_s, "high_s": 1.5 * mean_s},
                {"distribution": "pareto", "mean_s": mean_s, "shape": 1.5},
            ]
        )

    losses: list[dict[str, Any]] = [
        {"process": "none"},
        {"process": "bernoulli", "probability": 10 ** draw.uniform(-4, -1) / rarer},
        {
            "process": "gilbert-elliott",
            "good_to_bad": 10 ** draw.uniform(-4, -1.5) / rarer,
            "bad_to_good": draw.uniform(0.1, 1),
            "clock": draw.choice(["slot", "packet"]),
        },
    ]
    late = {"fate": "late", "late_s": 10 ** draw.uniform(-3, 0)}
    capacity: dict[str, Any] = {
        "process": draw.choice(["sinusoid", "square", "ar1"]),
        "min_bps": draw.uniform(0.1, 1) * rate_bps,
        "max_bps": rate_bps,
    }
    if capacity["process"] == "ar1":
        capacity |= {"coherence_s": 10 ** draw.uniform(-2, 1), "step_s": 0.01}
    else:
        capacity["frequency_hz"] = 10 ** draw.uniform(-2, 1)
    content: dict[str, Any] = {
        "id": "short-ways",
        "title": "A random connection",
        "tcp": {
            "variant": draw.choice(VARIANTS),
            "mss_bytes": draw.choice([536, 1000, 1460]),
            "max_window_packets": draw.choice([None, 4, 20, 64, 700]),
            "ack_every": draw.choice([1, 1, 1, 2]),
            "initial_window_packets": draw.choice([1, 2, 10]),
            "dupthresh": draw.choice([3, 3, 2, 5]),
            "recovery": draw.choice(["impatient", "slow-but-steady"]),
            "limited_transmit": draw.random() < 0.5,
            "ca_increment": draw.choice(["reciprocal", "reciprocal", "floor"]),
            "transfer_packets": sometimes(draw.randint(1, 3000), 0.1),
            "rto": {"fixed_s": sometimes(10 ** draw.uniform(-0.5, 0.5), 0.2)},
        },
        "path": {
            "rate_bps": rate_bps,
            "forward_delay_s": draw.choice([0.0, draw.uniform(0.001, 0.2)]),
            "backward_delay_s": draw.uniform(0.001, 0.2),
            "buffer_packets": draw.choice([None, 2, 10, 50, 400]),
        },
        "loss": {**draw.choice(losses), "place": draw.choice(["before", "after"])},
        "spikes": sometimes({"interval": length(0, 1), "duration": length(-2, 0)}),
        "handoffs": sometimes(
            {
                "interval_s": 10 ** draw.uniform(-0.5, 1),
                "packets": draw.randint(1, 20),
                **draw.choice([late, {"fate": "lost"}]),
            }
        ),
        "capacity": sometimes(capacity),
    }
    # The key `partial_window_deflation` is drawn last, so that all other values of a connection are
    # as they were before this key existed.
    tcp = content["tcp"]
    deflates = draw.random() < 0.5
    tcp["partial_window_deflation"] = (
        deflates if tcp["variant"] == "newreno" else tcp["recovery"] == "impatient"
    )
    # A part of the connections gets features of today's senders, drawn last for the same reason.
    if tcp["variant"] in FEATURES and draw.random() < 0.5:
        chosen = {name: draw.choice(values) for name, values in FEATURES[tcp["variant"]].items()}
        tcp |= {name: value for name, value in chosen.items() if draw.random() < 0.5}
        tcp["limited_transmit"] = True
        if draw.random() < 0.5:
            tcp["stack"] = "linux-6.18"
            tcp["rto"] = {}
    return Scenario.model_validate(content)


def state(simulation: Simulation) -> dict[str, bytes]:
    """Return, as bytes, the parts of a simulation's state that must not depend on the fast code."""
    s, a = simulation._sender, simulation._arrays
    fields = RECEIVER.names if s["scoreboard"] else BETWEEN_EVENTS
    outstanding = np.arange(s["acked"] + 1, s["highest_sent"] + 1) & (a.marks.size - 1)
    return {
        "sender": s.tobytes(),
        "receiver": repr([simulation._receiver[name] for name in fields or ()]).encode(),
        "scoreboard": a.marks[outstanding].tobytes() + a.sent_at[outstanding].tobytes(),
        "counts": repr(simulation.counts).encode(),
        "stream": repr(simulation._stream.bit_generator.state).encode(),
    }


def difference(number: int) -> tuple[str | None, int, bool]:
    """Simulate random connection `number` with and without the simulator's fast code.

    Return the first difference (None if there is none), the number of packets sent, and whether the
    simulator refuses the connection.
    """
    scenario = connection(number)
    if out_of_reach(scenario):
        return None, 0, True
    both = [
        Simulation(scenario, random_stream(scenario, 1, 0), express=express)
        for express in (True, False)
    ]
    now_s = FIRST_S if number % ANY_OF == 0 else scenario.propagation_rtt_s
    while True:
        started = time.process_time()
        refusals = [_run(simulation, now_s) for simulation in both]
        sent = both[0].counts.packets_sent
        if refusals[0] != refusals[1]:
            return f"at {now_s:g} s: {refusals}", sent, False
        if refusals[0]:
            return None, sent, True
        ours, long = map(state, both)
        if parted := [part for part in ours if ours[part] != long[part]]:
            return f"at {now_s:g} s: {', '.join(parted)}", sent, False
        long_s = time.process_time() - started
        if sent >= PACKETS or now_s >= LATEST_S or long_s > LONGEST_STRETCH_S:
            return None, sent, False
        now_s = min(now_s * min(GROWTH, max(1.05, PACKETS / max(sent, 1))), LATEST_S)


def compared(number: int) -> tuple[str | None, int, bool]:
    """Return the result of `difference`, with a limit of CPU time for some connections.

    Only connections with any values of a scenario's keys (see `ANY_OF`) have the limit.

    Raises:
        TooLong: the connection reaches the limit.

    """
    if number % ANY_OF:
        return difference(number)
    return bounded(difference, number, seconds=LONGEST_S)


def _run(simulation: Simulation, until_s: float) -> str:
    try:
        simulation.run(until_s)
    except Undefined as undefined:
        return str(undefined)
    return ""


def part(first: int, count: int) -> tuple[Counter[str], list[str]]:
    """Compare connections with and without the simulator's fast code.

    Return the number of connections by outcome, and a text for each difference.

    The connections have the numbers `first` to `first + count - 1`.
    """
    counts: Counter[str] = Counter()
    parted = []
    for number in range(first, first + count):
        try:
            found, sent, refused = compared(number)
        except TooLong:
            counts["left"] += 1
            continue
        counts.update(connections=1, packets=sent, refused=refused)
        if found:
            parted.append(f"connection {number}, {found}")
    return counts, parted


def campaign(first: int, count: int, workers: int | None, longest_s: float) -> Outcome:
    """Compare `count` connections from number `first` on; stop early after `longest_s` seconds."""
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    parted: list[str] = []
    starts = range(first, first + count, PER_JOB)
    sizes = [min(PER_JOB, first + count - start) for start in starts]
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        for found, differing in pool.map(part, starts, sizes):
            counts += found
            parted += differing
            for line in differing:
                print(f"\n{line}", flush=True)
            print(f"\r{counts['connections']} connections", end="", flush=True)
            if time.perf_counter() - started > longest_s:
                pool.shutdown(cancel_futures=True)
                break
    print()
    return Outcome(
        "The simulator's fast loops give the results of its general loop, bit for bit",
        "connections",
        ASKED,
        counts["connections"],
        len(parted),
        time.perf_counter() - started,
        note=f"numbers from {first} on; {counts['packets'] / 1e6:.0f} million packets; "
        f"{counts['refused']} connections are refused by both, for the same reason; "
        f"{counts['left']} were stopped after {LONGEST_S} s",
    )


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="Hold the short ways against the long one.")
    parser.add_argument("--count", type=int, default=ASKED)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, help="processes at a time; all cores without it")
    parser.add_argument("--longest", type=float, default=3600.0, help="seconds, about")
    parser.add_argument("--record", action="store_true", help="write data/trust/short_ways.csv")
    parser.add_argument("--further", action="store_true", help="add to what is recorded there")
    arguments = parser.parse_args()
    outcome = campaign(arguments.first, arguments.count, arguments.workers, arguments.longest)
    print(outcome_line(outcome))
    if arguments.record:
        print(record("short_ways", [outcome], further=arguments.further))


if __name__ == "__main__":
    main()
