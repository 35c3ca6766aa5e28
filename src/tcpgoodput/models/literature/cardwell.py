"""Cardwell, Savage and Anderson: the time of a finite transfer.

A transfer has a slow start up to the first loss, the recovery from this loss, and the steady state
of PFTK for the remaining packets: T = T_ss + T_loss + T_ca + T_delack. T_delack is the delay of the
first ACK. The time of the handshake is left out. Symbols: d packets, w1 the first window, b packets
per ACK, γ = 1 + 1/b the growth of slow start per round trip, p the loss probability, l = 1-(1-p)^d
the probability of any loss.
"""

from __future__ import annotations

import math
from dataclasses import replace

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import ACKS, ROUND_TRIP, Condition, Model
from tcpgoodput.models.limits import (
    CRITERION,
    NO_BBR,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    empty_queue,
)
from tcpgoodput.models.literature.pftk import SENDER, backoff_factor, goodput_pps, window_at_loss
from tcpgoodput.models.losses import timeout_probability
from tcpgoodput.models.registry import Effect, erratum, register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

FEWEST_RTTS = 3
"""Shortest transfer in the domain, in round trips. A real transfer takes a whole number of them,
so that the formula is wrong by up to one. Fitted: chosen by `CRITERION`."""

LONGEST_WAIT = 0.25
"""Largest ratio of the delayed-ACK timeout to the transfer time in the domain. The formula leaves
out the wait for the ACK of an odd last packet. Fitted: chosen by `CRITERION`."""

OVERSHOOT, SETTLED_LOSSES = 2, 20
"""OVERSHOOT: largest ratio of the window at the end of slow start to the window of PFTK in the
domain. A real first loss only halves the window, but the model continues with PFTK's window.
SETTLED_LOSSES: smallest mean number of losses in a transfer at which OVERSHOOT is not checked. Both
are fitted: chosen by `CRITERION`."""


def any_loss(d: float, p: float) -> float:
    """Return l = 1 - (1-p)^d, the probability that at least one of d packets is lost."""
    return -math.expm1(d * math.log1p(-p))


def slow_start_packets(d: float, p: float) -> float:
    """Return E[d_ss] = l/p, the mean packets up to and including the first loss; d at p = 0."""
    return any_loss(d, p) / p if p > 0 else d


def slow_start_packets_printed(d: float, p: float) -> float:
    """Return the mean packets up to the first loss as printed, E[d_ss] = l(1-p)/p + 1.

    The term + 1 counts the first lost packet even if none is lost: at p = 0 it gives d + 1.
    """
    return slow_start_packets(d, p) * (1 - p) + 1


def slow_start_window(packets: float, w1: float, b: int) -> float:
    """Return W_ss = d_ss (γ-1)/γ + w1/γ, the window in packets after an unlimited slow start."""
    growth = 1 + 1 / b
    return (packets * (growth - 1) + w1) / growth


