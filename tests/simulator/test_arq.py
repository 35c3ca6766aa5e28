"""A link that retransmits, compared with closed forms and with links that never fail."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.channel.state import NO_LOSS
from tcpgoodput.simulator.compiled import TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.trace import ACK
from tests.scenarios import scenario
from tests.simulator.running import run

PACKET_S = 0.001
HARQ = {"turnaround_s": 0.008, "delivery": "as-it-comes"}
IN_ORDER = {"turnaround_s": 0.008}
STOP_AND_WAIT: dict[str, Any] = {}
KINDS = [STOP_AND_WAIT, IN_ORDER, HARQ]


def link(arq: dict[str, Any] | None, window: int = 64, **parts: Any) -> Scenario:
    """Return a connection over 1000 packets/s and a round trip of 2 ms."""
    tcp = {"variant": "sack", "max_window_packets": window, **parts.pop("tcp", {})}
    path = {"rate_bps": 8e6, "forward_delay_s": 0.001, "backward_delay_s": 0.001}
    return scenario(tcp=tcp, path={**path, **parts.pop("path", {})}, arq=arq, **parts)


def mean_attempts(error: float, attempts: int) -> float:
    """Return the mean number of attempts to send a frame, a truncated geometric law."""
    return math.fsum(error**failures for failures in range(attempts))


@pytest.mark.parametrize(
    ("kind", "attempts", "dupthresh"), [(STOP_AND_WAIT, 4, 3), (IN_ORDER, 60, 3), (HARQ, 60, 1000)]
)
def test_a_busy_link_serves_a_packet_in_the_mean_time_of_its_attempts(
    kind: dict[str, Any], attempts: int, dupthresh: int
) -> None:
    """The window is far above what the path and the far end of the link hold: the link is busy.

    With a turnaround, 60 attempts lose no packet: losses would reduce the window to fewer packets
    than the far end holds. As they come, packets are overtaken, which a large `dupthresh` ignores.
    The number of attempts has the variance e/(1-e)² at most, so
    that the mean of N packets has a relative standard deviation of at most √(e/N).
    """
    error, until_s = 0.2, 1000.0
    request = link(
        {"error": error, "attempts": attempts, **kind}, window=300, tcp={"dupthresh": dupthresh}
    )
    counts = run(request, until_s).counts
    served = counts.packets_sent - counts.packets_dropped
    expected = until_s / PACKET_S / mean_attempts(error, attempts)
    # A retransmission that is lost again (e^2a) may silence the link for a timeout, up to 0.5 s.
    idle = 500 * error ** (2 * attempts)
    assert served == pytest.approx(expected, rel=idle + 5 * math.sqrt(error / expected))


def test_the_goodput_of_a_busy_link_is_the_share_of_attempts_that_succeed() -> None:
    """C/(mean attempts) (1 - e^a) is C (1 - e), whatever a is."""
    for error, attempts in ((0.2, 4), (0.1, 5), (0.4, 8)):
        counts = run(link({"error": error, "attempts": attempts}), 1000.0).counts
        rate_pps = (1 - error**attempts) / mean_attempts(error, attempts) / PACKET_S
        assert rate_pps == pytest.approx((1 - error) / PACKET_S)
        idle = 200 * error ** (2 * attempts)
        near = idle + 5 * math.sqrt(error / 1e6) / (1 - error)
        assert counts.delivered / 1000.0 == pytest.approx(rate_pps, rel=near)


@pytest.mark.parametrize("kind", KINDS)
def test_the_link_loses_the_packets_whose_attempts_all_fail(kind: dict[str, Any]) -> None:
    error, attempts = 0.3, 2
    counts = run(link({"error": error, "attempts": attempts, **kind}), 2000.0).counts
    lost = error**attempts
    deviation = math.sqrt(lost * (1 - lost) / counts.packets_sent)
    assert counts.packets_lost / counts.packets_sent == pytest.approx(lost, abs=5 * deviation)


@pytest.mark.parametrize("kind", KINDS)
def test_a_window_of_one_packet_takes_a_round_trip_and_the_delay_of_its_failures(
    kind: dict[str, Any],
) -> None:
    """Each failure costs a turnaround and a packet time, to the tick."""
    error = 0.3
    request = link(
        {"error": error, "attempts": 60, **kind}, window=1, tcp={"rto": {"fixed_s": 9.0}}
    )
    simulation = run(request, 200.0, traced_events=10**5)
    events, _ = simulation.events()
    assert simulation.counts.timeouts == 0
    rounds_s = np.diff(events["time"][events["kind"] == ACK]) / TICKS_PER_S
    failures = (rounds_s - 0.002 - PACKET_S) / (kind.get("turnaround_s", 0.0) + PACKET_S)
    assert np.abs(failures - failures.round()).max() < 1e-6
    mean, deviation = error / (1 - error), math.sqrt(error) / (1 - error)
    near = 5 * deviation / math.sqrt(failures.size)
    assert failures.mean() == pytest.approx(mean, abs=near)


def test_a_busy_link_over_slots_delivers_in_each_good_slot() -> None:
    """All attempts in a bad slot fail, and each in a good one brings a packet."""
    channel = {"process": "gilbert-elliott", "good_to_bad": 0.02, "bad_to_good": 0.1}
    for kind in KINDS[:2]:
        counts = run(link({"error": channel, "attempts": 1000, **kind}), 4000.0).counts
        good = 0.1 / 0.12
        # The number of good slots has the variance n π_G π_B (2/(α + β) - 1).
        deviation = math.sqrt((1 - good) / good * (2 / 0.12 - 1) / 4e6)
        assert counts.retransmissions == 0
        assert counts.delivered / 4e6 == pytest.approx(good, rel=5 * deviation)


def test_packets_stay_in_order_unless_they_are_delivered_as_they_come() -> None:
    arq = {"error": 0.2, "attempts": 60, "turnaround_s": 0.008}
    in_order = run(link(arq), 100.0).counts
    assert (in_order.retransmissions, in_order.packets_lost) == (0, 0)
    as_it_comes = run(link({**arq, "delivery": "as-it-comes"}), 100.0).counts
    assert as_it_comes.packets_lost == 0
    assert as_it_comes.fast_retransmits > 100


HANDOFFS = {"interval_s": 3, "packets": 4}
SPIKES = {
    "interval": {"distribution": "exponential", "mean_s": 2},
    "duration": {"distribution": "constant", "mean_s": 0.3},
}
SINUSOID = {"process": "sinusoid", "min_bps": 1e6, "max_bps": 8e6, "frequency_hz": 0.7}
AR1 = {"process": "ar1", "min_bps": 1e6, "max_bps": 8e6, "coherence_s": 0.5}
LOSS = {"process": "bernoulli", "probability": 0.02}
PATHS: dict[str, dict[str, Any]] = {
    "full buffer": {"path": {"buffer_packets": 7}},
    "late": {"handoffs": {**HANDOFFS, "fate": "late", "late_s": 0.05}},
    "lost": {"handoffs": {**HANDOFFS, "fate": "lost", "delay_steps_s": [0.03, 0.001]}},
    "spikes": {"spikes": SPIKES, "path": {"buffer_packets": 20}},
    "sinusoid": {"capacity": SINUSOID, "path": {"buffer_packets": 20}},
    "ar1": {"capacity": AR1, "path": {"buffer_packets": 20}},
    "loss before": {"loss": {**LOSS, "place": "before"}},
    "loss after": {"loss": LOSS, "path": {"buffer_packets": 9}},
    "periodic loss": {"loss": {"process": "periodic", "probability": 0.003}},
    "transfer": {"tcp": {"transfer_packets": 3000}, "path": {"buffer_packets": 9}},
    "many packets": {"window": 4000, "path": {"backward_delay_s": 2.0}},
}
SENDERS: list[dict[str, Any]] = [
    {"variant": "newreno"},
    {"variant": "cubic", "stack": "linux-6.18"},
    {"variant": "bbr", "stack": "linux-6.18"},
]


@pytest.mark.parametrize(
    ("path", "sender"),
    # BBR draws random numbers, too, and a random capacity draws them at other times.
    [
        pytest.param(path, sender, id=f"{path}-{sender['variant']}")
        for path, sender in itertools.product(PATHS, SENDERS)
        if (path, sender["variant"]) != ("ar1", "bbr")
    ],
)
def test_a_link_whose_attempts_all_succeed_equals_one_without_arq(
    path: str, sender: dict[str, Any]
) -> None:
    """The two links have separate code; at most one random process keeps the draws the same."""
    parts = {**PATHS[path]}
    tcp = {**sender, **parts.pop("tcp", {})}
    for kind in KINDS:
        found = []
        for arq in (None, {"error": 0.5, "attempts": 4, **kind}):
            request = link(arq, tcp=tcp, **parts)
            simulation = Simulation(request, np.random.default_rng(5), phase=0.3, express=False)
            if arq is not None:
                simulation._arrays.errors["loss"] = NO_LOSS
            for until_s in (0.5, 9.0, 30.0):
                simulation.run(until_s)
            # The capacity is drawn further ahead if packets are served when they are sent.
            counts = simulation.counts._replace(excess_capacity=0.0)
            found.append((counts, simulation.under_way))
        assert found[0] == found[1]


def test_a_delay_trace_after_the_link_keeps_its_packets_in_order(tmp_path: Path) -> None:
    file = tmp_path / "delay.csv"
    file.write_text("time_s,delay_s\n0,0.02\n0.3,0.2\n0.5,0.001\n1,0\n", encoding="utf-8")
    found = []
    for arq in (None, {"error": 0.5, "attempts": 4}):
        request = link(arq, delay={"file": str(file)})
        simulation = Simulation(request, np.random.default_rng(5), phase=0.0, express=False)
        if arq is not None:
            simulation._arrays.errors["loss"] = NO_LOSS
        simulation.run(30.0)
        found.append(simulation.counts)
    assert found[0] == found[1]


def test_an_error_of_0_gives_the_same_measurement_as_no_arq() -> None:
    plain = link(None, path={"buffer_packets": 9}, loss=LOSS)
    never = link({"error": 0, "attempts": 4, **HARQ}, path={"buffer_packets": 9}, loss=LOSS)
    engine, conditions = ENGINES["packet"], Conditions(precision="draft")
    assert engine.measure(never, conditions) == engine.measure(plain, conditions)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_packet_has_arrived_is_lost_or_is_in_flight(path: str, kind: dict[str, Any]) -> None:
    parts = {**PATHS[path]}
    tcp = {"variant": "cubic", "stack": "linux-6.18", **parts.pop("tcp", {})}
    request = link({"error": 0.3, "attempts": 3, **kind}, tcp=tcp, **parts)
    simulation = Simulation(request, np.random.default_rng(2), traced_events=10**5)
    for until_s in (0.4, 3.0, 10.0):
        simulation.run(until_s)
        counts, (events, sent) = simulation.counts, simulation.events()
        arrived = int((events["packet"] >= 0).sum())
        assert sent.size == counts.packets_sent
        lost = counts.packets_lost + counts.packets_dropped
        assert sent.size == lost + arrived + simulation.under_way
        assert int((sent["arrives"] == -1).sum()) == lost
        most = request.path.buffer_packets
        assert most is None or events["queued"].max() <= most


def test_stopping_and_going_on_changes_nothing() -> None:
    request = link({"error": 0.3, "attempts": 3, **HARQ}, spikes=SPIKES)
    at_once = run(request, 20.0, seed=3).counts
    in_steps = Simulation(request, np.random.default_rng(3))
    for step in range(1, 201):
        in_steps.run(0.1 * step)
    assert in_steps.counts == at_once
