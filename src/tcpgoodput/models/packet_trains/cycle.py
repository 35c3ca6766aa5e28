"""A cycle's packets and duration, and the throughput that follows (eqs 3, 4, 10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.packet_trains import loss_window, timeout
from tcpgoodput.models.packet_trains.channel import Channel
from tcpgoodput.models.packet_trains.trains import (
    Trains,
    avoidance_trains,
    mean_trains_and_packets,
)

AfterLoss = Callable[[Channel, NDArray[np.float64]], float]
"""From the channel and the law of the loss window to E[ε], packets sent after the loss."""

RECOVERING = ("newreno", "sack")


@dataclass(frozen=True)
class Cycle:
    """Mean values of a cycle, and the law of the window at which it ends."""

    loss_window: NDArray[np.float64]
    """P(σ) for σ = 1 … W_m."""
    trains: float
    """E[n₁]."""
    packets: float
    """E[Q]: packets of the trains, the lossy one included."""
    repairs: float
    """E[n₂]: round trips of fast recovery."""
    timeout: float
    """P_τ (eq. 18)."""


def cycle(
    channel: Channel, variant: str, largest: int, dupthresh: int, slow_start: Trains
) -> Cycle:
    """Return the stationary cycle of a TCP variant.

    OldTahoe and Tahoe start every cycle in slow start. NewReno and SACK do so after a timeout, and
    start in congestion avoidance after fast recovery; their repairs are never lost and no new data
    is sent meanwhile, as the source assumes.
    """
    few = timeout.few_successes(channel, largest, dupthresh)
    tau = np.ones(largest) if variant == "oldtahoe" else timeout.timeout_probability(few)
    restart = tau if variant in RECOVERING else np.ones(largest)  # P(slow start follows | σ)
    w = loss_window.threshold(np.arange(1, largest + 1))
    started = [_started(channel, int(value), largest, slow_start) for value in np.unique(w)]
    index = w - 1
    rows = [np.array([start[kind].row for start in started])[index] for kind in (0, 1)]
    law = loss_window.stationary(restart[:, None] * rows[0] + (1 - restart)[:, None] * rows[1])
    after_timeout, after_recovery = law * restart, law * (1 - restart)

    def mean(name: str) -> float:
        values = np.array([[getattr(start[kind], name) for kind in (0, 1)] for start in started])
        return float(after_timeout @ values[index, 0] + after_recovery @ values[index, 1])

    p_timeout = float(law @ tau)
    repairs = {
        "newreno": float(law @ timeout.mean_repairs(channel, few)),
        "sack": 1 - p_timeout,
    }.get(variant, 0.0)
    return Cycle(law, mean("trains"), mean("packets"), repairs, p_timeout)


@dataclass(frozen=True)
class _Start:
    row: NDArray[np.float64]
    trains: float
    packets: float


def _started(channel: Channel, w: int, largest: int, slow_start: Trains) -> tuple[_Start, _Start]:
    """Return what a cycle does that starts in slow start, or in congestion avoidance, at w."""
    slow = mean_trains_and_packets(channel, slow_start(w, largest))
    avoiding = mean_trains_and_packets(channel, avoidance_trains(w, largest))
    return (
        _Start(loss_window.from_slow_start(channel, w, largest), *slow),
        _Start(loss_window.from_congestion_avoidance(channel, w, largest), *avoiding),
    )


def throughput_pps(
    means: Cycle, channel: Channel, variant: str, rtt_s: float, timeout_s: float, after: AfterLoss
) -> float:
    """Return Δ = E[Q̂] / E[ζ] in packets per second (eqs 3, 4, 10)."""
    packets = means.repairs + means.packets + after(channel, means.loss_window)
    recovery = means.repairs if variant in RECOVERING else 0.0
    duration_s = (means.trains + 1 + recovery) * rtt_s + means.timeout * timeout_s
    return packets / duration_s


def whole_window(channel: Channel, law: NDArray[np.float64]) -> float:
    """Return E[ε] = E[σ], as the source takes it: the loss window once more."""
    return float(law @ np.arange(1, len(law) + 1))


def arrivals_only(channel: Channel, law: NDArray[np.float64]) -> float:
    """Return E[ε] as the packets that arrive among the σ − 1 sent after the loss."""
    sigma = np.arange(1, len(law) + 1)
    return float(law @ (sigma - 1 - timeout.mean_further_losses(channel, len(law))))
