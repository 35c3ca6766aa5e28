"""The fluid model: a window, a buffer and a pipe of fixed delay under any capacity C(t).

The study's discretised equations (section III-A) advance in steps of δ = T_m/100. Even with δ =
T_m/10 the utilisation differs by less than 0.002.

T_m is the propagation round trip, C̄ the mean capacity in packets/s, and B the buffer. Without slow
start, the fluid opens its window from one packet to W = C̄ T_m + B in at most T_0 = W T_m +
W²/(2 C̄). The first term is the time of W round trips. The second term is the time in which a busy
link returns W²/2 ACKs, which open the window to W by equation (7). T_0 is the unit of warm-up and
measurement.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tcpgoodput.answers import Conditions, Equations, Estimate, Precision, Undefined
from tcpgoodput.models.base import (
    LINK,
    PACKET,
    REDUCIBLE,
    Condition,
    GoodputOrError,
    Model,
    attempt,
)
from tcpgoodput.models.limits import ROOM_FOR_BURSTS, standstill
from tcpgoodput.models.registry import register
from tcpgoodput.models.variable_capacity.closed_form import SAW_TOOTH, enough_packets
from tcpgoodput.models.variable_capacity.runs import (
    DECREASE,
    Averaged,
    Means,
    Run,
    averages,
    grid_of,
)
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.capacity.of_time import coherence_s, drawn_every_s, period_s
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.vocabulary import Trace
from tcpgoodput.statistics import Interval

MOST_STEPS = 200_000_000
"""Largest number of time steps of a prediction over all its replications; computing them takes one
to three seconds."""

MOST_LEVELS = 66_000_000
"""Largest number of random capacity values of a prediction; they take as long as MOST_STEPS
steps."""

DRAFT_SHARE = 0.6
"""Share of `MOST_STEPS` and `MOST_LEVELS` that a prediction of precision `draft` may use. Chosen by
hand."""


@dataclass(frozen=True)
class Effort:
    """Measured time, over which a run is averaged after its warm-up: the longest of three times."""

    openings: float
    """Number of T_0, the longest time in which the window opens to what path and buffer hold."""
    round_trips: float
    """Number of round trips T_m."""
    turns: float
    """Number of the capacity's periods or coherence times."""
    replications: int = 1


EFFORTS: dict[Precision, Effort] = {
    "draft": Effort(openings=1, round_trips=4_000, turns=4),
    "paper": Effort(openings=2, round_trips=12_000, turns=10),
}
"""Measured times of the fluid for a constant or periodic capacity, by precision. Chosen by hand."""

RANDOM_EFFORTS: dict[Precision, Effort] = {
    "draft": Effort(openings=1, round_trips=2_000, turns=8, replications=3),
    "paper": Effort(openings=1, round_trips=5_000, turns=20, replications=5),
}
"""Measured times of each replication for a random capacity, by precision. Chosen by hand."""

MOST_LITERAL_STEPS = 25_000_000
"""Largest number of time steps of a run with the printed loss recovery, by which lost data are
never sent again. The deficit of packets in flight grows with each loss, until after about W
losses, or W T_0, a timeout removes it. For windows W above some two hundred packets, this
takes more steps than the limit, and the warm-up ends before the first such timeout."""


def run_of(
    scenario: Scenario,
    equations: Equations,
    stream: np.random.Generator | None = None,
    decrease: float = DECREASE,
) -> Run:
    """Return a run of the fluid with corrected or printed loss recovery and timeout."""
    ours = equations == "corrected"
    return Run(scenario, stream, restores=ours, empties=ours, decrease=decrease)


def means(scenario: Scenario, conditions: Conditions, replication: int = 0) -> Means:
    """Return the time averages of one replication of the fluid's run after its warm-up."""
    return averages([averaged(scenario, conditions, replication)])[0]


