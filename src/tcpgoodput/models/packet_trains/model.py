"""The packet-train model of OldTahoe, Tahoe, NewReno and SACK over a bursty channel; its curves."""

from __future__ import annotations

import math

import numpy as np

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import LINK, PACKET, Condition, Model
from tcpgoodput.models.limits import ROOM_FOR_BURSTS
from tcpgoodput.models.losses import independent_loss
from tcpgoodput.models.packet_trains.cycle import VARIANTS, Cycle, stationary_cycle, throughput_pps
from tcpgoodput.models.packet_trains.loss_window import (
    Channel,
    slow_start_trains,
    whole_trains,
    windows_met,
)
from tcpgoodput.models.registry import Curve, curve, register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import GilbertElliott

MOST_LOSS = 0.1
LEAST_ROOM = 3
LONGEST_BURST = 0.5
"""Limits of the packet-train model's domain. MOST_LOSS: largest share of slots (packet times) in
which the channel is bad. LEAST_ROOM: smallest value of the largest window W_m, relative to the
window that independent losses of this share would allow. LONGEST_BURST: longest mean burst in round
trips. Fitted: within all three limits the model is within a third of packet simulation."""

WITHIN_A_THIRD = "within these limits the model is within a third of packet simulation"

MOST_WINDOWS = 200_000
"""Largest number of windows for which the chain of loss windows is solved, in about a second."""

MOST_ARRIVALS = 5_000_000
"""Largest product of the number of windows and of the duplicate ACKs for fast retransmit. At
this product `after_loss` takes about a second."""

SEARCH = 16
"""Divisor of MOST_WINDOWS and MOST_ARRIVALS in searches for a goodput, which solve the chain of
loss windows up to thirty times."""


def channel_of(scenario: Scenario) -> Channel:
    """Return the Gilbert-Elliott channel of a scenario; independent loss has α = p, β = 1 − p.

    Without loss the only loss is one packet, at the largest window W_m.
    """
    if isinstance(scenario.loss, GilbertElliott):
        return Channel(scenario.loss.good_to_bad, scenario.loss.bad_to_good)
    p = independent_loss(scenario)
    return Channel(p, 1 - p)


def largest_window_packets(scenario: Scenario) -> int:
    """Return the largest window W_m = ⌊μT⌋ + 1 in packets, at most the receiver window.

    μT is the path's rate times the propagation round trip. In the study W_m = μT + 1, a whole
    number (section III); a packet of the train of W_m packets is surely lost. A μT within 1e-9 of a
    whole number counts as this number, because of floating-point errors.
    """
    product = scenario.rate_pps * scenario.propagation_rtt_s
    nearest = round(product)
    whole = nearest if math.isclose(product, nearest, rel_tol=1e-9) else math.floor(product)
    largest = whole + 1
    window = scenario.tcp.max_window_packets
    return largest if window is None else min(largest, window)


def _too_many(channel: Channel, largest: int, dupthresh: int, share: float = 1) -> str | None:
    """Return why the chain of loss windows takes too long to solve, or None."""
    met, most = windows_met(channel, largest), round(share * MOST_WINDOWS)
    if met > most:
        return (
            f"loss is so rare that windows reach {met} packets; the chain of loss windows is "
            f"solved for at most {most}"
        )
    if met * min(met, dupthresh) > share * MOST_ARRIVALS:
        return (
            f"the chain of loss windows has too many states: {met} windows, each with up to "
            f"{dupthresh} packets that arrive after the first loss"
        )
    return None


