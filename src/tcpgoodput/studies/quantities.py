"""Quantities on the y axis of figures: name, unit, and computation from the goodput."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps


@dataclass(frozen=True)
class Quantity:
    """A quantity, such as a transfer time, that is computed from a goodput in packets/s."""

    name: str
    title: str
    """Name of the quantity without its unit, for the label of an axis."""
    unit: str
    at: Callable[[Scenario, float], float]
    """Function that computes the quantity from a scenario and a goodput in packets/s."""


def _transfer_s(scenario: Scenario, goodput_pps: float) -> float:
    packets = scenario.tcp.transfer_packets or math.inf
    return packets / goodput_pps if goodput_pps > 0 else math.inf


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity("goodput_bps", "goodput", "bit/s", lambda s, pps: 8 * s.tcp.mss_bytes * pps),
        Quantity("goodput_kbps", "goodput", "kbit/s", lambda s, pps: 8e-3 * s.tcp.mss_bytes * pps),
        Quantity("goodput_Mbps", "goodput", "Mbit/s", lambda s, pps: 8e-6 * s.tcp.mss_bytes * pps),
        Quantity("goodput_kBps", "goodput", "kB/s", lambda s, pps: 1e-3 * s.tcp.mss_bytes * pps),
        Quantity("goodput_MBps", "goodput", "MB/s", lambda s, pps: 1e-6 * s.tcp.mss_bytes * pps),
        Quantity("goodput_pps", "goodput", "packets/s", lambda s, pps: pps),
        Quantity(
            "utilisation",
            "utilisation",
            "1",
            lambda s, pps: 8 * s.tcp.mss_bytes / mean_capacity_bps(s) * pps,
        ),
        Quantity("transfer_s", "transfer time", "s", _transfer_s),
    )
}
