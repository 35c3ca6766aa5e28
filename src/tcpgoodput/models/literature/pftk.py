"""PFTK's goodput, and what the formulas of Padhye, Firoiu, Towsley and Kurose have in common.

The goodput is the packets that arrive per loss event, over the mean time between loss events. Each
formula is a function of (p, R, T0, b, W_max), which a subclass of `Pftk` makes a model. All
formulas use log1p and expm1, so that p from the smallest float to just below 1 gives full
precision. Symbols: p loss probability, R round trip, T0 timeout, b packets per ACK, w window in
packets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import ACKS, REDUCIBLE, ROUND_TRIP, Condition, Model
from tcpgoodput.models.limits import (
    NOT_LINEAR,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    TAHOE,
    THREE_DUPLICATE_ACKS,
    empty_queue,
    no_variant,
)
from tcpgoodput.models.losses import timeout_probability
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

RENO_MOST_LOSS, MOST_LOSS, LONGEST_TIMEOUT_RTTS = 0.1, 0.03, 2
"""Limits of the domain. RENO_MOST_LOSS: largest share of lost packets at which the formula was
compared with simulated Reno. MOST_LOSS, LONGEST_TIMEOUT_RTTS: largest share of lost packets, and
longest timeout in round trips, up to which NewReno and SACK time out about as often as Reno."""

WITHIN_A_FIFTH = "beyond it the formula differs from packet simulation by more than about 20 %"

SENDER = (
    no_variant(
        TAHOE,
        "a sender with fast recovery, unlike Tahoe",
        "assumption",
        "the paper models Reno, which halves its window if duplicate ACKs indicate the loss",
        "{variant} begins slow start after each loss; the formula only halves the window",
    ),
    no_variant(
        tuple(NOT_LINEAR),
        "neither CUBIC nor BBR",
        "assumption",
        "the paper models Reno, whose window grows by one packet in b round trips",
        "{name}'s window does not grow by one packet per round trip, as the formula assumes",
    ),
    Condition(
        f"Reno: at most {100 * RENO_MOST_LOSS:g} % of packets lost",
        "fitted",
        "up to this loss Reno was compared with packet simulation",
        lambda s, _: (
            s.tcp.variant == "reno"
            and (p := lost_share(s)) > RENO_MOST_LOSS
            and f"{100 * p:.3g} % of packets are lost; above {100 * RENO_MOST_LOSS:g} % the "
            "formula was not compared with simulation"
        ),
    ),
    Condition(
        f"NewReno and SACK: at most {100 * MOST_LOSS:g} % of packets lost",
        "fitted",
        f"{WITHIN_A_FIFTH}, because these senders time out less often than Reno",
        lambda s, _: (
            s.tcp.variant != "reno"
            and (p := lost_share(s)) > MOST_LOSS
            and f"with {100 * p:.3g} % loss, more than {100 * MOST_LOSS:g} %, {s.tcp.variant} "
            "times out less often than Reno, which the formula describes"
        ),
    ),
    Condition(
        f"NewReno and SACK: a timeout of at most {LONGEST_TIMEOUT_RTTS} round trips",
        "fitted",
        f"{WITHIN_A_FIFTH}, because these senders time out less often than Reno",
        lambda s, _: (
            s.tcp.variant != "reno"
            and lost_share(s) > 0
            and s.timeout_s > LONGEST_TIMEOUT_RTTS * s.propagation_rtt_s
            and f"the timeout of {s.timeout_s:.3g} s is above {LONGEST_TIMEOUT_RTTS} round trips "
            f"of {s.propagation_rtt_s:.3g} s: {s.tcp.variant} times out less often than Reno, "
            "which the formula describes"
        ),
    ),
)
"""Conditions on the sender."""

WINDOW_IN_PATH = Condition(
    "without loss, a receiver window of at most the bandwidth-delay product",
    "derivation",
    "without loss the formula is w/R, which a larger window raises above the rate of the path",
    lambda s, _: (
        s.loss.impairment is None
        and (window := s.tcp.max_window_packets) is not None
        and window > (product := s.rate_pps * s.propagation_rtt_s)
        and f"the receiver window ({window} packets) exceeds what the path holds "
        f"({product:.3g}): the rate limits the goodput"
    ),
    is_limit=True,
)


def window_at_loss(p: float, b: int) -> float:
    """Return E[W], the mean window in packets at a loss, without a window limit.

    E[W] = (2+b)/(3b) + √(8(1-p)/(3bp) + ((2+b)/(3b))²).
    """
    offset = (2 + b) / (3 * b)
    return offset + math.hypot(math.sqrt(8 * (1 - p) / (3 * b)) / math.sqrt(p), offset)


def backoff_factor(p: float) -> float:
    """Return f(p) = 1 + p + 2p² + … + 32p⁶, the factor for timeouts that double up to 64 T0."""
    return 1 + p * (1 + p * (2 + p * (4 + p * (8 + p * (16 + 32 * p)))))


def without_loss_pps(rtt_s: float, max_window: float | None) -> float:
    """Return the goodput without loss, w/R in packets/s, or raise `Undefined` without a limit w."""
    if max_window is None:
        raise Undefined(
            "without loss and without a receiver window the formula has no finite value"
        )
    return max_window / rtt_s


def full_formula_pps(
    packets: Callable[[float, float], float],
    p: float,
    rtt_s: float,
    timeout_s: float,
    b: int,
    max_window: float | None,
) -> float:
    """Return the packets per loss event over the mean time between loss events, in packets/s.

    Both are computed times p, so that they are finite for any p above 0; `packets` is this function
    of w and p. At p = 0 the result is W_max/R.
    """
    if p == 0:
        return without_loss_pps(rtt_s, max_window)
    w = window_at_loss(p, b)
    if max_window is None or w < max_window:
        in_avoidance = p * (b * w / 2 + 1)
    else:
        w = max_window
        in_avoidance = p * (b * w / 8 + 2) + (1 - p) / w
    in_timeouts = p * timeout_probability(w, p) * backoff_factor(p) / (1 - p)  # in units of T0
    return packets(w, p) / (in_avoidance + in_timeouts * (timeout_s / rtt_s)) / rtt_s


def _window_at_loss(scenario: Scenario) -> float:
    """Return the mean window at a loss in packets; 0 without loss."""
    p = lost_share(scenario)
    return window_at_loss(p, scenario.tcp.packets_per_increment) if p > 0 else 0.0


class Pftk(Model):
    """Base class of the models of Padhye et al.; each subclass has one formula."""

    source = "literature"
    inputs = ("tcp.max_window_packets", *ACKS, "tcp.rto", *ROUND_TRIP, "loss")
    domain = (
        "independent loss: Reno up to 10 %, NewReno and SACK up to 3 % with a timeout of at most "
        "two round trips; the window or the loss limits the goodput, not the path's rate"
    )
    conditions = (
        *SENDER,
        THREE_DUPLICATE_ACKS,
        PROMPT_ACKS,
        ROOM_FOR_BURSTS,
        empty_queue(_window_at_loss),
        WINDOW_IN_PATH,
    )
    handles = frozenset({"independent loss"})
    reduces = REDUCIBLE - handles
    formula: ClassVar[Callable[[float, float, float, int, float | None], float]]
    """Goodput in packets/s by p, R, T0, b, and the receiver window (None: unlimited)."""

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s, with R the propagation round trip and T0 the timeout."""
        return self.formula(
            lost_share(scenario),
            scenario.propagation_rtt_s,
            scenario.timeout_s,
            scenario.tcp.packets_per_increment,
            scenario.tcp.max_window_packets,
        )


