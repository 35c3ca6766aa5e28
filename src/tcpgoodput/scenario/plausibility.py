"""Warnings for values that are valid but implausible, most often because of a wrong unit.

The bounds are far outside the values of real links and hosts, so that studies of extremes cause few
false warnings. They were chosen by hand. A value that causes a warning is still accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.configuration import Document, Problem
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.configuration.units import plain
from tcpgoodput.scenario.capacity.trace import Steps, read_capacity_trace, read_delay_trace
from tcpgoodput.scenario.distributions import Distribution
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott, Periodic
from tcpgoodput.scenario.vocabulary import (
    Autoregressive,
    Scenario,
    Shadowing,
    Sinusoid,
    Square,
    Trace,
)

LONGEST_DELAY_S = 2.0
"""Longest plausible one-way propagation delay in seconds; a geostationary hop has 0.13 s."""

LONGEST_TIMEOUT_S, LONGEST_FIRST_TIMEOUT_S, LONGEST_BACKED_OFF_S = 10.0, 30.0, 1e4
"""Largest plausible smallest, first and backed-off RTO in seconds (keys `min_s`, `initial_s` and
`max_s`); RFC 6298 has 1 s, 1 s and at least 60 s."""

LONGEST_TICK_S = 1.0
"""Longest plausible tick of the RTT clock in seconds; BSD's clock ticked twice a second."""

LONGEST_DELAYED_ACK_S = 2.0
"""Longest plausible delay of an ACK in seconds; RFC 5681 allows 0.5 s."""

LONGEST_SPIKE_S, LONGEST_INTERVAL_S, LONGEST_LATENESS_S = 100.0, 1e4, 60.0
"""Longest plausible delay spike, time between spikes or hand-offs, and delay of a late packet, in
seconds."""

SLOWEST_BPS, FASTEST_BPS = 1e3, 1e13
"""Lowest and highest plausible capacity in bit/s."""

SMALLEST_MSS_BYTES, LARGEST_MSS_BYTES, LARGEST_HEADER_BYTES = 40, 9216, 200
"""Smallest and largest plausible payload of a packet, and largest plausible header, in bytes; a
jumbo frame has about 9000 bytes."""

MOST_LOST = 0.3
"""Largest plausible share of packets that are lost. Bursty losses have no such limit."""

LARGEST_WINDOW_BYTES = 2**30
"""Largest plausible receiver window in bytes, the limit of window scaling in RFC 7323."""

MANY_PACKETS = 8192
"""Largest receiver window or buffer in packets that is plausible on every path."""

TIMES_THE_PATH = 100
"""Largest plausible receiver window or buffer above `MANY_PACKETS`, in bandwidth-delay products."""

LARGEST_FIRST_WINDOW_PACKETS = 100
"""Largest plausible initial window in packets; RFC 6928 has ten."""

MOST_HIT_PACKETS = 10_000
"""Largest plausible number of packets that a hand-off loses or makes late."""

FASTEST_CHANGE_HZ, SLOWEST_CHANGE_HZ = 1e3, 1e-5
"""Highest and lowest plausible frequency of a periodic capacity, in hertz."""

FASTEST_MPS = 100.0
"""Largest plausible speed in metres per second; the fastest trains reach 90 m/s."""

LARGEST_SIGMA_DB = 20.0
"""Largest plausible standard deviation of shadowing in decibels."""

LONGEST_COHERENCE_S, LONGEST_STEP_S = 1e3, 1.0
"""Longest plausible coherence time and step of a random capacity, in seconds."""

LONGEST_TRACE_STEP_S = 100.0
"""Longest plausible time between two rows of a trace, in seconds. Recordings have at least a row
for each second."""

MOST_OF_PEAK = 100
"""Largest plausible factor, up or down, between a trace's highest capacity and `path.rate_bps`. A
mix-up of bit/s, kbit/s and Mbit/s gives a factor of a thousand."""

