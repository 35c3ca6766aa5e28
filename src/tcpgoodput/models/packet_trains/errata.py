"""Errors, gaps and contradictions in the text of the packet-train study, with their effects."""

from __future__ import annotations

import math
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from tcpgoodput.models.packet_trains.cycle import stationary_cycle, throughput_pps
from tcpgoodput.models.packet_trains.loss_window import Channel, LossWindows
from tcpgoodput.models.registry import Effect, erratum
from tcpgoodput.scenario.vocabulary import Tcp

if TYPE_CHECKING:  # only a type annotation uses this import
    from tcpgoodput.simulator.ack_trace import Step

BURSTY = Channel(0.05, 0.3)
TEN_MS, COARSE_S = 0.01, 0.5


@erratum(
    where="remark after Proposition 1",
    printed=r"$q^{s(\omega-1,k)}A$ for $k = W_m - \omega$, and a second case for $k = W_m - "
    r"\omega$; the range $0 \le k < W_m - \omega$ is on the next line, next to $A$",
    corrected=r"$q^{s(\omega-1,k)}A$ for $0 \le k < W_m - \omega$",
    proof=r"As printed, one window has two probabilities, and the smaller windows have none. Only "
    r"with the range next to $A$ is the sum of the probabilities one, as in (12) for $\beta = 1 - "
    r"\alpha$. The range may be misplaced only in our copy.",
)
def _independent_loss_case() -> Effect:
    p, w, largest = 0.01, 5, 21
    row = LossWindows(Channel(p, 1 - p), largest).row(w)
    printed = row[: w - 1].sum() + row[-1] * (1 - (1 - p) ** largest) + row[-1]
    point = "p = 0.01, ω = 5, W_m = 21"
    return Effect("sum of a row", "1", point, float(printed), float(row.sum()))


@erratum(
    where="(12)",
    printed=r"the factors $(\pi_G\alpha+\pi_B(1-\beta))$ and $(1-\psi_1^\omega-\psi_2^\omega)$ "
    r"are on separate lines, below the cases to which they belong",
    corrected=r"the first factor belongs to case B (a train's first packet), the second to $0 \le "
    r"k < W_m - \omega$",
    proof=r"The proof after (12) names the cases: $F_s$ depends on whether $\log_2\eta$ is an "
    r"integer, $F_c$ on whether $\eta < W_m$. With these cases each row sums to one. If "
    r"$1-\psi_1-\psi_2$ belonged to the case below it, it would also multiply $k = W_m-\omega$. "
    r"The lines may be misplaced only in our copy.",
)
def _cases_of_the_transition() -> Effect:
    channel, w, largest = Channel(0.001, 0.1), 10, 21
    row = LossWindows(channel, largest).row(w)
    misread = row[:-1].sum() + row[-1] * (1 - float(channel.intact(largest)))
    point = "α = 0.001, β = 0.1, ω = 10, W_m = 21"
    return Effect("sum of a row", "1", point, float(misread), float(row.sum()))


@erratum(
    where="(15)",
    printed=r"$\sum_j \pi_G^{n-j}(1-\alpha)^{m-j}\pi_B^j\beta^j$, each term once",
    corrected=r"$\sum_j \binom{n}{j} \pi_G^{n-j}(1-\alpha)^{m-j}\pi_B^j\beta^j$",
    proof=r"Any $j$ of the $n$ trains may begin in the bad state. Only with binomial coefficients "
    r"does the sum equal the power on its last line, "
    r"$(1-\alpha)^m[\pi_G+\pi_B\beta/(1-\alpha)]^n$.",
    evidence="misprint seen in the text",
)
def _binomials() -> Effect:
    n, m = 3, 7
    terms = [
        BURSTY.good ** (n - j) * (1 - BURSTY.alpha) ** (m - j) * (BURSTY.bad * BURSTY.beta) ** j
        for j in range(n + 1)
    ]
    corrected = sum(comb(n, j) * term for j, term in enumerate(terms))
    point = "α = 0.05, β = 0.3, η = 8"
    return Effect("P(seven packets arrive)", "1", point, sum(terms), corrected)


