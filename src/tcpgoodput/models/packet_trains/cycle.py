"""A cycle's packets and duration, and the throughput that follows (eqs 3, 4, 10)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tcpgoodput.models.packet_trains.channel import Channel, Values
from tcpgoodput.models.packet_trains.loss_window import (
    LossWindows,
    SlowStartPackets,
    as_proposition_1,
    threshold,
    windows_met,
)
from tcpgoodput.models.packet_trains.timeout import after_loss
from tcpgoodput.models.packet_trains.trains import from_congestion_avoidance, from_slow_start

VARIANTS = ("oldtahoe", "tahoe", "newreno", "sack")
RECOVERING = ("newreno", "sack")
"""Variants with fast recovery, whose cycles begin in congestion avoidance unless timed out."""


@dataclass(frozen=True)
class Cycle:
    """Means of a stationary cycle, and the law of the window at which it meets its loss."""

    loss_window: Values
    """P(σ) for σ = 1, 2, …"""
    trains: float
    """E[n₁], trains up to and with the lossy one."""
    packets: float
    """E[Q], packets of these trains."""
    repairs: float
    """E[n₂], round trips of fast recovery."""
    timeout: float
    """P_τ (eq. 18)."""
    window: float
    """E[σ]."""
    arrivals: float
    """Mean packets that arrive among the σ − 1 sent after the first loss."""


def stationary_cycle(
    channel: Channel,
    variant: str,
    largest: int,
    dupthresh: int,
    slow_start_packets: SlowStartPackets = as_proposition_1,
) -> Cycle:
    """Return the stationary cycle of a TCP variant with windows up to `largest`.

    The source spells out OldTahoe and Tahoe. NewReno and SACK follow from its assumptions: repairs
    are never lost, nothing new is sent meanwhile, a timeout starts slowly, a recovery at half the
    window. SACK repairs a window in one round trip, NewReno one packet per round trip.
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
    match variant:
        case "newreno":
            repairs = float(law @ after.repairs)
        case "sack":
            repairs = 1 - p_timeout
        case _:
            repairs = 0.0
    return Cycle(
        loss_window=law,
        trains=float(law @ (slow * starting.number[w] + (1 - slow) * avoiding.number[w])),
        packets=float(law @ (slow * starting.packets[w] + (1 - slow) * avoiding.packets[w])),
        repairs=repairs,
        timeout=p_timeout,
        window=float(law @ sigma),
        arrivals=float(law @ (sigma - 1 - after.losses)),
    )


def throughput_pps(
    cycle: Cycle, rtt_s: float, timeout_s: float, after_loss_packets: float
) -> float:
    """Return Δ = E[Q̂] / E[ζ] in packets per second (eqs 3, 4, 10).

    `after_loss_packets` is E[ε], the packets that count between the loss and its detection.
    """
    packets = cycle.repairs + cycle.packets + after_loss_packets
    return packets / ((cycle.trains + 1 + cycle.repairs) * rtt_s + cycle.timeout * timeout_s)