def goodput_pps(
    p: float, rtt_s: float, timeout_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return the goodput in packets/s by the equation of `PftkGoodput`; without loss w/R.

    Numerator and denominator are both multiplied by p. w is the receiver window.
    """
    return full_formula_pps(
        lambda w, p: (1 - p) + p * (w / 2 + timeout_probability(w, p)),
        p, rtt_s, timeout_s, b, max_window,
    )  # fmt: skip


@register
class PftkGoodput(Pftk):
    """The full formula of Padhye et al. as a throughput: it counts packets that arrive."""

    name = "pftk"
    title = "PFTK goodput"
    equation = (
        "X = [(1-p)/p + W/2 + Q] / [R (bW/2 + 1) + Q T0 f(p)/(1-p)], with W = (2+b)/(3b) + "
        "√(8(1-p)/(3bp) + ((2+b)/(3b))²); where the receiver window w is below W, the time is R "
        "(bw/8 + (1-p)/(pw) + 2) + Q T0 f(p)/(1-p) and w replaces W. p: probability of loss; b: "
        "packets per ACK; R: round trip; T0: timeout; W: mean window at a loss; Q: probability "
        "that a loss ends in a timeout; f(p) = 1 + p + 2p² + 4p³ + 8p⁴ + 16p⁵ + 32p⁶: the "
        "doubling of timeouts."
    )
    citation = "padhye2000"
    formula = staticmethod(goodput_pps)
