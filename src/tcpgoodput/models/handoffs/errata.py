"""Errors, contradictions and gaps in the text of the hand-offs paper, with their effects."""

from __future__ import annotations

import math

from tcpgoodput.models.handoffs.recovery_period import (
    Handoff,
    acks_before_new_packet,
    acks_without_partial_acks,
    fixed_point,
    next_window,
    period_packets,
    period_profile,
    recoverable_packets_printed,
    unrecoverable_packets,
    unrecoverable_packets_printed,
)
from tcpgoodput.models.handoffs.repeated_handoffs import (
    packets_per_period,
    periods_to_timeout,
    steady_cycle,
    timeout_window,
    transfer_rtts,
    window_after,
    window_after_printed,
    window_after_slow_start,
    window_after_slow_start_printed,
)
from tcpgoodput.models.registry import Effect, erratum

MSS_BYTES = 1448
"""MSS in bytes on Ethernet with TCP timestamps, Linux's default; the paper gives no MSS."""
WINDOW_PACKETS = 133
"""The paper's window limit of 193 kB, in packets of MSS_BYTES."""
LOST_15 = Handoff(20, 15, 15, 1)
"""Hand-offs every 2 s that lose 15 packets, at an RTT of 100 ms; they lead to timeouts."""


def _kilobytes_per_s(handoff: Handoff) -> float:
    """Return the goodput of a long flow in kB/s, with hand-offs every 2 s."""
    return packets_per_period(handoff, WINDOW_PACKETS) / 2 * MSS_BYTES / 1e3


@erratum(
    where="(8) and (16)",
    printed=r"$W_n = \frac{W_0}{2^n} + \frac{2}{b}(T-d)\left(1-\frac{1}{2^{n-1}}\right)$",
    corrected=r"$W_n = \frac{W_0}{2^n} + \frac{2}{b}(T-d)\left(1-\frac{1}{2^n}\right)$, $n \ge 0$",
    proof=r"Equation (7) halves the distance of the window to its fixed point $F = 2(T-d)/b$, so "
    r"that $W_n - F = (W_0-F)/2^n$. The printed sum belongs to $W_1/2^{n-1}$, as the condition $n "
    r"> 1$ and the $W_1$ in the next line suggest. With $W_0/2^n$ the printed $W_n$ is too small "
    r"by $F/2^n$. So this is an error of the derivation, not of typesetting.",
    evidence="error of reasoning proved",
)
def _window_recurrence() -> Effect:
    handoff = Handoff(20, 5, 5, 1)
    values = [f(2, 60, handoff) for f in (window_after_printed, window_after)]
    return Effect("W after two periods", "packets", "W0 = 60, T = 20, d = 5, b = 1", *values)


@erratum(
    where="(9) and (17)",
    printed=r"$n = \log_2 \frac{W_0-\frac{4}{b}(T-d)}{d+2-\frac{2}{b}(T-d)}$",
    corrected=r"$n = \left\lceil \log_2 \frac{W_0-F}{d+2-F} \right\rceil$, "
    r"$F = \frac{2}{b}(T-d)$, where $W_0 > d+2 > F$",
    proof=r"The printed $n$ solves the printed (8) for $W_n = d+2$, and so repeats its error in "
    r"$W_0/2^n$. With $W_n - F = (W_0-F)/2^n$, $4/b$ becomes $2/b$. With $W_0$ of (12), $r = d$ "
    r"and $b = 1$ the printed $n$ exceeds 1 only if $F > d+2$. But then no timeout occurs.",
    evidence="error of reasoning proved",
)
def _periods_to_timeout() -> Effect:
    first, floor = window_after_slow_start(LOST_15), timeout_window(LOST_15)
    F = fixed_point(LOST_15)
    printed = math.log2((first - 2 * F) / (floor - F))
    corrected = math.log2((first - F) / (floor - F))
    return Effect("n before rounding up", "1", "W0 of (12), T = 20, d = 15", printed, corrected)


@erratum(
    where="(9) in (11), (17) in (19)",
    printed=r"$\sum_{i=1}^{n}$ with $n$ a real number",
    corrected=r"$n$ rounded up",
    proof=r"The timeout occurs at the first hand-off with $W_n \le d+2$, so $n$ is a whole "
    r"number. The paper does not define a sum up to a real number.",
)
def _whole_periods() -> Effect:
    first, floor = window_after_slow_start(LOST_15), timeout_window(LOST_15)
    F = fixed_point(LOST_15)
    real = math.log2((first - F) / (floor - F))
    whole = periods_to_timeout(first, LOST_15)
    return Effect("n, from the corrected (9)", "1", "W0 of (12), T = 20, d = 15", real, whole)


