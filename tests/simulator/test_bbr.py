"""The sender BBR, compared with the facts of Linux's tcp_bbr.c and tcp_rate.c.

The expected numbers follow from the kernel's constants; none was read off the simulator's output.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.compiled import TICKS_PER_S, ticks
from tcpgoodput.simulator.senders.bbr_state import DRAIN, PROBE_BW, PROBE_RTT, STARTUP
from tcpgoodput.simulator.senders.scoreboard import machine
from tcpgoodput.simulator.senders.scoreboard.bbr import bandwidth, modes, pacing, policer
from tcpgoodput.simulator.senders.state import NONE, new_sender
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.stepped import Stepped
from tcpgoodput.simulator.trace import ACK, TIMEOUT
from tests.simulator.running import counted, run

HIGH_GAIN = (256 * 2885 // 1000 + 1) / 256
"""The kernel's bbr_high_gain: 2/ln 2 in units of 1/256, rounded up."""

MARGIN = 0.99
RTT_S = 0.1
RATE_PPS = 1000.0
HELD = RATE_PPS * RTT_S


def path(
    rate_pps: float = RATE_PPS,
    rtt_s: float = RTT_S,
    buffer: int | None = None,
    *,
    tcp: dict[str, Any] | None = None,
    **parts: Any,
) -> Scenario:
    """Return a scenario with a BBR sender of Linux, packets of 1000 bytes and no header."""
    return Scenario.model_validate(
        {
            "id": "bbr",
            "title": "BBR",
            "tcp": {
                "variant": "bbr",
                "stack": "linux-6.18",
                "mss_bytes": 1000,
                **(tcp or {}),
            },
            "path": {
                "rate_bps": 8000 * rate_pps,
                "forward_delay_s": rtt_s / 2,
                "backward_delay_s": rtt_s / 2,
                "buffer_packets": buffer,
            },
            **parts,
        }
    )


def independent(probability: float) -> dict[str, Any]:
    return {"process": "bernoulli", "probability": probability}


class Traced:
    """The recorded events of one connection."""

    def __init__(self, request: Scenario, seconds: float, **options: Any) -> None:
        self.simulation = run(request, seconds, traced_events=200_000, **options)
        self.events, self.sent = self.simulation.events()
        self.time_s = self.events["time"] / TICKS_PER_S
        self.mode = self.events["mode"]
        self.bandwidth_pps = self.events["bandwidth"] * TICKS_PER_S
        self.pacing_pps = self.events["pacing_rate"] * TICKS_PER_S
        self.path_rtt_s = self.events["path_rtt"] / TICKS_PER_S
        self.cwnd = self.events["cwnd"]

    def rounds(self) -> np.ndarray:
        """Return the packet-timed round of each event of a lossless connection.

        A round begins with the ACK of a packet that was sent after the previous round began.
        """
        sent_after = np.zeros(int(self.sent["packet"].max()) + 1, np.int64)
        sent_after[self.sent["packet"]] = self.sent["event"]
        round_, began, found = 0, -1, []
        last = -1
        for number, event in enumerate(self.events):
            if event["ack"] > last:
                last = int(event["ack"])
                if sent_after[last] >= began:
                    round_, began = round_ + 1, number
            found.append(round_)
        return np.array(found)

    def gains(self) -> np.ndarray:
        """Return the pacing gain after each event; 0 before the first sample."""
        known = self.bandwidth_pps > 0
        gains = np.zeros(self.events.size)
        gains[known] = self.pacing_pps[known] / self.bandwidth_pps[known] / MARGIN
        return np.round(gains, 6)

    def flight(self) -> np.ndarray:
        """Return the packets in flight after each event of a lossless connection."""
        highest = np.full(self.events.size, -1)
        np.maximum.at(highest, self.sent["event"], self.sent["packet"])
        return np.maximum.accumulate(highest) - self.events["ack"]


@pytest.fixture(scope="module")
def steady() -> Traced:
    return Traced(path(), 45.0)


# Start-up and drain


