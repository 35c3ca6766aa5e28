"""The scenario: one TCP connection, its path and its impairments, as pure data.

Quantities are in SI units, and their names contain the unit. Probabilities are in [0, 1]. Every
default is stated only here, with its RFC or study. The schema, the documentation and the output of
`tcpgoodput show` are generated from these classes.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import (
    BeforeValidator,
    Field,
    SerializationInfo,
    field_serializer,
    field_validator,
    model_validator,
)

from tcpgoodput.configuration.problems import WrongKey, alternatives, nearest
from tcpgoodput.configuration.strict_yaml import as_yaml
from tcpgoodput.configuration.units import plain
from tcpgoodput.scenario.arq import Arq
from tcpgoodput.scenario.distributions import Distribution
from tcpgoodput.scenario.loss import Loss, NoLoss
from tcpgoodput.scenario.stacks import SACK_VARIANTS, STACKS, settings
from tcpgoodput.scenario.types import (
    BitsPerSecond,
    BitsPerSecondOrZero,
    Bytes,
    BytesOrZero,
    Count,
    Decibel,
    Hertz,
    Identifier,
    Metres,
    MetresPerSecond,
    Part,
    PlainText,
    Plausible,
    Seconds,
    SecondsOrZero,
    Text,
    whole,
)

LONGEST_DELAY_S = 2.0
"""Longest plausible one-way propagation delay in seconds; a geostationary hop has 0.13 s."""

LONGEST_COHERENCE_S = 1e3
"""Longest plausible coherence time of a random capacity, in seconds."""

PLAUSIBLE_BPS = Plausible(1e13, low=1e3)
PlausibleRate = Annotated[BitsPerSecond, PLAUSIBLE_BPS]
PlausibleDelay = Annotated[SecondsOrZero, Plausible(LONGEST_DELAY_S)]
PlausibleHertz = Annotated[Hertz, Plausible(1e3, low=1e-5)]


class Timeout(Part):
    """The retransmission timeout (RTO)."""

    min_s: Annotated[Seconds, Plausible(10)] = Field(
        0.2, description="smallest RTO (ns-2.35 and Linux; RFC 6298 says 1 s)"
    )
    initial_s: Annotated[Seconds, Plausible(30)] = Field(
        3.0, description="RTO before the first sample (RFC 2988)"
    )
    max_s: Annotated[Seconds, Plausible(1e4)] = Field(
        64.0, description="largest RTO after back-off (RFC 6298: at least 60 s)"
    )
    tick_s: Annotated[Seconds, Plausible(1)] = Field(
        0.01, description="granularity of the RTT clock (ns-2.35)"
    )
    fixed_s: Annotated[Seconds | None, Plausible(30)] = Field(
        None, description="a fixed RTO; null = computed (RFC 6298)"
    )
    floor: Literal["timeout", "variation"] = Field(
        "timeout",
        description="min_s is the smallest value of the RTO (RFC 6298), or of the part that is "
        "added to the smoothed round trip (Linux)",
    )

    JOINED_LATER: ClassVar = frozenset({"floor"})

    @model_validator(mode="after")
    def _ordered(self) -> Timeout:
        if self.max_s < self.min_s:
            raise ValueError(f"max_s ({self.max_s:g}) is below min_s ({self.min_s:g})")
        return self


@cache
def _unless_todays() -> dict[str, Any]:
    """Return the keys of `tcp` for features of newer senders, with their default values.

    The result is cached because pydantic rebuilds its table of fields at each access.
    """
    # With these values the sender follows RFC 5681, 6582, 6675 and 6298.
    of_any = {"stack", "delayed_ack", "ssthresh_from"}
    of_any |= {"partial_window_deflation", "full_ack_window"}
    later = Tcp.JOINED_LATER - of_any
    return {name: Tcp.model_fields[name].default for name in later}


WINDOW_RULES = (
    "ca_increment",
    "growth",
    "slow_start",
    "window_validation",
    "ssthresh_from",
    "reduction",
)
"""Keys of `tcp` that say how a window grows and how a loss reduces it. BBR has no such window."""

NEWRENO_RULES = ("recovery", "partial_window_deflation", "full_ack_window")
"""Keys of `tcp` with rules of RFC 6582's NewReno. Other senders, and those of a kernel, ignore
them. They are no errors, because a study or a sample may change the sender alone."""


AS_RECORDED = {"deflated": True, "ssthresh": False}
"""Values of `tcp.partial_window_deflation` that were true and false before the key had words.
Recorded measurements are found by a content that has the earlier values."""


def _in_words(value: Any) -> Any:
    """Return the word for an earlier value of `tcp.partial_window_deflation`, or the value."""
    words = [word for word, earlier in AS_RECORDED.items() if earlier is value]
    return words[0] if words else value


PartialWindow = Annotated[Literal["deflated", "ssthresh", "unchanged"], BeforeValidator(_in_words)]


class Tcp(Part):
    """The sender and the receiver."""

    variant: Literal["oldtahoe", "tahoe", "reno", "newreno", "sack", "cubic", "bbr"] = Field(
        description="the sender's congestion control; bbr is version 1, as in Linux 6.18, with "
        "selective acknowledgements"
    )
    mss_bytes: Annotated[Bytes, Plausible(9216, low=40)] = Field(
        description="payload of a packet (MSS); goodput counts payload only"
    )
    header_bytes: Annotated[BytesOrZero, Plausible(200)] = Field(
        0,
        description="header bytes of each packet on the wire, which goodput does not count: 40 for "
        "TCP over IPv4, 52 with time stamps",
    )
    max_window_packets: Annotated[Count | None, Plausible(high_bytes=2**30, fits_path=True)] = (
        Field(None, description="receiver window (RFC 9293); null = unlimited")
    )
    ack_every: Annotated[int, Field(ge=1, le=1000), BeforeValidator(whole)] = Field(
        1, description="b, packets per ACK (RFC 5681 allows 2)"
    )
    delayed_ack_timeout_s: Annotated[Seconds, Plausible(2)] = Field(
        0.1, description="used when ack_every > 1 (ns-2.35's DelAck; RFC 5681: at most 0.5 s)"
    )
    initial_window_packets: Annotated[Count, Plausible(100)] = Field(
        1, description="initial window (RFC 2001, the studies)"
    )
    dupthresh: Annotated[int, Field(ge=1, le=1000), BeforeValidator(whole)] = Field(
        3, description="duplicate ACKs that trigger fast retransmit (RFC 5681)"
    )
    limited_transmit: bool = Field(
        True,
        description="the first two duplicate ACKs each release a new packet (RFC 3042; in ns-2.35 "
        "for every variant, Tahoe too)",
    )
    recovery: Literal["impatient", "slow-but-steady"] = Field(
        "impatient",
        description="when partial ACKs restart NewReno's retransmission timer: only the first one "
        "(RFC 6582, ns-2.35's default), or each (RFC 6582, section 4; the studies handoffs and "
        "packet_trains)",
    )
    partial_window_deflation: PartialWindow = Field(
        "deflated",
        description="NewReno's window after a partial ACK: deflated = less by the acknowledged "
        "packets, so that a new packet may follow the retransmission (RFC 6582, ns-2.35's default; "
        "the study handoffs); ssthresh (ns-2 before May 2003; the study packet_trains); unchanged "
        "(the study handoffs, III-B.1). Earlier files have true for deflated, false for ssthresh",
    )
    full_ack_window: Literal["ssthresh", "flight"] = Field(
        "ssthresh",
        description="NewReno's window after the ACK that ends a recovery: ssthresh (RFC 6582, "
        "option 2; ns-2), or flight = the packets in flight and one more, at most ssthresh (RFC "
        "3782, option 1; the study handoffs, II-A)",
    )
    ca_increment: Literal["reciprocal", "floor", "whole"] = Field(
        "reciprocal",
        description="congestion avoidance adds 1/cwnd per ACK (RFC 5681), 1/floor(cwnd), which "
        "Table I of the study packet_trains needs, or 1 for each cwnd of acknowledged packets "
        "(Linux; with cubic, the rules of Linux's CUBIC replace those of RFC 9438)",
    )
    rto: Timeout = Field(default_factory=Timeout, description="the retransmission timeout")
    transfer_packets: Annotated[Count | None, Plausible(high_bytes=1e12)] = Field(
        None, description="length of a finite transfer; null = a long-lived connection"
    )
    stack: Literal["linux-6.18"] | None = Field(
        None,
        description="kernel whose sender is simulated: sets the keys below, the initial window, "
        "ca_increment and rto, unless they are given; null = the sender of RFC 5681",
    )
    growth: Literal["acks", "packets"] = Field(
        "acks",
        description="unit of window growth: ACKs, or acknowledged packets "
        "(RFC 3465 without its limit)",
    )
    slow_start: Literal["standard", "hystart", "hystart++"] = Field(
        "standard",
        description="standard: slow start ends at a loss or the receiver's window; hystart: also "
        "if a train of ACKs takes half a round trip or round trips grow (Linux with cubic); "
        "hystart++: the first slow start ends gradually if round trips grow (RFC 9406)",
    )
    window_validation: bool = Field(
        False, description="the window grows only while it limits the sender (RFC 7661, Linux)"
    )
    ssthresh_from: Literal["flight", "window"] = Field(
        "flight",
        description="a loss sets ssthresh to a part of the flight (RFC 5681), or of cwnd (Linux); "
        "a proportional reduction starts from the same value",
    )
    reduction: Literal["at-once", "proportional"] = Field(
        "at-once",
        description="in recovery the window falls at once, or in proportion to the delivered "
        "packets (proportional rate reduction, RFC 9937)",
    )
    loss_detection: Literal["duplicates", "rack"] = Field(
        "duplicates",
        description="a packet is lost after dupthresh duplicates (RFC 5681, 6675), or when one "
        "sent later has arrived (RACK, RFC 8985; needs sack, cubic or bbr)",
    )
    tail_loss_probe: bool = Field(
        False, description="two round trips without an ACK send a probe (RFC 8985, 7; needs rack)"
    )
    f_rto: bool = Field(
        False, description="a needless timeout is detected from the next ACKs (RFC 5682)"
    )
    max_dupthresh: Annotated[int, Field(ge=1, le=1000), BeforeValidator(whole)] | None = Field(
        None,
        description="largest value to which reordering raises dupthresh (Linux's "
        "tcp_max_reordering); null = dupthresh is constant",
    )
    timestamps: bool = Field(
        False,
        description="ACKs echo the sending time of their packet: retransmissions give RTT "
        "samples, and a needless recovery is undone (RFC 7323, 3522, 4015)",
    )
    dsack: bool = Field(
        False,
        description="ACKs report packets that arrived twice, and a needless window reduction is "
        "undone (RFC 2883, 3708; needs sack, cubic or bbr)",
    )
    delayed_ack: Literal["fixed", "adaptive"] = Field(
        "fixed",
        description="delay of an ACK for fewer than ack_every packets: fixed = "
        "delayed_ack_timeout_s; adaptive = about the time between packets, but at least 40 ms, as "
        "in Linux; no delay for up to sixteen ACKs at the start, after a pause and after a packet "
        "that arrives twice (needs ack_every 2)",
    )

    JOINED_LATER: ClassVar = frozenset(
        """
        partial_window_deflation full_ack_window stack growth slow_start window_validation
        ssthresh_from reduction loss_detection tail_loss_probe f_rto max_dupthresh timestamps
        dsack delayed_ack
        """.split()
    )

    def value_before(self, name: str) -> Any:
        """Return the value of a key with which the behaviour is as before the key was introduced.

        Before `partial_window_deflation` was introduced, an impatient `recovery` meant deflation.
        """
        if name == "partial_window_deflation":
            return "deflated" if self.recovery == "impatient" else "ssthresh"
        return super().value_before(name)

    @field_serializer("partial_window_deflation")
    def _as_asked(self, word: str, info: SerializationInfo) -> Any:
        """Return the word, or the value that the context has for it; see `AS_RECORDED`."""
        return (info.context or {}).get(word, word)

    @field_validator("variant", mode="before")
    @classmethod
    def _is_a_sender(cls, name: Any) -> Any:
        senders = get_args(cls.model_fields["variant"].annotation)
        # A misspelt name is reported as for other keys, with the similar name.
        if isinstance(name, str) and name not in senders and not nearest(name, senders):
            hint = alternatives(name, senders)
            raise ValueError(f"is {name!r}: no such sender; the engine linux has none either{hint}")
        return name

    @model_validator(mode="after")
    def _as_the_stack_has_it(self) -> Tcp:
        # Do not mark the values of a stack (a kernel's sender) as set. They differ between TCP
        # variants, and a copy of the scenario with another variant must get its own values.
        if self.stack is not None:
            rto = self.rto.model_copy()
            values = settings(self.stack, self.variant, self.ack_every)
            for part, own in ((self, values), (rto, STACKS[self.stack].rto)):
                unset = own.keys() - part.model_fields_set
                part.__dict__.update({name: own[name] for name in unset})
            self.__dict__["rto"] = rto
        return self

    @property
    def packets_per_increment(self) -> int:
        """Number of acknowledged packets for which cwnd grows by 1/cwnd, called b in formulas.

        It is 1 if growth counts packets, else the packets per ACK.
        """
        return 1 if self.growth == "packets" else self.ack_every

    @property
    def is_todays(self) -> bool:
        """Whether the keys give the sender a feature beyond RFC 5681, 6582, 6675 and 6298."""
        if self.variant == "bbr":
            return True
        is_newer = any(getattr(self, name) != default for name, default in _unless_todays().items())
        return is_newer or self.ca_increment == "whole" or self.rto.floor != "timeout"

    @model_validator(mode="after")
    def _has_no_other_window(self) -> Tcp:
        if self.variant == "bbr":
            for name in WINDOW_RULES:
                if getattr(self, name) != type(self).model_fields[name].default:
                    raise WrongKey(
                        (name,),
                        "is a rule of a window that losses reduce; bbr computes its window from "
                        "bandwidth and round trip: leave the key out",
                    )
        return self

    @model_validator(mode="after")
    def _reports_what_arrived(self) -> Tcp:
        todays = self.is_todays
        if todays and self.variant not in ("newreno", *SACK_VARIANTS):
            if self.stack is not None:
                message = f"{self.stack} needs the variant newreno, sack, cubic or bbr"
                raise WrongKey(("stack",), message)
            raise ValueError(
                f"{self.variant} has none of the keys of today's senders: newreno, sack, cubic or "
                "bbr"
            )
        if todays and not self.limited_transmit:
            raise ValueError("limited_transmit is part of what today's senders do: it must be true")
        if self.variant not in SACK_VARIANTS:
            needs = {"loss_detection rack": self.loss_detection == "rack", "dsack": self.dsack}
            for name in (name for name, wanted in needs.items() if wanted):
                message = f"{name} needs selective acknowledgements: variant sack, cubic or bbr"
                raise ValueError(message)
        if todays and self.variant == "newreno":
            message = "is a rule of RFC 6582's sender: it excludes the keys of today's senders"
            if self.full_ack_window == "flight":
                raise ValueError(f"full_ack_window flight {message}")
            if self.partial_window_deflation == "unchanged":
                raise ValueError(f"partial_window_deflation unchanged {message}")
        if self.delayed_ack == "adaptive" and self.ack_every != 2:
            raise ValueError("delayed_ack adaptive needs ack_every 2")
        if self.tail_loss_probe and self.loss_detection != "rack":
            raise ValueError("tail_loss_probe needs loss_detection rack")
        return self


class Path(Part):
    """The path: a bottleneck link between two propagation delays."""

    rate_bps: PlausibleRate = Field(
        description="bottleneck rate, counting MSS and header bytes; with `capacity`, the peak rate"
    )
    forward_delay_s: PlausibleDelay = Field(description="propagation, sender to bottleneck")
    backward_delay_s: PlausibleDelay = Field(
        description="propagation, bottleneck by way of the receiver back to the sender"
    )
    buffer_packets: Annotated[Count | None, Plausible(fits_path=True)] = Field(
        None, description="drop-tail buffer, waiting and in service; null = unlimited"
    )

    @model_validator(mode="after")
    def _takes_time(self) -> Path:
        if self.forward_delay_s + self.backward_delay_s == 0:
            raise ValueError("forward_delay_s and backward_delay_s are both 0: no round trip")
        return self


INTERVALS = [
    "{distribution: exponential, mean_s: 20}",
    "{distribution: pareto, mean_s: 20, shape: 1.5}",
    "{distribution: uniform, low_s: 0, high_s: 60}",
    "{distribution: markov-exponential, mean0_s: 40, mean1_s: 5, p01: 0.1, p10: 0.1}",
]
"""Examples of the interval between delay spikes, one for each set of keys."""

DURATIONS = [
    "{distribution: constant, mean_s: 2}",
    "{distribution: pareto, mean_s: 2, shape: 1.5}",
    "{distribution: uniform, low_s: 0, high_s: 5}",
    "{distribution: markov-exponential, mean0_s: 1, mean1_s: 5, p01: 0.1, p10: 0.1}",
]
"""Examples of the duration of a delay spike, one for each set of keys."""


class Spikes(Part):
    """Delay spikes: pauses in which the link does not start to send packets; none is lost."""

    interval: Annotated[Distribution, Plausible(1e4)] = Field(
        description="time from the start of a spike to the start of the next; the first spike "
        "comes after one interval",
        examples=INTERVALS,
    )
    duration: Annotated[Distribution, Plausible(100)] = Field(
        description="length of a spike; overlapping spikes merge", examples=DURATIONS
    )


class Handoffs(Part):
    """Hand-offs that make the next packets late, or lose them."""

    JOINED_LATER: ClassVar = frozenset({"within_s"})

    interval_s: Annotated[Seconds, Plausible(1e4)] = Field(
        description="A_h, time between hand-offs"
    )
    packets: Annotated[Count, Plausible(10_000)] = Field(
        description="d, number of new packets (no retransmissions) that a hand-off delays or loses"
    )
    fate: Literal["late", "lost"] = Field(description="whether these packets are late or lost")
    late_s: Annotated[SecondsOrZero | None, Plausible(60)] = Field(
        None, description="extra delay of late packets"
    )
    delay_steps_s: Annotated[
        list[SecondsOrZero], Field(max_length=1000), Plausible(LONGEST_DELAY_S)
    ] = Field(
        default_factory=list,
        description="delays after the bottleneck in place of backward_delay_s; each hand-off sets "
        "the next one, in turn",
    )
    within_s: Seconds | None = Field(
        None,
        description="time after a hand-off in which it delays or loses new packets, one round trip "
        "in the study handoffs; null = until d packets are affected, however late they are sent",
    )

    @model_validator(mode="after")
    def _lateness(self) -> Handoffs:
        if self.fate == "late" and self.late_s is None:
            raise ValueError("fate is late, so late_s is required")
        if self.fate == "lost" and self.late_s is not None:
            raise ValueError("fate is lost, so late_s must be left out")
        return self


class _Range(Part):
    min_bps: BitsPerSecond = Field(description="lowest capacity")
    max_bps: PlausibleRate = Field(description="highest capacity")

    @model_validator(mode="after")
    def _ordered(self) -> _Range:
        if self.max_bps < self.min_bps:
            raise ValueError(f"max_bps ({self.max_bps:g}) is below min_bps ({self.min_bps:g})")
        return self

    @property
    def mean_capacity_bps(self) -> float:
        """The capacity's mean over time in bit/s."""
        return (self.min_bps + self.max_bps) / 2