@erratum(
    where="(17)",
    printed=r"$r + 2 - \frac{2}{b}(T-r)$ in the denominator",
    corrected=r"$d + 2 - \frac{2}{b}(T-r)$",
    proof=r"The sentence before (17) requires $\hat W_n = d+2$. Whether three duplicate ACKs "
    r"arrive depends on $d$, the number of affected packets, not on $r$, the round trips of "
    r"recovery.",
    evidence="misprint seen in the text",
)
def _timeout_target() -> Effect:
    handoff = Handoff(12, 10, 8, 1)
    first, F = 40.0, fixed_point(handoff)
    printed = math.log2((first - 2 * F) / (handoff.recovery_rtts + 2 - F))
    corrected = math.log2((first - F) / (timeout_window(handoff) - F))
    where = "W0 = 40, T = 12, d = 10, r = 8; corrected: with 2/b, too"
    return Effect("n before rounding up", "1", where, printed, corrected)


@erratum(
    where="III-A and III-B.3, (17) for (19)",
    printed=r"every window that does not recover between hand-offs falls to $d+2$, and ``after a "
    r"URP, the sender will timeout''",
    corrected=r"only if $F = \frac{2}{b}(T-r) < d+2$; else no $n$ solves (17), and no timeout "
    r"occurs",
    proof=r"Equations (7) and (15) halve the distance of the window to $F$, so that $W_n \to F$. "
    r"If $F \ge d+2$ and $W_0 > d+2$, the window never falls to $d+2$. This is the case in "
    r"Figures 12 to 15 with $b = 1$ if packets are late and the window does not recover. In this "
    r"case the printed (17) gives $n < 1$ with (20), for which (16) is not valid, and a negative "
    r"$n$ or none with (21).",
    evidence="error of reasoning proved",
)
def _no_decay() -> Effect:
    handoff = Handoff(20, 1, 1, 1)
    first, F, floor = window_after_slow_start_printed(handoff), fixed_point(handoff), 3.0
    n = math.log2((first - 2 * F) / (floor - F))
    point = f"RTT 100 ms, A_h 2 s, d = 1: n = {n:.2f}"
    return Effect("W after n periods", "packets", point, floor, window_after(n, first, handoff))


@erratum(
    where="(11) and (19)",
    printed=r"$\hat B_2 = \frac{1}{\hat n A_h}\sum_{i=1}^{\hat n}\hat D_i$, which has no value if "
    r"no $\hat n$ solves (17)",
    corrected=r"$\hat B_2 = \hat D(F)/A_h$ where $F = \frac{2}{b}(T-r) \ge d+2$",
    proof=r"The paper leaves out the case of a window that never falls to $d+2$ (erratum "
    r"no-decay). In this case the window tends to $F$, and a long flow repeats the period at $F$. "
    r"This goodput is our addition, not the paper's.",
)
def _steady_state() -> Effect:
    point = "RTT 100 ms, A_h 2 s, d = 1, 193 kB"
    return Effect("goodput", "kB/s", point, None, _kilobytes_per_s(Handoff(20, 1, 1, 1)))


@erratum(
    where="(11) and (19)",
    printed=r"$B_2 = \frac{1}{nA_h}\sum_{i=1}^{n} D_i$",
    corrected=r"$B_2 = \frac{1}{(n+1)A_h}\left(\sum_{i=1}^{n} D_i + D_\mathrm{ss}\right)$",
    proof=r"The cycle of Figure 5 has a slow-start period after the $n$ recovery periods. The "
    r"paper says that it would be more accurate to count this period. Without it there is no "
    r"goodput for $n = 0$.",
)
def _timeout_period() -> Effect:
    cycle = steady_cycle(LOST_15, WINDOW_PACKETS)
    recovered = sum(period_packets(w, LOST_15, WINDOW_PACKETS) for w in cycle.windows)
    to_kBps = MSS_BYTES / 1e3 / 2
    printed = recovered / len(cycle.windows) * to_kBps
    corrected = cycle.packets / cycle.periods * to_kBps
    return Effect("goodput", "kB/s", "RTT 100 ms, A_h 2 s, 15 lost", printed, corrected)


