"""Errors, contradictions and gaps in the text of the hand-offs paper, with their effects."""

from __future__ import annotations

import math

from tcpgoodput.models.handoffs.finite_transfer import transfer_rtts
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


@erratum(
    id="window-recurrence",
    where="(8) and (16)",
    printed=r"$W_n = \frac{W_0}{2^n} + \frac{2}{b}(T-d)\left(1-\frac{1}{2^{n-1}}\right)$",
    corrected=r"$W_n = \frac{W_0}{2^n} + \frac{2}{b}(T-d)\left(1-\frac{1}{2^n}\right)$, $n \ge 0$",
    proof=r"(7) halves the distance to its fixed point $F = 2(T-d)/b$: $W_n - F = (W_0-F)/2^n$. "
    r"The printed sum belongs to $W_1/2^{n-1}$, as $n > 1$ and the next line's $W_1$ suggest: a slip "
    r"of the derivation, not of the type. With $W_0/2^n$ the form is $F/2^n$ too small.",
    evidence="error of reasoning proved",
)
def window_recurrence() -> Effect:
    """Compare the window after two periods by the printed and by the corrected equation (8)."""
    handoff = Handoff(20, 5, 5, 1)
    values = [f(2, 60, handoff) for f in (window_after_printed, window_after)]
    return Effect("W after two periods", "packets", "W0 = 60, T = 20, d = 5, b = 1", *values)


@erratum(
    id="periods-to-timeout",
    where="(9) and (17)",
    printed=r"$n = \log_2 \frac{W_0-\frac{4}{b}(T-d)}{d+2-\frac{2}{b}(T-d)}$",
    corrected=r"$n = \left\lceil \log_2 \frac{W_0-F}{d+2-F} \right\rceil$, "
    r"$F = \frac{2}{b}(T-d)$, where $W_0 > d+2 > F$",
    proof=r"It solves the printed (8) for $W_n = d+2$ and inherits its $W_0/2^n$; with $W_n - F = "
    r"(W_0-F)/2^n$ the $4/b$ becomes $2/b$. With $W_0$ of (12), $r = d$ and $b = 1$ the printed $n$ "
    r"exceeds 1 only where $F > d+2$, that is, where no timeout comes.",
    evidence="error of reasoning proved",
)
def periods_until_timeout() -> Effect:
    """Compare the periods until a timeout by the printed and by the corrected equation (9)."""
    first, floor = window_after_slow_start(LOST_15), timeout_window(LOST_15)
    F = fixed_point(LOST_15)
    printed = math.log2((first - 2 * F) / (floor - F))
    corrected = math.log2((first - F) / (floor - F))
    return Effect("n before rounding up", "1", "W0 of (12), T = 20, d = 15", printed, corrected)


@erratum(
    id="whole-periods",
    where="(9) in (11), (17) in (19)",
    printed=r"$\sum_{i=1}^{n}$ with $n$ a real number",
    corrected=r"$n$ rounded up",
    proof=r"The timeout comes at the first hand-off that finds $W_n \le d+2$; how the sum is meant "
    r"is not said.",
    evidence="our assumption",
)
def whole_periods() -> Effect:
    """Compare the number of periods until a timeout before and after rounding up."""
    first, floor = window_after_slow_start(LOST_15), timeout_window(LOST_15)
    F = fixed_point(LOST_15)
    real = math.log2((first - F) / (floor - F))
    whole = periods_to_timeout(first, LOST_15)
    return Effect("n, from the corrected (9)", "1", "W0 of (12), T = 20, d = 15", real, whole)