def averaged(
    scenario: Scenario, conditions: Conditions, replication: int = 0, decrease: float = DECREASE
) -> Averaged:
    """Return the run of one replication, with its warm-up and measured steps, if not too many."""
    precision = conditions.precision
    effort = effort_of(scenario, precision)
    grid, forgets_s = grid_of(scenario), coherence_s(scenario)
    window, mean_pps = full_window(scenario), mean_capacity_bps(scenario) / scenario.packet_bits
    # T_0 in seconds, see the module's docstring
    opening = window * (scenario.propagation_rtt_s + window / (2 * mean_pps))
    if conditions.equations == "printed":
        longest = MOST_LITERAL_STEPS * grid.step_s / (1 + effort.openings)
        opening = max(opening, min(opening * window, longest))
    warm_up = opening + period_s(scenario) + 2 * forgets_s
    measured = max(
        effort.openings * opening,
        effort.round_trips * scenario.propagation_rtt_s,
        effort.turns * (period_s(scenario) + forgets_s),
    )
    share, drawn_s = DRAFT_SHARE if precision == "draft" else 1, drawn_every_s(scenario)
    duration_s = effort.replications * (warm_up + measured)
    if (steps := duration_s / grid.step_s) > share * MOST_STEPS:
        raise Undefined(
            f"a steady state needs {steps:.1g} time steps, more than {share * MOST_STEPS:.2g}: the "
            "window is too large or the capacity varies too slowly"
        )
    if (levels := duration_s / drawn_s) > share * MOST_LEVELS:
        raise Undefined(
            f"a steady state needs {levels:.1g} values of the capacity, more than "
            f"{share * MOST_LEVELS:.2g}: it changes too often per round trip"
        )
    stream = random_stream(scenario, conditions.seed, replication) if forgets_s > 0 else None
    run = run_of(scenario, conditions.equations, stream, decrease)
    return Averaged(run, grid.steps(warm_up), grid.steps(measured))


def effort_of(scenario: Scenario, precision: Precision) -> Effort:
    """Return the measured time of a scenario's fluid, in the units that `Effort` explains."""
    return (RANDOM_EFFORTS if coherence_s(scenario) > 0 else EFFORTS)[precision]


def full_window(scenario: Scenario) -> float:
    """Return the largest window W = C̄ T_m + B, at most the receiver window; may be infinite."""
    held = mean_capacity_bps(scenario) / scenario.packet_bits * scenario.propagation_rtt_s
    held += scenario.path.buffer_packets or math.inf
    return min(held, scenario.tcp.max_window_packets or math.inf)


def capacity_range_pps(scenario: Scenario) -> tuple[float, float]:
    """Return the smallest capacity (0 if it has no bound) and the largest one in packets/s."""
    capacity = scenario.capacity
    if capacity is None:
        return scenario.rate_pps, scenario.rate_pps
    if isinstance(capacity, Trace):
        from tcpgoodput.scenario.capacity.trace import read_capacity_trace

        rates_bps = read_capacity_trace(capacity.file)[1][:-1]
        least_bps, most_bps = float(rates_bps.min()), float(rates_bps.max())
    else:
        least_bps, most_bps = float(getattr(capacity, "min_bps", 0.0)), capacity.max_bps
    return least_bps / scenario.packet_bits, most_bps / scenario.packet_bits


def _never_loses_nor_idles(scenario: Scenario) -> bool:
    """Return whether the receiver window fills the pipe but cannot overflow the buffer.

    The queue Q is at most W_max ≤ B, so that there are no losses. Once the window is open, Q ≥ W -
    C_max T_m > 0, so that the link is always busy.
    """
    window = scenario.tcp.max_window_packets or math.inf
    buffer = scenario.path.buffer_packets or math.inf
    return buffer >= window > capacity_range_pps(scenario)[1] * scenario.propagation_rtt_s