@register
class PacketTrains(Model):
    """The study's packet-train model: Propositions 1–4.

    As in the study, the mean number of packets between a loss and its detection, E[ε], is set equal
    to the mean loss window, E[σ]. The largest window W_m is the largest whole number up to μT + 1.
    By the corrected equation (4), fast recovery counts all packets that it retransmits; as printed,
    it counts its round trips, one for SACK.
    """

    name = "packet_trains"
    title = "Packet trains"
    equation = (
        "X = (E[Q] + E[σ] + E[r]) / ((E[n₁] + 1 + E[n₂]) R + P_τ T0). n₁, Q: trains up to and "
        "including the train with the loss, and packets in them; σ: window at the loss, from a "
        "Markov chain over a Gilbert-Elliott channel, at most W_m = ⌊C R⌋ + 1 packets; n₂, r: "
        "round trips and retransmissions of fast recovery; P_τ: probability of a timeout; C: the "
        "path's rate; R: round trip; T0: timeout."
    )
    source = "packet_trains"
    citation = "anjum2003"
    inputs = (
        "tcp.variant",
        *PACKET,
        "tcp.max_window_packets",
        "tcp.dupthresh",
        "tcp.rto",
        *LINK,
        "loss",
    )
    domain = (
        "loss in bursts or independent, one channel step per packet time; an ACK per packet; up "
        "to 10 % of slots bad; W_m, one packet more than the bandwidth-delay product, is rarely "
        "reached"
    )
    conditions = (
        Condition(
            "a channel that changes its state with time, also while the sender is idle",
            "assumption",
            "section III: the first packet of every train finds the link in its steady state",
            lambda s, _: (
                isinstance(s.loss, GilbertElliott)
                and s.loss.clock == "packet"
                and "with loss.clock: packet the channel keeps its state while the sender is idle; "
                "the model's is in its steady state for each train"
            ),
        ),
        Condition(
            "a channel that loses packets",
            "derivation",
            "without channel losses, equation (16) has only the loss at a full window W_m, on a "
            "path without a buffer",
            lambda s, _: (
                channel_of(s).alpha == 0
                and "without losses on the link the model has only a loss at the full window, and "
                "no buffer"
            ),
        ),
        Condition(
            "an ACK for each packet",
            "assumption",
            "section III, footnote 1: delayed ACKs are ignored",
            lambda s, _: (
                s.tcp.packets_per_increment > 1
                and "the receiver sends an ACK for several packets; the model has one for each "
                "packet"
            ),
        ),
        Condition(
            f"at most {100 * MOST_LOSS:g} % of slots bad",
            "fitted",
            WITHIN_A_THIRD,
            lambda s, _: (
                (bad := channel_of(s).bad) > MOST_LOSS
                and f"{100 * bad:.3g} % of the slots are bad, more than {100 * MOST_LOSS:g} %"
            ),
        ),
        Condition(
            f"W_m of at least {LEAST_ROOM} times the window that losses alone allow",
            "fitted",
            f"{WITHIN_A_THIRD}; section III only says that the window should not grow to W_m",
            lambda s, _: (
                (largest := largest_window_packets(s))
                < LEAST_ROOM * (usual := math.sqrt(8 / (3 * channel_of(s).bad)))
                and f"the largest window W_m ({largest} packets) is often reached, because losses "
                f"alone allow {usual:.3g}; the model assumes that this is rare"
            ),
        ),
        Condition(
            f"bursts of at most {LONGEST_BURST:g} W_m slots on average",
            "fitted",
            f"{WITHIN_A_THIRD}; section III only says that the gap between trains should be large",
            lambda s, _: (
                (slots := 1 / channel_of(s).beta) > LONGEST_BURST * largest_window_packets(s)
                and f"bursts of {slots:.3g} slots last longer than {LONGEST_BURST:g} round trips; "
                "in the model the trains are independent"
            ),
        ),
        ROOM_FOR_BURSTS,
    )
    handles = frozenset({"bursty loss"})
    reduces = frozenset({"independent loss", "hand-offs", "delay spikes", "link retransmission"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the throughput Δ (eq. 3) of the scenario's TCP variant in packets/s."""
        tcp = scenario.tcp
        if tcp.variant not in VARIANTS:
            raise Undefined(f"the study describes {', '.join(VARIANTS)}, not {tcp.variant}")
        channel, largest = channel_of(scenario), largest_window_packets(scenario)
        if reason := _too_many(channel, largest, tcp.dupthresh):
            raise Undefined(reason)
        cycle = self.cycle(channel, tcp.variant, largest, tcp.dupthresh)
        # (4) as printed adds n₂, the round trips of fast recovery, in place of its packets
        repairs = cycle.recovery_trips if conditions.equations == "printed" else cycle.repairs
        return throughput_pps(
            cycle,
            scenario.propagation_rtt_s,
            scenario.timeout_s,
            self.packets_after_loss(cycle),
            repairs,
        )

    def too_slow_to_search(self, scenario: Scenario) -> str | None:
        """Return why it takes too long to solve the chain of loss windows repeatedly, or None."""
        largest = largest_window_packets(scenario)
        return _too_many(channel_of(scenario), largest, scenario.tcp.dupthresh, share=1 / SEARCH)

    def cycle(self, channel: Channel, variant: str, largest: int, dupthresh: int) -> Cycle:
        """Return the stationary cycle; its loss windows follow Proposition 1."""
        return stationary_cycle(channel, variant, largest, dupthresh)

    def packets_after_loss(self, cycle: Cycle) -> float:
        """Return E[ε], the mean packets between a loss and its detection; the study takes E[σ]."""
        return cycle.window


@register
class TrainConsistent(PacketTrains):
    """Variant of the packet-train model: the loss window is the size of the lossy train.

    In the study the window grows with each ACK, so that in congestion avoidance most windows
    contain packets of two trains. In this variant the window is the same for all packets of a
    train.
    """

    name = "packet_trains.train_consistent"
    title = "Packet trains, lossy train"
    equation = (
        "X as packet_trains, but the loss window σ is the size of the train that loses a packet."
    )

    def cycle(self, channel: Channel, variant: str, largest: int, dupthresh: int) -> Cycle:
        """Return the stationary cycle; slow start consists of whole trains."""
        return stationary_cycle(channel, variant, largest, dupthresh, whole_trains)


@register
class CountingSuccesses(PacketTrains):
    """Variant of the packet-train model: a packet sent after a loss counts only if it arrives."""

    name = "packet_trains.counting_successes"
    title = "Packet trains, successes"
    equation = (
        "X as packet_trains, but E[σ] is replaced by the mean number of packets that arrive "
        "among the σ - 1 sent after the first loss."
    )

    def packets_after_loss(self, cycle: Cycle) -> float:
        """Return the mean number of packets that arrive among the σ − 1 sent after a loss."""
        return cycle.arrivals


@curve("packet_trains")
def train_packets(scenario: Scenario, *, threshold: int = 8, lost: int = 33) -> Curve:
    """Return the packets sent against time in round trips, up to the train that follows a loss.

    A train is the packets of one round trip; they follow each other at the path's rate. The curve
    has a gap between trains. Packets are counted from 1. In the train with the lost packet, the
    packets before the lost one arrive. Each of their ACKs releases one packet; the released packets
    are the last train.

    Landmarks (positions that a figure can mark): for each train k `start_k` and `end_k` (round
    trips), `first_k` and `last_k` (numbers of packets), `theta_k` (its size in packets); `lost`,
    the number of the lost packet, and `lost_time`, when its transmission ends; `avoidance_time`,
    the start of congestion avoidance.

    Args:
        scenario: the scenario whose path rate and round trip are used.
        threshold: slow-start threshold in packets.
        lost: number of the lost packet, counted from 1.
    """
    if threshold < 1 or lost < 1:
        raise ValueError("threshold and lost must be at least 1")
    round_trip_packets = scenario.rate_pps * scenario.propagation_rtt_s
    doublings = int(slow_start_trains(np.array(threshold)))
    landmarks = {"lost": float(lost), "avoidance_time": float(doublings)}
    x: list[float] = []
    y: list[float] = []

    def send(k: int, size: int, first: int) -> None:
        if size > round_trip_packets:
            raise ValueError(
                f"a train of {size} packets takes longer than the round trip, which has room for "
                f"{round_trip_packets:.4g}: lower `lost`, or raise path.rate_bps or the delays"
            )
        times = k + np.arange(size + 1) / round_trip_packets
        x.extend([*times, times[-1]])
        y.extend([*range(first - 1, first + size), np.nan])
        landmarks.update(
            {
                f"start_{k + 1}": float(times[0]),
                f"end_{k + 1}": float(times[-1]),
                f"first_{k + 1}": float(first),
                f"last_{k + 1}": float(first + size - 1),
                f"theta_{k + 1}": float(size),
            }
        )

    k, first = 0, 1
    while True:
        size = 2**k if k < doublings else threshold + k - doublings
        send(k, size, first)
        if first + size > lost:
            break
        k, first = k + 1, first + size
    before_loss = lost - first
    landmarks["lost_time"] = k + (before_loss + 1) / round_trip_packets
    if before_loss:
        send(k + 1, before_loss, first + size)
    return Curve(np.array(x), np.array(y), "RTT", "packet", landmarks)


@curve("packet_trains")
def loss_windows(scenario: Scenario) -> Curve:
    """Return the stationary distribution of the window at a cycle's loss (Proposition 1).

    A cycle lasts from one loss to the next. Landmarks: `timeout`, the share of losses that end in a
    timeout (eq. 18); `single`, the share after which no other packet of the window is lost;
    `at_largest`, the share at the largest window W_m; `mean`, the mean window at the loss in
    packets; `packets`, the mean number of packets of a cycle up to its loss, and `largest`, W_m in
    packets.
    """
    tcp, channel = scenario.tcp, channel_of(scenario)
    if tcp.variant not in VARIANTS:
        raise ValueError(f"{tcp.variant} has no packet trains; choose of {', '.join(VARIANTS)}")
    largest = largest_window_packets(scenario)
    cycle = stationary_cycle(channel, tcp.variant, largest, tcp.dupthresh)
    sigma = np.arange(1, cycle.loss_window.size + 1)
    rest_arrives = channel.beta * (1 - channel.alpha) ** np.maximum(sigma - 2, 0)
    landmarks = {
        "timeout": cycle.timeout,
        "single": float(cycle.loss_window @ np.where(sigma == 1, 1.0, rest_arrives)),
        "at_largest": float(cycle.loss_window[sigma == largest].sum()),
        "mean": cycle.window,
        "packets": cycle.packets,
        "largest": float(largest),
    }
    return Curve(sigma.astype(float), cycle.loss_window, "packets", "1", landmarks)
