"""The engine `packet` (the simulator): measured time, refusals, and exactly known goodputs."""

from __future__ import annotations

import itertools
import os
import re
from typing import Any

import numpy as np
import pytest

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines import run
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import measured_closely
from tcpgoodput.engines.cycles import rates_pps, stretch_ends, whole_cycles
from tcpgoodput.engines.packet import Packet, mean_outage_s
from tcpgoodput.engines.planning import BUDGETS, seconds_per_event
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.scenario import Scenario, random_streams
from tcpgoodput.scenario.vocabulary import Path, Sinusoid, Square, Tcp, Timeout
from tcpgoodput.simulator.simulation import Counts
from tcpgoodput.statistics import Interval
from tests.scenarios import scenario

DRAFT = Conditions(precision="draft")
NOTHING = Counts(**dict.fromkeys(Counts._fields, 0))


def measured(one: Scenario) -> Measurement:
    return ENGINES["packet"].measure(one, DRAFT)


def sinusoid(min_bps: float, max_bps: float, frequency_hz: float) -> dict[str, Any]:
    rates = {"min_bps": min_bps, "max_bps": max_bps}
    return {"process": "sinusoid", **rates, "frequency_hz": frequency_hz}


def delivered_later(before: Counts, packets: int) -> Counts:
    """Return the counts one second after `before`, with `packets` more packets delivered."""
    return before._replace(time_s=before.time_s + 1, delivered=before.delivered + packets)


