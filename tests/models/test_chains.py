"""The packet-train model, a Markov chain, equals the sum over all paths of the chain.

The enumeration contains each position of a train's first loss, each pattern of losses after it, and
each following window; the chain of windows is then solved as linear equations. Windows are small,
because the number of paths grows exponentially.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from random import Random

import numpy as np
import pytest

from tcpgoodput.answers import Conditions, Equations
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario

CASES, CLOSE = 40, 1e-10

MODEL = "packet_trains.train_consistent"
"""Variant of the packet-train model in which the window at a loss is the size of the train with
the loss, as in the enumeration. A train has the packets of one round trip."""

LARGEST_PRODUCT = 8

MSS_BYTES, RATE_BPS = 1000, 8e6

Start = tuple[int, bool]
"""Start of a congestion cycle: ssthresh in packets, and whether it begins with slow start."""


def train_scenario(draw: Random) -> Scenario:
    """Return a random scenario: bursts of losses, bandwidth-delay product of 2 to 8 packets."""
    path_packets = draw.randint(2, LARGEST_PRODUCT)
    return Scenario.model_validate(
        {
            "id": "enumerated",
            "title": "Enumerated",
            "tcp": {
                "variant": draw.choice(["oldtahoe", "tahoe", "newreno", "sack"]),
                "mss_bytes": MSS_BYTES,
                "dupthresh": draw.choice([1, 2, 3, 3, 4]),
                "max_window_packets": path_packets + 1,
                "rto": {"fixed_s": 10 ** draw.uniform(-2, 0.5)},
            },
            "path": {
                "rate_bps": RATE_BPS,
                "forward_delay_s": 0.0,
                "backward_delay_s": path_packets * 8 * MSS_BYTES / RATE_BPS,
            },
            "loss": {
                "process": "gilbert-elliott",
                "clock": "packet",
                "good_to_bad": 10 ** draw.uniform(-3, -0.2),
                "bad_to_good": 10 ** draw.uniform(-1.5, 0),
            },
        }
    )


def losses_of(scenario: Scenario, packets: int) -> Iterator[tuple[tuple[bool, ...], float]]:
    """Yield each pattern of losses (True) after a lost packet, with its probability."""
    alpha, beta = scenario.loss.good_to_bad, scenario.loss.bad_to_good  # type: ignore[union-attr]
    for lost in product((False, True), repeat=packets):
        probability, good = 1.0, False
        for is_lost in lost:
            passes = 1 - alpha if good else beta
            probability *= 1 - passes if is_lost else passes
            good = not is_lost
        yield lost, probability


def first_losses(scenario: Scenario, start: Start) -> Iterator[tuple[int, int, int, float]]:
    """Yield each possible first loss of a cycle: trains, packets, loss window σ, and probability.

    Trains and packets are counted up to the train with the loss.
    """
    alpha, beta = scenario.loss.good_to_bad, scenario.loss.bad_to_good  # type: ignore[union-attr]
    good = beta / (alpha + beta)
    largest = scenario.tcp.max_window_packets
    assert largest is not None
    w, slow = start
    doubling: list[int] = []
    while slow and sum(doubling) < w - 1:
        doubling.append(2 ** len(doubling))
    reached, before = 1.0, 0
    for trains, size in enumerate([*doubling, *range(w, largest + 1)], start=1):
        first_passes = good * (1 - alpha) + (1 - good) * beta
        passed = 1.0
        for position in range(1, size + 1):
            passes = first_passes if position == 1 else 1 - alpha
            sigma = min(before + position, w) if trains <= len(doubling) else size
            yield trains, before + size, sigma, reached * passed * (1 - passes)
            passed *= passes
        reached *= passed
        before += size
    yield trains, before, largest, reached  # a train of the largest window always has a loss


def utilisation(scenario: Scenario, form: Equations) -> float:
    """Return the link's utilisation by the packet-train model, by enumeration of all cycles.

    As printed, the model counts the round trips of fast recovery in place of its packets.
    """
    tcp, rtt_s, timeout_s = scenario.tcp, scenario.propagation_rtt_s, scenario.timeout_s
    packets: dict[Start, float] = defaultdict(float)
    duration_s: dict[Start, float] = defaultdict(float)
    moves: dict[Start, dict[Start, float]] = {}
    waiting: list[Start] = [(1, True)]
    while waiting:
        start = waiting.pop()
        if start in moves:
            continue
        moves[start] = defaultdict(float)
        for trains, sent, sigma, probability in first_losses(scenario, start):
            for lost, share in losses_of(scenario, sigma - 1):
                p = probability * share
                timeout = tcp.variant == "oldtahoe" or lost.count(False) < tcp.dupthresh
                recovers = tcp.variant in ("newreno", "sack") and not timeout
                repairs = 1 + sum(lost) if recovers else 0
                trips = repairs if tcp.variant == "newreno" else recovers
                recovered = trips if form == "printed" else repairs
                packets[start] += p * (sent + recovered + sigma)
                duration_s[start] += p * ((trains + 1 + trips) * rtt_s + timeout * timeout_s)
                moves[start][max(1, sigma // 2), not recovers] += p
        waiting += moves[start]
    starts = list(moves)
    chain = np.array([[moves[one][other] for other in starts] for one in starts])
    system = np.vstack([chain.T - np.eye(len(starts)), np.ones(len(starts))])
    law, *_ = np.linalg.lstsq(system, np.append(np.zeros(len(starts)), 1.0))
    carried = sum(p * packets[start] for p, start in zip(law, starts, strict=True))
    took_s = sum(p * duration_s[start] for p, start in zip(law, starts, strict=True))
    return float(carried / took_s / scenario.rate_pps)


@pytest.mark.parametrize("form", ["corrected", "printed"])
def test_the_packet_train_model_equals_the_enumeration(form: Equations) -> None:
    draw = Random(1)
    for _ in range(CASES):
        scenario = train_scenario(draw)
        expected = pytest.approx(utilisation(scenario, form), rel=CLOSE)
        found = predict(MODELS[MODEL], scenario, Conditions(form)).utilisation
        assert found == expected, scenario
