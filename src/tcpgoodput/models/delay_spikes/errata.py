"""Errors and contradictions in the text of the delay-spike study, with their effects."""

from __future__ import annotations

import math

from tcpgoodput.models.delay_spikes.cycles import (
    PRINTED_GROWTH,
    cut_start_pps,
    cycle,
    linear_growth_s,
    printed_growth,
    printed_is_cut,
    printed_pure_start_pps,
    pure_start_pps,
)
from tcpgoodput.models.registry import Effect, erratum

PACKET_BITS = 4608
LOW = (0.2 + PACKET_BITS / 40e3, 40e3 / PACKET_BITS)
"""Round trip R in seconds and rate C_max in packets/s of the study's 40 kbit/s link."""
HIGH = (0.2 + PACKET_BITS / 100e3, 100e3 / PACKET_BITS)
"""Round trip R in seconds and rate C_max in packets/s of the study's 100 kbit/s link."""
TIMEOUT_S = 0.2
DRAWN_TIMEOUT_S = 1.0
"""The timeout with which Figures 6 to 8 are drawn."""


@erratum(
    where="(15), first line",
    printed=r"$x_0^{(1)} = \sqrt{2R/(3p)}$",
    corrected=r"$x_0^{(1)} = \sqrt{2/(3pR)}$ for the printed slope, $\sqrt{2/(3p)}/R$ for the "
    r"slope $1/R^2$",
    proof=r"The printed root is $\tau_{CA}^{(1)}$ of (14). Growth by $1/R$ from $x_0$ to $2x_0$ "
    r"takes $\tau = R x_0$ and sends $3Rx_0^2/2$ packets. These are $1/p$ packets only with the "
    r"corrected $x_0$. Only with it is (14) continuous at $x_0 = C_{max}/2$, as the study's text "
    r"says.",
    evidence="misprint seen in the text",
)
def _starting_rate() -> Effect:
    p, growth = 0.02, printed_growth(LOW[0])
    printed, corrected = (
        1.5 * start**2 / growth.slope_pps2
        for start in (printed_pure_start_pps(p, growth), pure_start_pps(p, growth))
    )
    return Effect("packets of a cycle", "packets", "40 kbit/s, p = 0.02", printed, corrected)


@erratum(
    where="Appendix, $t_2$, (16) and (17)",
    printed=r"$\sqrt{x_0^2 - 2(x_0-1)/\ln 2 - 2/(pR)}$",
    corrected=r"$\sqrt{x_0^2 - 2(x_0-1)/\ln 2 + 2/(pR)}$ for the printed slope; for the slope "
    r"$1/R^2$ see \emph{unit-of-the-slope}",
    proof=r"$t_2$ solves $a_1 + t_2 x_0 + t_2^2/(2R) = 1/p$. With the minus sign the number under "
    r"the root is negative for all parameters of the study. Our copy has lost signs in other "
    r"places as well.",
)
def _sign_of_linear_growth() -> Effect:
    p, growth = 0.05, printed_growth(HIGH[0])
    corrected = linear_growth_s(pure_start_pps(p, growth), p, growth)
    return Effect("linear growth $t_2$", "s", "100 kbit/s, p = 0.05", None, corrected)


@erratum(
    where="Appendix, last sentence",
    printed=r"the rate-limited mode begins where the discriminant of $x_0^{(2)}$, ``in (17)'', is "
    r"negative: $p < 2/(3RC_{max}^2)$",
    corrected=r"it begins where $x_0^{(2)} \ge C_{max}$, as Table 1 has it: $p \le 1/(RC_{max}^2)$ "
    r"for the printed slope, $p \le 1/(RC_{max})^2$ for the slope $1/R^2$",
    proof=r"For $p$ between the two limits, $x_0^{(2)}$ of (15) exceeds $C_{max}$. A cycle would "
    r"then start at a rate above $C_{max}$, which limits the rate.",
    evidence="error of reasoning proved",
)
def _rate_limited_condition() -> Effect:
    rtt_s, max_rate = LOW
    p = 0.035
    growth = printed_growth(rtt_s)
    assert printed_is_cut(p, growth, max_rate)
    start = cut_start_pps(p, growth, max_rate)
    corrected = cycle(p, rtt_s, max_rate, TIMEOUT_S, PRINTED_GROWTH).start_pps
    return Effect("starting rate $x_0$", "packets/s", "40 kbit/s, p = 0.035", start, corrected)


@erratum(
    where="2.3.2, example",
    printed=r"intervals with an exponential distribution of mean $1/E(T)$",
    corrected=r"an exponential distribution with parameter $1/E(T)$, that is, with mean $E(T)$",
    proof=r"$\int_{SD}^\infty (t-SD) f(t)\,dt = E(T)e^{-SD/E(T)}$, which is the next line, is "
    r"valid for the mean $E(T)$. Section 2.2 calls $1/E(T)$ the parameter.",
    evidence="misprint seen in the text",
)
def _exponential_mean() -> Effect:
    printed, corrected = (math.exp(-5 / mean) for mean in (1 / 20, 20.0))
    return Effect("share of time without silence", "1", "E(T) = 20 s, SD = 5 s", printed, corrected)