class Sinusoid(_Range):
    """Capacity that is a sinusoid of time, with phase 0 at time 0."""

    process: Literal["sinusoid"]
    min_bps: BitsPerSecondOrZero = Field(description="lowest capacity; may be 0")
    frequency_hz: PlausibleHertz = Field(description="F, number of periods per second")


class Square(_Range):
    """Capacity that alternates between two values; each period begins with the high value."""

    process: Literal["square"]
    min_bps: BitsPerSecondOrZero = Field(
        description="lowest capacity; 0: the link stops for half of each period"
    )
    frequency_hz: PlausibleHertz = Field(description="F, number of periods per second")


class Autoregressive(_Range):
    """First-order autoregressive capacity with uniform innovations."""

    process: Literal["ar1"]
    coherence_s: Annotated[Seconds, Plausible(LONGEST_COHERENCE_S)] = Field(
        description="T_c, lag at which the autocorrelation is 0.1"
    )
    step_s: Annotated[Seconds, Plausible(1)] = Field(
        0.005, description="step of the recursion, which the study variable_capacity does not state"
    )
    variance: Literal["preserved", "literal"] = Field(
        "preserved",
        description="preserved: the variance does not depend on the coherence time; literal: the "
        "recursion as printed in the study variable_capacity, whose variance tends to 0 as the "
        "coherence time grows",
    )