@register
class Fluid(Model):
    """The discretised fluid model of Baiocchi and Vacirca."""

    name = "variable_capacity.fluid"
    title = "Fluid"
    equation = (
        "dW/dt = 1/R(t) in congestion avoidance, dQ/dt = λ(t) - C(t) for the queue, R(t) = T_m "
        "+ Q(t)/C(t); the window is halved when the sender learns of an overflow, Q = B. X is "
        "the mean rate that the link carries. W: window; λ: arrivals, packets/s; C(t): "
        "capacity, packets/s; B: buffer, packets; T_m: propagation round trip."
    )
    source = "variable_capacity"
    citation = "baiocchi"
    inputs = (
        *PACKET,
        "tcp.max_window_packets",
        "tcp.dupthresh",
        "tcp.rto.fixed_s",
        *LINK,
        "path.buffer_packets",
        "capacity",
    )
    domain = (
        "any capacity C(t); losses by overflow alone, SACK or NewReno (Reno if the capacity is "
        "constant), large windows"
    )
    conditions = (
        Condition(
            "no Reno over a varying capacity",
            "assumption",
            "section III: the recovery is that of SACK, which repairs all losses of a window",
            lambda s, _: (
                s.tcp.variant == "reno"
                and s.capacity is not None
                and "Reno leaves fast recovery after one of several losses in a window; the "
                "model's sender repairs all of them"
            ),
        ),
        Condition(
            "no square wave that stops for longer than the timer runs",
            "derivation",
            "section III: a timeout ends a recovery with no packet in flight, and nothing else",
            lambda s, _: standstill(s),
        ),
        Condition(
            "an ACK for each packet",
            "assumption",
            "(1): the window grows by 1/W for each ACK, and ACKs come at the link's output rate",
            lambda s, _: (
                s.tcp.packets_per_increment > 1
                and f"an ACK for {s.tcp.ack_every} packets slows the growth of the window; the "
                "model has one ACK per packet"
            ),
        ),
        *SAW_TOOTH,
        enough_packets(lambda s: capacity_range_pps(s)[1]),
        ROOM_FOR_BURSTS,
    )
    handles = frozenset({"varying capacity"})
    reduces = REDUCIBLE - handles
    costly = True

    def compile(self) -> None:
        """Compile the loops over time steps (`_kernel`), and cache the compiled code."""
        from tcpgoodput.models.variable_capacity import _kernel

        _kernel.compile_all()

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float | Estimate:
        """Return the rate of packets that the link serves after the warm-up, in packets/s.

        The goodput is the utilisation in the measured time, multiplied by the mean capacity. So an
        incomplete period or fade at the end has little effect.
        """
        return _goodput_pps(scenario, averages(_replications(scenario, conditions)))

    def goodputs_pps(
        self, scenarios: Sequence[Scenario], conditions: Conditions
    ) -> list[GoodputOrError]:
        """Return each scenario's goodput; the runs of all scenarios are computed together."""
        drawn = [attempt(lambda s=s: _replications(s, conditions)) for s in scenarios]
        runs = [[] if isinstance(one, Exception) else one for one in drawn]
        means = iter(averages(itertools.chain.from_iterable(runs)))
        found: list[GoodputOrError] = []
        for scenario, one, own in zip(scenarios, drawn, runs, strict=True):
            mine = list(itertools.islice(means, len(own)))
            found.append(one if isinstance(one, Exception) else _goodput_pps(scenario, mine))
        return found


def _replications(scenario: Scenario, conditions: Conditions) -> list[Averaged]:
    """Return the runs whose mean is a scenario's goodput."""
    if _never_loses_nor_idles(scenario):
        return []
    count = effort_of(scenario, conditions.precision).replications
    return [averaged(scenario, conditions, replication) for replication in range(count)]


def _goodput_pps(scenario: Scenario, found: Sequence[Means]) -> float | Estimate:
    mean_pps = mean_capacity_bps(scenario) / scenario.packet_bits
    if not found:
        return mean_pps
    # In the measured time the goodput can exceed the window limit by the packets of one time step.
    window_pps = (scenario.tcp.max_window_packets or math.inf) / scenario.propagation_rtt_s
    return mean_of([min(means.utilisation * mean_pps, window_pps) for means in found])


def mean_of(goodputs_pps: Sequence[float]) -> float | Estimate:
    """Return the mean goodput of replications with its interval; of one, the goodput itself."""
    if len(goodputs_pps) == 1:
        return goodputs_pps[0]
    found = Interval.of(goodputs_pps)
    low_pps, high_pps = found.mean - found.half_width, found.mean + found.half_width
    return Estimate(found.mean, low_pps, high_pps, found.replications)
