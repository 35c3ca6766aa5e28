"""BBR under independent loss: what the path delivers, less the time of PROBE_RTT.

The formulas are this project's own; they follow from the sender's rules in the ACM Queue's paper
and in Linux's tcp_bbr.c. Loss does not reduce the window. The bandwidth estimate is the largest
delivery rate of ten round trips. If the path delivers C(1 - p), the phase with gain 5/4 sends
5/4 C(1 - p). That fills the path as long as p ≤ 1/5, so that the estimate does not fall, and
C(1 - p) is delivered (equation 1, an upper bound; a receiver window of W packets allows at most
W(1 - p)/R). At larger p each estimate is smaller than the one before, and the rate collapses.

Equation 2 is the goodput. Between two probing phases the sender sends its estimate, which is the
share e of the rate C, and the path delivers the part 1 - p of it. One or two of the ten round trips
of the filter fill the path. Of the C R packets of such a round trip, the share 1 - p arrives on
average, with the standard deviation √(p(1 - p)/(C R)); the larger of two is about one standard
deviation above the mean. So e = 1 - p + √(p(1 - p)/(C R)), at most 1. In each ten seconds,
PROBE_RTT sends only four packets per round trip, for 200 ms and a round trip: it takes the part s.

Packets that are lost before the queue (`loss.place`) do not take part of what a full path delivers,
which is C. So each probing phase finds C, e is 1, and the bound of equation 1 is C.

Equation 3 is a lower bound: the estimate is the mean, and the sender sends 0.99 of it, the pacing
margin. The probing phases, which last longer than the draining ones, are left out.

Equation 4 is the goodput with a receiver window of W packets. Without loss the sender delivers W
packets in the time T, a round trip or the time at the rate of equation 2. A lost packet is at the
beginning of the window until its retransmission arrives, a round trip after the loss is known: 2 R
after the packet was sent, and k + 1 round trips if k - 1 retransmissions are lost as well. By then
the sender has sent the whole window if T is shorter, and stops for at most a round trip. Of W
packets any needs its k-th transmission to be repeated with the probability q_k = 1 - (1 - p^k)^W.
"""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import LINK, PACKET, Condition, Model
from tcpgoodput.models.limits import round_trip_s
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import delivered_limit_pps, lost_share

PROBING_GAIN = 5 / 4
"""Gain of the phase that probes for more bandwidth (bbr_pacing_gain)."""

MOST_LOSS = (PROBING_GAIN - 1) / PROBING_GAIN
"""Largest share of lost packets, 1/5, at which the probing phase fills the path."""

MARGIN = 0.99
"""Pacing rate, relative to gain and bandwidth (bbr_pacing_margin_percent)."""

PROBE_RTT_EVERY_S, PROBE_RTT_S, PROBE_RTT_PACKETS = 10.0, 0.2, 4
"""Time from one PROBE_RTT to the next, its shortest duration in seconds, and its window."""

POLICED_LOSS, POLICED_ROUNDS = 50 / 256, 4
"""Lost packets, relative to the delivered ones, and round trips from which the sender takes its
delivery rate for a policer's (bbr_lt_loss_thresh, bbr_lt_intvl_min_rtts)."""

MOST_TIMEOUTS = 0.1
"""Largest number of lost retransmissions in a round trip without RACK. Up to it the error was at
most 9 % in packet simulation of nine connections; from 0.14 to 0.63 it was 5 to 32 % on four."""

LEAST_STOPPED = 1e-9
"""Probability that a k-th transmission is repeated below which equation 4 leaves out further k."""

DEVIATIONS = 2
"""Number of standard deviations by which the lost packets must stay below the policer's share; with
fewer the estimate would often be wrong by chance. Chosen by hand."""

BURSTS_PER_S, LEAST_BURST = 1024, 2
"""Bursts per second of a fast sender, and fewest packets of a burst (tcp_tso_autosize)."""


def window_packets(scenario: Scenario) -> float:
    """Return the receiver window in packets; infinite if there is none."""
    return scenario.tcp.max_window_packets or math.inf


