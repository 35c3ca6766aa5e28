"""Renewal models with losses: the number of congestion cycles per interval, by Wald or exact.

Wald's equation gives the mean number of cycles approximately, equations (6) and (7) exactly. The
rate grows as corrected, or as printed with all other errata corrected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tcpgoodput.answers import Conditions, Equations, Undefined
from tcpgoodput.models.base import LINK, PACKET, Condition, Model
from tcpgoodput.models.delay_spikes.connection import (
    HALVING_SENDER,
    PAUSES,
    SHORT_TIMEOUT,
    SMALL_PRODUCT,
    check_rate,
    link,
    loss_probability,
    max_rate_pps,
    moderate_loss,
)
from tcpgoodput.models.delay_spikes.cycles import (
    CORRECTED,
    PRINTED,
    PRINTED_GROWTH,
    Cycle,
    EquationSet,
    cycle,
)
from tcpgoodput.models.delay_spikes.laws import Floats, mean_excess, states
from tcpgoodput.models.limits import ROOM_FOR_BURSTS, round_trip_s
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.distributions import (
    Distribution,
    Exponential,
    MarkovExponential,
    longest_s,
)
from tcpgoodput.scenario.vocabulary import Spikes

MAX_LOSS = 0.02
"""Largest loss probability in the domain. For larger probabilities more timeouts occur than
equation (5) of the study predicts. The study calls its model very good up to this value."""


@register
class Lossy(Model):
    """Renewal-reward goodput with loss, from the mean number of cycles between spikes.

    During a spike, of mean duration SD, the sender is silent. In the rest T′ of the interval it
    sends T′/E(Y) congestion cycles (Wald), by equations (9), (10), (12) and (13). A cycle has 1/p
    packets and the mean duration E(Y); p is the loss probability. A share β of the cycles contains
    a timeout and a slow start. The model has no slow start after a spike. The corrected equations
    have a window that grows by one packet per round trip R, so that the rate grows by 1/R²
    packets/s in a second; as printed it grows by 1/R.
    """

    name = "delay_spikes.lossy"
    title = "Renewal, lossy (Wald)"
    equation = (
        "X = E(T')/(p E(Y) E(T)), E(Y) = β τ_SS + (1-β) τ_CA: cycles of 1/p packets between "
        "spikes, counted by Wald's equation. T: interval between spikes; T': T minus the spike's "
        "duration, at least 0; τ_CA, τ_SS: duration of a cycle without and with a timeout and "
        "slow start; β: share of cycles with a timeout; p: probability of loss."
    )
    source = "delay_spikes"
    citation = "lassila2008"
    inputs = (*PACKET, "tcp.max_window_packets", "tcp.rto", *LINK, "loss", "spikes")
    domain = (
        "independent loss up to 2 %, window of at least the bandwidth-delay product or above the "
        "saw-tooth"
    )
    conditions = (
        HALVING_SENDER,
        moderate_loss(MAX_LOSS, "above this loss more timeouts occur than equation (5) predicts"),
        *link(lambda s, settings: Lossy.congestion_cycle(s, settings, s.rate_pps).window_packets),
        PAUSES,
        SHORT_TIMEOUT,
        ROOM_FOR_BURSTS,
    )
    handles = frozenset({"delay spikes", "independent loss"})
    reduces = frozenset({"bursty loss", "hand-offs", "link retransmission"})
    counts_transmission = True
    equations: ClassVar[Mapping[Equations, EquationSet]] = {
        "corrected": CORRECTED,
        "printed": PRINTED,
    }

    @classmethod
    def congestion_cycle(
        cls, scenario: Scenario, conditions: Conditions, most_pps: float | None = None
    ) -> Cycle:
        """Return the scenario's mean congestion cycle; `most_pps` replaces its C_max."""
        return cycle(
            loss_probability(scenario),
            round_trip_s(scenario),
            max_rate_pps(scenario) if most_pps is None else most_pps,
            scenario.timeout_s,
            cls.equations[conditions.equations],
        )

    def sending_s(self, spikes: Spikes) -> float:
        """Return E(T′) in seconds; every spike is taken to last the mean duration of a spike."""
        return float(mean_excess(spikes.interval, spikes.duration.mean_s))

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return E(T′) / (p E(T) E(Y)) in packets/s (10); without spikes 1/(p E(Y))."""
        cycle_s = self.congestion_cycle(scenario, conditions).mean_s
        spikes, sending_share = scenario.spikes, 1.0
        if spikes is not None:
            sending_share = self.sending_s(spikes) / spikes.interval.mean_s
        return sending_share / (loss_probability(scenario) * cycle_s)

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return how link, loss or sender violate the study's assumptions, or None.

        The printed equations may be `Undefined` without a receiver window.
        """
        self.congestion_cycle(scenario, conditions, scenario.rate_pps)
        return super().outside_domain(scenario, conditions)


