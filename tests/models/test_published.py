"""Numbers that others have published for the formulas, recomputed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tcpgoodput.models import MODELS
from tcpgoodput.models.literature.cardwell import slow_start_s
from tcpgoodput.models.literature.lakshman_madhow import throughput_pps as on_a_link_pps
from tcpgoodput.models.literature.pftk_approximation import approximate_send_rate_pps
from tcpgoodput.models.mathis.square_root import throughput_pps
from tcpgoodput.models.predict import predict
from tcpgoodput.simulator.simulation import Simulation
from tests.scenarios import scenario


@pytest.mark.parametrize(
    ("p", "window"), [(0.02, 8.3), (2e-4, 83.3), (2e-6, 833.3), (2e-8, 8333.3), (2e-10, 83333.3)]
)
def test_the_losses_of_rfc_3649_have_one_digit(p: float, window: float) -> None:
    """RFC 3649, table 1: losses at which Reno reaches 1 Mbit/s to 10 Gbit/s."""
    found = throughput_pps(p, 0.1) * 0.1
    assert found == pytest.approx(window, rel=0.05)
    assert f"{1.5 / window**2:.0e}" == f"{p:.0e}"


@pytest.mark.parametrize(
    ("mss_bytes", "rtt_s", "mbps", "calculators_mbps"),
    [(1460, 0.05, 9.05, 7.39), (1460, 0.03729, 12.13, 9.90)],
)
def test_calculators_on_the_web_use_c_of_one(
    mss_bytes: int, rtt_s: float, mbps: float, calculators_mbps: float
) -> None:
    path = {"rate_bps": 1e9, "forward_delay_s": rtt_s / 2, "backward_delay_s": rtt_s / 2}
    loss = {"process": "bernoulli", "probability": 1e-3}
    tcp = {"variant": "sack", "mss_bytes": mss_bytes}
    found = predict(MODELS["mathis"], scenario(tcp=tcp, path=path, loss=loss))
    assert found.goodput_bps is not None
    assert found.goodput_bps / 1e6 == pytest.approx(mbps, abs=0.01)
    assert found.goodput_bps / 1e6 / math.sqrt(1.5) == pytest.approx(calculators_mbps, abs=0.01)


@pytest.mark.parametrize(
    ("window_bytes", "rtt_s", "mbps"),
    [(65536, 0.1, 5.24), (65536, 0.025, 20.97), (65536, 0.07, 7.49), (16384, 0.025, 5.24)],
)
def test_a_window_per_round_trip_as_in_rfc_6349(
    window_bytes: int, rtt_s: float, mbps: float
) -> None:
    path = {"rate_bps": 1e12, "forward_delay_s": rtt_s / 2, "backward_delay_s": rtt_s / 2}
    tcp = {"mss_bytes": 1024, "max_window_packets": window_bytes // 1024}
    simulation = Simulation(scenario(tcp=tcp, path=path), np.random.default_rng(1))
    begin_s = 10.5 * rtt_s
    simulation.run(begin_s)
    before = simulation.counts.delivered
    simulation.run(begin_s + 100 * rtt_s)
    bits = 8 * 1024 * (simulation.counts.delivered - before)
    assert bits / (100 * rtt_s) / 1e6 == pytest.approx(mbps, abs=0.005)


@pytest.mark.parametrize(
    ("buffer_share", "utilisation"), [(0.2, 0.871), (0.5, 0.964), (0.8, 0.996), (1, 1)]
)
def test_the_utilisations_of_lakshman_and_madhow(buffer_share: float, utilisation: float) -> None:
    """The buffer is a share of the packets that the path holds: C τ, and one on the link."""
    found = on_a_link_pps(1000, 0.099, 100 * buffer_share) / 1000
    assert found == pytest.approx(utilisation, abs=5e-4)


@pytest.mark.parametrize(("p", "pps"), [(0.1, 9.7556), (0.3, 0.82732), (0.5, 0.21941)])
def test_the_minimum_in_the_approximation_of_padhye(p: float, pps: float) -> None:
    """The minimum is 0.581 at p = 0.1, and 1 above 8/27. R is 0.1 s, and T0 is 1 s."""
    assert approximate_send_rate_pps(p, 0.1, 1.0) == pytest.approx(pps, rel=2e-5)


@pytest.mark.parametrize(
    ("packets", "first", "b", "rounds"),
    [(7, 1, 1, 3.0), (60, 10, 1, 2.8074), (10, 1, 2, 4.4190), (20, 2, 2, 4.4190)],
)
def test_the_rounds_of_cardwells_slow_start(
    packets: float, first: float, b: int, rounds: float
) -> None:
    """Without a window limit, 7 packets take three rounds of 1, 2 and 4."""
    assert slow_start_s(packets, first, 0.1, b) / 0.1 == pytest.approx(rounds, abs=5e-5)
