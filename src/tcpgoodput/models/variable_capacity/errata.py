"""Where the study's text is wrong, contradicts itself or is silent, in numbers."""

from __future__ import annotations

import math
from functools import cache

from tcpgoodput.answers import Conditions
from tcpgoodput.models.registry import Effect, erratum
from tcpgoodput.models.variable_capacity import periodic
from tcpgoodput.models.variable_capacity.curves import record
from tcpgoodput.models.variable_capacity.delay import buffer_delay_by_recursion
from tcpgoodput.models.variable_capacity.fluid import evolve, grid_of, means, measure
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.capacity import radio
from tcpgoodput.scenario.capacity.autoregression import (
    correlation_per_step,
    standard_deviation_ratio,
)
from tcpgoodput.scenario.vocabulary import Shadowing

SOURCE = "variable_capacity"

RTT_S = 0.1
STEP_S = 0.005
"""δ_c, the step of the random capacity that the rows below assume; the source names none."""


@cache
def _link() -> Scenario:
    """Return the study's link: T_m = 100 ms, 10 to 100 Mb/s, packets of 1500 bytes."""
    return Scenario.model_validate(
        {
            "id": "errata-sinusoid",
            "title": "Sinusoidal capacity",
            "tcp": {"variant": "sack", "mss_bytes": 1500},
            "path": {
                "rate_bps": 1e8,
                "forward_delay_s": 0.1 * RTT_S,
                "backward_delay_s": 0.9 * RTT_S,
                "buffer_packets": 84,
            },
            "capacity": {
                "process": "sinusoid",
                "min_bps": 1e7,
                "max_bps": 1e8,
                "frequency_hz": 1.0,
            },
        }
    )


@erratum(
    id="acknowledged-pipe",
    source=SOURCE,
    where="(10)",
    printed=r"$\cos[2\pi F(t+t_0)+\varphi_0]$",
    corrected=r"$\cos[\pi F(t+t_0-2T_{bm})+\varphi_0]$",
    proof=r"By (7) $\int_{t_0}^{t}\cos[2\pi F(\tau-T_{bm})+\varphi_0]\,d\tau=(\pi F)^{-1}"
    r"\sin[\pi F(t-t_0)]\cos[\pi F(t+t_0-2T_{bm})+\varphi_0]$.",
    evidence="seen",
)
def acknowledged_pipe() -> Effect:
    """Compare what (10) says was acknowledged in 0.3 s of a 1 Hz sinusoid."""
    link = periodic.PeriodicLink.of(_link())
    start_s, t = 0.2, 0.5
    packets = [
        float(f(link, t, start_s, link.backward_s)) * (t - start_s) / link.rtt_s
        for f in (periodic.acknowledged_pipe_printed, periodic.acknowledged_pipe)
    ]
    point = r"$F=1$\,Hz, $t_0=0.2$\,s, $t=0.5$\,s, $T_m=100$\,ms"
    return Effect(r"$f(t)\,(t-t_0)/T_m$", "packets", point, *packets)


@erratum(
    id="delay-index",
    source=SOURCE,
    where="discretised D, section III-A",
    printed=r"$\delta[X(k)/C(k+D(k))-1]$",
    corrected=r"$\delta[X(k)/C(k+D(k)/\delta)-1]$",
    proof=r"$\delta[\cdot]$ makes $D(k)$ a time, and $k$ counts steps: what enters at $k$ leaves "
    r"$D(k)/\delta$ steps later, as (3) has it. (The differential equation before it reads "
    r"$\lambda/C(t)+D(t)-1$ in our copy, a parenthesis away from (3).)",
    evidence="seen",
)
def delay_index() -> Effect:
    """Compare the longest delay of a busy period by both recursions."""
    wide = override(_link(), {"path.buffer_packets": 834})
    path = record(wide, 300.0, 320.0)
    arrivals = path.sent[: -path.grid.forward]
    queue, capacity = path.queue[path.grid.forward :], path.capacity[path.grid.forward :]
    step_s = path.grid.step_s
    printed, corrected = (
        buffer_delay_by_recursion(queue, arrivals, capacity, step_s, per_second).max()
        for per_second in (1.0, 1 / step_s)
    )
    point = r"$F=1$\,Hz, $B=834$ packets, $300<t<320$\,s"
    return Effect("longest buffer delay", "s", point, float(printed), float(corrected))


