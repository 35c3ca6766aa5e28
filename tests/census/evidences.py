"""Synthetic measured connections for which it is known which model predicts best."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.quantities import QUANTITIES

COUNT = 2000


def evidence(near: float = 0.01, far: float = 0.4) -> Evidence:
    """Return connections on which model `one` is better at low loss, and `other` at high loss.

    The better model has the error `near` or `-near`, the other model `far` or `-far`. An error is
    ln(predicted / measured goodput).
    """
    random = np.random.default_rng(7)
    connections = pd.DataFrame({name: np.zeros(COUNT) for name in QUANTITIES})
    connections["loss"] = random.random(COUNT)
    connections["product"] = random.random(COUNT)  # no model's error depends on this quantity
    connections["point"] = np.arange(COUNT)
    connections["impairments"] = np.where(random.random(COUNT) < 0.5, "loss", "nothing")
    connections["variant"], connections["path"] = "newreno", "same"
    connections["goodput_pps"] = 100.0
    connections["half_width"] = 0.02
    connections["packets"] = 1000
    little = connections["loss"] <= 0.3
    errors = pd.DataFrame(
        {
            "one": np.where(little, near, far) * random.choice([-1, 1], COUNT),
            "other": np.where(little, far, near) * random.choice([-1, 1], COUNT),
        }
    )
    statuses = errors.apply(lambda column: column.map(lambda _: "native"))
    return Evidence(connections, errors, statuses, errors, statuses, connections)
