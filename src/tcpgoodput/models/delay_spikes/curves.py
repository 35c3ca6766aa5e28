"""Curves and tables for the figures of the delay-spike study.

The landmarks of a curve are named positions (times or levels) that a figure can mark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from tcpgoodput.answers import Undefined
from tcpgoodput.models.delay_spikes.connection import loss_probability, max_rate_pps
from tcpgoodput.models.delay_spikes.cycles import Cycle, cycle, growth_of_a_window
from tcpgoodput.models.delay_spikes.lossless import rate_pps, rise_s
from tcpgoodput.models.delay_spikes.lossy import cycles_within
from tcpgoodput.models.limits import round_trip_s
from tcpgoodput.models.registry import Curve, curve, table
from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

POINTS = 60
"""Number of points with which a curve shows one exponential growth of the rate. Chosen by hand."""

ELAPSED_S = 10.0 * np.arange(1, 1001) / 1000
"""Times T′ at which the number of congestion cycles is drawn."""


@curve("delay_spikes")
def spike_cycles(
    scenario: Scenario,
    *,
    silence_s: float,
    intervals_s: list[float],
    states: list[int] | None = None,
    state: int | None = None,
) -> Curve:
    """Return the sending rate X(t) for given intervals between spikes, by equations (2) and (3).

    After the start of a spike, the sender is silent for `silence_s` seconds. Then the rate doubles
    in each round trip up to C_max. Landmarks: `SD`; `L`, the time from 1 packet/s to C_max;
    `C_max`; `Z0`, `Z1`, …, the times of the spikes.

    Args:
        scenario: the scenario, whose path gives the round trip R and the rate C_max.
        silence_s: SD, the duration of each silence, in seconds.
        intervals_s: T_1, T_2, …, the times from spike to spike in seconds.
        states: state in each interval, of the Markov chain that modulates the intervals.
        state: only the intervals with this state are returned; None: all intervals.

    """
    if silence_s < 0 or not intervals_s or min(intervals_s) <= 0:
        raise ValueError("spike_cycles needs silence_s >= 0 and intervals_s above 0")
    if states is not None and len(states) != len(intervals_s):
        raise ValueError("states needs as many entries as intervals_s")
    if state is not None and state not in (states or []):
        raise ValueError(f"state is {state}; it must be one of states")
    rtt_s, max_rate = round_trip_s(scenario), max_rate_pps(scenario)
    if max_rate < 1:
        raise ValueError("path or window allow less than the 1 packet/s that a rise begins with")
    rise = rise_s(rtt_s, max_rate)
    starts = np.concatenate([[0.0], np.cumsum(intervals_s)])
    x, y = [], []
    for number, (start, length) in enumerate(zip(starts[:-1], intervals_s, strict=True)):
        if state is not None and states is not None and states[number] != state:
            continue
        x.append([start, start + min(silence_s, length)])
        y.append([0, 0])
        if length > silence_s:
            sending_s = length - silence_s
            elapsed = np.append(np.linspace(0, min(rise, sending_s), POINTS), sending_s)
            x.append(start + silence_s + elapsed)
            y.append(rate_pps(elapsed, rtt_s, max_rate))
        x.append([start + length, start + length])
        y.append([0, 0 if state is None else np.nan])
    landmarks = {"SD": silence_s, "L": rise, "C_max": max_rate}
    landmarks |= {f"Z{number}": float(time) for number, time in enumerate(starts)}
    return Curve(np.concatenate(x), np.concatenate(y), "s", "packets/s", landmarks)


@curve("delay_spikes")
def avoidance_cycles(scenario: Scenario, *, cycles: int = 3) -> Curve:
    """Return the rate X(t) over congestion cycles without a timeout; equations (14) and (15).

    Landmarks: `x0`, the rate at a cycle's start; `top`, the rate at the loss; `C_max`, the path's
    rate; `tau` (τ_CA), the duration of a cycle; `full`, the time at which `top` is reached; `mode`,
    the scenario's row in the study's Table 1.
    """
    if cycles < 1:
        raise ValueError("avoidance_cycles needs at least one of cycles")
    means = _cycle(scenario)
    x, y, landmarks = _avoidance(scenario, means)
    times = np.concatenate([x + number * means.avoidance_s for number in range(cycles)])
    return Curve(times, np.tile(y, cycles), "s", "packets/s", landmarks)


@curve("delay_spikes")
def avoidance_beyond_limit(scenario: Scenario) -> Curve:
    """Return the growth of the rate from C_max to 2x₀ that mode 2 would have without C_max.

    x₀ is the rate at a cycle's start, and C_max the path's rate. In mode 2 of the study's Table 1,
    C_max cuts off the top of the saw-tooth. Landmark: `beyond`, the rate 2x₀ at the curve's end.
    """
    means = _cycle(scenario)
    if means.mode != 2:
        raise ValueError(f"the scenario is in mode {means.mode}; only mode 2 cuts its saw-tooth")
    growth = growth_of_a_window(round_trip_s(scenario))
    full = growth.linear_s(means.start_pps, max_rate_pps(scenario))
    x = np.array([full, means.avoidance_s])
    y = means.start_pps + x * growth.slope_pps2
    return Curve(x, y, "s", "packets/s", {"beyond": float(y[-1])})


@curve("delay_spikes")
def slow_start_cycle(scenario: Scenario, *, avoidance_first: int = 0) -> Curve:
    """Return the sending rate X(t) over one cycle with a timeout, by equations (16) to (18).

    The curve begins with `avoidance_first` cycles without a timeout. Landmarks: those of
    `avoidance_cycles`, and the times `start` (of the silence), `silent` (its end), `slow` (end of
    slow start), `linear` (end of linear growth), `end`.
    """
    if avoidance_first < 0:
        raise ValueError("avoidance_first counts cycles: it cannot be negative")
    means = _cycle(scenario)
    growth = growth_of_a_window(round_trip_s(scenario))
    ceiling = math.inf if means.mode == 1 else max_rate_pps(scenario)
    start = avoidance_first * means.avoidance_s
    silent, end = start + scenario.timeout_s, start + means.slow_start_s
    doubling_s = growth.doubling_s(means.start_pps)
    slow = silent + doubling_s
    linear = min(end, slow + growth.linear_s(means.start_pps, ceiling))
    rise = np.linspace(0, doubling_s, POINTS)
    x, y, landmarks = _avoidance(scenario, means)
    leading = [x + number * means.avoidance_s for number in range(avoidance_first)]
    x = np.concatenate([*leading, [start, silent], silent + rise, [linear, end, end]])
    last = means.start_pps + (linear - slow) * growth.slope_pps2
    doubling = growth.first_pps * np.exp2(rise / growth.rtt_s)
    y = np.concatenate([np.tile(y, avoidance_first), [0, 0], doubling, [last, last, 0]])
    landmarks |= {"start": start, "silent": silent, "slow": slow, "linear": linear, "end": end}
    return Curve(x, y, "s", "packets/s", landmarks)


@curve("delay_spikes")
def wald_error(*, short_cycle_s: float, long_cycle_s: float, timeout_probability: float) -> Curve:
    """Return the relative error of the number of cycles by Wald (9) against the exact number (7).

    The error is (a − â)/a, with the mean number of congestion cycles in a time T′ without silence,
    a by (7) and â by (9). The x axis is T′. The arguments are those of `counted_cycles`.
    """
    means = _two_cycles("wald_error", short_cycle_s, long_cycle_s, timeout_probability)
    exact = cycles_within(ELAPSED_S, means)
    return Curve(ELAPSED_S, 1 - ELAPSED_S / means.mean_s / exact, "s", "1")


@curve("delay_spikes")
def counted_cycles(
    *,
    short_cycle_s: float,
    long_cycle_s: float,
    timeout_probability: float,
    count: Literal["exact", "lower", "upper"],
) -> Curve:
    """Return the mean number of congestion cycles in a time T′ without silence, p E(A | T′).

    A is the number of packets sent in T′, and p the loss probability: a cycle has 1/p packets.

    Args:
        short_cycle_s: τ_CA, the duration of a cycle without a timeout, in seconds.
        long_cycle_s: τ_SS, the duration of a cycle with a timeout, in seconds.
        timeout_probability: β, the share of cycles with a timeout.
        count: the exact sum (7), or the lower or upper bound of (8).

    """
    means = _two_cycles("counted_cycles", short_cycle_s, long_cycle_s, timeout_probability)
    if count == "exact":
        return Curve(ELAPSED_S, cycles_within(ELAPSED_S, means), "s", "1")
    further = {"lower": -long_cycle_s, "upper": long_cycle_s}
    if count not in further:
        raise ValueError(f"count is {count!r}; it must be exact, lower or upper")
    return Curve(ELAPSED_S, (ELAPSED_S + further[count]) / means.mean_s, "s", "1")


def _two_cycles(name: str, short_s: float, long_s: float, timeout_probability: float) -> Cycle:
    if not (0 < short_s <= long_s and 0 <= timeout_probability <= 1):
        raise ValueError(
            f"{name} needs 0 < short_cycle_s <= long_cycle_s and a timeout_probability in [0, 1]"
        )
    return Cycle(1, 1.0, short_s, long_s, 4.0, timeout_probability)


def _cycle(scenario: Scenario) -> Cycle:
    try:
        return cycle(
            loss_probability(scenario),
            round_trip_s(scenario),
            max_rate_pps(scenario),
            scenario.timeout_s,
        )
    except Undefined as undefined:
        raise ValueError(str(undefined)) from None


def _avoidance(scenario: Scenario, means: Cycle) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Return times, rates and landmarks of a cycle without a timeout."""
    tau, x0, limit = means.avoidance_s, means.start_pps, max_rate_pps(scenario)
    top = 2 * x0 if means.mode == 1 else limit
    full = growth_of_a_window(round_trip_s(scenario)).linear_s(x0, top)
    landmarks = {"x0": x0, "top": top, "C_max": limit, "tau": tau, "full": full}
    landmarks["mode"] = float(means.mode)
    return np.array([0, full, tau]), np.array([x0, top, top]), landmarks