def test_the_first_pacing_rate_sends_the_initial_window_in_a_round_trip_of_the_handshake() -> None:
    traced = Traced(path(), 0.05)
    assert traced.pacing_pps[0] == pytest.approx(HIGH_GAIN * 10 / RTT_S * MARGIN)
    assert traced.sent["packet"].tolist() == list(range(10)), "ten packets leave unpaced"


def test_startup_doubles_the_delivery_rate_in_each_round_trip() -> None:
    """The gain 2/ln 2 doubles the rate; the first round trips still show the unpaced window."""
    traced = Traced(path(rate_pps=1e6), 1.25)
    at_s = RTT_S * np.arange(4, 13) - 1e-3
    rates = traced.bandwidth_pps[np.searchsorted(traced.time_s, at_s) - 1]
    assert set(traced.mode) == {STARTUP}
    assert rates[1:] / rates[:-1] == pytest.approx(2.0, rel=0.2)
    assert rates[4:] / rates[3:-1] == pytest.approx(2.0, rel=0.03)


def test_startup_ends_after_three_rounds_with_less_than_a_quarter_of_growth(
    steady: Traced,
) -> None:
    rounds, first = steady.rounds(), int(np.argmax(steady.mode != STARTUP))
    starts = np.flatnonzero(np.diff(rounds[: first + 1])) + 1
    full_pps, small = 0.0, 0
    for start in starts:
        assert small < 3
        if steady.bandwidth_pps[start] >= 1.25 * full_pps:
            full_pps, small = steady.bandwidth_pps[start], 0
        else:
            small += 1
    assert small == 3
    assert starts[-1] == first
    assert steady.mode[first] == DRAIN
    assert steady.bandwidth_pps[first] == pytest.approx(RATE_PPS, rel=0.01)