@erratum(
    id="timeout-target",
    where="(17)",
    printed=r"$r + 2 - \frac{2}{b}(T-r)$ below the fraction",
    corrected=r"$d + 2 - \frac{2}{b}(T-r)$",
    proof=r"The sentence before it asks for $\hat W_n = d+2$; the number of packets that are hit, "
    r"not the length of recovery, decides whether three duplicate ACKs come back.",
    evidence="misprint seen in the text",
)
def timeout_target() -> Effect:
    """Compare the periods until a timeout by the printed and by the corrected equation (17)."""
    handoff = Handoff(12, 10, 8, 1)
    first, F = 40.0, fixed_point(handoff)
    printed = math.log2((first - 2 * F) / (handoff.recovery_rtts + 2 - F))
    corrected = math.log2((first - F) / (timeout_window(handoff) - F))
    where = "W0 = 40, T = 12, d = 10, r = 8; corrected: with 2/b, too"
    return Effect("n before rounding up", "1", where, printed, corrected)


@erratum(
    id="no-decay",
    where="III-A and III-B.3, (17) for (19)",
    printed=r"every window that is not regained drops to $d+2$, and ``after a URP, the sender will timeout''",
    corrected=r"only where $F = \frac{2}{b}(T-r) < d+2$; else no $n$ solves (17), and no timeout comes",
    proof=r"(7) and (15) halve the distance to $F$: $W_n \to F$. From a $W_0 > d+2$ no period reaches $d+2$ where "
    r"$F \ge d+2$: so with $b = 1$ in Figures 12 to 15, wherever the packets are late and the window is not "
    r"regained. With (20) the printed (17) gives $n < 1$ there, outside (16); with (21) a negative $n$ or none.",
    evidence="error of reasoning proved",
)
def no_decay() -> Effect:
    """Compare the window after n periods that (17) assumes, d + 2, with the actual window."""
    handoff = Handoff(20, 1, 1, 1)
    first, F, floor = window_after_slow_start_printed(handoff), fixed_point(handoff), 3.0
    n = math.log2((first - 2 * F) / (floor - F))
    point = f"RTT 100 ms, A_h 2 s, d = 1: n = {n:.2f}"
    return Effect("W after n periods", "packets", point, floor, window_after(n, first, handoff))


@erratum(
    id="steady-state",
    where="(11) and (19)",
    printed=r"$\hat B_2 = \frac{1}{\hat n A_h}\sum_{i=1}^{\hat n}\hat D_i$, which has no value where no $\hat n$ "
    r"solves (17)",
    corrected=r"$\hat B_2 = \hat D(F)/A_h$ where $F = \frac{2}{b}(T-r) \ge d+2$",
    proof=r"The text leaves this case out (no-decay). The window tends to $F$ there, and the period at $F$ is "
    r"what a long flow repeats: our completion, not the study's.",
    evidence="our assumption",
)
def steady_state() -> Effect:
    """Compute the goodput of a window at the fixed point F, where the printed (19) has no value."""
    handoff = Handoff(20, 1, 1, 1)
    rate_kBps = packets_per_period(handoff, WINDOW_PACKETS) / 2 * MSS_BYTES / 1e3
    return Effect("goodput", "kB/s", "RTT 100 ms, A_h 2 s, d = 1, 193 kB", None, rate_kBps)


@erratum(
    id="timeout-period",
    where="(11) and (19)",
    printed=r"$B_2 = \frac{1}{nA_h}\sum_{i=1}^{n} D_i$",
    corrected=r"$B_2 = \frac{1}{(n+1)A_h}\left(\sum_{i=1}^{n} D_i + D_\mathrm{ss}\right)$",
    proof=r"The cycle of Figure 5 has a slow-start period after the $n$ recovery periods. The "
    r"source says that counting it would be more accurate; without it $n = 0$ has no goodput.",
    evidence="our assumption",
)
def timeout_period() -> Effect:
    """Compare the goodput without and with the slow-start period after each timeout."""
    cycle = steady_cycle(LOST_15, WINDOW_PACKETS)
    recovered = sum(period_packets(w, LOST_15, WINDOW_PACKETS) for w in cycle.windows)
    to_kBps = MSS_BYTES / 1e3 / 2
    printed = recovered / len(cycle.windows) * to_kBps
    corrected = cycle.packets / cycle.periods * to_kBps
    return Effect("goodput", "kB/s", "RTT 100 ms, A_h 2 s, 15 lost", printed, corrected)


