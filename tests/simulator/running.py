"""Simulations up to a time, and the counts between two times, for the tests of the simulator."""

from __future__ import annotations

from typing import Any

import numpy as np

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.simulation import Counts, Simulation


def run(request: Scenario, until_s: float, seed: int = 1, **options: Any) -> Simulation:
    simulation = Simulation(request, np.random.default_rng(seed), **options)
    simulation.run(until_s)
    return simulation


def counted(simulation: Simulation, begin_s: float, end_s: float) -> Counts:
    simulation.run(begin_s)
    before = simulation.counts
    simulation.run(end_s)
    return simulation.counts - before
