"""A fluid of BBR over any capacity C(t), computed in time steps; a model of this project.

The fluid is that of the packet sender without packets. The bandwidth is the largest delivery rate
of ten round trips; the pacing rate is 0.99 times bandwidth and gain, where the gains 5/4, 3/4 and
six times 1 take a round trip each; and at most twice what the path holds at this bandwidth is in
flight. The path is a buffer with drop-tail between two delays, as in `variable_capacity.fluid`.
Every ten seconds four packets are in flight for 200 ms (PROBE_RTT). Start-up, recovery, timeouts
and the policer's estimate are left out: lost data reduce nothing, and are sent again.
"""

from __future__ import annotations

import math

import numpy as np

from tcpgoodput.answers import Conditions, Estimate, Precision, Undefined
from tcpgoodput.models.base import LINK, PACKET, Condition, Model
from tcpgoodput.models.bbr.random_loss import (
    BBR_SENDER,
    PASSES_BURSTS,
    PROBE_RTT_EVERY_S,
    PROBE_RTT_S,
)
from tcpgoodput.models.registry import register
from tcpgoodput.models.variable_capacity.fluid import capacity_range_pps, mean_of
from tcpgoodput.models.variable_capacity.runs import STEPS_PER_BLOCK, grid_of
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.capacity.of_time import capacity_steps, coherence_s, period_s
from tcpgoodput.scenario.physics import mean_capacity_bps

MOST_STEPS = 10_000_000
"""Largest number of time steps of a prediction over all its replications; computing them takes two
to three seconds."""

BURSTS_OF_ROOM = 6.0
"""Packets of the window beyond twice what the path holds: three bursts of two packets."""

WARM_UP_S, WARM_UP_ROUND_TRIPS = 12.0, 100
"""Smallest warm-up, in seconds and in round trips: until after a PROBE_RTT. Chosen by hand."""

MEASURED_S, MEASURED_ROUND_TRIPS = 60.0, 1000
"""Smallest measured time in seconds and in round trips. Chosen by hand."""

TURNS: dict[Precision, int] = {"draft": 10, "paper": 40}
"""Measured time in units of the capacity's period or coherence time. Chosen by hand."""

REPLICATIONS = 4
"""Number of replications if the capacity is random."""


def _outage_s(scenario: Scenario) -> float:
    """Return the time in which the smallest capacity carries a packet; infinite if it is 0."""
    least_pps, _ = capacity_range_pps(scenario)
    return 1 / least_pps if least_pps > 0 else math.inf


def _overflow_packets(scenario: Scenario) -> float:
    """Return the packets that a fall of the capacity leaves without room in path and buffer.

    The window is that of the largest capacity: twice what the path then holds, and three bursts.
    """
    if scenario.capacity is None:
        return 0.0
    rtt_s = scenario.propagation_rtt_s
    least_pps, most_pps = capacity_range_pps(scenario)
    window = 2 * most_pps * rtt_s + BURSTS_OF_ROOM
    window = min(window, scenario.tcp.max_window_packets or math.inf)
    buffer = scenario.path.buffer_packets or math.inf
    return max(0.0, window - least_pps * rtt_s - buffer)