@erratum(
    id="period-data",
    where="(18), last term",
    printed=r"$\hat Q\left(\hat W_{n-1} + \hat Q/b\right)$, $\hat Q = \frac12(T-r)$",
    corrected=r"$\hat Q\left(\hat W_{n-1} + 2\hat Q/b\right)$",
    proof=r"For $r = d$ it must be (10), whose last term is $\frac{1}{2b}(T-d)^2 = 2\hat Q^2/b$; "
    r"only then is the goodput continuous at $T = r + bW/2$.",
    evidence="misprint seen in the text",
)
def period_data() -> Effect:
    """Compare the new packets of a period by the printed and by the corrected equation (18)."""
    handoff = Handoff(35, 5, 5, 1)
    values = [f(60, handoff) for f in (unrecoverable_packets_printed, unrecoverable_packets)]
    return Effect("D", "packets", "W = 60, T = 35, d = r = 5 (boundary)", *values)


@erratum(
    id="letter-p",
    where="(10), before (9), III-B.1",
    printed=r"$pC_n$; ``comes out to be $p+2$''; ``for first $p$ packets''",
    corrected=r"$d$ for $p$",
    proof=r"$p$ is not defined; region 4 of Figure 4 is $d$ wide and $C_n$ high, and the "
    r"denominator of (9) has $d+2$.",
    evidence="misprint seen in the text",
)
def letter_p() -> Effect:
    """Compute the new packets of a period by equation (10), with d in place of the undefined p."""
    corrected = unrecoverable_packets(60, Handoff(20, 5, 5, 1))
    return Effect("D", "packets", "W = 60, T = 20, d = 5, b = 1", None, corrected)


@erratum(
    id="silent-rounds",
    where="(3), (4), (10), (13), (18) against observation 3",
    printed=r"region 1 is $\frac{dW}{2} + \frac{d^2}{2}$ for every $d$",
    corrected=r"less $\frac12\left(d-\frac W2\right)^2$ where $d > \frac W2$ "
    r"(for $r \ge d - \frac W2$)",
    proof=r"The round trips after the hand-off carry $\max(0, \frac W2 - d + t)$ new packets; the "
    r"equations count $d - \frac W2$ round trips with a negative number. Their derivation, with "
    r"its $\frac W2 - d$ duplicate ACKs, is for $d \le \frac W2$, which is not said.",
    evidence="our assumption",
)
def silent_rounds() -> Effect:
    """Compare the new packets of a period with and without negative counts of new packets."""
    handoff = Handoff(200, 40, 40, 1)
    printed = recoverable_packets_printed(60, handoff)
    return Effect(
        "data per period",
        "packets",
        "W = 60, T = 200, d = r = 40",
        printed,
        period_packets(60, handoff, 60),
    )


@erratum(
    id="late-beyond-recovery",
    where="(13), $r > d$",
    printed=r"$U = \frac W2 + \max(0, d-r)$ for every $r$",
    corrected=r"$r = \min(d, \lceil x/\mathrm{RTT}\rceil)$ for packets late by $x$",
    proof=r"Beside (16) stands $0 \le r \le d$: fast recovery of $d$ holes ends after $d$ round "
    r"trips, and what lands later counts as lost (case 1). With $r > d$ (13) goes on falling.",
    evidence="our assumption",
)
def late_beyond_recovery() -> Effect:
    """Compare the goodput if a packet late by four round trips counts as late, and as lost."""
    window, interval_s = 60, 6.0
    printed = recoverable_packets_printed(window, Handoff(60, 1, 4, 1)) / interval_s
    corrected = packets_per_period(Handoff(60, 1, 1, 1), window) / interval_s
    where = "W = 60, RTT 100 ms, A_h 6 s, one packet late by 400 ms"
    return Effect("goodput", "packets/s", where, printed, corrected)