LARGEST_TRANSFER_BYTES = 1e12
"""Largest plausible finite transfer in bytes."""


@dataclass(frozen=True)
class Doubt:
    """An implausible value of a key, with a message and perhaps a guess."""

    key: Key
    value: float | None
    """The value; None if it is no number."""
    message: str
    guess: float | None = None
    """The value that was probably meant, in the key's own unit; None if there is no guess."""


@dataclass(frozen=True)
class Suspect:
    """A warning: an implausible value of a scenario, with its file, line and key (`place`)."""

    place: Problem
    doubt: Doubt

    def __str__(self) -> str:
        return f"warning: {self.place}"

    def record(self) -> dict[str, Any]:
        """Return the warning as a dict for the command line."""
        value, guess = self.doubt.value, self.doubt.guess
        return {**self.place.record(), "value": value, "guess": guess}


def suspects(document: Document, scenario: Scenario, at: Key = ()) -> list[Suspect]:
    """Return warnings about the implausible values of a scenario that was read from a document.

    `at` is the scenario's key within the document; by default the whole document is the scenario.
    """
    found = doubts(scenario)
    return [Suspect(document.problem((*at, *d.key), d.message), d) for d in found]


def doubts(scenario: Scenario) -> list[Doubt]:
    """Return the implausible values of a scenario, grouped as tcp, path, loss and impairments."""
    return [*_tcp(scenario), *_path(scenario), *_loss(scenario), *_impairments(scenario)]


def _tcp(scenario: Scenario) -> Iterator[Doubt]:
    tcp, rto = scenario.tcp, scenario.tcp.rto
    mss = tcp.mss_bytes
    if mss < SMALLEST_MSS_BYTES:
        yield Doubt(("tcp", "mss_bytes"), mss, f"is {_bytes(mss)}; packets carry 536 to 1460 bytes")
    elif mss > LARGEST_MSS_BYTES:
        yield _in_bits(("tcp", "mss_bytes"), mss, LARGEST_MSS_BYTES)
    if tcp.header_bytes > LARGEST_HEADER_BYTES:
        yield _in_bits(("tcp", "header_bytes"), tcp.header_bytes, LARGEST_HEADER_BYTES)
    window = tcp.max_window_packets
    if window is not None and (
        window * mss > LARGEST_WINDOW_BYTES or window > _most_packets(scenario)
    ):
        yield _in_packets(("tcp", "max_window_packets"), window, mss, "; null = unlimited")
    yield from _long(
        ("tcp", "delayed_ack_timeout_s"), tcp.delayed_ack_timeout_s, LONGEST_DELAYED_ACK_S
    )
    if tcp.initial_window_packets > LARGEST_FIRST_WINDOW_PACKETS:
        yield _in_packets(("tcp", "initial_window_packets"), tcp.initial_window_packets, mss)
    at = ("tcp", "rto")
    yield from _long((*at, "min_s"), rto.min_s, LONGEST_TIMEOUT_S)
    yield from _long((*at, "initial_s"), rto.initial_s, LONGEST_FIRST_TIMEOUT_S)
    yield from _long((*at, "max_s"), rto.max_s, LONGEST_BACKED_OFF_S)
    yield from _long((*at, "tick_s"), rto.tick_s, LONGEST_TICK_S)
    if rto.fixed_s is not None:
        yield from _long((*at, "fixed_s"), rto.fixed_s, LONGEST_FIRST_TIMEOUT_S)
    if tcp.transfer_packets is not None and tcp.transfer_packets * mss > LARGEST_TRANSFER_BYTES:
        yield _in_packets(("tcp", "transfer_packets"), tcp.transfer_packets, mss)


