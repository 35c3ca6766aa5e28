"""Errors, contradictions and gaps in the variable-capacity study, with their effects."""

from __future__ import annotations

from functools import cache

from tcpgoodput.answers import Conditions
from tcpgoodput.models.registry import Effect, erratum
from tcpgoodput.models.variable_capacity import periodic
from tcpgoodput.models.variable_capacity.curves import record
from tcpgoodput.models.variable_capacity.fluid import means
from tcpgoodput.models.variable_capacity.runs import (
    Averaged,
    Run,
    averages,
    buffer_delay_by_recursion,
    grid_of,
)
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.capacity import radio
from tcpgoodput.scenario.capacity.radio import (
    correlation_per_step,
    innovations_deviation,
    standard_deviation_ratio,
)
from tcpgoodput.scenario.vocabulary import Shadowing

RTT_S = 0.1
STEP_S = 0.005
"""Time step δ_c of the random capacity in seconds; our assumption, because the study gives none."""


@cache
def _link() -> Scenario:
    """Return the study's link: T_m = 100 ms, 10 to 100 Mbit/s, packets of 1500 bytes."""
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
    where="(10)",
    printed=r"$\cos[2\pi F(t+t_0)+\varphi_0]$",
    corrected=r"$\cos[\pi F(t+t_0-2T_{bm})+\varphi_0]$",
    proof=r"By (7) $\int_{t_0}^{t}\cos[2\pi F(\tau-T_{bm})+\varphi_0]\,d\tau=(\pi F)^{-1}"
    r"\sin[\pi F(t-t_0)]\cos[\pi F(t+t_0-2T_{bm})+\varphi_0]$.",
    evidence="misprint seen in the text",
)
def acknowledged_pipe() -> Effect:
    """Compare the packets acknowledged in 0.3 s by the printed and by the corrected eq. (10)."""
    link = periodic.PeriodicLink.of(_link())
    start_s, t = 0.2, 0.5
    packets = [
        float(f(link, t, start_s, link.backward_s)) * (t - start_s) / link.rtt_s
        for f in (periodic.acknowledged_pipe_printed, periodic.acknowledged_pipe)
    ]
    point = r"$F=1$ Hz, $t_0=0.2$ s, $t=0.5$ s, $T_m=100$ ms"
    return Effect(r"$f(t)\,(t-t_0)/T_m$", "packets", point, *packets)


@erratum(
    id="delay-index",
    where="discretised D, section III-A",
    printed=r"$\delta[X(k)/C(k+D(k))-1]$",
    corrected=r"$\delta[X(k)/C(k+D(k)/\delta)-1]$",
    proof=r"$\delta[\cdot]$ makes $D(k)$ a time, and $k$ counts steps: what enters at $k$ leaves "
    r"$D(k)/\delta$ steps later, as (3) has it. (The differential equation before it reads "
    r"$\lambda/C(t)+D(t)-1$ in our copy, a parenthesis away from (3).)",
    evidence="our assumption",
)
def delay_index() -> Effect:
    """Compare the longest buffer delay by the printed and by the corrected recursion."""
    wide = override(_link(), {"path.buffer_packets": 834})
    path = record(wide, 300.0, 320.0)
    arrivals = path.sent[: -path.grid.forward]
    queue, capacity = path.queue[path.grid.forward :], path.capacity[path.grid.forward :]
    step_s = path.grid.step_s
    printed, corrected = (
        buffer_delay_by_recursion(queue, arrivals, capacity, step_s, per_second).max()
        for per_second in (1.0, 1 / step_s)
    )
    point = r"$F=1$ Hz, $B=834$ packets, $300<t<320$ s"
    return Effect("longest buffer delay", "s", point, float(printed), float(corrected))


@erratum(
    id="lost-fluid",
    where="loss recovery, section III",
    printed=r"the lost packet first; by the equations silence for $b W_f$, then $R=\mu(t-T_{bm})$, in which what was lost is never sent again",
    corrected=r"a pulse at $t_{res}$ that brings the flight to $(1-b)W_f$",
    proof=r"(8) needs flight $=$ window whenever congestion avoidance begins, and the text says "
    r"that it is. Silence and ACK clock leave $Y=(1-b)W_f$ less all that was lost, for ever.",
    evidence="our assumption",
)
def lost_fluid() -> Effect:
    """Compare the utilisation of a constant link by the printed and by the corrected recovery.

    The closed form gives 0.818.
    """
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
    where="time-out, section III, and its condition",
    printed=r"$W=1$ and a pulse of one packet at $t_d+5T_m$",
    corrected="the same, once less than a packet is in flight",
    proof=r"The pipe is empty ``if the value of TO is dimensioned correctly'', and $5T_m$ is not "
    r"for every buffer: draining $C_{max}T_m$ at $C_{min}$ takes $10\,T_m$. A timeout meanwhile "
    r"puts $W$ below the flight, against (8).",
    evidence="our assumption",
)
def premature_timeout() -> Effect:
    """Compare the utilisation if timeouts occur at any time, or only with no packet in flight."""
    slow = override(_link(), {"capacity.frequency_hz": 0.05, "path.buffer_packets": 834})
    grid = grid_of(slow)
    printed, corrected = (
        one.utilisation
        for one in averages(
            Averaged(Run(slow, empties=empties), grid.steps(1000), grid.steps(4000))
            for empties in (False, True)
        )
    )
    point = r"$F=0.05$ Hz, $B=C_{max}T_m$, $T_m=100$ ms"
    return Effect("utilisation", "", point, printed, corrected)