@erratum(
    id="lost-fluid",
    source=SOURCE,
    where="loss recovery, section III",
    printed=r"silence for $b W_f$, then $R=\mu(t-T_{bm})$; what was lost is never sent again",
    corrected=r"a pulse at $t_{res}$ that brings the flight to $(1-b)W_f$",
    proof=r"(8) needs flight $=$ window whenever congestion avoidance begins, and the text says "
    r"that it is. Silence and ACK clock leave $Y=(1-b)W_f$ less all that was lost, for ever.",
    evidence="inferred",
)
def lost_fluid() -> Effect:
    """Compare the utilisation of a constant link, whose closed form gives 0.818."""
    constant = override(
        _link(), {"capacity": None, "path.rate_bps": 1.2e7, "path.buffer_packets": 10}
    )
    printed, corrected = (
        means(constant, Conditions(equations=equations)).utilisation
        for equations in ("printed", "corrected")
    )
    point = r"constant $C=1000$ packets/s, $B=0.1\,C T_m$"
    return Effect("utilisation", "", point, printed, corrected)


@erratum(
    id="premature-timeout",
    source=SOURCE,
    where="time-out, section III",
    printed=r"$W=1$ and a pulse of one packet at $t_d+5T_m$",
    corrected="the same, once less than a packet is in flight",
    proof=r"The text takes an empty pipe for granted. Draining a buffer of $C_{max}T_m$ at "
    r"$C_{min}$ takes $10\,T_m$; a timeout meanwhile puts $W$ below the flight, against (8).",
    evidence="inferred",
)
def premature_timeout() -> Effect:
    """Compare the utilisation where the timer alone differs."""
    slow = override(_link(), {"capacity.frequency_hz": 0.05, "path.buffer_packets": 834})
    grid = grid_of(slow)
    printed, corrected = (
        measure(evolve(slow, empties=empties), grid, grid.steps(1000), grid.steps(4000)).utilisation
        for empties in (False, True)
    )
    point = r"$F=0.05$\,Hz, $B=C_{max}T_m$, $T_m=100$\,ms"
    return Effect("utilisation", "", point, printed, corrected)


@erratum(
    id="stalled-window",
    source=SOURCE,
    where="stalled recovery, section III",
    printed=r"stalled with the congestion window set to $b W_f$",
    corrected=r"$(1-b)W_f$",
    proof=r"A loss scales the window by $1-b$, and recovery ends with $(1-b)W_f$; the two agree "
    r"only at $b=\frac12$.",
    evidence="seen",
)
def stalled_window() -> Effect:
    """Compare the two at a b where they differ."""
    decrease, loss_window = 0.3, 100.0
    point = r"$b=0.3$, $W_f=100$ packets"
    printed, corrected = decrease * loss_window, (1 - decrease) * loss_window
    return Effect("window in recovery", "packets", point, printed, corrected)


@erratum(
    id="correlation-coefficient",
    source=SOURCE,
    where="section IV-B",
    printed=r"$\alpha=0.1^{1/x}$ with $1/x=T_m/T_c$; then $x=T_m/T_c$ on the axis",
    corrected=r"$\alpha=0.1^{\delta_c/T_c}$, $x=T_m/T_c$ on the axis",
    proof=r"$\alpha^{T_c/\delta_c}=0.1$ is required; $\alpha=0.1^{T_m/T_c}$ meets it only if "
    r"$\delta_c=T_m$.",
    evidence="seen",
)
def correlation_coefficient() -> Effect:
    """Compare the autocorrelation one coherence time apart."""
    coherence_s = RTT_S
    steps = coherence_s / STEP_S
    printed = (0.1 ** (RTT_S / coherence_s)) ** steps
    corrected = correlation_per_step(STEP_S, coherence_s) ** steps
    point = r"$T_c=T_m=100$\,ms, $\delta_c=5$\,ms"
    return Effect("autocorrelation at lag $T_c$", "", point, printed, corrected)