@erratum(
    where="(18), last term",
    printed=r"$\hat Q\left(\hat W_{n-1} + \hat Q/b\right)$, $\hat Q = \frac12(T-r)$",
    corrected=r"$\hat Q\left(\hat W_{n-1} + 2\hat Q/b\right)$",
    proof=r"For $r = d$ equation (18) must equal (10), whose last term is $\frac{1}{2b}(T-d)^2 = "
    r"2\hat Q^2/b$. Only then is the goodput continuous at $T = r + bW/2$.",
    evidence="misprint seen in the text",
)
def _period_data() -> Effect:
    handoff = Handoff(35, 5, 5, 1)
    values = [f(60, handoff) for f in (unrecoverable_packets_printed, unrecoverable_packets)]
    return Effect("D", "packets", "W = 60, T = 35, d = r = 5 (boundary)", *values)


@erratum(
    where="(10), before (9), III-B.1",
    printed=r"$pC_n$; ``comes out to be $p+2$''; ``for first $p$ packets''",
    corrected=r"$d$ instead of $p$",
    proof=r"The paper does not define $p$. Region 4 of Figure 4 has the width $d$ and the height "
    r"$C_n$, and the denominator of (9) has $d+2$.",
    evidence="misprint seen in the text",
)
def _letter_p() -> Effect:
    corrected = unrecoverable_packets(60, Handoff(20, 5, 5, 1))
    return Effect("D", "packets", "W = 60, T = 20, d = 5, b = 1", None, corrected)


@erratum(
    where="(3), (4), (10), (13), (18) against observation 3",
    printed=r"region 1 is $\frac{dW}{2} + \frac{d^2}{2}$ for every $d$",
    corrected=r"the printed area minus $\frac12\left(d-\frac W2\right)^2$ if $d > \frac W2$ (and "
    r"$r \ge d - \frac W2$)",
    proof=r"Round trip $t$ after the hand-off has $\max(0, \frac W2 - d + t)$ new packets, but "
    r"the equations count negative numbers of new packets in $d - \frac W2$ round trips. The "
    r"derivation of the equations, with $\frac W2 - d$ duplicate ACKs, is valid for $d \le \frac "
    r"W2$ only. The paper does not state this condition.",
)
def _silent_rounds() -> Effect:
    handoff = Handoff(200, 40, 40, 1)
    values = recoverable_packets_printed(60, handoff), period_packets(60, handoff, 60)
    return Effect("data per period", "packets", "W = 60, T = 200, d = r = 40", *values)


@erratum(
    where="(13), $r > d$",
    printed=r"$U = \frac W2 + \max(0, d-r)$ for every $r$",
    corrected=r"$r = \min(d, \lceil x/\mathrm{RTT}\rceil)$ for packets late by $x$",
    proof=r"Next to (16) the paper has $0 \le r \le d$. Fast recovery of $d$ holes ends after $d$ "
    r"round trips, and packets that arrive later count as lost (case 1). With $r > d$, the "
    r"goodput of (13) would decrease further.",
)
def _late_beyond_recovery() -> Effect:
    window, interval_s = 60, 6.0
    printed = recoverable_packets_printed(window, Handoff(60, 1, 4, 1)) / interval_s
    corrected = packets_per_period(Handoff(60, 1, 1, 1), window) / interval_s
    where = "W = 60, RTT 100 ms, A_h 6 s, one packet late by 400 ms"
    return Effect("goodput", "packets/s", where, printed, corrected)


@erratum(
    where="observation 2",
    printed=r"``$r$ will be equal to 3 in case of SACK''",
    corrected=r"$r = \min(3, d)$",
    proof=r"Next to (16) the paper has $r \le d$; for $d \ge 3$, $r = 3$ satisfies this "
    r"condition. With $r = 3$ SACK would recover from one loss more slowly than NewReno, which "
    r"needs one round trip.",
)
def _sack_rounds() -> Effect:
    values = (_kilobytes_per_s(Handoff(20, 1, r, 1)) for r in (3, 1))
    return Effect("goodput", "kB/s", "RTT 100 ms, A_h 2 s, d = 1, SACK", *values)


@erratum(
    where="(12) and (20), $d = 1$",
    printed=r"$\frac d2 + \frac1b\left(T - \log_2\frac d2\right)$",
    corrected=r"$m + \frac1b(T - \log_2 m)$, $m = \max(\frac d2, 1)$",
    proof=r"For $d = 1$ slow start would take $\log_2\frac12 = -1$ round trips. But a window has "
    r"at least one packet.",
)
def _slow_start_of_one() -> Effect:
    handoff = Handoff(20, 1, 1, 1)
    values = (window_after_slow_start_printed(handoff), window_after_slow_start(handoff))
    return Effect("W0", "packets", "T = 20, d = 1, b = 1", *values)