MODE_NAMES = {1: "pure saw-tooth", 2: "cut saw-tooth", 3: "rate limited"}


@table("delay_spikes")
def modes() -> pd.DataFrame:
    """Return Table 1 of the study: the equations for each mode of a congestion cycle.

    Columns: `mode`, `condition`, and the equations of the duration of a cycle without a timeout
    (`tau_ca`) and with one (`tau_ss`), and of the share of cycles with a timeout (`beta`).
    """
    import pandas as pd

    conditions = {
        1: "$0 \\leq x_0^{(1)} < C_{\\mathrm{max}}/2$",
        2: "$C_{\\mathrm{max}}/2 \\leq x_0^{(2)} < C_{\\mathrm{max}}$",
        3: "otherwise: $p \\leq 1/(R \\, C_{\\mathrm{max}})^2$",
    }
    windows = {1: "2 x_0^{(1)} R", 2: "C_{\\mathrm{max}} R", 3: "C_{\\mathrm{max}} R"}
    rows = [
        {
            "mode": f"{number} {name}",
            "condition": conditions[number],
            "tau_ca": f"(14), case {number}",
            "tau_ss": f"({15 + number})",
            "beta": f"$\\beta({windows[number]}, p)$",
        }
        for number, name in MODE_NAMES.items()
    ]
    return pd.DataFrame(rows)


@table("delay_spikes")
def cycle_constants(scenarios: dict[str, Scenario]) -> pd.DataFrame:
    """Return the quantities of the study's Table 1 as numbers, one row per scenario with loss.

    Columns: `title`, `max_rate_pps`, `rtt_s`, `loss`, `mode`, `start_pps` (x₀), `tau_ca_s`,
    `tau_ss_without_timeout_s` (τ_SS − TO), `window_packets` (w), `beta` (share of cycles with a
    timeout).
    """
    import pandas as pd

    rows = []
    for scenario in scenarios.values():
        means = _cycle(scenario)
        rows.append(
            {
                "title": scenario.title,
                "max_rate_pps": max_rate_pps(scenario),
                "rtt_s": round_trip_s(scenario),
                "loss": loss_probability(scenario),
                "mode": f"{means.mode} {MODE_NAMES[means.mode]}",
                "start_pps": means.start_pps,
                "tau_ca_s": means.avoidance_s,
                "tau_ss_without_timeout_s": means.slow_start_s - scenario.timeout_s,
                "window_packets": means.window_packets,
                "beta": means.timeout_probability,
            }
        )
    return pd.DataFrame(rows)
