"""Model of Poojary and Sharma: CUBIC's mean window if packets are lost independently.

As the probability of loss p tends to 0, the windows at successive losses become a Markov chain that
no longer depends on p or on the round trip R. Its stationary distribution gives c of the mean
window c (R/p)^(3/4). The periodic losses of `cubic` give a smaller c, 1.054. The intervals between
independent losses vary, and because growth is cubic, long intervals add more to the mean window
than short ones remove.

We have seen only the abstract of the paper. The abstract describes the scaling and the limiting
chain. The equations below are derived from that description, not copied from the paper. So the
equations have no numbers.

**The chain.** Windows are measured in C^(1/4) (R/p)^(3/4) packets, times in C^(-1/4) (R/p)^(1/4)
seconds. After a loss at the window x the sender continues from βx. A time t later its window is
w(t) = (t - K)³ + m, with K = (m - βx)^(1/3). The number of packets until the next loss, times p, is
exponentially distributed with mean 1. So the next loss comes later than t with probability
exp(-A(t)), where A is the integral of w: A(t) = ((t - K)⁴ - K⁴)/4 + m t. Then c = C^(1/4) / E[t],
because 1/p packets are sent in a mean time of C^(-1/4) (R/p)^(1/4) E[t].

**Fast convergence.** The plateau m is the last window x. With fast convergence (RFC 9438, section
4.7) it is x (1+β)/2 if x lies below the last plateau. The abstract does not mention fast
convergence, and a chain of windows alone has none: its state would also need the plateau. The chain
gives 1.3005 without fast convergence and 1.1962 with it. The CUBIC of scenarios is that of RFC
9438, with fast convergence, so the model uses 1.1962.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import ROUND_TRIP, Condition, Model
from tcpgoodput.models.limits import (
    CRITERION,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    rare_loss,
)
from tcpgoodput.models.literature.cubic import (
    CUBIC_SENDER,
    MOST_LOSS,
    PEAK,
    WINDOW_KEPT,
    C,
    uncut_growth,
)
from tcpgoodput.models.mathis.square_root import independent_loss_constant
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

SMALLEST, LARGEST, POINTS = 0.04, 20.0, 300
"""Smallest and largest scaled window that are tabulated, and the number of tabulated windows, which
are in equal ratios. Four times as many windows change the constant c by less than 0.01 %. Windows
outside this range have a probability below 10⁻⁵."""

LONGEST, NODES = 8.0, 60
"""LONGEST: time from K, when the window reaches the plateau, to the end of the integrals over time,
in units of C^(-1/4) (R/p)^(1/4) seconds. NODES: number of Gauss-Legendre nodes of the integral
before the plateau, and of the integral after it. Chosen by hand."""

SETTLED = 1e-13
"""Change of the stationary distribution in one step, summed over all windows, below which its
iteration ends. Chosen by hand."""


@cache
def constant(window_kept: float = WINDOW_KEPT, *, fast_convergence: bool = True) -> float:
    """Return 1/E[t], the mean window in units of C^(1/4) (R/p)^(3/4) packets.

    For β = 0.7 it is 1.504 with fast convergence and 1.635 without.
    """
    x = np.geomspace(SMALLEST, LARGEST, POINTS)[:, None]
    plateaus = [x, x * (1 + window_kept) / 2] if fast_convergence else [x]
    moves, times = [], []
    for m in plateaus:
        k = np.cbrt(m - window_kept * x)
        t, weights = _quadrature(k)
        survives = np.exp(-((t - k) ** 4 - k**4) / 4 - m * t)
        window = (t - k) ** 3 + m
        moves.append(
            _moves(x[:, 0], window, weights * survives * window, (t < k) & fast_convergence)
        )
        times.append((weights * survives).sum(axis=1))
    law = _stationary(np.concatenate(moves)[:, : len(plateaus) * POINTS])
    return float(1 / (law @ np.concatenate(times)))


def _quadrature(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes (times) and weights of integrals from 0 to K + `LONGEST`, a row for each K."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half, before = (nodes + 1) / 2, weights / 2
    # The square makes nodes denser just after the plateau, t = K.
    t = np.hstack([k * half, k + LONGEST * half**2])
    return t, np.hstack([k * before, LONGEST * 2 * half * before + 0 * k])


def _moves(
    x: np.ndarray, window: np.ndarray, density: np.ndarray, converges: np.ndarray
) -> np.ndarray:
    """Return transition probabilities from each tabulated window to the windows at the next loss.

    There are two columns for each tabulated window: without and with fast convergence. The
    probability of a window between two tabulated ones is divided between them, linearly in the
    window's logarithm. `window`, `density` of a loss and `converges` have a row for each tabulated
    window x, and a column for each node of time.
    """
    place = np.log(np.clip(window, x[0], x[-1]) / x[0]) / np.log(x[1] / x[0])
    left = np.minimum(place.astype(int), POINTS - 2)
    right_share = place - left
    column = left + POINTS * converges
    row = np.broadcast_to(np.arange(POINTS)[:, None], window.shape)
    moves = np.zeros((POINTS, 2 * POINTS))
    np.add.at(moves, (row, column), density * (1 - right_share))
    np.add.at(moves, (row, column + 1), density * right_share)
    return moves / moves.sum(axis=1, keepdims=True)


def _stationary(moves: np.ndarray) -> np.ndarray:
    """Return the stationary distribution of a Markov chain with the transition matrix `moves`."""
    law = np.full(len(moves), 1 / len(moves))
    while True:
        before, law = law, law @ moves
        if np.abs(law - before).sum() < SETTLED:
            return law


def cubic_window_packets(p: float, rtt_s: float, *, fast_convergence: bool = True) -> float:
    """Return the mean window c (R/p)^¾ in packets; c is 1.196, or 1.3005 without convergence."""
    c = C**0.25 * constant(fast_convergence=fast_convergence)
    return c * rtt_s**0.75 / p**0.75


def reno_friendly_window_packets(p: float) -> float:
    """Return the mean window of the Reno-friendly region, 1.274/√p packets, at independent losses.

    The additive increase is 3(1-β)/(1+β) = 9/17 packets per round trip (RFC 9438, section 4.3).
    """
    growth = 3 * (1 - WINDOW_KEPT) / (1 + WINDOW_KEPT)
    return independent_loss_constant(WINDOW_KEPT, growth) / p**0.5


def _cubic_packets(scenario: Scenario) -> float:
    return cubic_window_packets(lost_share(scenario), scenario.propagation_rtt_s)


def _mean_packets(scenario: Scenario) -> float:
    """Return the larger mean window (CUBIC's or Reno-friendly) in packets; 0 without loss."""
    p = lost_share(scenario)
    return max(_cubic_packets(scenario), reno_friendly_window_packets(p)) if p > 0 else 0.0


def _growth_overflows(scenario: Scenario, _: Conditions) -> str | None:
    """Return an explanation if the window's growth per round trip overflows the buffer, else None.

    The packets of a window follow one another at the rate of the link, and the packets added in a
    round trip R wait behind them: R dW/dt = 3 R C^(1/3) (W - W_max)^(2/3), for a usual peak W,
    `PEAK` times the mean window, and with the mean window as W_max.
    """
    buffer = scenario.path.buffer_packets
    above = (PEAK - 1) * _cubic_packets(scenario)
    growth = 3 * scenario.propagation_rtt_s * C ** (1 / 3) * above ** (2 / 3)
    if buffer is None or growth <= buffer:
        return None
    return (
        f"the window grows by {growth:.3g} packets per round trip, more than the buffer holds "
        f"({buffer})"
    )


@register
class Poojary(Model):
    """CUBIC's mean rate if each packet is lost with the same probability."""

    name = "poojary"
    title = "Poojary, Sharma"
    equation = (
        "X = c (R/p)^(3/4) / R with c = C^(1/4) / E[t] = 1.196: E[t] is the mean scaled time "
        "between losses in the stationary law of a Markov chain, for C = 0.4, β = 0.7 and fast "
        "convergence. p: probability of loss; R: round trip. If c (R/p)^(3/4) is below the window "
        "1.274/√p of the Reno-friendly region, X = 1.274/(R √p)."
    )
    source = "literature"
    citation = "poojary2019"
    inputs = (*ROUND_TRIP, "loss")
    domain = (
        "CUBIC on independent loss up to 2 %, so rare that cubic growth exceeds Reno-friendly "
        "growth; no timeouts; neither the receiver window nor the path's rate limits the window; "
        "a buffer that holds the window's growth in a round trip"
    )
    conditions = (
        CUBIC_SENDER,
        rare_loss(MOST_LOSS, f"{CRITERION}; the limit is that of the model cubic"),
        Condition(
            "a cubic growth above the Reno-friendly one",
            "assumption",
            "the abstract: the chain is the limit for a probability of loss that tends to 0, "
            "where the Reno-friendly region does not occur",
            lambda s, _: (
                _cubic_packets(s) < reno_friendly_window_packets(lost_share(s))
                and "CUBIC is in its Reno-friendly region; the model is the limit of rare loss"
            ),
        ),
        THREE_DUPLICATE_ACKS,
        ROOM_FOR_BURSTS,
        Condition(
            "a buffer that holds the packets that a round trip adds to the window",
            "assumption",
            "the Markov chain has only random losses; the condition was added after outliers were "
            "seen",
            _growth_overflows,
        ),
        PROMPT_ACKS,
        *uncut_growth(_mean_packets),
    )
    handles = frozenset({"independent loss"})
    # Hand-offs are excluded: their times are fixed, but the model's losses depend on packets sent.
    reduces = frozenset({"bursty loss", "delay spikes", "varying capacity", "link retransmission"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the larger mean window (CUBIC's or Reno-friendly) per round trip, in packets/s."""
        if lost_share(scenario) == 0:
            raise Undefined("without loss the formula has no finite value")
        return _mean_packets(scenario) / scenario.propagation_rtt_s
