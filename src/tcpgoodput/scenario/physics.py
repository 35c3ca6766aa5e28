"""Quantities that follow from a scenario alone, independent of models and simulators."""

from __future__ import annotations

from collections.abc import Callable

from tcpgoodput.scenario.capacity.trace import mean_of_trace_bps
from tcpgoodput.scenario.loss import LOSS_KINDS
from tcpgoodput.scenario.types import SMALLEST, Undefined
from tcpgoodput.scenario.vocabulary import Scenario, Trace

LINK_RETRANSMISSION = "link retransmission"
"""Name of the impairment by a link that repeats failed frames (`arq`)."""

_EXISTS: dict[str, Callable[[Scenario], bool]] = {
    LINK_RETRANSMISSION: lambda scenario: scenario.arq is not None and scenario.arq.repeats,
    "delay spikes": lambda scenario: scenario.spikes is not None,
    "hand-offs": lambda scenario: scenario.handoffs is not None,
    "varying capacity": lambda scenario: scenario.capacity is not None,
    "varying delay": lambda scenario: scenario.delay is not None,
    "a finite transfer": lambda scenario: scenario.tcp.transfer_packets is not None,
}

IMPAIRMENTS = LOSS_KINDS | _EXISTS.keys()
"""The names of all impairments that a scenario can have."""


def impairments(scenario: Scenario) -> frozenset[str]:
    """Return the names of a scenario's impairments, such as "delay spikes"; empty if none."""
    lost = [scenario.loss.impairment] if scenario.loss.impairment else []
    return frozenset([*lost, *(name for name, exists in _EXISTS.items() if exists(scenario))])


def differing_impairments(scenario: Scenario) -> frozenset[str]:
    """Return the names of the impairments that can differ between replications.

    All can, by random numbers or by the phase of a periodic process, except a finite transfer and
    losses that are not random.
    """
    loss = scenario.loss
    fixed = {"a finite transfer"} if loss.is_random else {"a finite transfer", loss.impairment}
    return impairments(scenario) - fixed


def mean_capacity_bps(scenario: Scenario) -> float:
    """Return the mean capacity in bit/s, the reference of utilisation.

    Raises:
        Undefined: the mean capacity of a trace is below `SMALLEST`, that is, almost zero.

    """
    if scenario.capacity is None:
        return scenario.path.rate_bps
    if isinstance(scenario.capacity, Trace):
        mean_bps = mean_of_trace_bps(scenario.capacity.file)
        if mean_bps < SMALLEST:
            raise Undefined(
                f"the trace's mean capacity is {mean_bps:.3g} bit/s, which is too small"
            )
        return mean_bps
    return scenario.capacity.mean_capacity_bps


def delivered_limit_pps(scenario: Scenario) -> float:
    """Return the rate in packets/s at which packets arrive if the path always sends.

    The result is the mean capacity, less what the losses after the link take. On a link that
    retransmits, each packet that leaves the link needs an attempt that succeeds.

    Raises:
        Undefined: see `mean_capacity_bps`.

    """
    sent_pps = mean_capacity_bps(scenario) / scenario.packet_bits
    if scenario.loss.place == "after":
        sent_pps *= 1 - lost_share(scenario)
    if scenario.arq is not None:
        sent_pps *= 1 - scenario.arq.error_share
    return sent_pps


def window_limit_pps(scenario: Scenario) -> float:
    """Return the goodput limit by the receiver window, in packets/s; infinite without a window.

    The limit is the receiver window per propagation round trip.
    """
    window = scenario.tcp.max_window_packets
    return float("inf") if window is None else window / scenario.propagation_rtt_s


def lost_share(scenario: Scenario) -> float:
    """Return the share of packets that the loss process loses, from 0 to 1.

    The result is also 0 if the share depends on the times at which the sender sends packets.
    """
    return scenario.loss.lost_share
