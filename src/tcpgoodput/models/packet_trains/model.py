"""The packet-train model of OldTahoe, Tahoe, NewReno and SACK over a bursty channel."""

from __future__ import annotations

import math
from typing import ClassVar

from tcpgoodput.models.base import Conditions, Model, Undefined
from tcpgoodput.models.packet_trains.channel import Channel
from tcpgoodput.models.packet_trains.cycle import (
    AfterLoss,
    arrivals_only,
    cycle,
    throughput_pps,
    whole_window,
)
from tcpgoodput.models.packet_trains.trains import Trains, consistent_trains, whole_trains
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott

VARIANTS = ("oldtahoe", "tahoe", "newreno", "sack")
LARGEST_WINDOW = 3000
"""Packets: the chain has as many states, and costs their cube."""


def channel_of(scenario: Scenario) -> Channel:
    """Return the channel of a scenario; independent loss is the one with α = p, β = 1 − p."""
    loss = scenario.loss
    if isinstance(loss, GilbertElliott):
        if loss.good_to_bad == 1:
            raise Undefined("good_to_bad is 1: no two packets of a train arrive in a row")
        return Channel(loss.good_to_bad, loss.bad_to_good)
    p = loss.probability if isinstance(loss, Bernoulli) else 0.0
    return Channel(p, 1 - p)


def largest_window_packets(scenario: Scenario) -> int:
    """Return W_m = μT + 1, at most the receiver window.

    μT is rounded, not cut: it is meant to be whole, and comes out of floats as 7.999…
    """
    product = scenario.rate_pps * scenario.propagation_rtt_s
    largest = round(min(product, 1e15)) + 1
    window = scenario.tcp.max_window_packets
    return largest if window is None else min(largest, window)


def windows_met(channel: Channel, largest: int) -> int:
    """Return W_m, or a smaller window that a cycle reaches with a probability below 1e−35.

    Growing from W/2 to W takes 3W²/8 packets without loss, and (1 − α)^(3W²/8) is that small
    where W² = 214/α.
    """
    if channel.alpha == 0:
        return largest
    return min(largest, math.ceil(math.sqrt(214 / channel.alpha)) + 2)


class _PacketTrains(Model):
    source = "packet_trains"
    citation = "anjum2003"
    inputs = (
        "tcp.variant",
        "tcp.mss_bytes",
        "tcp.header_bytes",
        "tcp.max_window_packets",
        "tcp.dupthresh",
        "tcp.rto",
        "path.rate_bps",
        "path.forward_delay_s",
        "path.backward_delay_s",
        "loss",
    )
    handles = frozenset({"independent loss", "bursty loss"})
    trains: ClassVar[Trains]
    after_loss: ClassVar[AfterLoss]

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return Δ of the scenario's TCP variant."""
        variant = scenario.tcp.variant
        if variant not in VARIANTS:
            raise Undefined(f"describes {', '.join(VARIANTS)}, not {variant}")
        channel = channel_of(scenario)
        largest = windows_met(channel, largest_window_packets(scenario))
        if largest > LARGEST_WINDOW:
            raise Undefined(
                f"windows up to {largest} packets are met, and the chain of loss windows has a "
                f"state for each ({LARGEST_WINDOW} at most)"
            )
        means = cycle(channel, variant, largest, scenario.tcp.dupthresh, type(self).trains)
        return throughput_pps(
            means,
            channel,
            variant,
            scenario.propagation_rtt_s,
            scenario.timeout_s,
            type(self).after_loss,
        )

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Say where the channel's clock or the receiver's ACKs are others than the model's."""
        if isinstance(scenario.loss, GilbertElliott) and scenario.loss.clock == "packet":
            return "the channel's clock counts packets: it stands still while the sender waits"
        if scenario.tcp.ack_every > 1:
            return "windows grow by one packet per round trip only with an ACK per packet"
        return None


@register
class PacketTrains(_PacketTrains):
    """The source's model: Propositions 1–4 as they stand, and E[ε] = E[σ]."""

    name = "packet_trains"
    title = "Packet trains and loss windows"
    domain = (
        "loss in bursts or independent, per packet time; an ACK per packet; no queue: "
        "a window above the bandwidth-delay product is lost"
    )
    trains = whole_trains
    after_loss = whole_window


@register
class TrainConsistent(_PacketTrains):
    """Packet counts that agree with Proposition 1: the last train of slow start is cut."""

    name = "packet_trains.train_consistent"
    title = "Packet trains, consistent slow start"
    domain = "as packet_trains"
    trains = consistent_trains
    after_loss = whole_window


@register
class CountingSuccesses(_PacketTrains):
    """After the loss, only what arrives counts."""

    name = "packet_trains.counting_successes"
    title = "Packet trains, arrivals after the loss"
    domain = "as packet_trains"
    trains = whole_trains
    after_loss = arrivals_only
