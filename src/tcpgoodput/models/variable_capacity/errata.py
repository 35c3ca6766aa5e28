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
    """Return the study's link: round trip 100 ms, 10 to 100 Mbit/s, packets of 1500 bytes."""
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
    where="(10)",
    printed=r"$\cos[2\pi F(t+t_0)+\varphi_0]$",
    corrected=r"$\cos[\pi F(t+t_0-2T_{bm})+\varphi_0]$",
    proof=r"By (7) $\int_{t_0}^{t}\cos[2\pi F(\tau-T_{bm})+\varphi_0]\,d\tau=(\pi F)^{-1}"
    r"\sin[\pi F(t-t_0)]\cos[\pi F(t+t_0-2T_{bm})+\varphi_0]$.",
    evidence="misprint seen in the text",
)
def _acknowledged_pipe() -> Effect:
    link = periodic.PeriodicLink.of(_link())
    start_s, t = 0.2, 0.5
    packets = [
        float(f(link, t, start_s, link.backward_s)) * (t - start_s) / link.rtt_s
        for f in (periodic.acknowledged_pipe_printed, periodic.acknowledged_pipe)
    ]
    point = r"$F=1$ Hz, $t_0=0.2$ s, $t=0.5$ s, $T_m=100$ ms"
    return Effect(r"$f(t)\,(t-t_0)/T_m$", "packets", point, *packets)


@erratum(
    where="discretised D, section III-A",
    printed=r"$\delta[X(k)/C(k+D(k))-1]$",
    corrected=r"$\delta[X(k)/C(k+D(k)/\delta)-1]$",
    proof=r"The factor $\delta$ makes $D(k)$ a time, but $k$ counts steps. By (3), a packet that "
    r"enters at step $k$ leaves $D(k)/\delta$ steps later. (In our copy, the differential "
    r"equation before the recursion is $\lambda/C(t)+D(t)-1$, which differs from (3) by a "
    r"parenthesis.)",
)
def _delay_index() -> Effect:
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
    where="loss recovery, section III",
    printed=r"the text says that the lost packet is sent first. By the equations the sender is "
    r"silent for $b W_f$ ACKs, then $R=\mu(t-T_{bm})$; they never send lost packets again",
    corrected=r"a pulse of packets at $t_{res}$ that raises the flight to $(1-b)W_f$",
    proof=r"Equation (8) requires that the flight equals the window when congestion avoidance "
    r"begins, and the text says that it does. By the printed equations, the flight after silence "
    r"and ACK clock is $(1-b)W_f$ minus all packets that were ever lost.",
)
def _lost_fluid() -> Effect:
    # The closed form of the study gives 0.818.
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
    where="time-out, section III, and its condition",
    printed=r"$W=1$ and a pulse of one packet at $t_d+5T_m$",
    corrected="the same, but only when less than a packet is in flight",
    proof=r"The text says that the pipe is empty ``if the value of TO is dimensioned correctly''. "
    r"$5T_m$ is too short for large buffers: at the rate $C_{min}$ a buffer of $C_{max}T_m$ "
    r"drains in $10\,T_m$. A timeout during this time makes $W$ less than the flight, in "
    r"contradiction to (8).",
)
def _premature_timeout() -> Effect:
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
    where="flight-size, section III",
    printed=r"$Y(t)=\int_{t-T_f}^t R(\tau)\,d\tau+Q(t)+\int_{t-T_{bm}}^t\mu(\tau)\,d\tau$",
    corrected=r"$T_{fm}$ instead of $T_f$",
    proof=r"The study does not define $T_f$. Packets on their way to the buffer were sent within "
    r"the last $T_{fm}$. ($T_f=T_m$ would count the packets of a time $T_m+T_{bm}$.)",
)
def _flight_integral() -> Effect:
    rate_pps = 1000.0
    corrected = rate_pps * (0.1 * RTT_S + 0.9 * RTT_S)
    point = r"1000 packets/s, empty buffer, $T_m=100$ ms"
    return Effect("flight", "packets", point, None, corrected)


@erratum(
    where="packet loss, section III",
    printed=r"$t_B=\inf_{t\ge t_0}\{t:Q(t)>B\}$",
    corrected=r"$t_B=\inf_{t\ge t_0}\{t:Q(t)=B,\ \lambda(t)>C(t)\}$",
    proof=r"The study says ``It must always be $0\le Q(t)\le B$''. So the printed set is empty, "
    r"unless $Q$ means the queue without any loss. The words before the equation have $Q(t)=B$, "
    r"and section III-A has the first $k$ with $L(k)>0$. We use the latter.",
)
def _first_overflow() -> Effect:
    return Effect(r"$Q(t_B)$", "packets", r"$B=84$ packets", None, 84.0)


@erratum(
    where="III-B against IV-C",
    printed=r"$C_0$ is the lowest capacity in $C_0+C_1+C_1\cos(2\pi Ft+\varphi_0)$ and the highest in "
    r"$\min\{C_0,C_a\log_2(1+\mathrm{SNR})\}$",
    corrected=r"two different letters",
    proof=r"The sinusoid lies between $C_0$ and $C_0+2C_1$, but in IV-C $C_0$ is the largest rate "
    r"of the link, 14.4\,Mbit/s. Each meaning is consistent within its section.",
)
def _letter_c0() -> Effect:
    return Effect("$C_0$ of section IV-C", "Mbit/s", "(section III-B: the minimum)", None, 14.4)