COUNTED_CYCLES = 1000
"""Time up to which `count_cycles` counts cycles one by one, in units of the shortest cycle's
duration. After it, cycles are counted at their mean rate. The difference decays
exponentially, within about 1/(β(1 − β)) cycles. Chosen by hand."""


def count_cycles(excess: Callable[[Floats], Floats], horizon_s: float, cycle: Cycle) -> Floats:
    """Return the mean number of cycles in a time T′; an incomplete last cycle counts in part.

    In state (n, m), n cycles without and m cycles with a timeout have ended, at x = n τ_CA + m
    τ_SS. Equation (7) sums over the states whose next cycle would end after T′. An equivalent sum
    is over all states with x < T′. A state is visited with the binomial probability of m timeouts
    in n + m cycles. The state contributes H(T′ − x), the mean share of its next cycle that is
    completed. Here H(t) = (1 − β) min(t/τ_CA, 1) + β min(t/τ_SS, 1).

    Every term is continuous in T′. So a state whose time equals T′ is neither lost nor counted
    twice, which can happen with the strict inequalities of (7). Each term is a difference of ramps,
    whose mean is known for any distribution of T′: `excess` returns E(T′ − x)⁺ for n times x, as an
    array of the shape (..., n). `horizon_s` is the largest T′; it may be infinite.
    """
    short, long, beta = cycle.avoidance_s, cycle.slow_start_s, cycle.timeout_probability
    stop = min(horizon_s, COUNTED_CYCLES * short)
    total = excess(np.array([stop]))[..., 0] / cycle.mean_s
    probability = np.ones(1)  # of m timeouts in the first n + m = `count` cycles, m = 0, 1, …
    times = np.zeros(1)
    now = excess(times)
    count = 0
    while times.size and times[0] < stop:
        after = (count + 1) * short + (long - short) * np.arange(times.size + 1)
        then = excess(np.minimum(after, stop))
        share = (1 - beta) * (now - then[..., :-1]) / short + beta * (now - then[..., 1:]) / long
        total = total + share @ probability
        probability = np.append((1 - beta) * probability, 0) + np.append(0, beta * probability)
        before = after < stop
        times, now, probability = after[before], then[..., before], probability[before]
        count += 1
    return total


def cycles_within(elapsed_s: ArrayLike, cycle: Cycle) -> Floats:
    """Return the mean number of cycles in times T′ without silence: p E(A | T′) by eq. (7)."""
    elapsed = np.atleast_1d(np.asarray(elapsed_s, dtype=float))
    ramps = elapsed[:, None]
    return count_cycles(
        lambda x: np.maximum(ramps - x, 0), float(elapsed.max(initial=0)), cycle
    ).reshape(np.shape(elapsed_s))


def mean_cycles(interval: Distribution, silence_s: float, cycle: Cycle) -> float:
    """Return the mean number of cycles between spikes, p E(A) by equations (6) and (7)."""
    match interval:
        case Exponential(mean_s=mean):
            return _exponential(mean, silence_s, cycle)
        case MarkovExponential():
            # mean over the states of the Markov chain, the numerator of the study's equation (12)
            return sum(
                share * mean_cycles(law, silence_s, cycle) for share, law in states(interval)
            )
    horizon_s = max(longest_s(interval) - silence_s, 0)
    return float(count_cycles(lambda x: mean_excess(interval, silence_s + x), horizon_s, cycle))


def _exponential(mean_s: float, silence_s: float, cycle: Cycle) -> float:
    """Return the mean number of cycles between spikes for exponential intervals (geometric sum)."""
    beta = cycle.timeout_probability
    short, long = cycle.avoidance_s / mean_s, cycle.slow_start_s / mean_s
    ends_short, ends_long = -np.expm1(-short), -np.expm1(-long)
    share = (1 - beta) * ends_short / short + beta * ends_long / long
    left = (1 - beta) * ends_short + beta * ends_long
    return float(np.exp(-silence_s / mean_s) * share / left)


