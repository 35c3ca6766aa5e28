"""Curves of the packets sent in a cycle from loss to loss, and of the windows at a loss."""

from __future__ import annotations

import numpy as np

from tcpgoodput.models.packet_trains.cycle import VARIANTS, stationary_cycle
from tcpgoodput.models.packet_trains.loss_window import slow_start_trains
from tcpgoodput.models.packet_trains.model import channel_of, largest_window_packets
from tcpgoodput.models.registry import Curve, curve
from tcpgoodput.scenario import Scenario


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