def test_drain_paces_at_the_inverse_gain_until_the_path_alone_is_filled(steady: Traced) -> None:
    drains = np.flatnonzero(steady.mode == DRAIN)
    rates = steady.pacing_pps[drains] / steady.bandwidth_pps[drains]
    assert rates == pytest.approx(MARGIN * (256 * 1000 // 2885) / 256, rel=1e-9)
    assert drains.tolist() == list(range(drains[0], drains[-1] + 1))
    after = drains[-1] + 1
    assert steady.mode[after] == PROBE_BW
    # The target has room for three bursts of two packets. Before the next burst leaves, the path
    # delivers as many packets again: 2 / 0.34 = 6.
    assert steady.flight()[after - 1] > HELD
    assert HELD < steady.flight()[after] <= HELD + 6 + 6
    assert steady.events["ssthresh"][after] == pytest.approx(HELD + 6, abs=2)


# The gain cycle


def test_the_gain_cycle_has_a_probing_a_draining_and_six_cruising_phases(steady: Traced) -> None:
    probing = (steady.mode == PROBE_BW) & (steady.time_s < 9)
    gains = steady.pacing_pps[probing] / steady.bandwidth_pps[probing] / MARGIN
    assert set(np.round(gains, 6)) == {0.75, 1.0, 1.25}
    runs = [gain for gain, _ in groupby(np.round(gains, 6))][1:-1]
    assert all(
        after == {1.25: 0.75, 0.75: 1.0, 1.0: 1.25}[before] for before, after in pairwise(runs)
    )
    times_s = steady.time_s[probing]
    changes = np.flatnonzero(np.diff(np.round(gains, 6))) + 1
    for begin, end in pairwise(changes):
        lasts_s = times_s[end] - times_s[begin]
        if round(gains[begin], 6) == 1.0:
            # Each phase ends with the first ACK after the path's round trip.
            assert 6 * RTT_S < lasts_s < 6 * (RTT_S + 3 / RATE_PPS)
        elif round(gains[begin], 6) == 1.25:
            assert RTT_S < lasts_s < 2.5 * RTT_S
        else:
            assert lasts_s < RTT_S + 3 / RATE_PPS


def test_probing_ends_with_five_quarters_of_the_path_in_flight(steady: Traced) -> None:
    gains = steady.gains()
    is_probing = (steady.mode == PROBE_BW) & (steady.time_s > 3) & (gains == 1.25)
    last = np.flatnonzero(is_probing[:-1] & (gains[1:] == 0.75))
    # The flight counts before the ACK, with the next burst; the target has room for bursts.
    assert steady.flight()[last] == pytest.approx(1.25 * HELD + 8, abs=4)


def test_a_loss_ends_probing_after_a_round_trip() -> None:
    traced = Traced(path(buffer=10), 8.0)
    gains = traced.gains()
    is_probing = (traced.mode == PROBE_BW) & (traced.time_s > 3) & (gains == 1.25)
    assert is_probing.any()
    assert traced.flight()[is_probing].max() < 1.25 * HELD + 8
    grouped = groupby(range(gains.size), lambda n: is_probing[n])
    phases = [list(phase) for probes, phase in grouped if probes]
    for phase in phases[:-1]:
        assert traced.time_s[phase[-1]] - traced.time_s[phase[0]] < 2 * RTT_S


@given(st.integers(0, 2**32))
@settings(max_examples=50)
def test_the_cycle_begins_at_any_phase_but_the_draining_one(seed: int) -> None:
    s, rng = new_sender(path().tcp)[0], np.random.default_rng(seed)
    begun = []
    for _ in range(100):
        modes._probe_bandwidth(s, rng)
        begun.append(int(s.phase))
    assert set(begun) <= {0, 2, 3, 4, 5, 6, 7}
    assert len(set(begun)) == 7


def test_cwnd_is_twice_the_path_with_room_for_three_bursts(steady: Traced) -> None:
    after = (steady.mode == PROBE_BW) & (steady.time_s > 3) & (steady.time_s < 9.9)
    cwnd = steady.cwnd[after]
    # The handshake's round trip lacks a packet's time: 200 packets, three bursts of two, even,
    # two more while probing, and what bursts of ACKs add: at most a probing round's surplus.
    least = 2 * HELD + 6
    assert cwnd.min() >= least
    assert cwnd.max() <= least + 2 + 0.3 * HELD
    assert np.all(cwnd % 1 == 0)


# The filters


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0.1, 100)), min_size=1, max_size=200))
def test_the_bandwidth_is_a_maximum_of_ten_rounds(samples: list[tuple[int, float]]) -> None:
    """It is at most the maximum of ten rounds, and at least the latest rate.

    The kernel keeps three candidates, so it can forget a maximum that is not among them.
    """
    s = new_sender(path().tcp)[0]
    seen: list[tuple[int, float]] = []
    for skipped, rate in samples:
        s.rounds += skipped
        bandwidth._take_rate(s, rate)
        seen.append((int(s.rounds), rate))
        window = [r for n, r in seen if s.rounds - n <= 10]
        assert rate <= s.bandwidth <= max(window)
        if max(window) == seen[-1][1] or len({n for n, _ in seen}) == 1:
            assert s.bandwidth == max(window)