@register
class BbrFluid(Model):
    """BBR over a varying capacity: bandwidth filter, gain cycle, window and buffer as a fluid."""

    name = "bbr.fluid"
    title = "BBR fluid"
    equation = (
        "λ(t) = 0.99 g(t) b(t) for the sent rate, b(t): largest delivery rate of ten round trips, "
        "g: gains 5/4, 3/4, 1, …, 1; in flight at most 2 b T_m; dQ/dt = λ - C(t) for the queue. X "
        "is the mean rate that the link carries. C(t): capacity; T_m: propagation round trip."
    )
    source = "literature"
    citation = "cardwell2016"
    inputs = (
        "tcp.variant",
        *PACKET,
        "tcp.max_window_packets",
        *LINK,
        "path.buffer_packets",
        "capacity",
    )
    domain = (
        "BBR version 1 over any capacity C(t) that is never close to zero, with a buffer of about "
        "twice the largest bandwidth-delay product; a model of this project"
    )
    conditions = (
        BBR_SENDER,
        PASSES_BURSTS,
        Condition(
            "a capacity that carries a packet within a quarter of the smallest timeout",
            "derivation",
            "timeouts are left out: four packets, the smallest window, must pass in this time",
            lambda s, _: (
                4 * _outage_s(s) > s.timeout_s
                and "the capacity falls so low that four packets take longer than the smallest "
                "timeout; the model has no timeouts"
            ),
        ),
        Condition(
            "a buffer that holds the window of the largest capacity when the capacity falls",
            "derivation",
            "otherwise a fall overflows the buffer; the losses of several falls may look like a "
            "policer's, which is left out",
            lambda s, _: (
                (packets := _overflow_packets(s)) > 0
                and f"a fall of the capacity can overflow the buffer by {packets:.3g} packets; the "
                "sender may take this for a policer, which the model leaves out"
            ),
        ),
    )
    handles = frozenset({"varying capacity"})
    reduces = frozenset({"link retransmission"})
    costly = True

    def compile(self) -> None:
        """Compile the loop over time steps (`_kernel`), and cache the compiled code."""
        from tcpgoodput.models.bbr._kernel import RUN, advance

        rings = np.zeros((5, 8))
        advance(np.zeros(1, RUN), np.zeros(0), *rings, np.zeros(2))

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float | Estimate:
        """Return the rate of packets that the link serves after the warm-up, in packets/s."""
        if scenario.tcp.variant != "bbr":
            raise Undefined(f"describes BBR alone, not {scenario.tcp.variant}")
        step_s = grid_of(scenario).step_s
        turn_s = period_s(scenario) + coherence_s(scenario)
        rtt_s = scenario.propagation_rtt_s
        warm_up_s = max(WARM_UP_S, WARM_UP_ROUND_TRIPS * rtt_s) + 2 * turn_s
        turns = TURNS[conditions.precision] * turn_s
        measured_s = max(MEASURED_S, MEASURED_ROUND_TRIPS * rtt_s, turns)
        if period := period_s(scenario):
            measured_s = math.ceil(measured_s / period) * period
        count = REPLICATIONS if coherence_s(scenario) > 0 else 1
        if (steps := count * (warm_up_s + measured_s) / step_s) > MOST_STEPS:
            raise Undefined(
                f"a steady state needs {steps:.1g} time steps, more than {MOST_STEPS:.2g}: the "
                "round trip is too short or the capacity varies too slowly"
            )
        mean_pps = mean_capacity_bps(scenario) / scenario.packet_bits
        used = (
            _utilisation(scenario, conditions.seed, n, warm_up_s, measured_s) for n in range(count)
        )
        return mean_of([utilisation * mean_pps for utilisation in used])


def _utilisation(
    scenario: Scenario, seed: int, replication: int, warm_up_s: float, measured_s: float
) -> float:
    """Return the packets served, relative to those that the link could carry, after the warm-up."""
    from tcpgoodput.models.bbr._kernel import RING, ROUNDS, RUN, advance

    grid = grid_of(scenario)
    run, rings, rates = np.zeros(1, RUN), np.zeros((5, RING)), np.zeros(ROUNDS + 1)
    s = run[0]
    s["buffer"] = scenario.path.buffer_packets or math.inf
    s["max_window"] = scenario.tcp.max_window_packets or math.inf
    s["forward"], s["round_trip"] = grid.forward, grid.forward + grid.backward
    s["room"] = BURSTS_OF_ROOM
    s["rtt_window"] = grid.steps(PROBE_RTT_EVERY_S)
    s["probe_rtt_steps"] = grid.steps(max(PROBE_RTT_S, scenario.propagation_rtt_s))
    s["phase"] = 2
    rates[0] = mean_capacity_bps(scenario) / scenario.packet_bits * grid.step_s
    stream = random_stream(scenario, seed, replication) if coherence_s(scenario) > 0 else None
    blocks = capacity_steps(scenario, grid.step_s, STEPS_PER_BLOCK, stream)
    warm_up, measured = (
        math.ceil(duration_s / grid.step_s) for duration_s in (warm_up_s, measured_s)
    )
    left = warm_up
    for capacity in blocks:
        begin = 0
        while begin < STEPS_PER_BLOCK:
            end = min(begin + left, STEPS_PER_BLOCK)
            advance(run, capacity[begin:end], *rings, rates)
            left -= end - begin
            begin = end
            if left > 0:
                continue
            if s["at"] > warm_up:
                return float(s["of_served"] / s["of_capacity"])
            s["of_served"] = s["of_capacity"] = 0.0
            left = measured
    raise AssertionError("the capacity has no end")