@erratum(
    where="(28)",
    printed=r"$\sum_{i=1}^{k-1}\binom{k-1}{i}\pi_G^{k-i-1}(\pi_B\beta(1-\alpha)^{-1})^i$",
    corrected=r"$\sum_{i=0}^{k-1}$ of the same terms",
    proof=r"The power on the next line, $[\pi_G+\pi_B\beta/(1-\alpha)]^{k-1}$, contains the term "
    r"$i = 0$, in which no train begins in the bad state. For $k = 1$ the printed sum has no "
    r"terms.",
)
def _train_sum() -> Effect:
    k = 3
    entry = BURSTY.bad * BURSTY.beta / (1 - BURSTY.alpha)
    terms = [comb(k - 1, i) * BURSTY.good ** (k - i - 1) * entry**i for i in range(k)]
    point = "α = 0.05, β = 0.3, k = 3"
    return Effect("factor of the trains' first packets", "1", point, sum(terms[1:]), sum(terms))


@erratum(
    where="(28)",
    printed=r"$(1-\alpha)\sum_{i=1}^{k-1}\theta_i$",
    corrected=r"$(1-\alpha)^{\sum_{i=1}^{k-1}\theta_i}$",
    proof=r"Equation (27) has the power. The printed product exceeds one, but is a probability.",
)
def _exponent_of_the_trains() -> Effect:
    packets = 1 + 2 + 4
    product, power = (1 - BURSTY.alpha) * packets, (1 - BURSTY.alpha) ** packets
    return Effect("factor of the packets", "1", "α = 0.05, k = 4", product, power)


@erratum(
    where=r"Proposition 4, $\omega = \lfloor\sigma/2\rfloor$",
    printed=r"$\omega = \lfloor\sigma/2\rfloor$, which is 0 after a loss at $\sigma = 1$",
    corrected=r"$\omega = \max(1, \lfloor\sigma/2\rfloor)$",
    proof=r"Equation (12) uses the logarithm of $\omega$, but $\log_2 0$ has no value. Thresholds "
    r"of 1 and 2 give the same process, because slow start and congestion avoidance both grow "
    r"from one packet to two.",
)
def _threshold_of_one() -> Effect:
    row = LossWindows(BURSTY, 21).row(1)
    point = "α = 0.05, β = 0.3, W_m = 21, σ = 1"
    mean = float(row @ np.arange(1, 22))
    return Effect("mean of the next loss window", "packets", point, None, mean)


@erratum(
    where=r"(4), $E(\epsilon) = E(\sigma)$",
    printed=r"the whole loss window is counted again, with its lost packets",
    corrected=r"unchanged; the model \texttt{packet\_trains.counting\_successes} counts the "
    r"packets that arrive among the $\sigma - 1$ sent after the loss",
    proof=r"Equation (5) sums whole trains, including the train with the loss. So $E(\sigma)$ is "
    r"an upper bound of the packets to add. This is not a misprint, but an approximation that the "
    r"study states (``for simplicity we assume'').",
)
def _packets_after_the_loss() -> Effect:
    cycle = stationary_cycle(Channel(1e-3, 0.1), "tahoe", 21, 3)
    printed, arriving = (
        throughput_pps(cycle, TEN_MS, COARSE_S, after, cycle.repairs) * TEN_MS / 20
        for after in (cycle.window, cycle.arrivals)
    )
    point = "Tahoe, μT = 20, T = 10 ms, α = 0.001, β = 0.1, coarse timer"
    return Effect("normalised throughput", "1", point, printed, arriving)