def test_a_fallen_rate_is_believed_after_ten_rounds() -> None:
    """The capacity falls to a fifth; the estimate falls in the eleventh round after."""
    falls_s = 5.0
    square = {"process": "square", "min_bps": 1.6e6, "max_bps": 8e6, "frequency_hz": 0.1}
    traced = Traced(path(capacity=square, buffer=50), 20.0, phase=0.0)
    high = traced.bandwidth_pps > 0.8 * RATE_PPS
    # The square wave may begin with its low half; find the first fall of the estimate.
    falls = np.flatnonzero(high[:-1] & ~high[1:])[0] + 1
    assert high[falls - 1]
    low = traced.time_s[falls] - falls_s * round(traced.time_s[falls] // falls_s)
    # Ten rounds of the flight at the low rate: at least ten round trips of the path.
    assert low > 10 * RTT_S


def test_the_round_trip_is_kept_for_ten_seconds() -> None:
    """After 5 s hand-offs lengthen the path; the old round trip counts for ten seconds more."""
    handoffs = {
        "interval_s": 2.5,
        "packets": 1,
        "fate": "late",
        "late_s": 0.0,
        "delay_steps_s": [RTT_S / 2, *[RTT_S] * 19],
    }
    traced = Traced(path(handoffs=handoffs), 23.0, phase=0.0)
    grows = int(np.flatnonzero(np.diff(traced.path_rtt_s) > 0.01)[0]) + 1
    assert traced.mode[grows] == PROBE_RTT
    assert traced.mode[grows - 1] == PROBE_BW
    assert traced.time_s[grows] == pytest.approx(10.0, abs=0.1)
    # From 20 s on, ten seconds after this PROBE_RTT, the round trip at hand counts again.
    longer = traced.path_rtt_s[(traced.time_s > 12) & (traced.time_s < 20)]
    assert longer == pytest.approx(1.5 * RTT_S, abs=0.005)


# Probing for the round trip


def test_a_round_trip_as_short_as_the_shortest_does_not_postpone_probing() -> None:
    """The receiver's window is half of what the path holds: there is no queue, all are equal."""
    traced = Traced(path(tcp={"max_window_packets": int(HELD / 2)}), 35.0)
    is_probing = traced.mode == PROBE_RTT
    begins = traced.time_s[np.flatnonzero(~is_probing[:-1] & is_probing[1:]) + 1]
    # Probing lasts 200 ms, a round trip more at most, and one until four packets are in flight.
    assert len(begins) == 3
    assert np.all(np.diff(begins) > 10.2)
    assert np.all(np.diff(begins) < 10.2 + 3 * RTT_S)


def test_every_ten_seconds_four_packets_for_200_milliseconds(steady: Traced) -> None:
    is_probing = steady.mode == PROBE_RTT
    begins = np.flatnonzero(~is_probing[:-1] & is_probing[1:]) + 1
    assert len(begins) == 4
    assert np.all(np.diff(steady.time_s[begins]) > 10.0)
    # The ten seconds begin with the end of the last probing, or a round trip as short soon after.
    assert np.all(np.diff(steady.time_s[begins]) < 10.0 + 0.2 + 10 * RTT_S)
    assert steady.time_s[begins[0]] == pytest.approx(10.0, abs=0.05)
    for begin in begins[:-1]:
        end = begin + int(np.argmax(~is_probing[begin:]))
        assert set(steady.cwnd[begin:end]) == {4.0}
        few = begin + int(np.argmax(steady.flight()[begin:end] <= 4))
        lasts_s = steady.time_s[end] - steady.time_s[few]
        assert 0.2 < lasts_s < 0.2 + 2 * RTT_S
        # The window comes back at once.
        assert steady.cwnd[end] > 2 * HELD


def test_without_a_full_path_probing_returns_to_startup() -> None:
    s, rng = new_sender(path().tcp)[0], np.random.default_rng(1)
    modes.start(s, path().tcp, ticks(RTT_S))
    s.mode, s.probe_rtt_round, s.probe_rtt_ends = PROBE_RTT, True, 1
    modes._update_path_rtt(s, 2, rng)
    assert s.mode == STARTUP


def test_the_low_rates_of_probing_are_no_samples(steady: Traced) -> None:
    after = steady.time_s > 3
    assert steady.bandwidth_pps[after] == pytest.approx(RATE_PPS, rel=0.01)


# Pacing


def paced() -> Any:
    """Return a sender that paces its packets at the path's rate, after the first burst."""
    s = new_sender(path().tcp)[0]
    s.mss_bytes, s.pacing_gain, s.bandwidth = 1000, 1.0, RATE_PPS / MARGIN / TICKS_PER_S
    pacing.set_rate(s)
    s.packets_sent = 10
    return s


def test_bursts_have_two_packets_and_a_millisecond_on_fast_paths(steady: Traced) -> None:
    paced = steady.sent["event"][steady.sent["packet"] > 2000]
    sizes = np.unique(paced, return_counts=True)[1]
    assert set(sizes[1:-1]) <= {1, 2}
    for rate_pps, packets in ((100.0, 1), (1000.0, 2), (10240.0 / MARGIN, 10), (1e7, 65)):
        s = new_sender(path().tcp)[0]
        s.mss_bytes, s.pacing_gain, s.bandwidth = 1000, 1.0, (rate_pps + 1) / TICKS_PER_S
        pacing.set_rate(s)
        assert s.burst == packets


def test_a_late_burst_makes_up_for_half_of_its_time() -> None:
    s = paced()
    millisecond = ticks(0.001)
    for late_ms, takes_ms in ((0, 2.0), (0.5, 1.5), (5, 1.0)):
        now = int(s.next_send_at + late_ms * millisecond)
        for _ in range(2):
            assert pacing.may_send(s, now)
            pacing.on_sent(s, now)
        s.burst_left = 0
        assert (s.next_send_at - now) / millisecond == pytest.approx(takes_ms, rel=1e-6)
        assert not pacing.may_send(s, now)
        assert s.pacing_deadline == s.next_send_at


def test_a_probe_does_not_make_up_for_the_late_burst_before() -> None:
    """A burst of two packets, late by 5 ms, makes up for one. A probe is a burst of its own."""
    s = paced()
    now = ticks(0.005)
    for _ in range(2):
        assert pacing.may_send(s, now)
        pacing.on_sent(s, now)
    assert machine.next_packet(s, None, now) == NONE, "the next burst may not leave yet"
    begins = int(s.next_send_at)
    pacing.on_sent(s, now)
    assert s.next_send_at - begins == pytest.approx(ticks(0.001), rel=1e-6)


# Losses


def test_recovery_conserves_packets_for_a_round_and_then_restores_the_window() -> None:
    lost = 3000
    traced = Traced(path(), 8.0, lose=(lost,))
    at = int(traced.sent["event"][traced.sent["packet"] == lost][0])
    entry = at + int(np.argmax(np.diff(traced.cwnd[at:]) < 0)) + 1
    before = traced.cwnd[entry - 1]
    assert before >= 2 * HELD
    # The window is what is in flight and this ACK's packet: the path and a queue, not 200.
    assert HELD < traced.cwnd[entry] < 1.35 * HELD
    # In the round no more packets leave than arrive, so the window stays.
    left = entry + int(np.argmax(traced.time_s[entry:] > traced.time_s[entry] + RTT_S))
    arrived = np.cumsum(traced.events["kind"][entry:left] == ACK)
    sent = np.array([np.sum(traced.sent["event"] == n) for n in range(entry, left)]).cumsum()
    assert np.all(sent <= arrived + 2)
    repaired = entry + int(np.argmax(traced.events["ack"][entry:] > lost + before))
    assert traced.cwnd[repaired] >= before - 4
    assert set(traced.mode[entry:repaired]) == {PROBE_BW}
    assert traced.bandwidth_pps[entry:repaired] == pytest.approx(RATE_PPS, rel=0.01)


def test_a_timeout_keeps_the_bandwidth_and_begins_with_one_packet() -> None:
    # A whole window is lost, and the probe after two round trips.
    window = 2 * round(HELD) + 8
    traced = Traced(path(), 9.0, lose=tuple(range(3000, 3000 + window + 1)))
    timeouts = np.flatnonzero(traced.events["kind"] == TIMEOUT)
    losing = [n for n in timeouts if traced.cwnd[n] == 1]
    assert len(losing) == 1
    assert traced.bandwidth_pps[losing] == pytest.approx(RATE_PPS, rel=0.02)
    assert set(traced.mode[losing]) == {PROBE_BW}
    after = traced.time_s > traced.time_s[losing[-1]] + 2
    assert traced.cwnd[after].min() > 2 * HELD


def test_a_timeout_lets_startup_count_anew() -> None:
    s = new_sender(path().tcp)[0]
    s.full_bandwidth, s.full_rounds, s.bandwidth = 5.0, 2, 5.0
    modes.on_timeout(s, np.random.default_rng(1))
    assert (s.full_bandwidth, s.bandwidth, s.is_full) == (0.0, 5.0, False)


def test_a_timeout_ends_the_48th_round_of_a_policers_estimate() -> None:
    """The gain cycle then begins anew, at any phase but the draining one."""
    s, rng = new_sender(path().tcp)[0], np.random.default_rng(1)
    s.policed, s.mode, s.phase, s.policer_rounds = True, PROBE_BW, 1, 46
    s.delivered_at = ticks(1.0)
    modes.on_timeout(s, rng)
    assert (s.policed, s.phase) == (True, 1)
    modes.on_timeout(s, rng)
    assert not s.policed
    assert s.phase != 1
    assert s.phase_at == s.delivered_at


def interval(s: Any, rate_pps: float, lost: int, delivered: int, rounds: int = 4) -> None:
    """Let an interval pass with losses, after which the policer's estimate is updated."""
    s.begins_round = True
    for _ in range(rounds):
        policer.sample(s, 0, False)
    s.begins_round = False
    s.arrived_count += delivered
    s.marked_lost += lost
    s.delivered_at += ticks(delivered / rate_pps)
    policer.sample(s, 1, False)


def test_two_lossy_intervals_of_equal_rate_are_a_policers_work() -> None:
    def tried(second_pps: float, lost: int) -> Any:
        s = new_sender(path().tcp)[0]
        s.mss_bytes, s.mode, s.delivered_at = 1000, PROBE_BW, ticks(1.0)
        policer.sample(s, 1, False)
        interval(s, 800.0, lost, 256)
        interval(s, second_pps, lost, 256)
        return s

    s = tried(880.0, 50)
    assert s.policed
    assert s.policed_rate * TICKS_PER_S == pytest.approx(840.0, rel=1e-3)
    assert bandwidth.bandwidth(s) == s.policed_rate
    assert not tried(880.0, 49).policed, "50 of 256 must be lost"
    assert not tried(920.0, 50).policed, "the rates differ by more than an eighth"
    s.begins_round = True
    for _ in range(47):
        assert not policer.sample(s, 0, False)
    assert policer.sample(s, 0, False), "the estimate is used for 48 rounds"
    assert not s.policed


# Limits


def test_without_loss_goodput_is_the_rate_less_the_share_of_probing() -> None:
    simulation = Simulation(path(), np.random.default_rng(1))
    goodput_pps = counted(simulation, 20.0, 220.0).goodput_pps
    # In PROBE_RTT four packets leave in each of at least two round trips, of 10 s and that time.
    share = 0.2 / 10.4
    assert 1 - 2.5 * share < goodput_pps / RATE_PPS < 1 - share / 2


@pytest.mark.parametrize(("loss", "least", "most"), [(0.01, 0.94, 0.99), (0.3, 0.0, 0.2)])
def test_little_loss_does_not_matter_and_much_loss_collapses(
    loss: float, least: float, most: float
) -> None:
    counts = run(path(loss=independent(loss)), 100.0).counts
    assert least < counts.goodput_pps / RATE_PPS < most


def test_the_receivers_window_limits_the_flight() -> None:
    traced = Traced(path(tcp={"max_window_packets": 20}), 5.0)
    assert traced.flight().max() <= 20
    goodput_pps = traced.simulation.counts.goodput_pps
    assert goodput_pps == pytest.approx(20 / (RTT_S + 1 / RATE_PPS), rel=0.1)


def test_a_sender_with_pacing_is_not_stepped() -> None:
    with pytest.raises(ValueError, match="clock"):
        Stepped(path().tcp, window=1)


@pytest.mark.parametrize(
    "key",
    [
        {"ca_increment": "whole"},
        {"growth": "packets"},
        {"slow_start": "hystart"},
        {"window_validation": True},
        {"ssthresh_from": "window"},
        {"reduction": "proportional"},
    ],
)
def test_keys_of_other_windows_are_refused_in_a_line(key: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="leave the key out"):
        path(tcp=key)
