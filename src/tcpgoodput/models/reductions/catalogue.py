"""Names and descriptions of the reductions."""

from __future__ import annotations

from dataclasses import dataclass

INDEPENDENT, BURSTS, HANDOFFS = "R-IID", "R-GE", "R-HO"
SPIKES, CAPACITY, WINDOW = "R-SP", "R-CAP", "R-WIN"


@dataclass(frozen=True)
class Reduction:
    """A reduction: its name, what it translates into what, and its formula as LaTeX."""

    id: str
    of: str
    to: str
    formula: str


REDUCTIONS: dict[str, Reduction] = {
    entry.id: entry
    for entry in (
        Reduction(
            INDEPENDENT,
            "independent loss",
            "a Gilbert--Elliott channel",
            r"$\alpha = p$, $\beta = 1 - p$; exact",
        ),
        Reduction(
            BURSTS,
            "bursts of loss",
            "loss events, or the hand-offs that lose as many packets",
            r"$p_{ev} = 1/N(W)$, $N(W) = W + (1 - b_W)/\alpha$, "
            r"$b_W = \pi_B + \pi_G (1-\alpha-\beta)^W$, $m = \pi_B N(W)$, "
            "$W$ the model's own window",
        ),
        Reduction(
            HANDOFFS,
            "hand-offs",
            "loss events, or bursts",
            r"$p_{ev} = p + 1/(X A_h)$, $X$ the model's own goodput, the largest that agrees",
        ),
        Reduction(
            SPIKES,
            "delay spikes",
            "silence and a slow start on top of any model",
            r"$X = X_0 \mathrm{E}[(T - S - D)^+]/\mathrm{E}[T]$, "
            r"$D = R (\ln w - (w-1)/w)/\ln(1 + 1/b)$, $w = X_0 R$",
        ),
        Reduction(
            CAPACITY,
            "varying capacity",
            "a slow, a fast, or a resonant one",
            r"$\mathrm{E}[C \rho(B/(C T_m))]$, $\bar C \rho(B/(\bar C T_m))$, or the saw-tooth "
            r"below $C_{\min} T_m + B$",
        ),
        Reduction(
            WINDOW,
            "window, rate and buffer",
            "a cap",
            r"$X = (X_{loss}^{-4} + X_{cap}^{-4})^{-1/4}$",
        ),
    )
}