@erratum(
    where="before (12), (12) and (20)",
    printed=r"$ssthresh$ ``at that time will be $d/2$''",
    corrected=r"$\frac{d+2}{2}$, and with it "
    r"$W_0 = \frac{d+2}{2} + \frac1b\left(T - \log_2\frac{d+2}{2}\right)$",
    proof=r"The timeout occurs at a window of $d+2$ packets, none of which is acknowledged, so "
    r"that half of FlightSize is $(d+2)/2$. Perhaps $d/2$ is an approximation. The model uses "
    r"$d/2$.",
)
def _threshold_after_timeout() -> Effect:
    handoff = Handoff(21, 14, 14, 1)
    threshold = timeout_window(handoff) / 2
    corrected = threshold + (handoff.interval_rtts - math.log2(threshold)) / handoff.packets_per_ack
    printed = window_after_slow_start_printed(handoff)
    return Effect("W0", "packets", "T = 21, d = 14, b = 1", printed, corrected)


@erratum(
    where="before (12), before (15)",
    printed=r"window ``at the end of $(n+1)^{th}$ RTT'', ``after $n^{th}$ RTT''",
    corrected=r"``recovery period (RP)'' instead of ``RTT''",
    proof=r"Equations (7), (12) and (15) give the window from hand-off to hand-off, because they "
    r"contain the whole interval $A_h$.",
    evidence="misprint seen in the text",
)
def _period_not_round_trip() -> Effect:
    handoff = Handoff(20, 5, 5, 1)
    after_one_rtt = period_profile(60, handoff)[1][0] + 1
    where = "W0 = 60, T = 20, d = 5, n = 1"
    return Effect("W1", "packets", where, after_one_rtt, next_window(60, handoff))


@erratum(
    where="III-B.1, the sentence on L",
    printed=r"``higher the number of partial ACKs, the lesser will be the total ACKs''",
    corrected=r"$L = \frac{(W-3)(W-6)}{4(W-3)-2d}$ is less than $\frac W2 - 3$, its value without "
    r"partial ACKs, but increases with $d$",
    proof=r"A partial ACK takes the $(W-3)/d$ packets that it acknowledges out of flight. So for "
    r"any $d$, ACKs take one packet each out of flight on average. But more partial ACKs mean "
    r"fewer duplicate ACKs that inflate cwnd. The sentence is right if it compares some partial "
    r"ACKs with none. It is also right for $d = 1$ if the ACKs are counted one by one, which "
    r"gives $\frac W2 - 3$ (erratum lemma-against-its-count).",
)
def _partial_acks() -> Effect:
    ten = acks_before_new_packet(30, 10)
    changes = ten - acks_without_partial_acks(30), ten - acks_before_new_packet(30, 1)
    return Effect("change of L to d = 10", "ACKs", "W = 30, from none and from d = 1", *changes)


@erratum(
    where="III-A and III-B.1, partial ACKs",
    printed=r"a partial ACK reduces the outstanding packets (by $\frac{W-3}{d}$ in III-B.1), but "
    r"cwnd is not mentioned",
    corrected=r"the deflation of RFC 3782: cwnd is reduced by the acknowledged packets minus one",
    proof=r"In III-A a partial ACK acknowledges one packet. Then with and without deflation one "
    r"new packet is sent with the retransmission, as the paper says. If a partial ACK "
    r"acknowledges more packets, an unchanged cwnd releases as many new packets. The paper refers "
    r"to RFC 3782 for details. We assume that this includes the deflation, which all simulated "
    r"senders of this study have, except those of the tables late\_spread and late\_as\_written.",
)
def _deflation() -> Effect:
    window, late = 30, 10
    point = "W = 30, d = 10, late packets spread over the window"
    return Effect("new packets at a partial ACK", "packets", point, (window - 3) / late, 1.0)


