"""Names and descriptions of the reductions."""

from __future__ import annotations

from dataclasses import dataclass

INDEPENDENT, BURSTS, HANDOFFS = "R-IID", "R-GE", "R-HO"
SPIKES, CAPACITY, WINDOW = "R-SP", "R-CAP", "R-WIN"
RETRANSMISSION = "R-ARQ"


@dataclass(frozen=True)
class Reduction:
    """A reduction: its name, the impairment it translates, the result, and the formula.

    `of` is the impairment and `to` the result. `formula` is LaTeX, and `equation` is the same
    formula as text with the meaning of its symbols.
    """

    id: str
    of: str
    to: str
    formula: str
    equation: str

    @property
    def description(self) -> str:
        """The reduction's name, the impairment it translates, and the result, as plain text."""
        return f"{self.id}: {self.of} as {self.to}".replace("--", "–")


REDUCTIONS: dict[str, Reduction] = {
    entry.id: entry
    for entry in (
        Reduction(
            INDEPENDENT,
            "independent loss",
            "a Gilbert--Elliott channel",
            r"$\alpha = p$, $\beta = 1 - p$; exact",
            "alpha = p, beta = 1 - p; exact. p: probability that a packet is lost; alpha, beta: "
            "probabilities of a change from good to bad and from bad to good.",
        ),
        Reduction(
            BURSTS,
            "bursts of loss",
            "loss events, or hand-offs that lose as many packets",
            r"$p_{ev} = 1/N(W)$, $N(W) = W + (1 - b_W)/\alpha$, "
            r"$b_W = \pi_B + \pi_G (1-\alpha-\beta)^W$, $m = \pi_B N(W)$, "
            "$W$ the model's own window",
            "p_ev = 1/N(W), N(W) = W + (1 - b_W)/alpha, b_W = pi_B + pi_G (1 - alpha - beta)^W, "
            "m = pi_B N(W). p_ev: loss event rate; W: the model's own window in packets; N(W): "
            "packets from event to event; m: packets lost in an event; alpha, beta: probabilities "
            "of a change from good to bad and from bad to good; pi_G, pi_B: shares of good and "
            "of bad slots.",
        ),
        Reduction(
            HANDOFFS,
            "hand-offs",
            "loss events, or bursts",
            r"$p_{ev} = p + 1/(X A_h)$, $X$ the model's own goodput, the largest solution",
            "p_ev = p + 1/(X A_h). p_ev: loss event rate; p: loss event rate without hand-offs; "
            "A_h: seconds between hand-offs; X: the model's own goodput in packets/s, the largest "
            "that satisfies its equation with p_ev.",
        ),
        Reduction(
            SPIKES,
            "delay spikes",
            "a silence and a slow start, added to any model's result",
            r"$X = X_0 \mathrm{E}[(T - S - D)^+]/\mathrm{E}[T]$, "
            r"$D = R (\ln w - (w-1)/w)/\ln(1 + 1/b)$, $w = X_0 R$",
            "X = X0 E[(T - S - D)^+]/E[T], D = R (ln w - (w - 1)/w)/ln(1 + 1/b), w = X0 R. X0: "
            "the model's goodput without spikes; T: interval between spikes; S: mean length of a "
            "spike; D: time lost in slow start, 0 if S is shorter than the timeout; R: round "
            "trip; b: packets per ACK.",
        ),
        Reduction(
            CAPACITY,
            "varying capacity",
            "a slowly varying, fast or resonant capacity",
            r"$\mathrm{E}[C \rho(B/(C T_m))]$, $\bar C \rho(B/(\bar C T_m))$, or the saw-tooth "
            r"below $C_{\min} T_m + B$",
            "slow: X = E[C rho(B/(C T_m))]; fast: X = c rho(B/(c T_m)), c = E[C]; in resonance: "
            "the saw-tooth of windows from W/2 to W = C_min T_m + B; a smaller receiver window w "
            "never overflows the buffer: X = E[min(C, w/T_m)]. C: capacity in packets/s; B: "
            "buffer; T_m: round trip; rho: utilisation of a constant link.",
        ),
        Reduction(
            WINDOW,
            "window, rate and buffer",
            "a cap",
            r"$X = (X_{loss}^{-4} + X_{cap}^{-4})^{-1/4}$",
            "X = (X_loss^-4 + X_cap^-4)^(-1/4). X_loss: the model's goodput under losses alone; "
            "X_cap: goodput that window, rate and buffer allow without losses.",
        ),
        Reduction(
            RETRANSMISSION,
            "link retransmission",
            "a slower link with a longer round trip and a residual loss",
            r"$C' = C/m$, $m = (1 - e^a)/(1 - e)$, $p' = 1 - (1 - p)(1 - e^a)$, $R' = R + D$; "
            r"$D = (m - 1) d$, or in order $\int_0^{(a-1)d} (1 - \prod_{j \ge 0} "
            r"F_1(x + j m/C)) \,\mathrm{d}x$, $F_1(x) = 1 - e^k$ for $(k-1) d \le x < k d$",
            "C' = C/m, m = (1 - e^a)/(1 - e), p' = 1 - (1 - p)(1 - e^a), R' = R + D; D = (m - 1) d "
            "or, in order with a turnaround, the integral of 1 - prod_j F1(x + j m/C), F1(x) = 1 - "
            "e^k for (k - 1) d <= x < k d. C: rate; e: probability that an attempt fails; a: most "
            "attempts; m: their mean number; p: loss probability; R: round trip; D: mean delay; d: "
            "turnaround and transmission time of a packet; F1: distribution of one packet's delay.",
        ),
    )
}