@register
class LossyExact(Lossy):
    """Renewal-reward goodput with loss by the exact mean number of cycles, eqs. (6), (7), (12)."""

    name = "delay_spikes.lossy_exact"
    title = "Renewal, lossy (exact)"
    equation = (
        "X = E(N(T'))/(p E(T)), N(T'): exact mean number of cycles of 1/p packets in the time T', "
        "an interval T minus the spike's duration; a cycle lasts τ_SS with probability β (with a "
        "timeout and slow start), else τ_CA. p: probability of loss."
    )
    domain = "as for delay_spikes.lossy"

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return E(A)/E(T), or 1/(p E(Y)) without spikes, which each last their mean duration."""
        cycle = self.congestion_cycle(scenario, conditions)
        p = loss_probability(scenario)
        if scenario.spikes is None:
            return 1 / (p * cycle.mean_s)
        if cycle.slow_start_s <= 0:
            raise Undefined(
                f"the printed equation (16) gives {cycle.slow_start_s:.3g} s for a cycle with slow "
                "start"
            )
        interval, silence_s = scenario.spikes.interval, scenario.spikes.duration.mean_s
        return mean_cycles(interval, silence_s, cycle) / (p * interval.mean_s)


SLOPE_MAX_LOSS = 0.05
"""Largest loss probability in the domain of the model with the printed slope. The study calls
its accuracy good up to this probability (abstract, section 4.1)."""

SHORTEST_RTT_S = 0.2
"""Shortest round trip R in seconds at which it matters little that the rate grows by 1/R, as in the
study, instead of 1/R² packets/s in a second. Fitted by comparison with packet simulation."""

RATES_REACHED = 2
"""Smallest ratio of the rate √(2/(pR)) to the path's rate at which it matters little that the rate
grows by 1/R instead of 1/R² packets/s in a second. p is the loss probability, R the round trip. At
such ratios the path's rate limits the growth. Fitted by comparison with packet simulation."""


def _grows_too_fast(scenario: Scenario, _: Conditions) -> str | None:
    """Return an explanation if a rate growth of 1/R, not 1/R², changes the goodput, else None."""
    rtt_s = round_trip_s(scenario)
    reached_pps = math.sqrt(2 / (loss_probability(scenario) * rtt_s))
    if rtt_s >= SHORTEST_RTT_S or reached_pps >= RATES_REACHED * scenario.rate_pps:
        return None
    return (
        f"the model's rate grows by 1/R packets/s in a second, to {reached_pps:.3g} packets/s; "
        "TCP's grows by 1/R², and so higher"
    )


@register
class LossyPrintedSlope(Lossy):
    """The delay-spike model with loss (Wald), whose rate grows by 1/R as printed.

    The study's equations as printed have no value on its own links, because of a sign in equation
    (16). This model corrects all errata except the growth of the rate. So it shows the effect of
    this erratum alone. The rate grows by 1/R packets/s in a second, from 1 packet/s after a
    timeout; R is the round trip.
    """

    name = "delay_spikes.lossy_printed_slope"
    title = "Renewal, slope 1/R"
    equation = (
        "X = E(T')/(p E(Y) E(T)) as for delay_spikes.lossy, but the rate grows by 1/R packets/s in "
        "a second, as printed, instead of 1/R². T: interval between spikes; T': T minus the "
        "spike's duration, at least 0; E(Y): mean duration of a cycle of 1/p packets; p: "
        "probability of loss; R: round trip."
    )
    domain = (
        "independent loss up to 5 %, C_max R < 6.5 packets, window of at least the bandwidth-delay "
        "product or above the saw-tooth"
    )
    conditions = (
        SMALL_PRODUCT,
        HALVING_SENDER,
        moderate_loss(
            SLOPE_MAX_LOSS,
            "abstract and section 5: the study calls its accuracy good up to 5 % losses",
            "assumption",
        ),
        *link(
            lambda s, settings: (
                LossyPrintedSlope.congestion_cycle(s, settings, s.rate_pps).window_packets
            )
        ),
        PAUSES,
        Condition(
            f"a round trip of at least {SHORTEST_RTT_S:g} s, or a rate √(2/(pR)) of at least "
            f"{RATES_REACHED} times the path's",
            "fitted",
            "below both, a growth of the rate by 1/R instead of 1/R² changes the goodput on random "
            "connections",
            _grows_too_fast,
        ),
    )
    equations: ClassVar = {"corrected": PRINTED_GROWTH, "printed": PRINTED}

    @classmethod
    def congestion_cycle(
        cls, scenario: Scenario, conditions: Conditions, most_pps: float | None = None
    ) -> Cycle:
        """Return the mean congestion cycle of a rate that grows by 1/R packets/s in a second."""
        check_rate(scenario)
        return super().congestion_cycle(scenario, conditions, most_pps)
