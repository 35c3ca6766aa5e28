"""Sample paths and delays of the fluid model, and the analysis of a sinusoidal capacity.

The landmarks of a curve are named positions (times or levels) that a figure can mark.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.answers import Conditions, Equations, Undefined
from tcpgoodput.models.registry import Curve, curve
from tcpgoodput.models.variable_capacity import periodic
from tcpgoodput.models.variable_capacity.closed_form import utilisation
from tcpgoodput.models.variable_capacity.fluid import MOST_STEPS, averaged, run_of
from tcpgoodput.models.variable_capacity.runs import Block, averages, buffer_delay, evolve, grid_of
from tcpgoodput.scenario import Scenario, override, random_stream
from tcpgoodput.scenario.capacity.radio import (
    correlation_per_step,
    innovations_deviation,
    standard_deviation_ratio,
)
from tcpgoodput.scenario.vocabulary import Autoregressive, Sinusoid, Square

Array = NDArray[np.float64]

SEED = 1
"""Seed of a random capacity, whose first replication is drawn."""
QUANTITIES = ("queue", "window", "bandwidth-delay", "flight", "rtt")
DRAFT = Conditions(precision="draft")
STEPS = ("fixed", "up-to-coherence", "round-trip")
"""Choices for the time step of a random capacity in `capacity_deviation`."""
MOST_RECORDED_STEPS = 5_000_000
"""Largest number of time steps that `record` returns; their six arrays take 240 MB."""


def record(
    scenario: Scenario, start_s: float, stop_s: float, *, equations: Equations = "corrected"
) -> Block:
    """Run the fluid model; return its time steps that end after `start_s` and by `stop_s`.

    Raises:
        ValueError: the times are negative or not in order, or the number of steps is too large.
    """
    if not 0 <= start_s < stop_s:
        raise ValueError(f"start_s ({start_s:g}) must be at least 0 and below stop_s ({stop_s:g})")
    grid = grid_of(scenario)
    first, end = round(start_s / grid.step_s), round(stop_s / grid.step_s)
    if not 1 <= end - first <= MOST_RECORDED_STEPS:
        raise ValueError(
            f"from {start_s:g} s to {stop_s:g} s are {end - first} steps of {grid.step_s:g} s; "
            f"1 to {MOST_RECORDED_STEPS} can be shown"
        )
    if end > MOST_STEPS:
        raise ValueError(
            f"{stop_s:g} s are {end} steps of {grid.step_s:g} s; {MOST_STEPS} can be run"
        )
    kept: dict[str, list[Array]] = {}
    for block in evolve(run_of(scenario, equations, random_stream(scenario, SEED, 0))):
        part = slice(max(0, first - block.first), end - block.first)
        for name in ("capacity", "sent", "served", "window", "queue", "flight"):
            kept.setdefault(name, []).append(getattr(block, name)[part].copy())
        if block.first + block.capacity.size >= end:
            break
    arrays = {name: np.concatenate(parts) for name, parts in kept.items()}
    return Block(grid, first, **arrays)


@curve("variable_capacity", costly=True)
def trajectory(
    scenario: Scenario, *, quantity: str, start_s: float, stop_s: float, points: int = 2000
) -> Curve:
    """Return a quantity of the fluid against time, for the first replication.

    Landmarks: `start`, `stop`; with a finite buffer B `pipe` = C_min T_m + B, the window at which
    the lowest capacity C_min overflows the buffer, and `half_pipe`, half of it. Both are missing
    for a varying capacity without the key `min_bps`. `above_window` and `below_window`: the largest
    number of packets by which the packets in flight exceed the window and fall below it;
    `by_little`: the mean delay S/Λ in seconds by Little's law, with S packets in flight and the
    served rate Λ; for the quantity rtt also `mean`, the mean over all packets sent.

    Args:
        scenario: the scenario with the path and its capacity.
        quantity: queue Q, window W, flight Y or bandwidth-delay product C(t) T_m in packets; or
            rtt, the round-trip time of packets sent at t, in seconds.
        start_s: start of the curve in seconds since the start of the connection.
        stop_s: end of the curve in seconds since the start of the connection.
        points: largest number of points, evenly spread over the time steps.
    """
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity is {quantity!r}; choose one of {', '.join(QUANTITIES)}")
    if points < 2:
        raise ValueError(f"points is {points}; a curve needs two")
    rtt_s = scenario.propagation_rtt_s
    path = record(scenario, start_s, stop_s)
    if quantity == "rtt":
        y = _round_trip_times(scenario, path)
    elif quantity == "bandwidth-delay":
        y = path.capacity * (rtt_s / path.grid.step_s)
    else:
        y = {"queue": path.queue, "window": path.window, "flight": path.flight}[quantity]
    landmarks = {
        "start": start_s,
        "stop": stop_s,
        "above_window": float((path.flight - path.window).max()),
        "below_window": float((path.window - path.flight).max()),
    }
    if path.served.any():
        landmarks["by_little"] = float(path.flight.sum() / path.served.sum() * path.grid.step_s)
    if quantity == "rtt" and path.sent.any():
        landmarks["mean"] = float(np.average(y, weights=path.sent))
    steady_bps = scenario.path.rate_bps if scenario.capacity is None else None
    lowest_bps = getattr(scenario.capacity, "min_bps", steady_bps)
    if lowest_bps is not None and scenario.path.buffer_packets is not None:
        pipe = lowest_bps / scenario.packet_bits * rtt_s + scenario.path.buffer_packets
        landmarks |= {"pipe": pipe, "half_pipe": pipe / 2}
    shown = np.unique(np.linspace(0, y.size - 1, min(points, y.size)).astype(int))
    unit = "s" if quantity == "rtt" else "packets"
    return Curve(path.time_s[shown], y[shown], "s", unit, landmarks)


def _round_trip_times(scenario: Scenario, path: Block) -> Array:
    """Return T_m + D(t + T_fm), the round-trip time in seconds of packets sent at step ends t."""
    grid, rtt_s = path.grid, scenario.propagation_rtt_s
    start_s, stop_s = path.time_s[0] - grid.step_s, path.time_s[-1]
    margin_s = rtt_s
    while True:  # run the fluid for longer, until the link has served the queue at the curve's end
        longer = record(scenario, start_s, stop_s + rtt_s + margin_s)
        delay = buffer_delay(longer.queue, longer.capacity, grid.step_s)
        delay = delay[grid.forward : grid.forward + path.time_s.size]
        if not np.isnan(delay).any():
            return rtt_s + delay
        margin_s *= 2


@curve("variable_capacity", costly=True)
def mean_delay(scenario: Scenario, *, start_hz: float, stop_hz: float, points: int = 31) -> Curve:
    """Return a packet's mean time from sending to ACK against the frequency F of the capacity.

    It is S/Λ by Little's law: S is the mean number of packets in flight, Λ the served rate. The
    scenario's sinusoid or square wave gets `points` frequencies in equal ratios.
    """
    if not isinstance(scenario.capacity, Sinusoid | Square):
        raise ValueError("mean_delay needs capacity: {process: sinusoid} or square")
    frequencies = np.geomspace(start_hz, stop_hz, points)
    links = [override(scenario, {"capacity.frequency_hz": float(f)}) for f in frequencies]
    try:
        delays = [one.delay_s for one in averages(averaged(s, DRAFT) for s in links)]
    except Undefined as undefined:
        raise ValueError(str(undefined)) from None
    return Curve(frequencies, np.array(delays), "Hz", "s")


@curve("variable_capacity", costly=True)
def decreases(scenario: Scenario, *, form: str = "fluid") -> Curve:
    """Return the utilisation against b; a loss reduces the window from W to (1 - b) W.

    The study computes with b = 1/2 only. `form` is fluid, or closed for the utilisation of the
    window's saw-tooth, which needs a constant capacity and a finite buffer.
    """
    if form not in ("fluid", "closed"):
        raise ValueError(f"form is {form!r}; choose fluid or closed")
    b = np.linspace(0.1, 0.9, 17)
    if form == "closed":
        buffer = scenario.path.buffer_packets
        if scenario.capacity is not None or buffer is None:
            raise ValueError("form closed needs a constant capacity and a finite buffer")
        pipe = scenario.rate_pps * scenario.propagation_rtt_s
        found = [utilisation(buffer, pipe, x) for x in b]
    else:
        try:
            runs = [averaged(scenario, DRAFT, decrease=float(x)) for x in b]
        except Undefined as undefined:
            raise ValueError(str(undefined)) from None
        found = [means.utilisation for means in averages(runs)]
    return Curve(b, np.array(found), "1", "1")


@curve("variable_capacity", costly=True)
def busy_queue(scenario: Scenario, *, form: str = "exact", start_s: float, stop_s: float) -> Curve:
    """Return the queue under a sinusoidal capacity by the study's analysis of a busy buffer.

    Landmarks: `t0`; `end`, the time at which the curve ends; `mean_pipe`, the mean bandwidth-delay
    product in packets.

    Args:
        scenario: a scenario with a sinusoid.
        form: exact, the queue by equations (9) to (11); or bound, an upper bound for a whole number
            of periods of the capacity per round trip.
        start_s: earliest start t_0 of the curve in seconds; t_0 is the first time when the link has
            neither idled nor lost packets for a round trip.
        stop_s: latest end in seconds; the curve ends earlier if the link idles or loses packets.
    """
    if form not in ("exact", "bound"):
        raise ValueError(f"form is {form!r}; choose exact or bound")
    link = periodic.PeriodicLink.of(scenario)
    harmonic = link.frequency_hz * link.rtt_s
    if form == "bound" and (round(harmonic) < 1 or not math.isclose(harmonic, round(harmonic))):
        raise ValueError(f"the bound holds at F = n/T_m, and F T_m is {harmonic:g}")
    path = record(scenario, start_s, stop_s)
    grid = path.grid
    round_trip = grid.forward + grid.backward
    undisturbed = (path.queue > 0) & (np.abs(path.flight - path.window) < 1e-6)
    undisturbed[1:] &= np.diff(path.window) >= 0
    since = np.arange(undisturbed.size) - np.maximum.accumulate(
        np.where(undisturbed, -1, np.arange(undisturbed.size))
    )
    begins = np.flatnonzero(since > round_trip)
    if begins.size == 0:
        raise ValueError(f"from {start_s:g} s to {stop_s:g} s the buffer idles or overflows")
    first = int(begins[0])
    disturbed = np.flatnonzero(~undisturbed[first:])
    end = first + int(disturbed[0]) if disturbed.size else undisturbed.size
    shown = np.unique(np.linspace(first, end - 1, 500).astype(int))
    t, t0 = path.time_s[shown], float(path.time_s[first])
    queue = periodic.queue if form == "exact" else periodic.queue_bound
    y = queue(link, t, t0, float(path.window[first - grid.forward]))
    landmarks = {"t0": t0, "end": float(path.time_s[end - 1]), "mean_pipe": link.mean_pipe_packets}
    return Curve(t, np.asarray(y), "s", "packets", landmarks)


@curve("variable_capacity")
def busy_pipes(scenario: Scenario, *, stop_s: float) -> Curve:
    """Return f(t) in packets by the corrected equation (10), for a buffer that is always busy.

    f(t) is the round trip T_m times the mean of the capacity C(τ - T_bm) over τ from 0 to t. T_bm
    is the delay from the buffer to the sender. Landmarks, all in packets: `f` and `g`, the values
    of (10) and (11) at the end, `g` being the packets that the link carries in the last round trip;
    `printed`, the value of the printed (10) at the end; `start`, the capacity at time 0 times T_m;
    `mean_pipe`, the mean capacity times T_m.
    """
    link = periodic.PeriodicLink.of(scenario)
    t = np.linspace(0, stop_s, 200)
    f = np.asarray(periodic.acknowledged_pipe(link, t, 0.0, link.backward_s))
    swing = link.swing_pps * link.rtt_s
    landmarks = {
        "f": float(f[-1]),
        "g": float(periodic.last_round_trip(link, stop_s)),
        "printed": float(periodic.acknowledged_pipe_printed(link, stop_s, 0.0, link.backward_s)),
        "start": link.mean_pipe_packets + swing * math.cos(link.phase),
        "mean_pipe": link.mean_pipe_packets,
    }
    return Curve(t, f, "s", "packets", landmarks)


@curve("variable_capacity")
def capacity_deviation(scenario: Scenario, *, step: str) -> Curve:
    """Return the standard deviation of a random capacity against T_m/T_c, in Mbit/s.

    T_m is the round trip, T_c the coherence time. The capacity is a first-order autoregression that
    is not yet clipped to its limits. `step` is the recursion's time step: `fixed`, the step of the
    capacity; `up-to-coherence`, the smaller of this step and T_c; or `round-trip`, T_m.
    """
    capacity, rtt_s = scenario.capacity, scenario.propagation_rtt_s
    if not isinstance(capacity, Autoregressive):
        raise ValueError("capacity_deviation needs capacity: {process: ar1}")
    if step not in STEPS:
        raise ValueError(f"step is {step!r}; choose one of {', '.join(STEPS)}")
    of_innovations = innovations_deviation(capacity.min_bps, capacity.max_bps) / 1e6
    ratios = np.geomspace(0.01, 1000.0, 31)
    deviations = []
    for coherence_s in rtt_s / ratios:
        step_s = {
            "fixed": capacity.step_s,
            "up-to-coherence": min(capacity.step_s, coherence_s),
            "round-trip": rtt_s,
        }[step]
        alpha = correlation_per_step(step_s, coherence_s)
        deviations.append(of_innovations * standard_deviation_ratio(alpha, capacity.variance))
    return Curve(ratios, np.array(deviations), "", "Mbit/s", {})