@erratum(
    id="sack-rounds",
    where="observation 2",
    printed=r"``$r$ will be equal to 3 in case of SACK''",
    corrected=r"$r = \min(3, d)$",
    proof=r"Beside (16) stands $r \le d$: for $d \ge 3$ the two agree. With $r = 3$ SACK would "
    r"recover from one loss more slowly than NewReno, which needs one round trip.",
    evidence="our assumption",
)
def sack_rounds() -> Effect:
    """Compare SACK's goodput with a recovery of three round trips and of one, if one packet is lost."""
    corrected, printed = (
        packets_per_period(Handoff(20, 1, r, 1), WINDOW_PACKETS) / 2 * MSS_BYTES / 1e3
        for r in (1, 3)
    )
    return Effect("goodput", "kB/s", "RTT 100 ms, A_h 2 s, d = 1, SACK", printed, corrected)


@erratum(
    id="slow-start-of-one",
    where="(12) and (20), $d = 1$",
    printed=r"$\frac d2 + \frac1b\left(T - \log_2\frac d2\right)$",
    corrected=r"$m + \frac1b(T - \log_2 m)$, $m = \max(\frac d2, 1)$",
    proof=r"For $d = 1$ slow start would take $\log_2\frac12 = -1$ round trips; a window has at "
    r"least one packet.",
    evidence="our assumption",
)
def slow_start_of_one() -> Effect:
    """Compare the window a period after a timeout by the printed and by the corrected eq. (12)."""
    handoff = Handoff(20, 1, 1, 1)
    values = (window_after_slow_start_printed(handoff), window_after_slow_start(handoff))
    return Effect("W0", "packets", "T = 20, d = 1, b = 1", *values)


@erratum(
    id="threshold-after-timeout",
    where="before (12), (12) and (20)",
    printed=r"$ssthresh$ ``at that time will be $d/2$''",
    corrected=r"$\frac{d+2}{2}$, and with it "
    r"$W_0 = \frac{d+2}{2} + \frac1b\left(T - \log_2\frac{d+2}{2}\right)$",
    proof=r"The timeout comes with a window of $d+2$, and nothing of it is acknowledged: half of "
    r"FlightSize is $(d+2)/2$. Perhaps meant as an approximation; the model keeps $d/2$.",
    evidence="our assumption",
)
def threshold_after_timeout() -> Effect:
    """Compare the window one period after a timeout for an ssthresh of d/2 and of (d + 2)/2."""
    handoff = Handoff(21, 14, 14, 1)
    threshold = timeout_window(handoff) / 2
    corrected = threshold + (handoff.interval_rtts - math.log2(threshold)) / handoff.packets_per_ack
    printed = window_after_slow_start_printed(handoff)
    return Effect("W0", "packets", "T = 21, d = 14, b = 1", printed, corrected)


@erratum(
    id="period-not-round-trip",
    where="before (12), before (15)",
    printed=r"window ``at the end of $(n+1)^{th}$ RTT'', ``after $n^{th}$ RTT''",
    corrected=r"recovery period (RP) for RTT",
    proof=r"(7), (12) and (15) step from hand-off to hand-off: they contain the whole $A_h$.",
    evidence="misprint seen in the text",
)
def period_not_round_trip() -> Effect:
    """Compare the windows one round trip and one period after a hand-off."""
    handoff = Handoff(20, 5, 5, 1)
    after_one_rtt = period_profile(60, handoff)[1][0] + 1
    where = "W0 = 60, T = 20, d = 5, n = 1"
    return Effect("W1", "packets", where, after_one_rtt, next_window(60, handoff))