def _path(scenario: Scenario) -> Iterator[Doubt]:
    path = scenario.path
    yield from _rate(("path", "rate_bps"), path.rate_bps)
    yield from _long(("path", "forward_delay_s"), path.forward_delay_s, LONGEST_DELAY_S)
    yield from _long(("path", "backward_delay_s"), path.backward_delay_s, LONGEST_DELAY_S)
    if path.buffer_packets is not None and path.buffer_packets > _most_packets(scenario):
        key = ("path", "buffer_packets")
        yield _in_packets(key, path.buffer_packets, scenario.tcp.mss_bytes, "; null = unlimited")


def _loss(scenario: Scenario) -> Iterator[Doubt]:
    loss = scenario.loss
    if isinstance(loss, Bernoulli | Periodic) and loss.probability > MOST_LOST:
        p = loss.probability
        message = f"{plain(p)} is {plain(100 * p)} %; did you mean {plain(p / 100)} ({plain(p)} %)?"
        yield Doubt(("loss", "probability"), p, message, p / 100)
    elif isinstance(loss, GilbertElliott) and loss.good_to_bad > loss.bad_to_good:
        bad = loss.good_to_bad / (loss.good_to_bad + loss.bad_to_good)
        message = (
            f"the channel is bad {plain(round(100 * bad, 1))} % of the time; did you mean "
            f"{plain(loss.bad_to_good)}, and {plain(loss.good_to_bad)} for bad_to_good?"
        )
        yield Doubt(("loss", "good_to_bad"), loss.good_to_bad, message, loss.bad_to_good)
    elif not isinstance(loss, GilbertElliott) and loss.lost_share > MOST_LOST:
        message = f"loses {plain(round(100 * loss.lost_share, 1))} % of the packets"
        yield Doubt(("loss",), loss.lost_share, message)


def _impairments(scenario: Scenario) -> Iterator[Doubt]:
    if spikes := scenario.spikes:
        yield from _law(("spikes", "interval"), spikes.interval, LONGEST_INTERVAL_S)
        yield from _law(("spikes", "duration"), spikes.duration, LONGEST_SPIKE_S)
    if handoffs := scenario.handoffs:
        yield from _long(("handoffs", "interval_s"), handoffs.interval_s, LONGEST_INTERVAL_S)
        yield from _more_often_than_round_trips(scenario, handoffs.interval_s)
        if handoffs.packets > MOST_HIT_PACKETS:
            mss = scenario.tcp.mss_bytes
            yield _in_packets(("handoffs", "packets"), handoffs.packets, mss)
        if handoffs.late_s is not None:
            yield from _long(("handoffs", "late_s"), handoffs.late_s, LONGEST_LATENESS_S)
        for position, step_s in enumerate(handoffs.delay_steps_s):
            yield from _long(("handoffs", "delay_steps_s", position), step_s, LONGEST_DELAY_S)
    match scenario.capacity:
        case Sinusoid() | Square() as varying:
            yield from _rate(("capacity", "max_bps"), varying.max_bps)
            yield from _frequency(("capacity", "frequency_hz"), varying.frequency_hz)
        case Autoregressive() as varying:
            yield from _rate(("capacity", "max_bps"), varying.max_bps)
            yield from _long(("capacity", "coherence_s"), varying.coherence_s, LONGEST_COHERENCE_S)
            yield from _long(("capacity", "step_s"), varying.step_s, LONGEST_STEP_S)
        case Shadowing() as varying:
            yield from _rate(("capacity", "peak_bps"), varying.peak_bps)
            if varying.speed_mps > FASTEST_MPS:
                yield _in_kilometres_per_hour(("capacity", "speed_mps"), varying.speed_mps)
            if varying.sigma_db > LARGEST_SIGMA_DB:
                message = f"is {plain(varying.sigma_db)} dB; shadowing has 4 to 12 dB"
                yield Doubt(("capacity", "sigma_db"), varying.sigma_db, message)
            yield from _long(("capacity", "step_s"), varying.step_s, LONGEST_STEP_S)
        case Trace() as varying:
            yield from _capacity_trace(varying.file, scenario.path.rate_bps)
    if scenario.delay is not None:
        yield from _delay_trace(scenario.delay.file)