@erratum(
    id="flight-integral",
    where="flight-size, section III",
    printed=r"$Y(t)=\int_{t-T_f}^t R(\tau)\,d\tau+Q(t)+\int_{t-T_{bm}}^t\mu(\tau)\,d\tau$",
    corrected=r"$T_{fm}$ for $T_f$",
    proof=r"$T_f$ is not defined; what is on its way to the buffer was sent within $T_{fm}$. "
    r"($T_f=T_m$ would count $T_m+T_{bm}$ of traffic.)",
    evidence="our assumption",
)
def flight_integral() -> Effect:
    """Compute the packets in flight by the corrected sum, for a constant rate and an empty buffer."""
    rate_pps = 1000.0
    corrected = rate_pps * (0.1 * RTT_S + 0.9 * RTT_S)
    point = r"1000 packets/s, empty buffer, $T_m=100$ ms"
    return Effect("flight", "packets", point, None, corrected)


@erratum(
    id="first-overflow",
    where="packet loss, section III",
    printed=r"$t_B=\inf_{t\ge t_0}\{t:Q(t)>B\}$",
    corrected=r"$t_B=\inf_{t\ge t_0}\{t:Q(t)=B,\ \lambda(t)>C(t)\}$",
    proof=r"``It must always be $0\le Q(t)\le B$'', so that the printed set is empty unless $Q$ stands for what "
    r"would be there without a loss. The words before it have $Q(t)=B$, and section III-A the first $k$ with "
    r"$L(k)>0$: that is what we take.",
    evidence="our assumption",
)
def first_overflow() -> Effect:
    """Compute the queue in packets at which the first loss occurs, by the corrected definition."""
    return Effect(r"$Q(t_B)$", "packets", r"$B=84$ packets", None, 84.0)


@erratum(
    id="letter-c0",
    where="III-B against IV-C",
    printed=r"$C_0$ is the lowest capacity in $C_0+C_1+C_1\cos(2\pi Ft+\varphi_0)$ and the highest in "
    r"$\min\{C_0,C_a\log_2(1+\mathrm{SNR})\}$",
    corrected=r"two letters",
    proof=r"The sinusoid runs from $C_0$ to $C_0+2C_1$; the link's peak is 14.4\,Mbit/s. Each is "
    r"consistent within its section.",
    evidence="our assumption",
)
def letter_c0() -> Effect:
    """Compute the value of C_0 in section IV-C, where C_0 is the highest capacity."""
    return Effect("$C_0$ of section IV-C", "Mbit/s", "(section III-B: the minimum)", None, 14.4)


@erratum(
    id="stalled-window",
    where="stalled recovery, section III",
    printed=r"stalled with the congestion window set to $b W_f$",
    corrected=r"$(1-b)W_f$",
    proof=r"A loss scales the window by $1-b$, and recovery ends with $(1-b)W_f$; the two agree "
    r"only at $b=\frac12$.",
    evidence="misprint seen in the text",
)
def stalled_window() -> Effect:
    """Compare the window in recovery by the printed b W_f and the corrected (1 - b) W_f."""
    decrease, loss_window = 0.3, 100.0
    point = r"$b=0.3$, $W_f=100$ packets"
    printed, corrected = decrease * loss_window, (1 - decrease) * loss_window
    return Effect("window in recovery", "packets", point, printed, corrected)


@erratum(
    id="correlation-coefficient",
    where="section IV-B, and the axis of Figures 8 and 9",
    printed=r"``the ratio $x=T_m/T_c$'' on the axis",
    corrected=r"$1/x=T_m/T_c$, as where $\alpha=0.1^{1/x}$ is given",
    proof=r"A letter, and no more: the formula stands with ``the ratio $1/x=T_m/T_c$'' and is right by it: "
    r"$\alpha^{T_c/\delta_c}=0.1$ is required, and $0.1^{T_m/T_c}$ meets it for a step "
    r"$\delta_c=T_m$. The axis has $x$ for the same ratio; with it the formula would be "
    r"$0.1^{T_c/T_m}$, which meets it for no step.",
    evidence="misprint seen in the text",
)
def correlation_coefficient() -> Effect:
    """Compare the capacity's autocorrelation after T_c, by the ratio as printed and as corrected."""
    ratio = 0.5
    steps = 1 / ratio
    printed, corrected = (alpha**steps for alpha in (0.1 ** (1 / ratio), 0.1**ratio))
    point = r"$T_m/T_c=0.5$, $\delta_c=T_m$"
    return Effect("autocorrelation at lag $T_c$", "", point, printed, corrected)