@erratum(
    id="partial-acks",
    where="III-B.1, the sentence on L",
    printed=r"``higher the number of partial ACKs, the lesser will be the total ACKs''",
    corrected=r"$L = \frac{(W-3)(W-6)}{4(W-3)-2d}$ is less than without partial ACKs, $\frac W2 - 3$, "
    r"but rises with $d$",
    proof=r"A partial ACK frees the $(W-3)/d$ packets that it acknowledges, so all ACKs together "
    r"free one packet each whatever $d$ is; but more partial ACKs mean fewer duplicates that "
    r"inflate cwnd. If the sentence means some partial ACKs against none, it is right, and so it is with one late "
    r"packet counted one by one, $\frac W2 - 3$ (lemma-against-its-count).",
    evidence="our assumption",
)
def partial_acks() -> Effect:
    """Compare L for ten late packets with L without partial ACKs, and with L for one late packet.

    L is the number of ACKs before a new packet may be sent.
    """
    ten = acks_before_new_packet(30, 10)
    changes = ten - acks_without_partial_acks(30), ten - acks_before_new_packet(30, 1)
    return Effect("change of L to d = 10", "ACKs", "W = 30, from none and from d = 1", *changes)


@erratum(
    id="deflation",
    where="III-A and III-B.1, partial ACKs",
    printed=r"a partial ACK reduces the outstanding packets, by $\frac{W-3}{d}$ in III-B.1; cwnd is not "
    r"mentioned",
    corrected=r"RFC 3782's deflation: cwnd is reduced by what is acknowledged, less one packet",
    proof=r"In III-A, where one packet is acknowledged, both let one new packet out with the repair, as the "
    r"text has it. Where more are acknowledged, the untouched cwnd lets out as many. The text names RFC 3782 "
    r"for what it does not explain; that it means this rule, too, is our reading, and every simulated sender "
    r"of the study has it.",
    evidence="our assumption",
)
def deflation() -> Effect:
    """Compare the new packets per partial ACK without and with the deflation of RFC 3782."""
    window, late = 30, 10
    point = "W = 30, d = 10, late packets spread over the window"
    return Effect("new packets at a partial ACK", "packets", point, (window - 3) / late, 1.0)


@erratum(
    id="rate-unit",
    where="IV-B, a window of 1024 KB in 100 ms",
    printed=r"10.24\,Mbps",
    corrected=r"10.24\,MB/s",
    proof=r"$1024\,\mathrm{KB}/0.1\,\mathrm{s} = 10.24\,\mathrm{MB/s}$, or $81.92\,\mathrm{Mbit/s}$.",
    evidence="misprint seen in the text",
)
def rate_unit() -> Effect:
    """Compare the rate of 1024 kB per 100 ms with the unit as printed, Mbit/s, and with MB/s."""
    corrected = 1024e3 / 0.1 * 8 / 1e6
    return Effect("window per round trip", "Mbit/s", "1024 kB, RTT 100 ms", 10.24, corrected)


@erratum(
    id="emulator-rate",
    where="IV-B, the limit of the emulator",
    printed=r"2.33\,Mbps",
    corrected=r"2.33\,MB/s",
    proof=r"The same sentence calls 10.24\,MB/s Mbps (rate-unit): that its 2.33\,Mbps has the same slip is "
    r"inferred. With 2.33\,Mbit/s every window of the experiments would fill the link.",
    evidence="our assumption",
)
def emulator_rate() -> Effect:
    """Compare the emulator's rate limit if 2.33 is in Mbit/s, as printed, and if it is in MB/s."""
    return Effect("limit of the rate", "Mbit/s", "2.33", 2.33, 2.33 * 8)


@erratum(
    id="window-unit",
    where="IV-B, the runs with 5 to 15 packets",
    printed=r"a window limit of 193\,Kbps",
    corrected=r"193\,KB",
    proof=r"A window is an amount; the runs before it have 193\,KB.",
    evidence="misprint seen in the text",
)
def window_unit() -> Effect:
    """Compare the window limit if 193 is in kbit/s, as printed, and if it is in kB."""
    printed = 193e3 * 0.1 / 8 / MSS_BYTES
    return Effect("window", "packets of 1448 bytes", "RTT 100 ms", printed, 193e3 / MSS_BYTES)


