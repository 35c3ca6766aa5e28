"""The square-root formula: one in 1/p packets is lost, and the window varies from W/2 to W.

The errata are mixed units, rounding and gaps in the blog article on the formula.
"""

from __future__ import annotations

import math

import numpy as np

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import ACKS, REDUCIBLE, ROUND_TRIP, Model
from tcpgoodput.models.limits import (
    CRITERION,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    rare_loss,
    saw_tooth_sender,
    short_timeout,
    uncut_window,
)
from tcpgoodput.models.losses import independent_loss, peak_window_packets
from tcpgoodput.models.registry import Curve, Effect, curve, erratum, register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli
from tcpgoodput.scenario.physics import lost_share

MOST_LOSS = 0.02
LONGEST_TIMEOUT_RTTS = 8
"""Longest timeout in round trips at which the formula is within about a third of packet
simulation."""


def throughput_pps(loss_probability: float, rtt_s: float, packets_per_ack: int = 1) -> float:
    """Return the rate C / (RTT √p) in packets/s, with C = √(3/(2b)) for b packets per ACK.

    A tooth of the window's saw-tooth has 1/p packets. The rate is these packets divided by the
    duration of a tooth.
    """
    constant = math.sqrt(3 / (2 * packets_per_ack))
    return constant / math.sqrt(loss_probability) / rtt_s


def mean_root_of_exponentials(window_kept: float) -> float:
    """Return the mean E√S for S = Σ q^k E_k, with q = ν² and independent exponential E_k of mean 1.

    The sum is over all k ≥ 0. E S^s = Γ(1+s) Π_{j≥1} (1-q^{j+s})/(1-q^j), which is n!/Π_{j≤n}
    (1-q^j) for whole s = n. A loss multiplies the window by ν = `window_kept`.
    """
    q, product, power = window_kept**2, math.gamma(1.5), window_kept**2
    while power > math.ulp(1.0) * (1 - q):  # until rounding hides all further factors
        product *= (1 - power * window_kept) / (1 - power)
        power *= q
    return product


def independent_loss_constant(window_kept: float = 0.5, growth_packets: float = 1.0) -> float:
    """Return c of X = c/(R √p) for packets that are lost independently: 1.3098 for Reno.

    A window W grows by `a` = `growth_packets` per round trip (1/b for b packets per ACK), and a
    loss reduces it to νW. Between two losses W² grows by 2a with every packet. The number of
    packets from one loss to the next is nearly exponential with mean 1/p. So W² just before a loss,
    times p/2a, is S = Σ ν^{2k} E_k, k = 0, 1, …, with independent exponential E_k of mean 1. A loss
    costs (1-ν) E[W] packets of the window on average, which grow back in (1-ν) E[W]/a round trips.
    In this time 1/p packets are sent, so that c = √(a/2)/((1-ν) E√S).

    The constant c lies between √1.5 = 1.2247, for a loss every 1/p packets, and √2 = 1.4142, for
    losses that are Poisson in time. Random intervals increase the mean window. But a large window
    sends more packets, and so the next loss comes sooner.
    """
    root = mean_root_of_exponentials(window_kept)
    return math.sqrt(growth_packets / 2) / (1 - window_kept) / root


def _peak_packets(scenario: Scenario) -> float:
    p = lost_share(scenario)
    return peak_window_packets(p, scenario.tcp.packets_per_increment) if p > 0 else 0.0