@pytest.mark.parametrize("variant", ["reno", "newreno", "sack"])
@pytest.mark.parametrize("buffer", [10, 30, 100, 250, 600])
def test_the_first_slow_start_is_excluded_before_a_long_sawtooth(variant: str, buffer: int) -> None:
    path = {"rate_bps": 2e7, "forward_delay_s": 0.03, "backward_delay_s": 0.27}
    one = scenario(
        tcp={"variant": variant, "mss_bytes": 1500}, path={**path, "buffer_packets": buffer}
    )
    product = one.rate_pps * one.propagation_rtt_s
    # The window grows by one packet per round trip, from half of the packets that fit into path
    # and buffer to all of them.
    rounds = range(int(product + buffer) // 2, int(product + buffer) + 1)
    # A round takes the propagation round trip, or the transmission time of the window if longer.
    seconds = sum(max(one.propagation_rtt_s, window / one.rate_pps) for window in rounds)
    assert measured(one).goodput_pps == pytest.approx(sum(rounds) / seconds, rel=0.02)


def test_a_full_receiver_window_is_a_steady_state() -> None:
    result = measured(scenario(tcp={"max_window_packets": 20}))
    assert result.loss_events == 0
    assert result.goodput_pps == pytest.approx(20 / (0.1 + 8e-6), rel=1e-3)
    assert result.mean_window_packets == pytest.approx(20, rel=1e-3)
    assert result.half_width_pps >= 1 / result.measured_s


@pytest.mark.parametrize("window", [8_000, 30_000])
def test_a_full_window_in_one_burst_is_measured_over_whole_round_trips(
    window: int,
) -> None:
    path = {"rate_bps": 1e9, "forward_delay_s": 0.3, "backward_delay_s": 0.3}
    one = scenario(tcp={"mss_bytes": 1000, "max_window_packets": window}, path=path)
    exact = window / (one.propagation_rtt_s + 1 / one.rate_pps)
    assert measured(one).goodput_pps == pytest.approx(exact, rel=1e-4)


def test_a_wide_window_reaches_steady_state_before_counting() -> None:
    """With one loss in ten seconds, packets are counted only after the window has become steady.

    The losses before, about twelve, must not count.
    """
    path = {"rate_bps": 1e8, "forward_delay_s": 0.025, "backward_delay_s": 0.025}
    handoffs = {"interval_s": 10, "packets": 1, "fate": "lost"}
    one = scenario(tcp={"mss_bytes": 1460}, path=path, handoffs=handoffs)
    settled = Packet().measure(one, DRAFT, duration_s=3000, replications=2)
    found = Packet().measure(one, Conditions(seed=5))
    assert found.goodput_pps == pytest.approx(settled.goodput_pps, rel=0.004)


def test_rare_outages_determine_the_time_between_events() -> None:
    channel = {"process": "gilbert-elliott", "good_to_bad": 1e-6, "bad_to_good": 1e-5}
    one = scenario(tcp={"max_window_packets": 30}, loss={**channel, "clock": "slot"})
    assert seconds_per_event(one) == pytest.approx(1.1e6 / one.rate_pps)
    assert measured(one).packets_lost > 0
    by_packet = scenario(tcp={"max_window_packets": 30}, loss={**channel, "clock": "packet"})
    assert seconds_per_event(by_packet) == 0


@pytest.mark.parametrize(("buffer", "frequency_hz"), [(417, 0.5), (208, 0.05), (417, 0.1)])
def test_alternating_long_and_short_cycles_are_averaged(buffer: int, frequency_hz: float) -> None:
    """The mean goodput is right if long and short cycles of the window alternate.

    The first three cycles may have goodputs that agree to 0.5 %, but are 6 % off the mean.
    """
    one = scenario(
        tcp={"variant": "newreno", "mss_bytes": 1500},
        path={
            "rate_bps": 1e8,
            "forward_delay_s": 0.01,
            "backward_delay_s": 0.09,
            "buffer_packets": buffer,
        },
        capacity=sinusoid(1e7, 1e8, frequency_hz),
    )
    found = ENGINES["packet"].measure(one, Conditions())
    long = Interval.of(
        [whole_cycles(one, BUDGETS["paper"], 99, n, cycles=120).goodput_pps for n in range(5)]
    )
    widths = found.half_width_pps + long.half_width
    assert abs(found.goodput_pps - long.mean) <= widths + 0.01 * long.mean
    assert found.half_width_pps < 0.06 * found.goodput_pps


def test_rates_are_computed_between_successive_ends_of_stretches() -> None:
    marks = list(itertools.accumulate([10, 20, 10], delivered_later, initial=NOTHING))
    assert rates_pps([marks, marks[1:]]) == [10, 20, 10, 20, 10]


@pytest.mark.parametrize("variant", ["reno", "newreno"])
def test_a_full_window_after_one_first_loss_is_a_steady_state(variant: str) -> None:
    """A constant window at its limit is a steady state, even if slow start has had losses."""
    tcp = {"variant": variant, "mss_bytes": 1000, "max_window_packets": 100}
    path = {"rate_bps": 7.2e6, "buffer_packets": 30}
    found = measured(scenario(tcp=tcp, path=path))
    assert found.goodput_pps == pytest.approx(900, rel=0.02)


@pytest.mark.parametrize("frequency_hz", [1e-5, 3e-5])
def test_slow_cycles_on_a_slow_link_are_measured_within_the_time_limit(frequency_hz: float) -> None:
    slow = scenario(
        tcp={"variant": "sack", "mss_bytes": 1500},
        path={
            "rate_bps": 9600,
            "forward_delay_s": 0.3,
            "backward_delay_s": 0.3,
            "buffer_packets": 100,
        },
        capacity=sinusoid(1e3, 9600, frequency_hz),
    )
    mean_pps = (1e3 + 9600) / 2 / slow.packet_bits
    found = ENGINES["packet"].measure(slow, Conditions())
    assert 0.8 * mean_pps < found.goodput_pps <= mean_pps + found.half_width_pps


def test_intervals_cover_the_differences_of_similar_cycles() -> None:
    path = {"rate_bps": 1e8, "buffer_packets": 834}
    one = scenario(tcp={"mss_bytes": 1500}, path=path, capacity=sinusoid(1e7, 1e8, 1.0))
    found = ENGINES["packet"].measure(one, Conditions())
    marks = [
        list(itertools.islice(stretch_ends(one, BUDGETS["paper"], random_streams(one, 1), n), 3))
        for n in range(3)
    ]
    rates = rates_pps(marks)
    assert max(rates) - min(rates) < 0.01 * min(rates), "the cycles must be alike"
    assert found.half_width_pps >= (max(rates) - min(rates)) / 2


def test_goodput_of_a_saturated_link_is_its_rate() -> None:
    result = measured(scenario(path={"rate_bps": 1e6}))
    rate = 125
    assert abs(result.goodput_pps - rate) <= result.half_width_pps


def test_an_unreachable_steady_state_is_refused() -> None:
    far = {"rate_bps": 1e10, "forward_delay_s": 0.0, "backward_delay_s": 0.3, "buffer_packets": 100}
    with pytest.raises(Undefined, match="no steady state"):
        measured(scenario(path=far))


def test_spikes_without_a_gap_are_refused() -> None:
    spikes = {
        "interval": {"distribution": "pareto", "mean_s": 10, "shape": 1 + 1e-9},
        "duration": {"distribution": "constant", "mean_s": 1},
    }
    with pytest.raises(Undefined, match="successive delay spikes"):
        measured(scenario(path={"rate_bps": 1e5}, spikes=spikes))


LONG_BURSTS = {
    "process": "gilbert-elliott",
    "good_to_bad": 5e-4,
    "bad_to_good": 0.1,
    "clock": "packet",
}


def test_an_interval_covers_rare_outages_that_a_short_measurement_does_not_contain() -> None:
    """The interval is wider than ±10 % of the goodput, and the measurement states a reason.

    A scenario that states `tcp.rto.max_s` with its default value has the same goodput.
    """
    rare = {"loss": LONG_BURSTS, "path": {"rate_bps": 8e6, "buffer_packets": 60}}
    draft = measured(scenario(**rare))
    stated = measured(scenario(**rare, tcp={"rto": {"max_s": 64.0}}))
    assert stated.goodput_pps == draft.goodput_pps
    assert draft.reason is not None
    assert draft.half_width_pps > 0.1 * draft.goodput_pps


@pytest.mark.parametrize(
    ("rto", "clock"), [({"max_s": 2}, "packet"), ({"fixed_s": 0.5}, "packet"), ({}, "slot")]
)
def test_long_bursts_are_measured_if_outages_are_short(rto: dict[str, float], clock: str) -> None:
    loss = {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.4, "clock": clock}
    assert measured(scenario(tcp={"rto": rto}, loss=loss)).goodput_pps > 0


def test_the_mean_outage_follows_from_the_chain_and_the_timeouts() -> None:
    one = scenario(loss=LONG_BURSTS, tcp={"rto": {"min_s": 0.5, "max_s": 4.0}})
    random = np.random.default_rng(5)
    timeouts = np.minimum(0.5 * 2.0 ** np.arange(400), 4.0)
    outages = [timeouts[: random.geometric(0.1)].sum() for _ in range(20_000)]
    assert mean_outage_s(one) == pytest.approx(np.mean(outages), rel=0.03)
    for without in (
        {"loss": {**LONG_BURSTS, "bad_to_good": 0.5}},
        {"loss": {**LONG_BURSTS, "clock": "slot"}},
        {"loss": {**LONG_BURSTS, "good_to_bad": 0.0}},
        {"loss": LONG_BURSTS, "tcp": {"rto": {"fixed_s": 0.5}}},
    ):
        assert mean_outage_s(scenario(**without)) == 0


def test_losses_of_one_window_are_one_loss_event() -> None:
    loss = {"process": "gilbert-elliott", "good_to_bad": 0.001, "bad_to_good": 0.5}
    path = {"rate_bps": 1e7, "forward_delay_s": 0.0, "backward_delay_s": 0.1}
    result = measured(scenario(tcp={"variant": "sack"}, path=path, loss=loss))
    assert result.loss_events < 0.75 * (result.packets_lost + result.packets_dropped)
    assert result.loss_events <= result.fast_retransmits + result.timeouts


def test_goodput_does_not_depend_on_the_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    one = scenario(loss={"process": "bernoulli", "probability": 0.01})
    all_cores = measured(one)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert measured(one).each_pps == all_cores.each_pps


def test_finite_transfers_are_measured_to_their_end() -> None:
    result = measured(scenario(tcp={"transfer_packets": 7}))
    # Slow start sends 1, 2 and 4 packets in three round trips; the link takes 8 µs for each packet.
    assert result.measured_s == pytest.approx(0.3 + 8e-6 * (1 + 1 + 4), abs=1e-7)
    assert result.packets_sent == 7 * result.replications
    assert result.goodput_pps == pytest.approx(7 / result.measured_s, rel=1e-12)
    assert result.half_width_pps == pytest.approx(0, abs=1e-9)


def test_requested_packets_decide_the_number_of_transfers_over_a_periodic_capacity() -> None:
    sine = sinusoid(2e6, 8e6, 0.37)
    one = scenario(tcp={"transfer_packets": 100}, capacity=sine, path={"buffer_packets": 30})
    found = Packet().measure(one, Conditions(precision="paper"), packets=10_000)
    assert len(found.each_pps) == 100


def test_a_transfers_goodput_is_packets_over_the_mean_time() -> None:
    loss = {"process": "bernoulli", "probability": 0.05}
    result = measured(scenario(tcp={"transfer_packets": 20}, loss=loss))
    times = [20 / goodput for goodput in result.each_pps]
    assert result.goodput_pps == pytest.approx(20 * len(times) / sum(times), rel=1e-12)
    assert result.goodput_pps < sum(result.each_pps) / len(times)
    of_times = Interval.of(times)
    relative = of_times.half_width / of_times.mean
    assert result.half_width_pps == pytest.approx(relative * result.goodput_pps)


@pytest.mark.parametrize("place", ["before", "after"])
def test_expected_losses_count_only_packets_that_reach_the_channel(place: str) -> None:
    """The expected number of losses on the channel excludes packets that the queue drops.

    Otherwise the control variate would shift the mean goodput by 30 half-widths of the interval.
    """
    one = scenario(
        tcp={"variant": "sack", "mss_bytes": 1500},
        path={"rate_bps": 1e6, "buffer_packets": 1},
        loss={"process": "bernoulli", "probability": 0.1, "place": place},
    )
    found = ENGINES["packet"].measure(one, Conditions())
    plain = Interval.of(found.each_pps)
    assert found.packets_dropped > found.packets_lost
    assert found.half_width_pps < plain.half_width
    assert abs(found.goodput_pps - plain.mean) <= plain.half_width


def test_very_rare_losses_are_not_used_as_control_variate() -> None:
    """Losses so rare that no replication has one are no control variate for the goodput.

    Losses minus expected losses would then be proportional to the packets sent, and so to the
    goodput. This control variate would wrongly explain all of the goodput's variance.
    """
    spikes = {
        "interval": {"distribution": "exponential", "mean_s": 20.0},
        "duration": {"distribution": "constant", "mean_s": 3.0},
    }
    tcp = {"variant": "sack", "mss_bytes": 1500, "max_window_packets": 20}
    never, hardly = (
        scenario(tcp=tcp, spikes=spikes, loss={"process": "bernoulli", "probability": p})
        for p in (0.0, 1e-8)
    )
    without, found = (ENGINES["packet"].measure(one, Conditions()) for one in (never, hardly))
    width = without.half_width_pps + found.half_width_pps
    assert abs(found.goodput_pps - without.goodput_pps) <= width
    assert found.half_width_pps < 0.1 * found.goodput_pps


FAST = {"rate_bps": 1e9, "buffer_packets": 20}


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"path": {"rate_bps": 1e-5}}, "round trip takes"),
        # This rate, divided by the bits of a packet, underflows to zero.
        ({"path": {"rate_bps": 5e-324}}, "round trip takes inf s"),
        ({"path": {"forward_delay_s": 1e9, "backward_delay_s": 1e9}}, "round trip takes 2e+09 s"),
        (
            {"tcp": {"transfer_packets": 10**12}, "path": FAST},
            "not complete after 2e+07 sent packets",
        ),
        (
            {
                "path": FAST,
                "handoffs": {"interval_s": 1e9, "packets": 1, "fate": "lost"},
                "loss": {"process": "bernoulli", "probability": 1e-12},
            },
            "no steady state",
        ),
        (
            {"path": {"rate_bps": 1e6}, "capacity": sinusoid(1e5, 1e6, 1e9)},
            "the capacity changes more than",
        ),
    ],
)
def test_a_scenario_that_takes_too_long_is_refused_with_a_reason(
    parts: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Undefined, match=re.escape(reason)):
        measured_closely(scenario(**parts), DRAFT)