@erratum(
    id="vanishing-variance",
    source=SOURCE,
    where="random capacity, section IV-B",
    printed=r"$C(k+1)=\alpha C(k)+(1-\alpha)I(k)$",
    corrected=r"$C(k+1)=\bar C+\alpha(C(k)-\bar C)+\sqrt{1-\alpha^2}\,(I(k)-\bar C)$, cut to "
    r"$[C_{min},C_{max}]$",
    proof=r"The printed recursion has variance $\sigma_I^2(1-\alpha)/(1+\alpha)$, which vanishes "
    r"as $T_c/\delta_c$ grows, though section IV varies the time scale ``with a given fixed "
    r"capacity marginal distribution''. Both are drawn.",
    evidence="inferred",
)
def vanishing_variance() -> Effect:
    """Compare the standard deviations at a coherence time of one round trip."""
    of_innovations = (100 - 10) / math.sqrt(12)
    alpha = correlation_per_step(STEP_S, RTT_S)
    printed, corrected = (
        of_innovations * standard_deviation_ratio(alpha, variance)
        for variance in ("literal", "preserved")
    )
    point = r"$T_c=T_m=100$\,ms, $\delta_c=5$\,ms, before the cut"
    return Effect("standard deviation of $C$", "Mb/s", point, printed, corrected)


def _cell(variance: str) -> Shadowing:
    return Shadowing.model_validate(
        {
            "process": "shadowing",
            "peak_bps": 14.4e6,
            "mean_bps": 9.6e6,
            "speed_mps": 30 / 3.6,
            "variance": variance,
        }
    )


@erratum(
    id="vanishing-shadowing",
    source=SOURCE,
    where="case study, section IV-C",
    printed=r"$S_{dB}(k)=\beta S_{dB}(k-1)+(1-\beta)U(k)$",
    corrected=r"$S_{dB}(k)=\beta S_{dB}(k-1)+\sqrt{1-\beta^2}\,U(k)$",
    proof=r"As printed the standard deviation is $8\sqrt{(1-\beta)/(1+\beta)}$\,dB, not the 8\,dB "
    r"that the text states.",
    evidence="inferred",
)
def vanishing_shadowing() -> Effect:
    """Compare the standard deviations at 30 km/h."""
    printed, corrected = (
        radio.stationary_sigma_db(_cell(variance)) for variance in ("literal", "preserved")
    )
    point = r"30\,km/h, $\theta=2$\,ms"
    return Effect("standard deviation of $S_{dB}$", "dB", point, printed, corrected)


@erratum(
    id="divided-by-ca",
    source=SOURCE,
    where="Fig. 10, section IV-C",
    printed=r"utilisation is goodput divided by $C_a$",
    corrected=r"goodput divided by the mean capacity, $\frac23 C_0$",
    proof=r"$C_a$ is the factor of the logarithm, chosen so that the mean capacity is "
    r"$\frac23 C_0$ ``to make performance evaluation easy''; over $C_a$ a busy link would not "
    r"reach 1.",
    evidence="seen",
)
def divided_by_ca() -> Effect:
    """Compare the utilisation of a link that is never idle."""
    capacity = _cell("preserved")
    printed = capacity.mean_bps / radio.cell_of(capacity).scale_bps
    return Effect("utilisation of a busy link", "", r"$\mathrm{SNR}_0=-3.4$\,dB", printed, 1.0)


@erratum(
    id="buffer-rounded",
    source=SOURCE,
    where="section IV-A",
    printed=r"$B=0.1\,C_{max}T_m=84$ packets",
    corrected=r"$83\frac13$ packets; we take the next whole packet, as the text does",
    proof=r"$0.1\cdot 100\,\mathrm{Mb/s}\cdot 100\,\mathrm{ms}/12\,000\,\mathrm{bit}=83.3$.",
    evidence="inferred",
)
def buffer_rounded() -> Effect:
    """Compare the rounded with the exact product."""
    exact = 0.1 * _link().rate_pps * RTT_S
    return Effect("buffer", "packets", r"$T_m=100$\,ms", 84.0, exact)


@erratum(
    id="snr-unsaid",
    source=SOURCE,
    where="case study, section IV-C",
    printed=r"$\mathrm{SNR}_0$ ``assumed to be constant'', no value",
    corrected=r"a user at a vertex of the cell, six first-tier sites, exponent 4, no noise: "
    r"$1/(2+2\cdot2^{-4}+2\cdot7^{-2})$",
    proof=r"The sites are $R,R,2R,2R,\sqrt7R,\sqrt7R$ away; $R$ cancels.",
    evidence="inferred",
)
def snr_unsaid() -> Effect:
    """Give the value that is used."""
    corrected = radio.worst_case_snr()
    return Effect(r"$\mathrm{SNR}_0$", "", "any cell radius", None, corrected)