@erratum(
    id="vanishing-variance",
    where="random capacity, section IV-B",
    printed=r"$C(k+1)=\alpha C(k)+(1-\alpha)I(k)$",
    corrected=r"$C(k+1)=\bar C+\alpha(C(k)-\bar C)+\sqrt{1-\alpha^2}\,(I(k)-\bar C)$, cut to "
    r"$[C_{min},C_{max}]$",
    proof=r"The printed recursion has variance $\sigma_I^2(1-\alpha)/(1+\alpha)$, which vanishes "
    r"as $T_c/\delta_c$ grows, though section IV varies the time scale ``with a given fixed "
    r"capacity marginal distribution''. Both are drawn.",
    evidence="our assumption",
)
def vanishing_variance() -> Effect:
    """Compare the standard deviation of the capacity by the printed and the corrected recursion."""
    of_innovations = innovations_deviation(10, 100)
    alpha = correlation_per_step(STEP_S, RTT_S)
    printed, corrected = (
        of_innovations * standard_deviation_ratio(alpha, variance)
        for variance in ("literal", "preserved")
    )
    point = r"$T_c=T_m=100$ ms, $\delta_c=5$ ms, before the cut"
    return Effect("standard deviation of $C$", "Mbit/s", point, printed, corrected)


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
    where="case study, section IV-C",
    printed=r"$S_{dB}(k)=\beta S_{dB}(k-1)+(1-\beta)U(k)$, $U$ white and Gaussian, its variance unsaid",
    corrected=r"$\sigma_U=8\sqrt{(1+\beta)/(1-\beta)}$\,dB, that is, "
    r"$S_{dB}(k)=\beta S_{dB}(k-1)+\sqrt{1-\beta^2}\,U(k)$ with $\sigma_U=8$\,dB",
    proof=r"The text states 8\,dB for the shadowing and nothing for $U$. With 8\,dB for $U$ the "
    r"recursion would give $8\sqrt{(1-\beta)/(1+\beta)}$\,dB.",
    evidence="our assumption",
)
def vanishing_shadowing() -> Effect:
    """Compare the standard deviation of the shadowing by the printed and the corrected recursion."""
    printed, corrected = (
        radio.stationary_sigma_db(_cell(variance)) for variance in ("literal", "preserved")
    )
    point = r"30 km/h, $\theta=2$ ms"
    return Effect("standard deviation of $S_{dB}$", "dB", point, printed, corrected)


@erratum(
    id="divided-by-ca",
    where="Fig. 10, section IV-C",
    printed=r"utilisation is goodput divided by $C_a$",
    corrected=r"goodput divided by the mean capacity, $\frac23 C_0$",
    proof=r"$C_a$ is the factor of the logarithm, chosen so that the mean capacity is "
    r"$\frac23 C_0$ ``to make performance evaluation easy''; over $C_a$ a busy link would not "
    r"reach 1. That the letter stands for the average that the sentence names is our reading.",
    evidence="our assumption",
)
def divided_by_ca() -> Effect:
    """Compare the utilisation of a busy link: goodput over C_a, and over the mean capacity."""
    capacity = _cell("preserved")
    printed = capacity.mean_bps / radio.cell_of(capacity).scale_bps
    return Effect("utilisation of a busy link", "", r"$\mathrm{SNR}_0=-3.4$ dB", printed, 1.0)


@erratum(
    id="snr-unsaid",
    where="case study, section IV-C",
    printed=r"$\mathrm{SNR}_0$ ``assumed to be constant'', no value",
    corrected=r"a user at a vertex of the cell, six first-tier sites, exponent 4, no noise: "
    r"$1/(2+2\cdot2^{-4}+2\cdot7^{-2})$",
    proof=r"The sites are $R,R,2R,2R,\sqrt7R,\sqrt7R$ away; $R$ cancels.",
    evidence="our assumption",
)
def snr_unsaid() -> Effect:
    """Compute SNR_0 for a user at a vertex of the cell; the study gives no value."""
    corrected = radio.worst_case_snr()
    return Effect(r"$\mathrm{SNR}_0$", "", "any cell radius", None, corrected)


@erratum(
    id="inverted-ratio",
    where="IV-A, the size of the buffer",
    printed=r"$B$ is expressed as ``the ratio between the maximum bandwidth delay product and the queue "
    r"limit (e.g. $B = 0.1\cdot C_{max}\cdot T_m$)''",
    corrected=r"the ratio of the queue limit to the product, $B/(C_{max}T_m)$",
    proof=r"The example that follows is the inverse: 0.1 is $B$ over the product. The product over $B$ "
    r"would be 10.",
    evidence="misprint seen in the text",
)
def inverted_ratio() -> Effect:
    """Compare the printed ratio, bandwidth-delay product over buffer, with its inverse."""
    link = _link()
    product = link.path.rate_bps * RTT_S / (8 * link.tcp.mss_bytes)
    buffer = float(link.path.buffer_packets or 0)
    point = r"$B=84$ packets, $T_m=100$ ms"
    return Effect("ratio", "", point, product / buffer, buffer / product)