def test_a_transfer_over_a_capacity_of_too_many_steps_has_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The simulator's limit is set to 10^6 steps of the capacity, here of 10 µs: ten seconds.
    monkeypatch.setattr(run, "MOST_STEPS", 1e6)
    one = scenario(
        tcp={"mss_bytes": 100, "transfer_packets": 100_000},
        path={"rate_bps": 1e6, "forward_delay_s": 1e-5, "backward_delay_s": 1e-5},
        capacity={"process": "ar1", "min_bps": 1e5, "max_bps": 1e6, "coherence_s": 1e-3,
                  "step_s": 1e-5},
    )  # fmt: skip
    with pytest.raises(Undefined, match="too few packets are sent in 10 s"):
        measured_closely(one, DRAFT)


def test_a_timer_that_is_longer_than_a_period_is_measured() -> None:
    """A retransmission timer longer than the capacity's period does not prevent a measurement.

    The case is from the random sample of connections; the initial RTO is three seconds.
    """
    tcp = Tcp(variant="oldtahoe", mss_bytes=1448, header_bytes=52, max_window_packets=204)
    path = Path(
        rate_bps=236726502.5498218,
        forward_delay_s=0.006820879351298381,
        backward_delay_s=0.006820879351298381,
        buffer_packets=73,
    )
    capacity = Sinusoid(
        process="sinusoid",
        min_bps=112518764.40213466,
        max_bps=236726502.5498218,
        frequency_hz=1.7584297735030499,
    )
    tcp = tcp.model_copy(update={"recovery": "slow-but-steady", "rto": Timeout(min_s=1.0)})
    scenario = Scenario(id="still", title="Still", tcp=tcp, path=path, capacity=capacity)
    found = Packet(threads=1).measure(scenario, Conditions(seed=1))
    long_pps = 6806.4  # mean goodput (packets/s) of 200 simulations of 300 s with random phases
    assert abs(found.goodput_pps - long_pps) <= 1.5 * found.half_width_pps < 0.01 * long_pps