class Shadowing(Part):
    """Capacity of a radio link with log-normal shadowing (study variable_capacity, IV-C)."""

    JOINED_LATER = frozenset({"coherence_distance_m", "path_loss_exponent", "snr_db"})

    process: Literal["shadowing"]
    peak_bps: PlausibleRate = Field(description="C_0, rate of the best modulation")
    mean_bps: BitsPerSecond = Field(description="mean capacity, from which C_a is computed")
    speed_mps: Annotated[MetresPerSecond, Plausible(100)] = Field(
        description="speed of the mobile user"
    )
    sigma_db: Annotated[Decibel, Plausible(20)] = Field(
        8.0, description="standard deviation of the shadowing (study variable_capacity, IV-C)"
    )
    step_s: Annotated[Seconds, Plausible(1)] = Field(
        0.002,
        description="θ, sampling step: HSDPA's TTI, because the study variable_capacity states no "
        "step",
    )
    variance: Literal["preserved", "literal"] = Field(
        "preserved", description="as in ar1, for the variance of the shadowing in decibels"
    )
    coherence_distance_m: Metres = Field(
        50.0,
        description="distance after which the shadowing's correlation is 0.1 (study "
        "variable_capacity, IV-C)",
    )
    path_loss_exponent: Annotated[float, Field(ge=1, le=10)] = Field(
        4.0,
        description="power of the distance with which signals fall (study variable_capacity, "
        "IV-C); it sets SNR_0 unless snr_db does",
    )
    snr_db: Annotated[float, Field(ge=-100, le=100)] | None = Field(
        None,
        description="SNR_0 in dB, signal over interference without shadowing; null = at a corner "
        "of the cell, with six interfering neighbours",
    )

    @model_validator(mode="after")
    def _below_peak(self) -> Shadowing:
        if self.mean_bps >= self.peak_bps:
            raise ValueError(f"mean_bps ({self.mean_bps:g}) must be below peak_bps")
        return self

    @property
    def mean_capacity_bps(self) -> float:
        """The capacity's mean over time in bit/s."""
        return self.mean_bps

    @property
    def max_bps(self) -> float:
        """The highest capacity in bit/s."""
        return self.peak_bps


