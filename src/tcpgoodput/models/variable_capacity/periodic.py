"""The study's analysis of a sinusoidal capacity while the buffer is busy (section III-B)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Sinusoid

Times = NDArray[np.float64] | float


@dataclass(frozen=True)
class PeriodicLink:
    """Link with the capacity C(t) = C_0 + C_1 + C_1 cos(2πFt + φ_0), and its delays."""

    lowest_pps: float
    """C_0, the lowest capacity."""
    swing_pps: float
    """C_1, half the swing of the capacity."""
    frequency_hz: float
    """F."""
    phase: float
    """φ_0 in radians."""
    forward_s: float
    """T_fm, the delay from sender to buffer."""
    backward_s: float
    """T_bm, the delay from the buffer back to the sender."""

    @classmethod
    def of(cls, scenario: Scenario) -> PeriodicLink:
        """Return the link of a scenario whose capacity is a sine, written as a shifted cosine."""
        capacity = scenario.capacity
        if not isinstance(capacity, Sinusoid):
            raise ValueError("the periodic analysis needs capacity: {process: sinusoid}")
        return cls(
            lowest_pps=capacity.min_bps / scenario.packet_bits,
            swing_pps=(capacity.max_bps - capacity.min_bps) / 2 / scenario.packet_bits,
            frequency_hz=capacity.frequency_hz,
            phase=-math.pi / 2,
            forward_s=scenario.path.forward_delay_s,
            backward_s=scenario.path.backward_delay_s,
        )

    @property
    def rtt_s(self) -> float:
        """The round trip T_m in seconds."""
        return self.forward_s + self.backward_s

    @property
    def mean_pipe_packets(self) -> float:
        """The mean bandwidth-delay product (C_0 + C_1) T_m in packets."""
        return (self.lowest_pps + self.swing_pps) * self.rtt_s


def acknowledged_pipe(link: PeriodicLink, t: Times, start_s: float, delay_s: float) -> Times:
    """Return f(t) in packets by the corrected equation (10), for times t in seconds.

    f(t) is the round trip T_m times the mean of the capacity C(t - `delay_s`) since `start_s`.
    `delay_s` is T_bm for the window at the sender, or T_m for the window that the buffer sees.
    """
    turns = link.frequency_hz * (t - start_s)
    angle = np.pi * link.frequency_hz * (t + start_s - 2 * delay_s) + link.phase
    return link.mean_pipe_packets + link.swing_pps * link.rtt_s * np.sinc(turns) * np.cos(angle)


def acknowledged_pipe_printed(
    link: PeriodicLink, t: Times, start_s: float, delay_s: float
) -> Times:
    """Return f(t) by the printed equation (10): twice the angle, and no delay of ACKs."""
    turns = link.frequency_hz * (t - start_s)
    angle = 2 * np.pi * link.frequency_hz * (t + start_s) + link.phase
    return link.mean_pipe_packets + link.swing_pps * link.rtt_s * np.sinc(turns) * np.cos(angle)


def window(link: PeriodicLink, t: Times, start_s: float, start_window: float, pipe: Times) -> Times:
    """Return the window √(W²(t_0) + 2 (t - t_0) f(t)/T_m) in packets by eq. (9), f being `pipe`."""
    return np.sqrt(start_window**2 + 2 * (t - start_s) / link.rtt_s * pipe)


def last_round_trip(link: PeriodicLink, t: Times) -> Times:
    """Return g(t), the packets that a busy link carries in the round trip before t, by eq. (11)."""
    angle = 2 * np.pi * link.frequency_hz * (t - link.rtt_s / 2) + link.phase
    swing = link.swing_pps * link.rtt_s * np.sinc(link.frequency_hz * link.rtt_s)
    return link.mean_pipe_packets + swing * np.cos(angle)


def queue(link: PeriodicLink, t: Times, start_s: float, start_window: float) -> Times:
    """Return the queue Q(t) = W̃(t) - g(t) in packets while the buffer is busy.

    W̃ is the window that the buffer sees, with the value `start_window` at `start_s`.
    """
    pipe = acknowledged_pipe(link, t, start_s, link.rtt_s)
    return window(link, t, start_s, start_window, pipe) - last_round_trip(link, t)


def queue_bound(link: PeriodicLink, t: Times, start_s: float, start_window: float) -> Times:
    """Return an upper bound on the queue in packets if a round trip has a whole number of periods.

    Then the packets that the link carries in a round trip do not depend on t.
    """
    n = link.frequency_hz * link.rtt_s
    grown = 2 * (link.lowest_pps + link.swing_pps) * (t - start_s)
    oscillation = 2 * link.swing_pps * link.rtt_s / (n * np.pi)
    return np.sqrt(start_window**2 + grown + oscillation) - link.mean_pipe_packets