def probing_share(rate_pps: float, rtt_s: float) -> float:
    """Return s, the part of the goodput that PROBE_RTT costs: 0 if four packets fill the path."""
    lost_s = (max(PROBE_RTT_S, rtt_s) + rtt_s) * max(0.0, 1 - PROBE_RTT_PACKETS / rate_pps / rtt_s)
    return lost_s / (PROBE_RTT_EVERY_S + max(PROBE_RTT_S, rtt_s) + rtt_s)


def stopped_s(p: float, window_packets: float, sending_s: float, rtt_s: float) -> float:
    """Return the mean time for which losses stop a sender per window (4); `sending_s` is T ≥ R."""
    total_s, repetition = 0.0, 1
    while p > 0:
        needed = -math.expm1(window_packets * math.log1p(-(p**repetition)))
        if needed < LEAST_STOPPED:
            break
        total_s += needed * min(rtt_s, max(0.0, (repetition + 1) * rtt_s - sending_s))
        repetition += 1
    return total_s


def _seems_policed(scenario: Scenario) -> bool:
    """Return whether the losses of four round trips may look like a policer's."""
    p = lost_share(scenario)
    sent = POLICED_ROUNDS * scenario.rate_pps * round_trip_s(scenario)
    most_lost = p * sent + DEVIATIONS * math.sqrt(p * (1 - p) * sent)
    return most_lost >= POLICED_LOSS * (1 - p) * sent


def _timeouts(scenario: Scenario) -> float:
    """Return the retransmissions per round trip whose loss only a timeout shows, without RACK."""
    if scenario.tcp.loss_detection == "rack":
        return 0.0
    packets = min(scenario.rate_pps * round_trip_s(scenario), window_packets(scenario))
    return lost_share(scenario) ** 2 * packets


def _burst_packets(scenario: Scenario) -> float:
    return max(scenario.rate_pps / BURSTS_PER_S, LEAST_BURST)


BBR_SENDER = Condition(
    "BBR",
    "assumption",
    "the window follows from estimates of bandwidth and round trip, not from losses",
    lambda s, _: (
        s.tcp.variant != "bbr"
        and f"{s.tcp.variant} reduces its window at losses, which BBR does not do"
    ),
)

PASSES_BURSTS = Condition(
    "a buffer of at least two bursts",
    "derivation",
    "packets leave in bursts of about a millisecond, and the probing phase sends 5/4 of the rate",
    lambda s, _: (
        (s.path.buffer_packets or math.inf) < 2 * _burst_packets(s)
        and f"the buffer of {s.path.buffer_packets} packets is smaller than two bursts of "
        f"{_burst_packets(s):.3g}"
    ),
)


