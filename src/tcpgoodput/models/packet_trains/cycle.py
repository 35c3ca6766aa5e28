"""Packets, trains, duration, timeout and throughput of a cycle (eqs 3-5, 10; Propositions 2-4).

A cycle lasts from loss to loss, and a train is the packets of one round trip. The loss window σ is
the window at a cycle's first loss. The channel is then bad, and σ − 1 packets of this window are
sent after the lost one. The sender times out if fewer than Ω of these arrive. Ω is the number of
duplicate ACKs for fast retransmit. Element σ − 1 of every array belongs to the loss window σ. In
`Trains`, element w − 1 belongs to a slow-start threshold, or a first window, of w packets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tcpgoodput.models.packet_trains.loss_window import (
    Channel,
    LossWindows,
    SlowStartPackets,
    Values,
    as_proposition_1,
    slow_start_trains,
    threshold,
    windows_met,
)


@dataclass(frozen=True)
class Trains:
    """Mean number of trains in a cycle, and of their packets, including the train with the loss."""

    number: Values
    """E[n₁], the mean number of trains."""
    packets: Values
    """E[Q], the mean number of packets in the trains (eq. 5)."""


def from_congestion_avoidance(windows: LossWindows) -> Trains:
    """Return the trains (w, w + 1, … W_m packets) of cycles that begin in congestion avoidance."""
    growth = windows.growth
    number = np.cumsum(growth[::-1])[::-1] / growth
    packets = np.cumsum((growth * windows.window)[::-1])[::-1] / growth
    return Trains(number, packets)


def from_slow_start(channel: Channel, windows: LossWindows) -> Trains:
    """Return the trains of cycles that begin in slow start, of 1, 2, 4, …, w, w + 1, … W_m packets.

    E[n₁] = Σ P(n₁ ≥ k), and k − 1 trains lose nothing with probability P(n₁ ≥ k) (eqs 27–29).
    """
    avoiding = from_congestion_avoidance(windows)
    doublings = slow_start_trains(windows.window)
    sizes = 2.0 ** np.arange(doublings[-1])
    reached = np.cumprod(np.concatenate([[1.0], channel.intact(sizes)]))
    number = np.concatenate([[0.0], np.cumsum(reached[:-1])])
    packets = np.concatenate([[0.0], np.cumsum(reached[:-1] * sizes)])
    return Trains(
        number[doublings] + reached[doublings] * avoiding.number,
        packets[doublings] + reached[doublings] * avoiding.packets,
    )


@dataclass(frozen=True)
class AfterLoss:
    """Statistics of the σ − 1 packets behind the first loss, for loss windows σ = 1 … W_m."""

    timeout: Values
    """τ_σ, the probability of a timeout after a loss at the window σ (eq. 19)."""
    losses: Values
    """Mean number of losses among the σ − 1 packets after the first loss."""
    repairs: Values
    """Mean number of packets that fast recovery repairs: all losses, or 0 after a timeout."""


def after_loss(channel: Channel, largest: int, dupthresh: int) -> AfterLoss:
    """Return the statistics of arrivals and losses after the first loss of a window.

    Eq. (19) sums over all placements of the losses. Here the probabilities of j = 0, 1, … Ω − 1
    arrivals are computed each from the one before. good(n) and bad(n) are the probabilities that j
    of n packets arrive and that the channel is good, or bad, at the last of them.
    """
    sigma = np.arange(1, largest + 1)
    timeout, losses_at_timeout = np.zeros(largest), np.zeros(largest)
    good, bad = np.zeros(largest), np.zeros(largest)
    bad[0] = 1.0
    for arrivals in range(min(dupthresh, largest)):
        if arrivals:
            good = _delayed((1 - channel.alpha) * good + channel.beta * bad)
            bad = _delayed(channel.alpha * good)
        bad = _geometric_sums(bad, 1 - channel.beta)
        probability = good + bad
        timeout += probability
        losses_at_timeout += (sigma - arrivals) * probability
    losses = np.concatenate([[0.0], np.cumsum(channel.bad_after(sigma[:-1]))])
    repairs = np.where(sigma > dupthresh, 1 + losses - losses_at_timeout, 0.0)
    # Rounding errors could make the probability exceed 1, or a mean fall below 0.
    return AfterLoss(np.minimum(timeout, 1.0), losses, np.maximum(repairs, 0.0))


def _delayed(values: Values) -> Values:
    """Return the array shifted by one element, with 0 for the first."""
    return np.concatenate([[0.0], values[:-1]])


def _geometric_sums(values: Values, ratio: float) -> Values:
    """Return y with y(n) = values(n) + ratio · y(n − 1) and y = 0 before the first element."""
    sums = values.copy()
    reach = 1
    while reach < len(sums) and ratio > 0:
        sums[reach:] += ratio * sums[:-reach]
        ratio, reach = ratio * ratio, 2 * reach
    return sums


VARIANTS = ("oldtahoe", "tahoe", "newreno", "sack")
RECOVERING = ("newreno", "sack")
"""Variants with fast recovery. A cycle of these variants begins in congestion avoidance, or in slow
start if a timeout ended the cycle before."""


@dataclass(frozen=True)
class Cycle:
    """Mean quantities of a cycle from loss to loss, and the distribution of its loss window."""

    loss_window: Values
    """P(σ), the probability of a loss at the window σ, for σ = 1, 2, …"""
    trains: float
    """E[n₁], the mean number of trains up to and including the train with the loss."""
    packets: float
    """E[Q], the mean number of packets in all trains up to and including that with the loss."""
    recovery_trips: float
    """E[n₂], the mean number of round trips of fast recovery."""
    repairs: float
    """Mean number of packets that fast recovery retransmits."""
    timeout: float
    """P_τ, the probability that a cycle ends in a timeout (eq. 18)."""
    window: float
    """E[σ], the mean window at the loss in packets."""
    arrivals: float
    """Mean number of packets that arrive among the σ − 1 sent after the first loss."""


def stationary_cycle(
    channel: Channel,
    variant: str,
    largest: int,
    dupthresh: int,
    slow_start_packets: SlowStartPackets = as_proposition_1,
) -> Cycle:
    """Return the stationary cycle of a TCP variant with windows up to W_m = `largest`.

    The study describes OldTahoe and Tahoe. NewReno and SACK follow from the study's assumptions:
    repairs are never lost, nothing new is sent during repairs, a timeout leads to slow start, and a
    recovery ends at half the window. SACK repairs a window in one round trip, NewReno one packet
    per round trip.
    """
    windows = LossWindows(channel, windows_met(channel, largest), slow_start_packets)
    sigma = windows.window
    after = after_loss(channel, len(sigma), dupthresh)
    tau = np.ones(len(sigma)) if variant == "oldtahoe" else after.timeout
    slow = tau if variant in RECOVERING else np.ones(len(sigma))
    law = windows.stationary(slow)
    w = threshold(sigma) - 1
    starting = from_slow_start(channel, windows)
    avoiding = from_congestion_avoidance(windows)
    p_timeout = float(law @ tau)
    repairs = float(law @ after.repairs) if variant in RECOVERING else 0.0
    trips = {"newreno": repairs, "sack": 1 - p_timeout}.get(variant, 0.0)
    return Cycle(
        loss_window=law,
        trains=float(law @ (slow * starting.number[w] + (1 - slow) * avoiding.number[w])),
        packets=float(law @ (slow * starting.packets[w] + (1 - slow) * avoiding.packets[w])),
        recovery_trips=trips,
        repairs=repairs,
        timeout=p_timeout,
        window=float(law @ sigma),
        arrivals=float(law @ (sigma - 1 - after.losses)),
    )


def throughput_pps(
    cycle: Cycle, rtt_s: float, timeout_s: float, after_loss_packets: float, repairs: float
) -> float:
    """Return the throughput Δ = E[Q̂] / E[ζ] in packets/s (eqs 3, 4, 10).

    Q̂ is the number of packets of a cycle, ζ the duration of a cycle. `after_loss_packets` is E[ε],
    the mean packets between the loss and its detection, and `repairs` the packets of fast recovery.
    """
    packets = repairs + cycle.packets + after_loss_packets
    round_trips = cycle.trains + 1 + cycle.recovery_trips
    return packets / (round_trips * rtt_s + cycle.timeout * timeout_s)