@erratum(
    where="stalled recovery, section III",
    printed=r"recovery stalls with the congestion window set to $b W_f$",
    corrected=r"$(1-b)W_f$",
    proof=r"A loss multiplies the window by $1-b$, and recovery ends with the window $(1-b)W_f$. "
    r"This equals $b W_f$ only if $b=\frac12$.",
    evidence="misprint seen in the text",
)
def _stalled_window() -> Effect:
    decrease, loss_window = 0.3, 100.0
    point = r"$b=0.3$, $W_f=100$ packets"
    printed, corrected = decrease * loss_window, (1 - decrease) * loss_window
    return Effect("window in recovery", "packets", point, printed, corrected)


@erratum(
    where="section IV-B, and the axis of Figures 8 and 9",
    printed=r"``the ratio $x=T_m/T_c$'' on the axis",
    corrected=r"$1/x=T_m/T_c$, as where $\alpha=0.1^{1/x}$ is given",
    proof=r"Only the letter is wrong. The formula is given with ``the ratio $1/x=T_m/T_c$'', and "
    r"with this ratio it is right: $\alpha^{T_c/\delta_c}=0.1$ is required, and $0.1^{T_m/T_c}$ "
    r"satisfies this for a step $\delta_c=T_m$. The axis calls the same ratio $x$. Then the "
    r"formula would be $0.1^{T_c/T_m}$, which satisfies the requirement for no step.",
    evidence="misprint seen in the text",
)
def _correlation_coefficient() -> Effect:
    ratio = 0.5
    steps = 1 / ratio
    printed, corrected = (alpha**steps for alpha in (0.1 ** (1 / ratio), 0.1**ratio))
    point = r"$T_m/T_c=0.5$, $\delta_c=T_m$"
    return Effect("autocorrelation at lag $T_c$", "", point, printed, corrected)


@erratum(
    where="random capacity, section IV-B",
    printed=r"$C(k+1)=\alpha C(k)+(1-\alpha)I(k)$",
    corrected=r"$C(k+1)=\bar C+\alpha(C(k)-\bar C)+\sqrt{1-\alpha^2}\,(I(k)-\bar C)$, limited to "
    r"$[C_{min},C_{max}]$",
    proof=r"The printed recursion has the variance $\sigma_I^2(1-\alpha)/(1+\alpha)$, which tends "
    r"to 0 as $T_c/\delta_c$ grows. But section IV varies the time scale ``with a given fixed "
    r"capacity marginal distribution''. We draw both recursions.",
)
def _vanishing_variance() -> Effect:
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
    where="case study, section IV-C",
    printed=r"$S_{dB}(k)=\beta S_{dB}(k-1)+(1-\beta)U(k)$, $U$ white and Gaussian; its variance "
    r"is not given",
    corrected=r"$\sigma_U=8\sqrt{(1+\beta)/(1-\beta)}$\,dB, that is, "
    r"$S_{dB}(k)=\beta S_{dB}(k-1)+\sqrt{1-\beta^2}\,U(k)$ with $\sigma_U=8$\,dB",
    proof=r"The study gives a standard deviation of 8\,dB for the shadowing, and none for $U$. If "
    r"$U$ had 8\,dB, the recursion would give the shadowing $8\sqrt{(1-\beta)/(1+\beta)}$\,dB.",
)
def _vanishing_shadowing() -> Effect:
    printed, corrected = (
        radio.stationary_sigma_db(_cell(variance)) for variance in ("literal", "preserved")
    )
    point = r"30 km/h, $\theta=2$ ms"
    return Effect("standard deviation of $S_{dB}$", "dB", point, printed, corrected)


@erratum(
    where="Fig. 10, section IV-C",
    printed=r"utilisation is goodput divided by $C_a$",
    corrected=r"goodput divided by the mean capacity, $\frac23 C_0$",
    proof=r"$C_a$ is the factor of the logarithm, chosen so that the mean capacity is $\frac23 "
    r"C_0$ ``to make performance evaluation easy''. With division by $C_a$, the utilisation of a "
    r"busy link would not be 1. We assume that $C_a$ means the average capacity that the sentence "
    r"names.",
)
def _divided_by_ca() -> Effect:
    capacity = _cell("preserved")
    printed = capacity.mean_bps / radio.cell_of(capacity).scale_bps
    return Effect("utilisation of a busy link", "", r"$\mathrm{SNR}_0=-3.4$ dB", printed, 1.0)


@erratum(
    where="case study, section IV-C",
    printed=r"$\mathrm{SNR}_0$ ``assumed to be constant'', no value",
    corrected=r"a user at a vertex of the cell, six neighbouring sites, path-loss exponent 4, no "
    r"noise: $1/(2+2\cdot2^{-4}+2\cdot7^{-2})$",
    proof=r"The distances from the user to the sites are $R,R,2R,2R,\sqrt7R,\sqrt7R$; $R$ cancels.",
)
def _snr_unsaid() -> Effect:
    corrected = radio.snr_of(_cell("preserved"))
    return Effect(r"$\mathrm{SNR}_0$", "", "any cell radius", None, corrected)


@erratum(
    where="IV-A, the size of the buffer",
    printed=r"$B$ is expressed as ``the ratio between the maximum bandwidth delay product and the queue "
    r"limit (e.g. $B = 0.1\cdot C_{max}\cdot T_m$)''",
    corrected=r"the ratio of the queue limit to the product, $B/(C_{max}T_m)$",
    proof=r"The study's own example is the inverse of the printed ratio: 0.1 is $B$ divided by "
    r"the product. The product divided by $B$ would be 10.",
    evidence="misprint seen in the text",
)
def _inverted_ratio() -> Effect:
    link = _link()
    product = link.path.rate_bps * RTT_S / (8 * link.tcp.mss_bytes)
    buffer = float(link.path.buffer_packets or 0)
    point = r"$B=84$ packets, $T_m=100$ ms"
    return Effect("ratio", "", point, product / buffer, buffer / product)