def slow_start_s(
    packets: float, w1: float, rtt_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return T_ss, the time in seconds in which slow start sends d_ss = `packets`.

    T_ss is R log_γ(d_ss(γ-1)/w1 + 1) if slow start ends below the window limit w, else R
    [log_γ(w/w1) + 1 + (d_ss - (γw - w1)/(γ-1))/w].
    """
    growth = 1 + 1 / b
    if max_window is None or slow_start_window(packets, w1, b) <= max_window:
        return rtt_s * math.log1p(packets * (growth - 1) / w1) / math.log(growth)
    opened = (growth * max_window - w1) / (growth - 1)
    rounds = math.log(max_window / w1) / math.log(growth) + 1 + (packets - opened) / max_window
    return rtt_s * rounds


def transfer_s(
    d: float,
    p: float,
    rtt_s: float,
    timeout_s: float,
    *,
    b: int = 1,
    first_window: float = 1,
    max_window: float | None = None,
    ack_every: int = 1,
    delayed_ack_s: float = 0.0,
    printed: bool = False,
) -> float:
    """Return the mean time in seconds from the first packet to the last packet's ACK.

    A transfer that is smaller than w1 is sent as one window, and the receiver window also limits
    w1. T_delack delays the ACK of a first window below `ack_every` packets. b is as large, or 1 if
    the window grows with packets, not with ACKs.
    """
    w1 = min(first_window, d, max_window or math.inf)
    packets = (slow_start_packets_printed if printed else slow_start_packets)(d, p)
    duration_s = slow_start_s(packets, w1, rtt_s, b, max_window)
    if w1 < ack_every:
        duration_s += delayed_ack_s
    if p == 0:
        return duration_s
    window = min(slow_start_window(packets, w1, b), max_window or math.inf)
    q = timeout_probability(window, p)
    # T_loss / l, the mean recovery time after a loss: Q f T0/(1-p) + (1-Q) R
    recovery_s = q * backoff_factor(p) * timeout_s / (1 - p) + (1 - q) * rtt_s
    duration_s += any_loss(d, p) * recovery_s
    steady_pps = goodput_pps(p, rtt_s, timeout_s, b, max_window)
    return duration_s + max(0.0, d - packets) / steady_pps


def transfer_s_of(scenario: Scenario, *, printed: bool = False) -> float:
    """Return a scenario's mean transfer time in seconds; `Undefined` if it does not end."""
    tcp = scenario.tcp
    if tcp.transfer_packets is None:
        raise Undefined(
            "the model describes finite transfers, and the scenario has no tcp.transfer_packets"
        )
    return transfer_s(
        tcp.transfer_packets,
        lost_share(scenario),
        scenario.propagation_rtt_s,
        scenario.timeout_s,
        b=tcp.packets_per_increment,
        first_window=tcp.initial_window_packets,
        max_window=tcp.max_window_packets,
        ack_every=tcp.ack_every,
        delayed_ack_s=tcp.delayed_ack_timeout_s,
        printed=printed,
    )


def _slow_start_window(scenario: Scenario) -> float:
    """Return the window in packets at which a scenario's slow start ends."""
    tcp, d = scenario.tcp, scenario.tcp.transfer_packets or 0
    packets = slow_start_packets(d, lost_share(scenario))
    window = slow_start_window(
        packets, min(tcp.initial_window_packets, d), tcp.packets_per_increment
    )
    return min(window, tcp.max_window_packets or math.inf)


def _with_loss(condition: Condition) -> Condition:
    """Return a condition that is checked only if packets are lost."""
    check = condition.fails
    assert check is not None
    return replace(condition, fails=lambda s, settings: lost_share(s) > 0 and check(s, settings))


def _overshoots(scenario: Scenario, _: Conditions) -> str | None:
    p, d = lost_share(scenario), scenario.tcp.transfer_packets or 0
    if not 0 < p * d < SETTLED_LOSSES:
        return None
    window = _slow_start_window(scenario)
    steady = window_at_loss(p, scenario.tcp.packets_per_increment)
    if window <= OVERSHOOT * steady:
        return None
    return (
        f"slow start ends at a window of {window:.3g} packets, and the model continues with "
        f"{steady:.3g}"
    )


@register
class Cardwell(Model):
    """The goodput of a finite transfer by Cardwell, Savage and Anderson, without a handshake.

    Goodput is d/T, the packets of the transfer over its mean duration. The mean number of packets
    up to the first loss is l/p in the corrected equations, and l(1-p)/p + 1 in the printed ones. p
    is the loss probability, and l the probability that any of the d packets is lost.
    """

    name = "cardwell"
    title = "Cardwell et al."
    equation = (
        "X = d / T with T = T_ss + T_loss + T_ca + T_delack. d: packets of the transfer; T_ss: "
        "slow start up to the first loss, which comes after (1-(1-p)^d)/p packets; T_loss: "
        "recovery from this loss; T_ca: the remaining packets at PFTK's rate; T_delack: delay of "
        "the first ACK. p: probability of loss."
    )
    source = "literature"
    citation = "cardwell2000"
    inputs = (
        "tcp.transfer_packets",
        "tcp.initial_window_packets",
        "tcp.max_window_packets",
        *ACKS,
        "tcp.delayed_ack_timeout_s",
        "tcp.rto",
        *ROUND_TRIP,
        "loss",
    )
    domain = (
        "finite transfers over no loss, or independent loss in PFTK's domain; slow start ends "
        "near PFTK's mean window; no handshake and no queue"
    )
    conditions = (
        Condition(
            f"a transfer of at least {FEWEST_RTTS} round trips",
            "fitted",
            f"{CRITERION}: real transfers take whole round trips, and the formula may be wrong by "
            "one",
            lambda s, _: (
                (duration_s := transfer_s_of(s)) < FEWEST_RTTS * s.propagation_rtt_s
                and f"the transfer takes {duration_s / s.propagation_rtt_s:.3g} round trips; below "
                f"{FEWEST_RTTS} the model may be wrong by one"
            ),
        ),
        Condition(
            "a receiver that acknowledges the same number of packets at once at the start as later",
            "derivation",
            "the growth factor γ = 1 + 1/b has only one value of b",
            lambda s, _: (
                s.tcp.delayed_ack == "adaptive"
                and "the receiver acknowledges each packet at first (delayed_ack: adaptive), later "
                "every second"
            ),
        ),
        Condition(
            "an ACK for each packet, or a delayed-ACK timer of at most "
            f"{100 * LONGEST_WAIT:g} % of the transfer",
            "fitted",
            f"{CRITERION}: the formula leaves out the delayed ACK of an odd last packet",
            lambda s, _: (
                s.tcp.ack_every > 1
                and (wait_s := s.tcp.delayed_ack_timeout_s)
                > LONGEST_WAIT * (duration_s := transfer_s_of(s))
                and f"the last ACK may be delayed by {wait_s:.3g} s, and the transfer takes only "
                f"{duration_s:.3g} s"
            ),
        ),
        *map(_with_loss, SENDER),
        NO_BBR,
        Condition(
            f"a slow start that ends within {OVERSHOOT} times PFTK's window, or at least "
            f"{SETTLED_LOSSES} losses",
            "fitted",
            f"{CRITERION}: after the first loss the model continues with PFTK's rate",
            _overshoots,
        ),
        THREE_DUPLICATE_ACKS,
        PROMPT_ACKS,
        ROOM_FOR_BURSTS,
        empty_queue(_slow_start_window, is_limit=False),
    )
    handles = frozenset({"a finite transfer", "independent loss"})
    reduces = frozenset({"link retransmission"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s: the packets of the transfer over its mean duration."""
        duration_s = transfer_s_of(scenario, printed=conditions.equations == "printed")
        return (scenario.tcp.transfer_packets or 0) / duration_s


@erratum(
    where=r"\citet{cardwell2000}, packets up to the first loss",
    printed=r"$E[d_{ss}] = (1-(1-p)^d)(1-p)/p + 1$",
    corrected=r"$E[d_{ss}] = (1-(1-p)^d)/p$",
    proof=(
        r"The term 1 counts the lost packet, but a packet is lost only with probability "
        r"$1-(1-p)^d$. Without loss the printed form sends $d+1$ packets of a transfer of $d$. We "
        r"know the printed form from public implementations."
    ),
)
def _first_loss() -> Effect:
    forms = [
        1e3 * transfer_s(2, 1e-6, 0.1, 0.2, first_window=2, printed=printed)
        for printed in (True, False)
    ]
    return Effect("transfer time", "ms", "d = 2 = w_1, R = 100 ms", forms[0], forms[1])