@register
class RandomLoss(Model):
    """BBR delivers what the path lets through of its estimate, up to a loss of 20 %."""

    name = "bbr.random_loss"
    title = "BBR, random loss"
    equation = (
        "X = C e (1-p) (1-s) for p ≤ 0.2, e = min(1, 1 - p + sqrt(p (1-p)/(C R))), or e = 1 if "
        "packets are lost before the queue, s = (D+R)(1 - 4/min(C R, W_m)) / (10 s + D + R), D = "
        "max(0.2 s, R) (2). With a receiver window, X = W_m (1-s)/(T + sum over k of q_k min(R, "
        "max(0, (k+1) R - T))), T = max(R, W_m/(C e (1-p))), q_k = 1 - (1 - p^k)^W_m (4). C: rate, "
        "packets/s; p: probability of loss; R: round trip; W_m: receiver window."
    )
    source = "literature"
    citation = "cardwell2016"
    inputs = ("tcp.variant", *PACKET, "tcp.max_window_packets", *LINK, "loss")
    domain = (
        "BBR version 1 on no loss or independent loss so small that the sender does not suspect a "
        "policer, about 10 to 15 %, or without RACK that few retransmissions are lost; a formula "
        "of this project"
    )
    conditions = (
        BBR_SENDER,
        Condition(
            "losses that do not look like a policer's",
            "derivation",
            "tcp_bbr.c, bbr_lt_bw_sampling: two intervals of four round trips with 50 lost packets "
            "per 256 delivered fix the rate for 48 round trips",
            lambda s, _: (
                _seems_policed(s)
                and f"with {100 * lost_share(s):.3g} % loss the sender takes its delivery rate for "
                "that of a policer, and no longer looks for more"
            ),
        ),
        Condition(
            f"RACK, or at most {MOST_TIMEOUTS:g} lost retransmissions in a round trip",
            "fitted",
            "up to it errors were below 10 % in packet simulation; without RACK each lost "
            "retransmission costs a timeout, which the model leaves out",
            lambda s, _: (
                (timeouts := _timeouts(s)) > MOST_TIMEOUTS
                and f"without RACK (tcp.stack: linux-6.18 has it) {timeouts:.3g} retransmissions "
                "are lost in a round trip, each with a timeout, which the model leaves out"
            ),
        ),
        PASSES_BURSTS,
    )
    handles = frozenset({"independent loss"})
    reduces = frozenset({"link retransmission"})
    counts_transmission = True

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s; `Undefined` beyond a loss of a fifth."""
        if scenario.tcp.variant != "bbr":
            raise Undefined(f"describes BBR alone, not {scenario.tcp.variant}")
        p = lost_share(scenario)
        if p > MOST_LOSS:
            raise Undefined(
                f"with {100 * p:.3g} % loss the probing phase does not fill the path (1.25 (1-p) < "
                "1): the bandwidth estimate falls until the window is at its least"
            )
        return self.limited_pps(scenario, p)

    def limited_pps(self, scenario: Scenario, p: float) -> float:
        """Return the goodput by equation 2 or 4 in packets/s, for a loss p of at most a fifth."""
        rtt_s, window = round_trip_s(scenario), window_packets(scenario)
        sent_pps = self.sent_pps(scenario, p)
        in_flight = min(scenario.rate_pps * rtt_s, window)
        busy = 1 - probing_share(in_flight / rtt_s, rtt_s)
        if math.isinf(window):
            return busy * sent_pps * (1 - p)
        sending_s = max(rtt_s, window / (sent_pps * (1 - p)))
        return busy * window / (sending_s + stopped_s(p, window, sending_s, rtt_s))

    def sent_pps(self, scenario: Scenario, p: float) -> float:
        """Return the rate in packets/s that is sent between two probing phases without a window."""
        if scenario.loss.place == "before":
            return scenario.rate_pps  # e = 1
        product = scenario.rate_pps * round_trip_s(scenario)
        return scenario.rate_pps * min(1.0, 1 - p + math.sqrt(p * (1 - p) / product))  # e in (2)


@register
class RandomLossUpper(RandomLoss):
    """An upper bound: the path is always full, and PROBE_RTT never happens."""

    name = "bbr.random_loss_upper"
    title = "BBR, random loss, upper bound"
    equation = (
        "X = (1-p) min(C, W_m/R) for p ≤ 0.2, or min(C, (1-p) W_m/R) if packets are lost before "
        "the queue (1). C: rate, packets/s; p: probability of loss; W_m: receiver window; R: "
        "round trip."
    )

    def limited_pps(self, scenario: Scenario, p: float) -> float:
        """Return the goodput by equation 1."""
        window_pps = window_packets(scenario) / round_trip_s(scenario)
        return min(delivered_limit_pps(scenario), (1 - p) * window_pps)


@register
class RandomLossLower(RandomLoss):
    """A lower bound: the bandwidth estimate is the mean delivery rate, not the largest one."""

    name = "bbr.random_loss_lower"
    title = "BBR, random loss, lower bound"
    equation = (
        "X = 0.99 C (1-p)² (1-s), with s as in (2) (3). With a receiver window, 0.99 times (4) "
        "with T = max(R, W_m/(C (1-p)²)). C: rate, packets/s; p: probability of loss; R: round "
        "trip; W_m: receiver window."
    )

    def limited_pps(self, scenario: Scenario, p: float) -> float:
        """Return the goodput by equation 3."""
        return MARGIN * super().limited_pps(scenario, p)

    def sent_pps(self, scenario: Scenario, p: float) -> float:
        """Return the mean delivery rate in packets/s."""
        return scenario.rate_pps * (1 - p)