@erratum(
    where="IV-B, a window of 1024 KB in 100 ms",
    printed=r"10.24\,Mbps",
    corrected=r"10.24\,MB/s",
    proof=r"$1024\,\mathrm{KB}/0.1\,\mathrm{s} = 10.24\,\mathrm{MB/s}$, or $81.92\,\mathrm{Mbit/s}$.",
    evidence="misprint seen in the text",
)
def _rate_unit() -> Effect:
    corrected = 1024e3 / 0.1 * 8 / 1e6
    return Effect("window per round trip", "Mbit/s", "1024 kB, RTT 100 ms", 10.24, corrected)


@erratum(
    where="IV-B, the limit of the emulator",
    printed=r"2.33\,Mbps",
    corrected=r"2.33\,MB/s",
    proof=r"In the same sentence, 10.24\,MB/s is printed as 10.24\,Mbps (erratum rate-unit). We "
    r"assume the same mistake in 2.33\,Mbps. With 2.33\,Mbit/s every window of the experiments "
    r"would fill the link.",
)
def _emulator_rate() -> Effect:
    return Effect("limit of the rate", "Mbit/s", "2.33", 2.33, 2.33 * 8)


@erratum(
    where="IV-B, the runs with 5 to 15 packets",
    printed=r"a window limit of 193\,Kbps",
    corrected=r"193\,KB",
    proof=r"A window is an amount of data, not a rate. The runs before these have 193\,KB.",
    evidence="misprint seen in the text",
)
def _window_unit() -> Effect:
    printed = 193e3 * 0.1 / 8 / MSS_BYTES
    return Effect("window", "packets of 1448 bytes", "RTT 100 ms", printed, 193e3 / MSS_BYTES)


@erratum(
    where="IV-B against Figure 12(c)",
    printed=r"RTT ``from 70 to 170'' ms in the text",
    corrected=r"150\,ms, as in the caption of Figure 12(c)",
    proof=r"The text and the caption differ, and nothing tells which is right. We use the "
    r"caption, because it belongs to the data.",
)
def _longest_rtt() -> Effect:
    values = (_kilobytes_per_s(Handoff(2 / rtt_s, 1, 1, 1)) for rtt_s in (0.17, 0.15))
    return Effect("goodput", "kB/s", "A_h 2 s, d = 1, 193 kB", *values)


@erratum(
    where="III-A against III, case 1",
    printed=r"packets that ``arrive after the sender has finished its \emph{fast-retransmit} "
    r"phase'' count as lost",
    corrected=r"after \emph{fast recovery} has finished",
    proof=r"Case 1 and the title of III-B say fast recovery. By II-A, fast retransmit ends when "
    r"it sends its only packet, in the first round trip. Then all packets that arrive later would "
    r"count as lost, and equations (13) to (21) would have no $r > 1$.",
    evidence="misprint seen in the text",
)
def _which_recovery() -> Effect:
    values = (_kilobytes_per_s(Handoff(20, 5, r, 1)) for r in (5, 2))
    where = "RTT 100 ms, A_h 2 s, 193 kB, five packets late by two round trips"
    return Effect("goodput", "kB/s", where, *values)


@erratum(
    where="$L$ at $d = 1$, for Lemma 3.2",
    printed=r"$L = \frac{(W-3)(W-6)}{4(W-3)-2d}$ ACKs before new packets, for every $d$",
    corrected=r"for $d = 1$ counted one by one, $\frac W2 - 3$",
    proof=r"$L$ spreads the partial ACKs evenly over all ACKs. With one late packet, the sentence "
    r"before $L$ has $\frac{W-3}{1} - 1 = 26$ duplicate ACKs before the only partial ACK. cwnd "
    r"reaches $W$ with duplicate ACK number $\frac W2 - 3$, so that for $d = 1$ $L$ is not the "
    r"number of ACKs. The paper never gives $L$ for $d = 1$. The packets that Lemma 3.2 compares "
    r"follow from the two rates: $\frac W2 - d + (d-1)\frac{W-3}{d}$ before the last ACK, which "
    r"is 14, 29.3 and 25.2 for $d = 1$, 10 and 15. These numbers agree with the lemma and with "
    r"the sentence before it.",
)
def _lemma_against_its_count() -> Effect:
    window = 30
    counted = acks_without_partial_acks(window)
    return Effect("L", "ACKs", "W = 30, d = 1", acks_before_new_packet(window, 1), counted)


