"""Curve of the saw-tooth of cwnd from which the square-root formula follows."""

from __future__ import annotations

import numpy as np

from tcpgoodput.models.losses import peak_window_packets
from tcpgoodput.models.registry import Curve, curve
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli


@curve("mathis")
def window_sawtooth(scenario: Scenario, *, teeth: int = 3) -> Curve:
    """Return cwnd in packets against time in round trips, over whole teeth of the saw-tooth.

    Landmarks (positions that a figure can mark): `W` (peak), `half` (W/2), `mean` (3W/4), `period`
    (round trips of a tooth), `area` (packets sent in a tooth).
    """
    if not isinstance(scenario.loss, Bernoulli) or scenario.loss.probability == 0:
        raise ValueError("window_sawtooth needs loss: {process: bernoulli}, probability above 0")
    if teeth < 1:
        raise ValueError("teeth must be at least 1")
    per_ack = scenario.tcp.ack_every
    peak = peak_window_packets(scenario.loss.probability, per_ack)
    period = per_ack * peak / 2
    starts = period * np.arange(teeth)
    x = np.repeat(starts, 2) + np.tile([0, period], teeth)
    y = np.tile([peak / 2, peak], teeth)
    landmarks = {
        "W": peak,
        "half": peak / 2,
        "mean": 0.75 * peak,
        "period": period,
        "area": per_ack * 3 * peak**2 / 8,
    }
    return Curve(x, y, "RTT", "packets", landmarks)