@erratum(
    id="longest-rtt",
    where="IV-B against Figure 12(c)",
    printed=r"RTT ``from 70 to 170'' ms in the text",
    corrected=r"150\,ms, as in the caption of Figure 12(c)",
    proof=r"The two differ, and nothing says which is right. The caption belongs to the data: we take it.",
    evidence="our assumption",
)
def longest_rtt() -> Effect:
    """Compare the goodput at a round trip of 170 ms, as in the text, and of 150 ms."""
    printed, corrected = (
        packets_per_period(Handoff(2 / rtt_s, 1, 1, 1), WINDOW_PACKETS) / 2 * MSS_BYTES / 1e3
        for rtt_s in (0.17, 0.15)
    )
    return Effect("goodput", "kB/s", "A_h 2 s, d = 1, 193 kB", printed, corrected)


@erratum(
    id="which-recovery",
    where="III-A against III, case 1",
    printed=r"packets that ``arrive after the sender has finished its \emph{fast-retransmit} phase'' are as "
    r"good as lost",
    corrected=r"after \emph{fast recovery} has finished",
    proof=r"Case 1 has fast recovery, and so has the title of III-B. By II-A fast retransmit ends as "
    r"it sends its one packet, in the first round trip. All that comes later would be lost, and (13) "
    r"to (21) would have no $r > 1$.",
    evidence="misprint seen in the text",
)
def which_recovery() -> Effect:
    """Compare the goodput if packets late by two round trips count as lost, and as late."""
    printed, corrected = (
        packets_per_period(Handoff(20, 5, r, 1), WINDOW_PACKETS) / 2 * MSS_BYTES / 1e3
        for r in (5, 2)
    )
    where = "RTT 100 ms, A_h 2 s, 193 kB, five packets late by two round trips"
    return Effect("goodput", "kB/s", where, printed, corrected)


@erratum(
    id="lemma-against-its-count",
    where="$L$ at $d = 1$, for Lemma 3.2",
    printed=r"$L = \frac{(W-3)(W-6)}{4(W-3)-2d}$ ACKs before new packets, for every $d$",
    corrected=r"for $d = 1$ counted one by one, $\frac W2 - 3$",
    proof=r"$L$ spreads the partial ACKs over all ACKs. With one late packet $\frac{W-3}{1} - 1 = 26$ duplicates "
    r"come before the only one, as the sentence before $L$ has it, and cwnd reaches $W$ with the "
    r"$\frac W2 - 3$rd: there $L$ is no count. The text never gives $L$ for $d = 1$. The packets that Lemma 3.2 "
    r"compares follow from the two rates, $\frac W2 - d + (d-1)\frac{W-3}{d}$ before the last ACK: 14, 29.3 and 25.2 for "
    r"$d = 1$, 10 and 15, as the lemma and the sentence before it have them.",
    evidence="our assumption",
)
def lemma_against_its_count() -> Effect:
    """Compare the ACKs before a new packet by the printed formula and counted one by one."""
    window = 30
    counted = acks_without_partial_acks(window)
    return Effect("L", "ACKs", "W = 30, d = 1", acks_before_new_packet(window, 1), counted)


@erratum(
    id="limit-in-recovery",
    where="III-A, the limit W",
    printed=r"$W$ ``is the limit on the congestion window''",
    corrected=r"the limit on what congestion avoidance reaches; in recovery cwnd grows to $\frac32 W - d$, "
    r"and $\frac W2 - d$ packets beyond $W$ are in flight",
    proof=r"The text's own count of new packets needs a cwnd above $W$. Under a receiver's window of $W$, as its "
    r"test bed sets, nothing new goes out until the first repair is acknowledged; which is meant is not said.",
    evidence="our assumption",
)
def limit_in_recovery() -> Effect:
    """Compare the new packets of the first round trip if W limits cwnd in recovery, and if not."""
    window, lost = 30, 10
    within, beyond = 0.0, window / 2 - lost
    return Effect(
        "new packets in the first round trip", "packets", "W = 30, d = 10", within, beyond
    )