def test_a_timer_longer_than_the_capacitys_period_can_have_a_goodput() -> None:
    """A window of four packets has a goodput, although the RTO lasts 100 periods of the capacity.

    The case is from the random sample of connections.
    """
    tcp = Tcp(variant="sack", mss_bytes=1448, header_bytes=52, max_window_packets=4)
    tcp = tcp.model_copy(update={"rto": Timeout(min_s=1.0)})
    path = Path(
        rate_bps=4597231.841540687,
        forward_delay_s=0.006227669464078571,
        backward_delay_s=0.006227669464078571,
        buffer_packets=3,
    )
    capacity = Square(
        process="square",
        min_bps=1639243.4653741266,
        max_bps=4597231.841540687,
        frequency_hz=113.16714764740131,
    )
    scenario = Scenario(id="waits", title="Waits", tcp=tcp, path=path, capacity=capacity)
    found = Packet(threads=1).measure(scenario, Conditions(precision="draft", seed=1))
    assert found.relative_half_width < 0.5
    assert found.goodput_pps < 0.8 * scenario.rate_pps


def test_a_window_with_its_only_packet_in_flight_is_not_saturated() -> None:
    """A window of one packet that is resent until its ACK arrives is no steady full window.

    The RTO is a third of a second, and the ACK needs 32 s. The campaign of extreme scenarios found
    this case.
    """
    strange = scenario(
        tcp={"variant": "newreno", "mss_bytes": 66, "max_window_packets": 1, "ack_every": 54,
             "rto": {"initial_s": 0.358}},
        path={"rate_bps": 5e6, "forward_delay_s": 0.24, "backward_delay_s": 32.3},
    )  # fmt: skip
    found = Packet(threads=1).measure(strange, Conditions(precision="draft", seed=1))
    assert found.goodput_pps == pytest.approx(1 / 32.6, rel=0.1)
