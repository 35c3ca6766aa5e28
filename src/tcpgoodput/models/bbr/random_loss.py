"""BBR under independent loss: what the path delivers, less the time of PROBE_RTT.

The formulas are this project's own; they follow from the sender's rules in the ACM Queue's paper
and in Linux's tcp_bbr.c. Loss does not reduce the window. The bandwidth estimate is the largest
delivery rate of ten round trips. If the path delivers C(1 - p), the phase with gain 5/4 sends
5/4 C(1 - p). That fills the path as long as p ≤ 1/5, so that the estimate does not fall, and
C(1 - p) is delivered (equation 1, an upper bound). At larger p each estimate is smaller than the
one before, and the rate collapses.

Equation 2 is the goodput. Between two probing phases the sender sends its estimate, which is the
share e of the rate C, and the path delivers the part 1 - p of it. One or two of the ten round trips
of the filter fill the path. Of the C R packets of such a round trip, the share 1 - p arrives on
average, with the standard deviation √(p(1 - p)/(C R)); the larger of two is about one standard
deviation above the mean. So e = 1 - p + √(p(1 - p)/(C R)), at most 1. In each ten seconds,
PROBE_RTT sends only four packets per round trip, for 200 ms and a round trip: it takes the part s.

Equation 3 is a lower bound: the estimate is the mean, and the sender sends 0.99 of it, the pacing
margin. The probing phases, which last longer than the draining ones, are left out.
"""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import LINK, PACKET, Condition, Model
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

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

DEVIATIONS = 2
"""Number of standard deviations by which the lost packets must stay below the policer's share; with
fewer the estimate would often be wrong by chance. Chosen by hand."""

BURSTS_PER_S, LEAST_BURST = 1024, 2
"""Bursts per second of a fast sender, and fewest packets of a burst (tcp_tso_autosize)."""


def round_trip_s(scenario: Scenario) -> float:
    """Return the path's round trip with a packet's transmission, in seconds."""
    return scenario.propagation_rtt_s + 1 / scenario.rate_pps


def probing_share(rate_pps: float, rtt_s: float) -> float:
    """Return the part of the goodput that PROBE_RTT costs (equation 2), from 0 to 1.

    Nothing is lost if four packets fill the path.
    """
    lost_s = (max(PROBE_RTT_S, rtt_s) + rtt_s) * max(0.0, 1 - PROBE_RTT_PACKETS / rate_pps / rtt_s)
    return lost_s / (PROBE_RTT_EVERY_S + max(PROBE_RTT_S, rtt_s) + rtt_s)


def estimated_share(p: float, packets: float) -> float:
    """Return the bandwidth estimate, relative to the path's rate (e in equation 2).

    Args:
        p: probability of loss.
        packets: number of packets of a round trip that fills the path.

    """
    return min(1.0, 1 - p + math.sqrt(p * (1 - p) / packets))


def _seems_policed(scenario: Scenario) -> bool:
    """Return whether the losses of four round trips may look like a policer's."""
    p = lost_share(scenario)
    sent = POLICED_ROUNDS * scenario.rate_pps * round_trip_s(scenario)
    most_lost = p * sent + DEVIATIONS * math.sqrt(p * (1 - p) * sent)
    return most_lost >= POLICED_LOSS * (1 - p) * sent


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
        "X = C e (1-p) (1-s) for p ≤ 0.2, e = min(1, 1 - p + sqrt(p (1-p)/(C R))), s = (D+R)(1 - "
        "4/(C R)) / (10 s + D + R), D = max(0.2 s, R) (2), at most W_m/R. C: rate, packets/s; p: "
        "probability of loss; R: round trip; W_m: receiver window."
    )
    source = "literature"
    citation = "cardwell2016"
    inputs = ("tcp.variant", *PACKET, "tcp.max_window_packets", *LINK, "loss")
    domain = (
        "BBR version 1 on no loss or independent loss so small that the sender does not suspect a "
        "policer, about 10 to 15 %; a formula of this project"
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
        PASSES_BURSTS,
    )
    handles = frozenset({"independent loss"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s.

        Raises:
            Undefined: the sender is not BBR, or more than a fifth of the packets are lost.

        """
        if scenario.tcp.variant != "bbr":
            raise Undefined(f"describes BBR alone, not {scenario.tcp.variant}")
        p = lost_share(scenario)
        if p > MOST_LOSS:
            raise Undefined(
                f"with {100 * p:.3g} % loss the probing phase does not fill the path (1.25 (1-p) < "
                "1): the bandwidth estimate falls until the window is at its least"
            )
        window_pps = (scenario.tcp.max_window_packets or math.inf) / round_trip_s(scenario)
        return min(self.unlimited_pps(scenario, p), window_pps)

    def unlimited_pps(self, scenario: Scenario, p: float) -> float:
        """Return the goodput without a receiver window, in packets/s; `p` is the loss."""
        rate_pps, rtt_s = scenario.rate_pps, round_trip_s(scenario)
        share = estimated_share(p, rate_pps * rtt_s)
        return (1 - probing_share(rate_pps, rtt_s)) * share * rate_pps * (1 - p)


@register
class RandomLossUpper(RandomLoss):
    """An upper bound: the path is always full, and PROBE_RTT never happens."""

    name = "bbr.random_loss_upper"
    title = "BBR, random loss, upper bound"
    equation = (
        "X = C (1-p) for p ≤ 0.2 (1), at most W_m/R. C: rate, packets/s; p: probability of loss; "
        "W_m: receiver window; R: round trip."
    )

    def unlimited_pps(self, scenario: Scenario, p: float) -> float:
        """Return the goodput without a receiver window, in packets/s; `p` is the loss."""
        return scenario.rate_pps * (1 - p)


@register
class RandomLossLower(RandomLoss):
    """A lower bound: the bandwidth estimate is the mean delivery rate, not the largest one."""

    name = "bbr.random_loss_lower"
    title = "BBR, random loss, lower bound"
    equation = (
        "X = 0.99 C (1-p)² (1-s), with s as in (2) (3). C: rate, packets/s; p: probability of loss."
    )

    def unlimited_pps(self, scenario: Scenario, p: float) -> float:
        """Return the goodput without a receiver window, in packets/s; `p` is the loss."""
        rate_pps = scenario.rate_pps
        share = probing_share(rate_pps, round_trip_s(scenario))
        return MARGIN * (1 - share) * rate_pps * (1 - p) ** 2