@erratum(
    where="(4), packets of fast recovery",
    printed=r"fast recovery adds $n_2$ packets for NewReno, but one for SACK, because $n_2 = 1$ "
    r"counts round trips",
    corrected=r"fast recovery adds all packets that it retransmits, for NewReno and for SACK",
    proof=r"The study defines $\tilde{Q}$ as $Q$ plus the number of packets in the second stage, "
    r"but (4) adds $n_2$, the number of trains in this stage. The two numbers are equal for "
    r"NewReno, whose trains have one packet. SACK has one train ($n_2 = 1$) with all "
    r"retransmissions, as many packets as NewReno sends in all its $n_2$ trains. If only one "
    r"packet is counted for SACK, NewReno's throughput is higher than SACK's where windows have a "
    r"few packets; the abstract says that SACK's is always the best.",
    evidence="error of reasoning proved",
)
def _recovered_packets() -> Effect:
    channel = Channel(0.05, 0.1)
    sack = stationary_cycle(channel, "sack", 21, 3)
    one, all_of_them = (
        throughput_pps(sack, TEN_MS, COARSE_S, sack.window, repairs) * TEN_MS / 20
        for repairs in (sack.recovery_trips, sack.repairs)
    )
    point = "SACK, μT = 20, T = 10 ms, α = 0.05, β = 0.1, coarse timer"
    return Effect("normalised throughput", "1", point, one, all_of_them)


def _newreno_repairs_five() -> list[Step]:
    """Simulate the study's NewReno ACK by ACK when packets 15 to 19 are lost."""
    from tcpgoodput.simulator.ack_trace import steps

    tcp = Tcp(
        variant="newreno",
        mss_bytes=125,
        ca_increment="floor",
        recovery="slow-but-steady",
        partial_window_deflation="ssthresh",
        limited_transmit=False,
    )
    return steps(tcp, acknowledged=14, window=8, lost=[15, 16, 17, 18, 19], rows=9)


@erratum(
    where="Table III, last row",
    printed=r"the ACK of packet 22 is a partial one",
    corrected=r"the ACK of packet 22 is the full ACK that ends fast recovery",
    proof=r"Packet 22 is the last one sent before the loss was detected. A partial ACK would "
    r"retransmit packet 23, which was never sent. The same row sends four new packets.",
    evidence="misprint seen in the text",
)
def _last_row_of_table_three() -> Effect:
    story = _newreno_repairs_five()
    partial = next(step for step in story if step.event == "partial ack")
    acks_22 = next(step for step in story if step.ack == 22)
    point = "Table III, ACK of packet 22"
    return Effect("packets sent", "packets", point, len(partial.sent), len(acks_22.sent))


@erratum(
    where="(32)",
    printed=r"$t_m T\cdot$(number of packets transmitted per unit time) $\ge t_m T\mu$",
    corrected=r"$\frac1\alpha \ge t_m T\mu$ without the term in the middle",
    proof=r"The sentence before (32) says that a slot is as long as a packet's transmission. Then "
    r"a good period of $1/\alpha$ slots is longer than a cycle of $t_m$ round trips if $1/\alpha "
    r"\ge t_m T\mu$, which is the condition. We take ``the number of packets transmitted'' in the "
    r"middle term to be the number that the sender transmits. But $\mu$ is an upper limit of this "
    r"number. The study does not define the middle term.",
)
def _rate_above_the_link() -> Effect:
    product, largest = 25, 26
    threshold = largest // 2
    slow_start = [2**i for i in range(math.ceil(math.log2(threshold)))]
    trains = [*slow_start, *range(threshold, largest + 1)]
    point = "Tahoe, μT = 25, ω = 13"
    return Effect("packets of a full cycle", "packets", point, len(trains) * product, sum(trains))


@erratum(
    where="abstract",
    printed=r"``the square of the bandwidth-delay ratio'', ``the bandwidth-delay ratio''",
    corrected=r"bandwidth-delay product",
    proof=r"Section V derives both conditions for the product $\mu T$, which has no unit. A ratio "
    r"of bandwidth and delay has a unit.",
    evidence="misprint seen in the text",
)
def _ratio_for_product() -> Effect:
    rate_pps, rtt_s = 2000.0, TEN_MS
    printed, corrected = 1 / (rate_pps / rtt_s) ** 2, 1 / (rate_pps * rtt_s) ** 2
    return Effect("largest α", "1", "2 Mbit/s, 125 bytes, 10 ms", printed, corrected)