@erratum(
    where="2.3, slope $1/R$; Appendix, $x(t) = 2^{t/R}$",
    printed=r"with loss, a rate with the slope $1/R$, in slow start from 1 (no units; $C_{max}$ is "
    r"in packets/s)",
    corrected=r"a rate that grows by $1/R^2$, in slow start from $1/R$: (14) to (18) with times in "
    r"round trips and rates in packets per round trip. The start $1/R$ is our assumption; the "
    r"model without loss begins with 1 packet/s, as the study says ``for simplicity''\!",
    proof=r"$1/R$ is the slope, and 1 packet the start, of a window in packets. The study's relation "
    r"$w = rR$ (Appendix) makes the rate $r = w/R$. As printed, the window grows by $R$ packets per "
    r"round trip, $R$ in seconds, instead of one. Without timeouts the printed rate falls as "
    r"$1/\sqrt{R}$, but by the square-root law, which the study cites, as $1/R$. The lowest tick of "
    r"the study's Figure 7 (right) is 35 kbit/s. For spikes every 20 to 50 s at $p = 5\,\%$ and "
    r"$TO = 1$ s, the printed form is below it, the corrected form above.",
    evidence="error of reasoning proved",
)
def _unit_of_the_slope() -> Effect:
    arguments = (0.05, *HIGH, DRAWN_TIMEOUT_S)
    values = [
        PACKET_BITS / (0.05 * means.mean_s) / 1e3
        for means in (cycle(*arguments, PRINTED_GROWTH), cycle(*arguments))
    ]
    return Effect("goodput", "kbit/s", "100 kbit/s, p = 0.05, TO = 1 s, no spikes", *values)


@erratum(
    where="4.1, $R \\approx 315$ ms",
    printed=r"``$R = 2 \cdot$ link propagation delay + packet transmission time $\approx$ 315 "
    r"ms''\!, a single number for two links",
    corrected=r"$R = 2 \cdot 100\,\mathrm{ms} + $ one transmission: 315 ms at 40 kbit/s, 246 ms at "
    r"100 kbit/s",
    proof=r"The rule is that of the printed sentence. A packet of 576 bytes takes 115 ms at 40 "
    r"kbit/s and 46 ms at 100 kbit/s. The printed number is right for one link; the text gives no "
    r"number for the other link.",
)
def _round_trip_of_both_links() -> Effect:
    return Effect("round trip $R$", "ms", "100 kbit/s", 315.0, 1e3 * HIGH[0])


@erratum(
    where="4.1, discussion of Figure 8",
    printed=r"the curve without loss is below the curves with loss at $E(T) < 7$; the only given "
    r"distribution of intervals is that of Figure 6, uniform on $[10, 2E(T) - 10]$",
    corrected=r"intervals uniform on $[2, 2E(T) - 2]$; we draw both distributions",
    proof=r"The distribution of Figure 6 exists only for $E(T) \ge 10$. Its shortest interval, 10 "
    r"s, is the longest spike of Figure 6. The longest spike of Figure 8 is 2 s. The text gives "
    r"no distribution for Figure 8.",
)
def _intervals_below_seven() -> Effect:
    return Effect("shortest mean interval", "s", "spikes of 1 to 2 s", 10.0, 2.0)


@erratum(
    where="4.2 against 4.1",
    printed=r"``propagation delay 0.6 sec, which give rise to $R = 720$ ms''",
    corrected=r"0.6 s for both directions together, $R = 0.6\,\mathrm{s} + $ one transmission",
    proof=r"Section 4.1 counts the link's propagation delay twice, $R = 2 \cdot$ delay $+$ "
    r"transmission; with 0.6 s this gives 1.3 s. The printed 720 ms contain the delay once: 715 "
    r"ms, rounded.",
)
def _propagation_of_figure_nine() -> Effect:
    transmission_s = PACKET_BITS / 40e3
    twice, once = (1e3 * (count * 0.6 + transmission_s) for count in (2, 1))
    return Effect("round trip $R$", "ms", "40 kbit/s, delay 0.6 s", twice, once)


@erratum(
    where="(2)",
    printed=r"$\dot X_n(t) = \frac{\ln 2}{R} X_n(t)\,dt$",
    corrected=r"without $dt$",
    proof=r"The left side is a derivative. The solution (3) has no $dt$.",
    evidence="misprint seen in the text",
)
def _stray_differential() -> Effect:
    growth = math.log(2) / LOW[0]
    return Effect("growth at $X = 1$", "packets/s²", "40 kbit/s", None, growth)