class Trace(Part):
    """Capacity that follows the steps of a CSV file, repeated for ever."""

    process: Literal["trace"]
    file: PlainText = Field(
        description="CSV with the columns time_s, capacity_bps; first time 0; each row holds until "
        "the next; the last row only ends the trace, its capacity is not used; may be packed by "
        "gzip, bzip2 or xz"
    )


Capacity = Annotated[
    Sinusoid | Square | Autoregressive | Shadowing | Trace, Field(discriminator="process")
]


class Delay(Part):
    """A propagation delay that changes with time."""

    file: PlainText = Field(
        description="CSV with the columns time_s, delay_s; first time 0; repeated for ever; begins "
        "at the same time as a capacity's trace; the last row only ends the trace, its delay is "
        "not used"
    )


class Scenario(Part):
    """One TCP connection, its path and its impairments."""

    id: Identifier = Field(description="name, [a-z0-9-]+")
    title: Text = Field(description="title of the scenario")
    tcp: Tcp = Field(examples=["{variant: sack, mss_bytes: 1448}"])
    path: Path = Field(examples=["{rate_bps: 2e7, forward_delay_s: 0.03, backward_delay_s: 0.03}"])
    loss: Loss = Field(
        default_factory=lambda: NoLoss(process="none"),
        description="losses on the link",
        examples=[
            "{process: bernoulli, probability: 0.02}",
            "{process: gilbert-elliott, good_to_bad: 0.01, bad_to_good: 0.5}",
        ],
    )
    arq: Arq | None = Field(
        None,
        description="retransmissions on the link; null = none. `loss` then loses packets before "
        "the link, or beyond it",
        examples=["{error: 0.3, attempts: 7}"],
    )
    spikes: Spikes | None = Field(
        None,
        description="delay spikes; null = none",
        examples=[
            f"{{interval: {interval}, duration: {duration}}}"
            for interval in INTERVALS
            for duration in DURATIONS
        ],
    )
    handoffs: Handoffs | None = Field(
        None,
        description="hand-offs; null = none",
        examples=[
            "{interval_s: 15, packets: 8, fate: late, late_s: 0.2}",
            "{interval_s: 15, packets: 8, fate: lost}",
        ],
    )
    capacity: Capacity | None = Field(
        None,
        description="varying capacity; null = path.rate_bps",
        examples=[
            "{process: sinusoid, min_bps: 1e6, max_bps: 5e6, frequency_hz: 0.1}",
            "{process: ar1, min_bps: 1e6, max_bps: 5e6, coherence_s: 1}",
            "{process: shadowing, peak_bps: 5e6, mean_bps: 2e6, speed_mps: 15}",
            "{process: trace, file: capacity.csv}",
        ],
    )
    delay: Delay | None = Field(
        None,
        description="delay after the bottleneck that changes with time, in place of "
        "path.backward_delay_s; packets stay in order",
    )

    JOINED_LATER: ClassVar = frozenset({"arq", "delay"})

    def value_before(self, name: str) -> Any:
        """Return the value of a key with which the behaviour is as before the key was introduced.

        A link that never repeats a frame is as one without `arq`.
        """
        if name == "arq" and self.arq is not None and not self.arq.repeats:
            return self.arq
        return super().value_before(name)

    @model_validator(mode="after")
    def _repeats_in_time(self) -> Scenario:
        if self.arq is None or self.arq.turnaround_s <= self.shortest_timeout_s:
            return self
        computed = self.tcp.rto.fixed_s is None
        timer = "tcp.rto.min_s and the round trip" if computed else "tcp.rto.fixed_s"
        raise WrongKey(
            ("arq", "turnaround_s"),
            f"is {plain(self.arq.turnaround_s)} s, longer than the sender's shortest timeout "
            f"({timer}, {plain(self.shortest_timeout_s)} s), so that each repeated frame would "
            "come too late; shorten it (HARQ: 0.008 s), or describe the waiting by spikes",
        )

    @model_validator(mode="after")
    def _one_delay(self) -> Scenario:
        if self.delay is not None and self.handoffs is not None and self.handoffs.delay_steps_s:
            raise ValueError("delay and handoffs.delay_steps_s both say the delay: leave one out")
        return self

    def stated(self) -> dict[str, Any]:
        """Return the keys that the scenario sets, without defaults, as a dict of plain data.

        Changed copies are made from these keys, because a stack (a kernel's sender, `tcp.stack`)
        sets only keys that the scenario does not set.
        """
        return self.model_dump(mode="json", exclude_unset=True)

    def __repr__(self) -> str:
        return f"<{self.id}: {self.title}>"

    def _repr_html_(self) -> str:
        """Return the keys that are set as YAML, for display in a notebook."""
        text = as_yaml(self.stated())
        return f"<p><b>{escape(f'{self.id}: {self.title}')}</b></p><pre>{escape(text)}</pre>"

    @model_validator(mode="after")
    def _within_peak(self) -> Scenario:
        highest = getattr(self.capacity, "max_bps", 0)
        if highest > self.path.rate_bps:
            name = "peak_bps" if isinstance(self.capacity, Shadowing) else "max_bps"
            raise WrongKey(
                ("capacity", name),
                f"is {plain(highest)} bit/s, above path.rate_bps ({plain(self.path.rate_bps)}), "
                "which is the capacity's peak",
            )
        return self

    @property
    def packet_bits(self) -> int:
        """Size of a packet on the wire, in bits."""
        return 8 * (self.tcp.mss_bytes + self.tcp.header_bytes)

    @property
    def rate_pps(self) -> float:
        """Rate of the path in packets of full size per second."""
        return self.path.rate_bps / self.packet_bits

    @property
    def propagation_rtt_s(self) -> float:
        """Round-trip propagation time in seconds, without transmission and queueing."""
        return self.path.forward_delay_s + self.path.backward_delay_s

    @property
    def timeout_s(self) -> float:
        """The RTO that models use, in seconds: the fixed RTO if it is set, else the smallest."""
        return self.tcp.rto.fixed_s or self.tcp.rto.min_s

    @property
    def shortest_timeout_s(self) -> float:
        """The shortest RTO of a sender that has measured a round trip without a queue, in seconds.

        It is the fixed RTO if it is set. Else it is at least the round trip and `min_s` (RFC 6298),
        or their sum (Linux), by `floor`.
        """
        rto, rtt_s = self.tcp.rto, self.propagation_rtt_s
        if rto.fixed_s is not None:
            return rto.fixed_s
        return rto.min_s + rtt_s if rto.floor == "variation" else max(rto.min_s, rtt_s)