@erratum(
    id="window-beyond-the-rate",
    where="(13) to (21) with the limit of the emulator, IV-B",
    printed=r"$W/\RTT$, where $W$ is 1024\,KB and the emulator lets $C = 2.33$\,MB/s through",
    corrected=r"at most $C \cdot \RTT$ new packets in a round trip; the window grows to its limit $W$",
    proof=r"The text says that the goodput cannot exceed $C$, and not whether $C \cdot \RTT$ then takes the place "
    r"of $W$. Where a transfer begins with $W = 707$ packets, (21), the first hand-offs halve a window of "
    r"which 161 fill the path: with the window bounded the model has 0.57 to 0.59 (b = 1) and 0.48 to 0.49 "
    r"(b = 2) of the simulated goodput. The "
    r"round trips stay at \RTT, though a queue lengthens them.",
    evidence="our assumption",
)
def window_beyond_the_rate() -> Effect:
    """Compare the goodput of 50 MB if the rate limits the window, and if it limits only sending."""
    handoff, path, packets = Handoff(40, 10, 2, 1), 2330 * 0.1 / 1.448, 34_531
    bounded, free = (
        packets * MSS_BYTES / 1e3 / (0.1 * transfer_rtts(packets, handoff, window, path))
        for window in (path, 707)
    )
    return Effect(
        "goodput of 50 MB", "kB/s", "W = 707, 100 ms, 10 packets late every 4 s", bounded, free
    )


@erratum(
    id="hit-within-a-round-trip",
    where="III and III-A, what a hand-off affects",
    printed=r"``an average of the first $d$ transmitted packets in a round-trip time (RTT) are lost''",
    corrected="first transmissions of one round trip after the hand-off, at most d",
    proof=r"The text names a round trip. In ns-2 and over Linux our hand-offs wait for d first transmissions, "
    r"however late they are sent; so they do in Figures 11 to 15, where it matters only if a sender has "
    r"timed out. Which packets are affected if fewer than d are sent in the round trip is not said.",
    evidence="our assumption",
)
def hit_within_a_round_trip() -> Effect:
    """Compare the packets that a hand-off affects: always d, or at most those of one round trip."""
    hits, sent = 15, 1
    return Effect("packets affected", "packets", "d = 15, one packet sent", hits, min(hits, sent))


@erratum(
    id="limited-transmit",
    where="III-A, timeouts at d + 2 packets",
    printed="the sender times out where fewer than three duplicate ACKs come",
    corrected="in the goodputs of Figures 11 to 15 the first two duplicate ACKs release new packets (RFC 3042)",
    proof=r"With Limited Transmit a third duplicate ACK comes from $d + 1$ packets in flight on, so that the text's "
    r"sender has none. It is not named. Simulated goodputs are up to a tenth lower without it; the claims on "
    r"lost packets try both.",
    evidence="our assumption",
)
def limited_transmit() -> Effect:
    """Compare the smallest windows with a fast retransmit, without and with limited transmit."""
    lost, duplicates, released = 10, 3, 2  # RFC 5681: 3 duplicate ACKs; RFC 3042: 2 released
    windows = lost + duplicates, lost + duplicates - released
    return Effect("smallest window with a fast retransmit", "packets", "d = 10", *windows)


@erratum(
    id="one-more-segment",
    where="II-A against III-B.1",
    printed=r"a full ACK sets cwnd to $\min(\mathrm{flightsize}, ssthresh)$",
    corrected=r"$\min(ssthresh, \mathrm{FlightSize} + \mathrm{SMSS})$, as in II-A",
    proof=r"II-A has one of the two rules of RFC 3782. The forms differ where less than $ssthresh$ is in flight. "
    r"In III-B.1 one packet less than $ssthresh$ is in flight in our simulator: the printed form gives 14 for "
    r"$W = 30$, that of II-A 15, which is the $W/2$ of the text.",
    evidence="our assumption",
)
def one_more_segment() -> Effect:
    """Compare cwnd after recovery, min(ssthresh, flight) and min(ssthresh, flight + 1)."""
    threshold, flight = 30 / 2, 14
    printed, corrected = (min(threshold, flight + extra) for extra in (0, 1))
    where = "ssthresh of 15 packets, 14 in flight"
    return Effect("cwnd after recovery", "packets", where, printed, corrected)
