"""Dimensionless quantities of a connection that can be measured and may explain errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.of_time import coherence_s, period_s
from tcpgoodput.scenario.loss import GilbertElliott
from tcpgoodput.scenario.physics import lost_share, mean_capacity_bps

INFINITE = 1e6
"""Finite value that represents an infinite window, buffer or time."""


@dataclass(frozen=True)
class Quantity:
    """A quantity of a connection that can be measured, such as its bandwidth-delay product."""

    symbol: str
    meaning: str
    of: Callable[[Scenario], float]


def _product(s: Scenario) -> float:
    return s.rate_pps * s.propagation_rtt_s


def _window(s: Scenario) -> float:
    return s.tcp.max_window_packets / _product(s) if s.tcp.max_window_packets else INFINITE


def _buffer(s: Scenario) -> float:
    return s.path.buffer_packets / _product(s) if s.path.buffer_packets else INFINITE


def _loss(s: Scenario) -> float:
    return s.loss.bad_share if isinstance(s.loss, GilbertElliott) else lost_share(s)


def _burst(s: Scenario) -> float:
    """Return the mean length of a loss burst in packets or slots; 0 without loss."""
    if isinstance(s.loss, GilbertElliott):
        return 1 / s.loss.bad_to_good
    return 1.0 if lost_share(s) else 0.0


def _loss_window(s: Scenario) -> float:
    p, product = _loss(s), _product(s)
    if not p:
        return INFINITE
    allowed = min(product * (1 + _buffer(s)), product * _window(s))
    return min(math.sqrt(8 / (3 * s.tcp.packets_per_increment * p)) / allowed, INFINITE)


def _late(s: Scenario) -> float:
    """Return how many packets overtake a hand-off's late packets; infinite for lost packets."""
    if not s.handoffs:
        return 0.0
    return INFINITE if s.handoffs.late_s is None else s.handoffs.late_s * s.rate_pps


REPAIRS = {"newreno": 2.0, "sack": 2.0, "cubic": 2.0, "bbr": 2.0, "reno": 1.0}
"""How many losses of a window a variant of TCP can repair: 2: several, 1: one; others: none."""

QUANTITIES: dict[str, Quantity] = {
    "product": Quantity("$CR$", "bandwidth-delay product in packets", _product),
    "window": Quantity("$W_m/CR$", "receiver window over the bandwidth-delay product", _window),
    "buffer": Quantity("$B/CR$", "buffer over the bandwidth-delay product", _buffer),
    "room": Quantity(
        "$W_m/(CR+B)$",
        "receiver window over the largest window that path and buffer hold",
        lambda s: _window(s) / (1 + _buffer(s)),
    ),
    "timeout": Quantity(
        "$T_0/R$", "smallest RTO over the round trip", lambda s: s.timeout_s / s.propagation_rtt_s
    ),
    "ack_every": Quantity("$b$", "packets per ACK", lambda s: s.tcp.ack_every),
    "repairs": Quantity(
        "repair",
        "number of losses in a window that the sender can repair: none, one, several",
        lambda s: REPAIRS.get(s.tcp.variant, 0.0),
    ),
    "cubic": Quantity(
        "CUBIC", "the sender's window grows with time", lambda s: float(s.tcp.variant == "cubic")
    ),
    "loss": Quantity("$p$", "share of packets or slots lost on the link", _loss),
    "burst": Quantity("$1/\\beta$", "length of a burst of losses", _burst),
    "loss_window": Quantity(
        "$\\sqrt{8/3bp}/W$",
        "square-root law's window over the largest window that path, buffer and receiver allow",
        _loss_window,
    ),
    "spike": Quantity(
        "$D/T_0$",
        "delay spike over the smallest RTO",
        lambda s: s.spikes.duration.mean_s / s.timeout_s if s.spikes else 0.0,
    ),
    "blocked": Quantity(
        "$D/I$",
        "share of time in delay spikes",
        lambda s: s.spikes.duration.mean_s / s.spikes.interval.mean_s if s.spikes else 0.0,
    ),
    "handoff_every": Quantity(
        "$A_h/R$",
        "round trips between hand-offs",
        lambda s: s.handoffs.interval_s / s.propagation_rtt_s if s.handoffs else INFINITE,
    ),
    "handoff_hit": Quantity(
        "$d/CR$",
        "packets that a hand-off affects over the bandwidth-delay product",
        lambda s: s.handoffs.packets / _product(s) if s.handoffs else 0.0,
    ),
    "handoff_late": Quantity(
        "$\\Delta C$", "number of packets that overtake the late packets of a hand-off", _late
    ),
    "capacity_depth": Quantity(
        "$\\hat C/\\bar C$",
        "peak over mean capacity",
        lambda s: s.path.rate_bps / mean_capacity_bps(s),
    ),
    "capacity_change": Quantity(
        "$T_c/R$",
        "period or coherence time of the capacity in round trips",
        lambda s: max(period_s(s), coherence_s(s)) / s.propagation_rtt_s if s.capacity else 0.0,
    ),
    "transfer": Quantity(
        "$N/CR$",
        "packets of a finite transfer over the bandwidth-delay product",
        lambda s: s.tcp.transfer_packets / _product(s) if s.tcp.transfer_packets else INFINITE,
    ),
}
"""All quantities by name, in the order in which tables show them."""


def quantities_of(scenario: Scenario) -> dict[str, float]:
    """Return the value of every quantity of a connection."""
    return {name: float(quantity.of(scenario)) for name, quantity in QUANTITIES.items()}
