"""Check the packet simulator's conservation laws over a billion events.

python benchmarks/books.py [--events N] [--record FILE] simulates random connections with every
impairment, records each event, and checks: every packet sent has arrived, is lost, was dropped by
the queue, or is in flight; a window is at least one packet; only sent packets are acknowledged; a
queue is never longer than its buffer; packets arrive in order unless hand-offs delay them.
"""

from __future__ import annotations

import argparse
import random
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.answers import Undefined
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.simulation import Counts, Simulation
from tcpgoodput.storage import csv_text, write_text

CHUNK = 1_000_000
"""Memory for recorded events, chosen by hand: two chunks have room, and about half a chunk of
events (packet arrivals, ACKs and timeouts) is simulated between two checks."""

EACH = 10_000_000
"""Number of events after which the check of one connection ends; chosen by hand."""

VARIANTS = ("oldtahoe", "tahoe", "reno", "newreno", "sack", "cubic")


def connection(number: int) -> Scenario:
    """Return a random connection; its number is the seed of the random parameters."""
    draw = random.Random(number)

    def sometimes(value: Any, share: float = 0.3) -> Any:
        return value if draw.random() < share else None

    rate_bps = 10 ** draw.uniform(5.5, 8)
    loss = draw.choice(
        [
            {"process": "none"},
            {"process": "bernoulli", "probability": 10 ** draw.uniform(-5, -1)},
            {
                "process": "gilbert-elliott",
                "good_to_bad": 10 ** draw.uniform(-4, -1.5),
                "bad_to_good": draw.uniform(0.1, 1),
            },
        ]
    )
    spikes = {
        "interval": {"distribution": "exponential", "mean_s": draw.uniform(5, 50)},
        "duration": {"distribution": "pareto", "mean_s": draw.uniform(0.1, 1), "shape": 1.5},
    }
    handoffs = {
        "interval_s": draw.uniform(2, 20),
        "packets": draw.randint(1, 20),
        "fate": "late",
        "late_s": draw.uniform(0.01, 1),
    }
    capacity = {
        "process": draw.choice(["sinusoid", "square"]),
        "min_bps": 0.2 * rate_bps,
        "max_bps": rate_bps,
        "frequency_hz": 10 ** draw.uniform(-2, 1),
    }
    return Scenario.model_validate(
        {
            "id": f"books-{number}",
            "title": "A random connection",
            "tcp": {
                "variant": draw.choice(VARIANTS),
                "mss_bytes": 1000,
                "max_window_packets": draw.choice([None, 20, 200, 2000]),
                "ack_every": draw.choice([1, 1, 2]),
                "recovery": draw.choice(["impatient", "slow-but-steady"]),
                "limited_transmit": draw.random() < 0.5,
            },
            "path": {
                "rate_bps": rate_bps,
                "forward_delay_s": draw.uniform(0.001, 0.1),
                "backward_delay_s": draw.uniform(0.001, 0.1),
                "buffer_packets": draw.choice([2, 10, 100, 1000]),
            },
            "loss": {**loss, "place": draw.choice(["before", "after"])},
            "spikes": sometimes(spikes),
            "handoffs": sometimes(handoffs),
            "capacity": sometimes(capacity),
        }
    )


def audit(number: int) -> tuple[int, int]:
    """Simulate and check random connection `number`; return its events and packets sent."""
    scenario = connection(number)
    simulation = Simulation(scenario, random_stream(scenario, 1, 0))
    now_s, step_s, highest, last_arrival = 0.0, 1.0, -1, -1
    events_seen = 0
    while events_seen < EACH and now_s < 1e5:
        before, under_way = simulation.counts, simulation.under_way
        simulation.keep(2 * CHUNK)
        now_s += step_s
        try:
            simulation.run(now_s)
        except Undefined:
            break
        events, sent = simulation.events()
        assert events.size < 2 * CHUNK, "more events than are kept"
        later = simulation.counts - before
        check_books(later, under_way, simulation.under_way, events, sent)
        highest, last_arrival = check_order(scenario, events, sent, highest, last_arrival)
        events_seen += events.size
        step_s *= min(2.0, 0.5 * CHUNK / max(events.size, 1))
    return events_seen, simulation.counts.packets_sent


def check_books(
    later: Counts, under_way: int, still: int, events: np.ndarray, sent: np.ndarray
) -> None:
    """Check that each packet sent has arrived, is lost, was dropped, or is in flight.

    Args:
        later: counts of packets since the last check.
        under_way: packets in flight at the last check.
        still: packets in flight now.
        events: events since the last check.
        sent: packets sent since the last check.

    """
    arrived = int((events["packet"] >= 0).sum())
    assert sent.size == later.packets_sent
    assert (
        under_way + later.packets_sent
        == later.packets_lost + later.packets_dropped + arrived + still
    )
    assert later.delivered <= arrived


def check_order(
    scenario: Scenario, events: np.ndarray, sent: np.ndarray, highest: int, last_arrival: int
) -> tuple[int, int]:
    """Check windows, ACKs, the queue's length and the packets' order since the last check.

    Args:
        scenario: the simulated connection.
        events: events since the last check.
        sent: packets sent since the last check.
        highest: highest packet number sent before; -1 if none.
        last_arrival: time of the last arrival before, in clock ticks; -1 if none.

    Returns:
        `highest` and `last_arrival` for the next check.

    """
    if not events.size:
        return highest, last_arrival
    assert (events["cwnd"] >= 1).all()
    assert (events["ssthresh"] >= 2).all()
    assert (np.diff(events["time"]) >= 0).all()
    assert (np.diff(events["ack"]) >= 0).all()
    assert events["queued"].max() <= (scenario.path.buffer_packets or np.inf)
    known = np.maximum.accumulate(np.concatenate([[highest], sent["packet"]]))
    sent_before = np.searchsorted(sent["event"], np.arange(events.size), side="left")
    assert (events["ack"] <= known[sent_before]).all(), "acknowledged before it was sent"
    arrivals = sent["arrives"][sent["arrives"] >= 0]
    if scenario.handoffs is None and arrivals.size:
        assert arrivals[0] >= last_arrival
        assert (np.diff(arrivals) >= 0).all(), "overtaken on the link"
        last_arrival = int(arrivals[-1])
    return int(known[-1]), last_arrival


def main() -> None:
    """Check random connections until they have had the number of events given by --events."""
    parser = argparse.ArgumentParser(description="Check the packet simulator's conservation laws.")
    parser.add_argument("--events", type=float, default=1e9)
    parser.add_argument("--record", type=Path, help="write the totals to this CSV file")
    arguments = parser.parse_args()
    started = time.perf_counter()
    totals = {"connections": 0, "events": 0, "packets": 0}
    with ProcessPoolExecutor() as pool:
        while totals["events"] < arguments.events:
            numbers = range(totals["connections"], totals["connections"] + 16)
            for events, packets in pool.map(audit, numbers):
                totals["connections"] += 1
                totals["events"] += events
                totals["packets"] += packets
            print(totals, f"{time.perf_counter() - started:.0f} s", flush=True)
    if arguments.record:
        write_text(arguments.record, csv_text(list(totals), [totals]))


if __name__ == "__main__":
    main()