def _capacity_trace(file: str, rate_bps: float) -> Iterator[Doubt]:
    """Warn if a capacity trace seems to have another unit, times in ms, or data in its last row.

    The last row only marks the end of the trace, so that data in it would be lost. There is also a
    warning if the trace exceeds the peak rate of the path.

    Args:
        file: path of the trace.
        rate_bps: `path.rate_bps`, which should be the peak of the trace.

    """
    key, name = ("capacity", "file"), Path(file).name
    times, capacities = read_capacity_trace(file)
    most_bps = float(capacities[:-1].max())
    if most_bps < SLOWEST_BPS:
        message = (
            f"{name} has at most {plain(most_bps)} bit/s; did you mean {plain(most_bps)} Mbit/s? "
            f"capacity_bps is in bit/s: multiply by 1e6"
        )
        yield Doubt(key, most_bps, message)
    elif most_bps > FASTEST_BPS:
        message = f"{name} has up to {plain(most_bps / 1e12)} Tbit/s; capacity_bps is in bit/s"
        yield Doubt(key, most_bps, message)
    elif not 1 / MOST_OF_PEAK <= most_bps / rate_bps <= MOST_OF_PEAK:
        message = (
            f"{name} has at most {plain(most_bps)} bit/s, but path.rate_bps is {plain(rate_bps)}; "
            "both are in bit/s, and path.rate_bps should be the peak of the trace"
        )
        yield Doubt(key, most_bps, message)
    elif most_bps > rate_bps:
        message = (
            f"{name} has up to {plain(most_bps)} bit/s, above path.rate_bps ({plain(rate_bps)}), "
            "which should be the peak of the trace"
        )
        yield Doubt(key, most_bps, message)
    yield from _steps(key, name, (times, capacities), "capacity_bps")


def _delay_trace(file: str) -> Iterator[Doubt]:
    """Warn if a delay trace seems to have delays in ms, times in ms, or data in its last row.

    The last row only marks the end of the trace, so that data in it would be lost.
    """
    key, name = ("delay", "file"), Path(file).name
    times, delays = read_delay_trace(file)
    typical_s = float(np.median(delays[:-1]))
    if typical_s > LONGEST_DELAY_S:
        message = (
            f"{name} has a median of {plain(typical_s)} s; did you mean {plain(typical_s)} ms? "
            "delay_s is in seconds: divide by 1000"
        )
        yield Doubt(key, typical_s, message)
    yield from _steps(key, name, (times, delays), "delay_s")


def _steps(key: Key, name: str, steps: Steps, column: str) -> Iterator[Doubt]:
    times, values = steps
    step_s = float(np.median(np.diff(times)))
    if step_s > LONGEST_TRACE_STEP_S:
        message = (
            f"{name} has a row for each {plain(step_s)} s; did you mean {plain(step_s)} ms? time_s "
            "is in seconds: divide by 1000"
        )
        yield Doubt(key, step_s, message)
    last = float(values[-1])
    if last not in (0.0, values[0]):
        # The command `tcpgoodput trace` ends traces with 0 or the first value: no warning.
        ends_s = float(f"{times[-1] + step_s:.10g}")
        message = (
            f"the last row of {name} ends the trace at {plain(float(times[-1]))} s, and its "
            f"{column} of {plain(last)} is not used; if it is to count, add a row for its end, "
            f"such as {plain(ends_s)},0"
        )
        yield Doubt(key, last, message)


def _more_often_than_round_trips(scenario: Scenario, interval_s: float) -> Iterator[Doubt]:
    rtt_s = scenario.propagation_rtt_s
    if interval_s < rtt_s:
        message = f"is {plain(interval_s)} s, less than a round trip of {plain(rtt_s)} s"
        yield Doubt(("handoffs", "interval_s"), interval_s, message)