@erratum(
    where="III-A, the limit W",
    printed=r"$W$ ``is the limit on the congestion window''",
    corrected=r"the limit on cwnd in congestion avoidance; in recovery cwnd grows to $\frac32 W - "
    r"d$, and $\frac W2 - d$ packets more than $W$ are in flight",
    proof=r"The paper's count of new packets needs a cwnd above $W$. With a receiver window of "
    r"$W$, as in the paper's test bed, no new packet is sent until the first retransmission is "
    r"acknowledged. The paper does not say which of the two it means.",
)
def _limit_in_recovery() -> Effect:
    window, lost = 30, 10
    quantity = "new packets in the first round trip"
    return Effect(quantity, "packets", "W = 30, d = 10", 0.0, window / 2 - lost)


@erratum(
    where="(13) to (21) with the limit of the emulator, IV-B",
    printed=r"$W/\RTT$ with $W$ of 1024\,KB, although the emulator limits the rate to $C = "
    r"2.33$\,MB/s",
    corrected=r"at most $C \cdot \RTT$ new packets in a round trip; the window grows to its limit $W$",
    proof=r"The paper says that the goodput cannot exceed $C$, but not whether $C \cdot \RTT$ "
    r"then replaces $W$. If a transfer begins with $W = 707$ packets, by (21), the first "
    r"hand-offs halve a window of which 161 packets fill the path. If $C \cdot \RTT$ limited the "
    r"window, the model's goodput would be 0.57 to 0.59 (b = 1) and 0.48 to 0.49 (b = 2) of the "
    r"simulated goodput. The model keeps round trips of \RTT, although a queue makes them longer.",
)
def _window_beyond_the_rate() -> Effect:
    handoff, path, packets = Handoff(40, 10, 2, 1), 2330 * 0.1 / 1.448, 34_531
    bounded, free = (
        packets * MSS_BYTES / 1e3 / (0.1 * transfer_rtts(packets, handoff, window, path))
        for window in (path, 707)
    )
    point = "W = 707, 100 ms, 10 packets late every 4 s"
    return Effect("goodput of 50 MB", "kB/s", point, bounded, free)


@erratum(
    where="III and III-A, what a hand-off affects",
    printed=r"``an average of the first $d$ transmitted packets in a round-trip time (RTT) are lost''",
    corrected="the first d first transmissions after the hand-off, but only those within one "
    "round trip",
    proof=r"The paper limits the loss to a round trip. In ns-2 and over Linux our hand-offs "
    r"affect the next d first transmissions, however late these are sent. In Figures 11 to 15 the "
    r"simulated hand-offs do the same; this has an effect only if a sender has timed out. The "
    r"paper does not say which packets are affected if fewer than d are sent in the round trip.",
)
def _hit_within_a_round_trip() -> Effect:
    hits, sent = 15, 1
    return Effect("packets affected", "packets", "d = 15, one packet sent", hits, min(hits, sent))


@erratum(
    where="III-A, timeouts at d + 2 packets",
    printed="the sender times out if fewer than three duplicate ACKs arrive",
    corrected="in the goodputs of Figures 11 to 15 the first two duplicate ACKs release new packets (RFC 3042)",
    proof=r"With Limited Transmit, $d + 1$ packets in flight are enough for a third duplicate "
    r"ACK. So the paper's sender, which needs more, does not use Limited Transmit, but the paper "
    r"does not say so. Without Limited Transmit, simulated goodputs are up to a tenth lower. The "
    r"claims on lost packets are tested with and without it.",
)
def _limited_transmit() -> Effect:
    lost, duplicates, released = 10, 3, 2  # RFC 5681: 3 duplicate ACKs; RFC 3042: 2 released
    windows = lost + duplicates, lost + duplicates - released
    return Effect("smallest window with a fast retransmit", "packets", "d = 10", *windows)


@erratum(
    where="II-A against III-B.1",
    printed=r"a full ACK sets cwnd to $\min(\mathrm{flightsize}, ssthresh)$",
    corrected=r"$\min(ssthresh, \mathrm{FlightSize} + \mathrm{SMSS})$, as in II-A",
    proof=r"Section II-A has one of the two rules of RFC 3782. The two forms differ if FlightSize "
    r"is less than $ssthresh$. In III-B.1 our simulator has one packet less than $ssthresh$ in "
    r"flight. The printed form then gives 14 for $W = 30$. The form of II-A gives 15, which is "
    r"the $W/2$ in the paper's text.",
)
def _one_more_segment() -> Effect:
    threshold, flight = 30 / 2, 14
    printed, corrected = (min(threshold, flight + extra) for extra in (0, 1))
    where = "ssthresh of 15 packets, 14 in flight"
    return Effect("cwnd after recovery", "packets", where, printed, corrected)