@register
class Mathis(Model):
    """The square-root formula of Mathis et al.: throughput T = MSS · C / (RTT √p).

    p is the loss probability, and C = √(3/(2b)) with b packets per ACK, which is 1.2247 for b = 1.
    Many calculators on the web use C = 1, so their goodput is 0.82 of the model's; some of them
    print kB/s as kbit/s, which is 8 times too small.
    """

    name = "mathis"
    title = "Mathis"
    equation = (
        "X = √(3/(2b)) / (R √p). p: probability of loss; b: packets per ACK; R: propagation "
        "round trip."
    )
    source = "mathis"
    citation = "mathis1997"
    inputs = ("tcp.mss_bytes", *ACKS, *ROUND_TRIP, "loss")
    domain = (
        "independent or periodic loss up to 2 %, a timeout of at most 8 round trips, a buffer for "
        "bursts; neither the receiver window nor the path's rate limits the window"
    )
    conditions = (
        *saw_tooth_sender(
            "assumption",
            "the article: a loss event sets cwnd to half its value",
            "the article: cwnd grows by one packet per round trip; the article nevertheless "
            "measures CUBIC",
        ),
        rare_loss(MOST_LOSS, f"{CRITERION}; the article measures at losses of 1 to 10 %"),
        short_timeout(
            LONGEST_TIMEOUT_RTTS,
            "up to this timeout the formula is within about a third of packet simulation",
        ),
        THREE_DUPLICATE_ACKS,
        PROMPT_ACKS,
        ROOM_FOR_BURSTS,
        *uncut_window(_peak_packets),
    )
    handles = frozenset({"independent loss", "periodic loss"})
    reduces = REDUCIBLE - handles

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s at the propagation round trip."""
        p = independent_loss(scenario)
        if p == 0:
            raise Undefined("without loss the formula has no finite value")
        return throughput_pps(p, scenario.propagation_rtt_s, scenario.tcp.packets_per_increment)


@curve("mathis")
def window_sawtooth(scenario: Scenario, *, teeth: int = 3) -> Curve:
    """Return cwnd in packets against time in round trips, over whole teeth of the saw-tooth.

    Landmarks (positions that a figure can mark): `W` (peak), `half` (W/2), `mean` (3W/4), `period`
    (round trips of a tooth), `area` (packets sent in a tooth).
    """
    if not isinstance(scenario.loss, Bernoulli) or scenario.loss.probability == 0:
        raise ValueError("window_sawtooth needs loss: {process: bernoulli}, probability above 0")
    if teeth < 1:
        raise ValueError("teeth must be at least 1")
    b = scenario.tcp.packets_per_increment
    peak = peak_window_packets(scenario.loss.probability, b)
    period = b * peak / 2
    starts = period * np.arange(teeth)
    x = np.repeat(starts, 2) + np.tile([0, period], teeth)
    y = np.tile([peak / 2, peak], teeth)
    landmarks = {
        "W": peak,
        "half": peak / 2,
        "mean": 0.75 * peak,
        "period": period,
        "area": b * 3 * peak**2 / 8,
    }
    return Curve(x, y, "RTT", "packets", landmarks)


@erratum(
    where=r"last section, the throughput at 1\,\% loss",
    printed=r"1\,400 kbit/s at 1\,\% loss, packet size not given",
    corrected=r"$T = \mathrm{MSS}\,C/(\mathrm{RTT}\sqrt{p})$ with an MSS of 1448 bytes",
    proof=r"This is not a misprint. The value is rounded to two digits; packets of 1428 bytes "
    r"(IPv6 with timestamps, 1399.1 kbit/s), of 1448 and of 1460 bytes all give this rounded "
    r"value.",
)
def _rounded_rate() -> Effect:
    corrected = throughput_pps(0.01, 0.1) * 1448 * 8 / 1e3
    return Effect("throughput", "kbit/s", "p = 1 %, RTT 100 ms", 1400.0, corrected)


@erratum(
    where="discussion of figure 2",
    printed=r"``the sender will never send more than W bytes at every RTT''",
    corrected=r"$W$ packets, $W\cdot\mathrm{MSS}$ bytes",
    proof=r"$\frac38 W^2 = 1/p$ is a number of packets, and $\mathrm{MSS}\times\frac38 W^2$ a "
    r"number of bytes. So $W$ is in packets.",
    evidence="misprint seen in the text",
)
def _bytes_for_packets() -> Effect:
    largest = math.sqrt(8 / (3 * 0.01))
    point = "p = 1 %, an MSS of 1448 bytes"
    return Effect("most per round trip", "bytes", point, largest, 1448 * largest)