def _law(at: Key, law: Distribution, most_s: float) -> Iterator[Doubt]:
    """Warn if a duration of a distribution exceeds `most_s`; it may be in ms instead of s."""
    for name in ("mean_s", "low_s", "high_s", "mean0_s", "mean1_s"):
        if name in type(law).model_fields:
            yield from _long((*at, name), getattr(law, name), most_s)


def _long(key: Key, value_s: float, most_s: float) -> Iterator[Doubt]:
    """Warn if a time exceeds `most_s`; it may be given in milliseconds instead of seconds."""
    if value_s > most_s:
        guess = value_s / 1e3
        message = f"is {plain(value_s)} s; did you mean {plain(guess)} ({plain(value_s)} ms)?"
        yield Doubt(key, value_s, message, guess)


def _rate(key: Key, value_bps: float) -> Iterator[Doubt]:
    """Warn if a rate in bit/s is so low that it may be in Mbit/s, or implausibly high.

    A rate is too high if it was multiplied by 1e6 twice, for example.
    """
    if value_bps < SLOWEST_BPS:
        guess = value_bps * 1e6
        message = (
            f"is {plain(value_bps)} bit/s; did you mean {plain(guess)} ({plain(value_bps)} Mbit/s)?"
        )
        yield Doubt(key, value_bps, message, guess)
    elif value_bps > FASTEST_BPS:
        guess = value_bps / 1e6
        message = f"is {plain(value_bps / 1e12)} Tbit/s; did you mean {plain(guess)}?"
        yield Doubt(key, value_bps, message, guess)


def _frequency(key: Key, value_hz: float) -> Iterator[Doubt]:
    if value_hz > FASTEST_CHANGE_HZ:
        message = (
            f"{plain(value_hz)} Hz is how often the capacity varies, not the carrier's frequency"
        )
        yield Doubt(key, value_hz, message)
    elif value_hz < SLOWEST_CHANGE_HZ:
        message = f"{plain(value_hz)} Hz is once in {plain(float(f'{1 / value_hz:.3g}'))} s"
        yield Doubt(key, value_hz, message)


def _in_kilometres_per_hour(key: Key, value_mps: float) -> Doubt:
    guess = float(f"{value_mps / 3.6:.3g}")
    message = f"is {plain(value_mps)} m/s; did you mean {plain(guess)} ({plain(value_mps)} km/h)?"
    return Doubt(key, value_mps, message, guess)


def _in_bits(key: Key, value_bytes: int, most_bytes: int) -> Doubt:
    """Return the warning that a packet's size may be in bits instead of bytes.

    If the size in bytes would not be whole, or above `most_bytes`, the warning has no guess.
    """
    if value_bytes % 8 or value_bytes // 8 > most_bytes:
        return Doubt(key, value_bytes, f"is {_bytes(value_bytes)}, of a single packet")
    guess = value_bytes // 8
    message = f"is {_bytes(value_bytes)}; did you mean {guess} ({value_bytes} bits)?"
    return Doubt(key, value_bytes, message, guess)


def _in_packets(key: Key, value: int, mss_bytes: int, otherwise: str = "") -> Doubt:
    """Return the warning that a number of packets may be given in bytes.

    `otherwise` is added to the message.
    """
    guess = max(1, round(value / mss_bytes))
    message = (
        f"is {plain(value)} packets; did you mean {plain(guess)} ({plain(value)} bytes)?{otherwise}"
    )
    return Doubt(key, value, message, guess)


def _bytes(value: int) -> str:
    return f"{plain(value)} byte{'s' if value != 1 else ''}"


def _most_packets(scenario: Scenario) -> float:
    """Return the largest plausible receiver window or buffer of a scenario, in packets."""
    held = scenario.rate_pps * scenario.propagation_rtt_s
    return max(MANY_PACKETS, TIMES_THE_PATH * held)
