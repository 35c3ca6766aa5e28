"""A periodic capacity is simulated as steps of constant capacity with a few packets each."""

from __future__ import annotations

import numpy as np
import pytest

from tcpgoodput.simulator.channel.capacity import fill_capacity
from tcpgoodput.simulator.channel.state import new_channel
from tcpgoodput.simulator.compiled import TICKS_PER_S
from tests.scenarios import scenario


@pytest.mark.parametrize("packets", [100, 300, 1000, 3000, 16_000, 50_000, 1e6])
def test_a_step_of_a_sinusoid_has_four_to_eight_packets(packets: float) -> None:
    """At the peak rate, a step of a sinusoidal capacity carries four to eight packets.

    Exceptions: a short period has 32 to 64 steps, however few packets they carry, and a long period
    has at most 4096 steps. At the peak rate, the tested periods carry 100 to a million packets.
    """
    rate_bps = 8e6
    request = scenario(path={"rate_bps": rate_bps})
    frequency_hz = request.rate_pps / packets
    capacity = {"process": "sinusoid", "min_bps": 2e6, "max_bps": rate_bps}
    request = scenario(
        path={"rate_bps": rate_bps}, capacity={**capacity, "frequency_hz": frequency_hz}
    )
    stream = np.random.default_rng(1)
    channel = new_channel(request, stream, phase=0.0)[0]
    ticks = fill_capacity(channel, request, stream, phase=0.0)
    most = min(max(64, packets / 4), 4096)
    assert most / 2 < ticks.size <= most
    carried_bps = request.packet_bits * TICKS_PER_S / ticks
    assert carried_bps.mean() == pytest.approx((2e6 + rate_bps) / 2, rel=1e-6)
