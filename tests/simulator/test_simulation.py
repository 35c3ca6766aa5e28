"""Invariants of the simulator: packets are conserved, and the fast code changes no result.

The fast code (option `express`) processes ACKs of packets that arrive in order, as long as nothing
is retransmitted and no hand-off or delay spike occurs.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from tcpgoodput.answers import Undefined
from tcpgoodput.scenario import Scenario, override, random_stream
from tcpgoodput.simulator.simulation import Simulation
from tests.scenarios import scenario
from tests.simulator.running import run

VARIANTS = ["oldtahoe", "tahoe", "reno", "newreno", "sack", "cubic"]

LOSSES = st.one_of(
    st.just({"process": "none"}),
    st.builds(
        lambda p, place: {"process": "bernoulli", "probability": p, "place": place},
        st.floats(1e-4, 0.3),
        st.sampled_from(["before", "after"]),
    ),
    st.builds(
        lambda a, b, clock, place: {
            "process": "gilbert-elliott",
            "good_to_bad": a,
            "bad_to_good": b,
            "clock": clock,
            "place": place,
        },
        st.floats(1e-4, 0.1),
        st.floats(0.1, 1),
        st.sampled_from(["packet", "slot"]),
        st.sampled_from(["before", "after"]),
    ),
)
DURATIONS = st.one_of(
    st.builds(lambda m: {"distribution": "constant", "mean_s": m}, st.floats(0.5, 5)),
    st.builds(lambda m: {"distribution": "exponential", "mean_s": m}, st.floats(0.5, 5)),
    st.builds(lambda m: {"distribution": "pareto", "mean_s": m, "shape": 1.5}, st.floats(0.5, 5)),
)
SPIKES = st.one_of(
    st.none(),
    st.builds(
        lambda interval, length: {
            "interval": {**interval, "mean_s": 5 * interval["mean_s"]},
            "duration": length,
        },
        DURATIONS,
        DURATIONS,
    ),
)
HANDOFFS = st.one_of(
    st.none(),
    st.builds(
        lambda d, late: {"interval_s": 2, "packets": d, "fate": "late", "late_s": late},
        st.integers(1, 20),
        st.floats(0, 1),
    ),
    st.builds(lambda d: {"interval_s": 3, "packets": d, "fate": "lost"}, st.integers(1, 20)),
    st.builds(
        lambda d, within_s: {"interval_s": 3, "packets": d, "fate": "lost", "within_s": within_s},
        st.integers(1, 20),
        st.floats(0.001, 5),
    ),
)
CAPACITIES = st.one_of(
    st.none(),
    st.none(),
    st.builds(
        lambda process, f: {
            "process": process,
            "min_bps": 2e5,
            "max_bps": 1e6,
            "frequency_hz": f,
        },
        st.sampled_from(["sinusoid", "square"]),
        st.floats(0.05, 20),
    ),
)


@st.composite
def connections(draw: st.DrawFn) -> Scenario:
    """Draw a scenario with any combination of impairments."""
    return scenario(
        tcp={
            "variant": draw(st.sampled_from(VARIANTS)),
            "mss_bytes": 1000,
            "max_window_packets": draw(st.one_of(st.none(), st.integers(1, 100))),
            "ack_every": draw(st.sampled_from([1, 1, 2, 3])),
            "initial_window_packets": draw(st.integers(1, 10)),
            "dupthresh": draw(st.integers(1, 5)),
            "limited_transmit": draw(st.booleans()),
            "recovery": draw(st.sampled_from(["impatient", "slow-but-steady"])),
            "partial_window_deflation": draw(
                st.sampled_from(["deflated", "ssthresh", "unchanged"])
            ),
            "full_ack_window": draw(st.sampled_from(["ssthresh", "flight"])),
            "transfer_packets": draw(st.one_of(st.none(), st.integers(1, 500))),
        },
        path={
            "rate_bps": 1e6,
            "forward_delay_s": draw(st.floats(0, 0.1)),
            "backward_delay_s": draw(st.floats(0.001, 0.2)),
            "buffer_packets": draw(st.one_of(st.none(), st.integers(1, 50))),
        },
        loss=draw(LOSSES),
        spikes=draw(SPIKES),
        handoffs=draw(HANDOFFS),
        capacity=draw(CAPACITIES),
    )


@st.composite
def of_today(draw: st.DrawFn) -> Scenario:
    """Draw a scenario with a sender that marks each packet (with features of today's stacks)."""
    content = draw(connections()).model_dump(mode="json", exclude_unset=True)
    tcp = content["tcp"]
    tcp["variant"] = draw(st.sampled_from(["newreno", "sack", "cubic", "bbr"]))
    tcp["limited_transmit"] = True
    del tcp["partial_window_deflation"], tcp["full_ack_window"]
    if draw(st.booleans()):
        tcp |= {"stack": "linux-6.18"}
        tcp |= draw(st.sampled_from([{}, {"ack_every": 2, "delayed_ack": "adaptive"}]))
    elif tcp["variant"] == "bbr":
        tcp |= {"timestamps": draw(st.booleans()), "f_rto": True}
    else:
        tcp |= {"timestamps": draw(st.booleans()), "growth": "packets", "f_rto": True}
        tcp |= draw(st.sampled_from([{}, {"ca_increment": "whole"}, {"slow_start": "hystart++"}]))
    return Scenario.model_validate(content)


def simulated(request: Scenario, seconds: float, **options: object) -> Simulation:
    try:
        return run(request, seconds, seed=5, **options)
    except Undefined as undefined:
        if "successive delay spikes" not in str(undefined):
            raise
        reject()  # spikes overlap for ever, so no packet leaves


WIDER = {
    "tcp": ["max_window_packets", "transfer_packets"],
    "path": ["rate_bps", "buffer_packets"],
    "capacity": ["min_bps", "max_bps"],
}
RARER = ["probability", "good_to_bad"]


def widened(request: Scenario) -> Scenario:
    """Return the scenario with 40 times the rate, buffer and window, and 1/40 of the losses."""
    content = request.model_dump(mode="json", exclude_unset=True)
    for part, keys in WIDER.items():
        stated = content.get(part) or {}
        stated |= {key: 40 * stated[key] for key in keys if stated.get(key)}
    content["loss"] |= {key: content["loss"][key] / 40 for key in RARER if key in content["loss"]}
    return Scenario.model_validate(content)


@settings(max_examples=150)
@given(connections())
def test_the_express_loop_gives_the_same_counts(request: Scenario) -> None:
    assert simulated(request, 60).counts == simulated(request, 60, express=False).counts


@settings(max_examples=150)
@given(of_today())
def test_the_express_loop_of_a_scoreboard_gives_the_same_counts(request: Scenario) -> None:
    fast, general = (simulated(request, 60, express=express) for express in (True, False))
    assert fast.counts == general.counts


def test_the_short_way_stops_before_a_spike_at_the_very_tick() -> None:
    """The fast code stops at a spike that begins in the clock tick in which a transmission ends.

    At 1024 packets/s, some of the tested spikes begin in exactly such a tick.
    """
    for packets in range(150, 330):
        interval_s = packets / 1024
        request = scenario(
            tcp={"variant": "newreno", "mss_bytes": 1000, "header_bytes": 24},
            path={"rate_bps": 2.0**23, "forward_delay_s": 0.0, "backward_delay_s": 0.125},
            spikes={
                "interval": {"distribution": "constant", "mean_s": interval_s},
                "duration": {"distribution": "constant", "mean_s": 0.05},
            },
        )
        # At this time the packets that the first spike delays are still in flight.
        until_s = interval_s + 0.125 + 0.02
        counts = [simulated(request, until_s, express=express).counts for express in (True, False)]
        assert counts[0] == counts[1]


def slotted(place: str) -> Scenario:
    """Return a connection with a wide window and rare bursts of losses in time slots."""
    return scenario(
        tcp={"variant": "newreno", "mss_bytes": 1000},
        path={
            "rate_bps": 4e7,
            "forward_delay_s": 0.05,
            "backward_delay_s": 0.05,
            "buffer_packets": 300,
        },
        loss={
            "process": "gilbert-elliott",
            "good_to_bad": 2e-5,
            "bad_to_good": 0.5,
            "clock": "slot",
            "place": place,
        },
    )


def stalled() -> Scenario:
    """Return a wide-window connection whose timer expires during a spike with a full buffer."""
    return scenario(
        tcp={"variant": "oldtahoe", "mss_bytes": 1000},
        path={
            "rate_bps": 4e7,
            "forward_delay_s": 0.0,
            "backward_delay_s": 0.125,
            "buffer_packets": 40,
        },
        spikes={
            "interval": {"distribution": "constant", "mean_s": 5.0},
            "duration": {"distribution": "constant", "mean_s": 1.0},
        },
    )


@settings(max_examples=100)
@given(connections().map(widened))
@example(slotted("before"))
@example(slotted("after"))
@example(stalled())
def test_the_climb_loop_gives_the_same_counts(request: Scenario) -> None:
    assert simulated(request, 60).counts == simulated(request, 60, express=False).counts


@settings(max_examples=100)
@given(connections())
def test_every_sent_packet_is_accounted_for(request: Scenario) -> None:
    simulation = simulated(request, 40, traced_events=20_000)
    counts = simulation.counts
    events, sent = simulation.events()
    arrived = [int(event["packet"]) for event in events if event["packet"] >= 0]
    reaching = np.sort(sent["arrives"][sent["arrives"] >= 0])
    under_way = int((reaching > events["time"][-1]).sum())
    assert counts.packets_sent == sent.size
    assert sent.size == counts.packets_lost + counts.packets_dropped + len(arrived) + under_way
    assert counts.delivered == len(set(arrived))
    assert (np.diff(events["time"]) >= 0).all()
    assert (events["cwnd"] >= 1).all()
    assert (events["ssthresh"] >= 2).all()
    assert (np.diff(events["ack"]) >= 0).all()
    if buffer := request.path.buffer_packets:
        assert events["queued"].max() <= buffer
    if window := request.tcp.max_window_packets:
        highest = np.maximum.accumulate(sent["packet"])
        before = np.concatenate([[-1], events["ack"]])  # last packet acknowledged before each event
        assert (highest - before[sent["event"] + 1] <= window).all()
    first_seen = {packet: number for number, packet in enumerate(sent["packet"].tolist())}
    assert set(arrived) <= set(first_seen)
    missing = set(range(int(events["ack"][-1]) + 1)) - set(arrived)
    assert not missing, "acknowledged without having arrived"
    if request.tcp.transfer_packets:
        assert sent["packet"].max() < request.tcp.transfer_packets


@given(connections())
@settings(max_examples=50)
def test_a_run_in_parts_equals_a_whole_run(request: Scenario) -> None:
    parts = Simulation(request, np.random.default_rng(5))
    for end in (0.001, 1, 7.5, 20):
        parts.run(end)
    assert parts.counts == simulated(request, 20).counts


@pytest.mark.parametrize(
    ("variant", "stack"), [*((v, None) for v in VARIANTS), ("bbr", None), ("bbr", "linux-6.18")]
)
@pytest.mark.parametrize("lossy", [False, True])
def test_a_transfer_ends(variant: str, stack: str | None, lossy: bool) -> None:
    loss = {"process": "bernoulli", "probability": 0.1} if lossy else {"process": "none"}
    tcp = {"variant": variant, "stack": stack, "transfer_packets": 300}
    simulation = Simulation(scenario(tcp=tcp, loss=loss), np.random.default_rng(1))
    assert not simulation.run(1e5)
    assert simulation.counts.delivered == 300


def test_more_packets_than_the_ring_holds_are_refused() -> None:
    request = scenario(
        tcp={"rto": {"initial_s": 60}},
        path={"rate_bps": 1e12, "forward_delay_s": 10, "backward_delay_s": 10},
    )
    with pytest.raises(Undefined, match="packets are in flight"):
        simulated(request, 1000)


def test_newreno_of_linux_has_a_round_trip_for_each_lost_packet_and_fills_the_link() -> None:
    """The first overflow loses about as many packets as path and buffer hold.

    Each round trip of the recovery repairs one of them and sends new packets at the link's rate.
    All of these wait at the receiver, which limits their number by its window, if it has one.
    """
    rtt_s, product = 0.04, 100
    rate_pps = product / rtt_s
    request = scenario(
        tcp={"variant": "newreno", "stack": "linux-6.18", "mss_bytes": 1000, "header_bytes": 0},
        path={
            "rate_bps": 8000 * rate_pps,
            "forward_delay_s": rtt_s / 2,
            "backward_delay_s": rtt_s / 2,
            "buffer_packets": 4 * product,
        },
    )
    simulation = run(request, 8)  # the link is full again
    before = simulation.counts
    simulation.run(12)
    after = simulation.counts
    assert before.packets_dropped == after.packets_dropped > 4 * product
    assert 0 < after.retransmissions - before.retransmissions <= 4 / rtt_s + 1
    assert after.packets_sent - before.packets_sent == pytest.approx(4 * rate_pps, rel=0.02)
    assert simulation.flight > 4 * rate_pps
    limited = run(override(request, {"tcp.max_window_packets": 600}), 12)
    assert limited.flight <= 600


def test_simulation_ends_with_millions_of_handoffs_between_packets() -> None:
    """A simulation ends although there are millions of hand-offs between two packets.

    Only the last hand-off before a packet affects this packet, but each one changes the delay.
    """
    step_s, every_s = 2.0**-8, 2.0**-37
    hits = {"interval_s": every_s, "packets": 1, "fate": "late", "late_s": 0.0}
    request = scenario(
        tcp={"max_window_packets": 1},
        path={"rate_bps": 8e6, "forward_delay_s": 0.25, "backward_delay_s": 0.25},
        handoffs={**hits, "delay_steps_s": [step_s, 3 * step_s]},
    )
    simulation = run(request, 100.0, phase=0.0)
    assert simulation.counts.handoffs > 1e12
    round_trips_s = (0.251 + step_s, 0.251 + 3 * step_s)
    assert 100 / round_trips_s[1] - 2 < simulation.counts.delivered < 100 / round_trips_s[0]
    least = scenario(handoffs={"interval_s": 5e-324, "packets": 1, "fate": "lost"})
    counts = simulated(least, 1e4).counts
    first_time = counts.packets_sent - counts.retransmissions
    assert first_time - 2 <= counts.packets_lost <= first_time


@pytest.mark.parametrize("leaving", [1e-30, 5e-324])
def test_a_bad_state_may_last_the_whole_run(leaving: float) -> None:
    loss = {"process": "gilbert-elliott", "good_to_bad": 1.0, "bad_to_good": leaving}
    counts = simulated(scenario(loss=loss), 1e4).counts
    assert counts.delivered == 0
    assert counts.packets_lost == counts.packets_sent > 1


def test_a_very_long_queue_does_not_overflow_the_clock() -> None:
    """No clock value overflows if a transmission takes longer than the run.

    Meanwhile each timeout adds a packet to the queue.
    """
    tcp = {"variant": "oldtahoe", "rto": {"fixed_s": 3.0}}
    request = scenario(tcp=tcp, path={"rate_bps": 0.08})
    counts = simulated(request, 1e4).counts
    assert (counts.delivered, counts.packets_sent) == (0, 1 + 10_000 // 3)


def test_independent_losses_have_their_probability() -> None:
    request = scenario(tcp={"variant": "sack"}, loss={"process": "bernoulli", "probability": 0.02})
    counts = simulated(request, 20_000).counts
    expected = 0.02 * counts.packets_sent
    assert abs(counts.packets_lost - expected) < 5 * np.sqrt(expected)


def test_replications_of_a_fast_sinusoid_have_different_phases() -> None:
    one = scenario(
        path={"rate_bps": 1e8, "buffer_packets": 50},
        capacity={"process": "sinusoid", "min_bps": 1e7, "max_bps": 1e8, "frequency_hz": 100.0},
    )
    phases = set()
    for replication in range(200):
        simulation = Simulation(one, random_stream(one, 1, replication))
        phases.add((int(simulation._channel.step_number), int(simulation._channel.step_until)))
    assert len(phases) == 200


def test_two_connections_share_no_state() -> None:
    one = scenario(loss={"process": "bernoulli", "probability": 0.01})
    first = Simulation(one, random_stream(one, 1, 0))
    first.run(20.0)
    second = Simulation(one, random_stream(one, 1, 1))
    assert second.counts.packets_sent == second.counts.delivered == 0
    after = first.counts
    second.run(20.0)
    assert first.counts == after != second.counts


@pytest.mark.parametrize(("within_s", "lost"), [(None, 30), (0.05, 7), (0.15, 19), (2.5, 30)])
def test_a_hand_off_loses_packets_only_within_its_duration(
    within_s: float | None, lost: int
) -> None:
    """A hand-off of 30 packets loses only packets that are sent within its duration `within_s`.

    The link needs 8 ms for a packet, so 7 packets of a window are sent within 50 ms, and 19 within
    0.15 s.
    """
    request = scenario(
        tcp={"variant": "sack", "mss_bytes": 1000, "max_window_packets": 20},
        path={"rate_bps": 1e6, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
        handoffs={"interval_s": 10.0, "packets": 30, "fate": "lost", "within_s": within_s},
    )
    simulation = simulated(request, 24.9)
    assert (simulation.counts.handoffs, simulation.counts.packets_lost) == (1, lost)
