"""Warnings for values that are valid but implausible, or that a sender ignores.

An implausible value has most often a wrong unit.

The plausible ranges are metadata of the keys (`Plausible`). A value that causes a warning is still
accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.configuration import Document, Problem
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.configuration.units import plain, with_digits
from tcpgoodput.scenario.arq import Arq
from tcpgoodput.scenario.capacity.trace import Steps, read_capacity_trace, read_delay_trace
from tcpgoodput.scenario.loss import (
    MOST_LOST,
    Bernoulli,
    GilbertElliott,
    LossProcess,
    MarkovChannel,
    Periodic,
)
from tcpgoodput.scenario.types import Part, Plausible
from tcpgoodput.scenario.vocabulary import (
    LONGEST_DELAY_S,
    NEWRENO_RULES,
    PLAUSIBLE_BPS,
    Delay,
    Handoffs,
    Scenario,
    Tcp,
    Trace,
)

MANY_PACKETS = 8192
"""Largest receiver window or buffer in packets that is plausible on every path. Chosen by hand."""

TIMES_THE_PATH = 100
"""Largest plausible receiver window or buffer above `MANY_PACKETS`, in bandwidth-delay products.
Chosen by hand."""

LONGEST_TRACE_STEP_S = 100.0
"""Longest plausible time between two rows of a trace, in seconds. Recordings have at least a row
for each second."""

MOST_OF_PEAK = 100
"""Largest plausible factor, up or down, between a trace's highest capacity and `path.rate_bps`. A
mix-up of bit/s, kbit/s and Mbit/s gives a factor of a thousand."""


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
    Such a scenario has one sender, so there are also warnings about rules that it ignores. A base
    scenario of a study may state rules of the senders that its figures set.
    """
    found = [*doubts(scenario), *([] if at else ignored_rules(scenario.tcp))]
    return [Suspect(document.problem((*at, *d.key), d.message), d) for d in found]


def doubts(scenario: Scenario) -> list[Doubt]:
    """Return the implausible values of a scenario, in the order of the vocabulary's keys."""
    parts = {name: getattr(scenario, name) for name in _ranges(Scenario)}
    return [
        doubt
        for name, part in parts.items()
        if isinstance(part, Part)
        for doubt in (*_out_of_range(part, (name,), scenario), *_combined(part, scenario))
    ]


def _out_of_range(
    part: Part, at: Key, scenario: Scenario, of_all: Plausible | None = None
) -> Iterator[Doubt]:
    """Yield a doubt for each value out of its range; `of_all` is that of durations without one."""
    for name, own in _ranges(type(part)).items():
        value, unit = getattr(part, name), name.rpartition("_")[2]
        within = own or (of_all if unit == "s" else None)
        if isinstance(value, Part):
            yield from _out_of_range(value, (*at, name), scenario, within)
        elif within and value is not None:
            numbers = enumerate(value) if isinstance(value, list) else [(None, value)]
            for position, number in numbers:
                if not within.low <= number <= _high(within, scenario):
                    key = (*at, name) if position is None else (*at, name, position)
                    message = _message(number, unit, within, scenario.tcp.mss_bytes)
                    yield Doubt(key, number, *message)


@cache
def _ranges(schema: type[Part]) -> dict[str, Plausible | None]:
    """Return the range of each key; cached, because pydantic collects the keys at each access."""
    return {
        name: next((m for m in field.metadata if isinstance(m, Plausible)), None)
        for name, field in schema.model_fields.items()
    }


def _high(within: Plausible, scenario: Scenario) -> float:
    """Return the largest plausible value of a key."""
    high = min(within.high, within.high_bytes / scenario.tcp.mss_bytes)
    if not within.fits_path:
        return high
    held = scenario.rate_pps * scenario.propagation_rtt_s
    return min(high, max(MANY_PACKETS, TIMES_THE_PATH * held))


def _message(
    value: float, unit: str, within: Plausible, mss_bytes: int
) -> tuple[str, float | None]:
    """Return the message about an implausible value, and the value that was probably meant."""
    given, is_low = plain(value), value < within.low
    match unit:
        case "s":
            return _meant(f"{given} s", value / 1e3, f"{given} ms")
        case "bps" if is_low:
            return _meant(f"{given} bit/s", value * 1e6, f"{given} Mbit/s")
        case "bps":
            guess = value / 1e6
            return f"is {plain(value / 1e12)} Tbit/s; did you mean {plain(guess)}?", guess
        case "bytes" if is_low:
            return f"is {given} byte{'s' * (value > 1)}; packets carry 536 to 1460 bytes", None
        case "bytes" if value % 8 or value // 8 > within.high:
            return f"is {given} bytes, of a single packet", None
        case "bytes":
            return _meant(f"{given} bytes", value // 8, f"{given} bits")
        case "packets":
            guess = max(1, round(value / mss_bytes))
            message, _ = _meant(f"{given} packets", guess, f"{given} bytes")
            return message + ("; null = unlimited" if within.fits_path else ""), guess
        case "mps":
            return _meant(f"{given} m/s", float(f"{value / 3.6:.3g}"), f"{given} km/h")
        case "db":
            return f"is {given} dB; shadowing has 4 to 12 dB", None
        case "hz" if is_low:
            return f"{given} Hz is once in {with_digits(1 / value, 3)} s", None
        case "hz":
            return f"{given} Hz is how often the capacity varies, not the carrier's frequency", None
        case _:
            guess, share = value / 100, plain(100 * value)
            return f"{given} is {share} %; did you mean {plain(guess)} ({given} %)?", guess


def _meant(given: str, guess: float, alternative: str) -> tuple[str, float]:
    return f"is {given}; did you mean {plain(guess)} ({alternative})?", guess


def _combined(part: Part, scenario: Scenario) -> Iterator[Doubt]:
    """Yield doubts about a part of a scenario that depend on several keys or on a file."""
    rtt_s = scenario.propagation_rtt_s
    match part:
        case GilbertElliott():
            yield from _mostly_bad(part, ("loss",))
        case Arq(error=MarkovChannel() as channel):
            yield from _mostly_bad(channel, ("arq", "error"))
        case Bernoulli() | Periodic():
            return
        case LossProcess(lost_share=share) if share > MOST_LOST:
            message = f"loses {plain(round(100 * share, 1))} % of the packets"
            yield Doubt(("loss",), share, message)
        case Handoffs(interval_s=interval_s) if interval_s < rtt_s:
            message = f"is {plain(interval_s)} s, less than a round trip of {plain(rtt_s)} s"
            yield Doubt(("handoffs", "interval_s"), interval_s, message)
        case Trace(file=file):
            yield from _capacity_trace(file, scenario.path.rate_bps)
        case Delay(file=file):
            yield from _delay_trace(file)


def _mostly_bad(channel: MarkovChannel, at: Key) -> Iterator[Doubt]:
    """Yield a doubt if a channel is bad for more than half of the time."""
    to_bad, to_good = channel.good_to_bad, channel.bad_to_good
    if to_bad > to_good:
        message = (
            f"the channel is bad {plain(round(100 * channel.bad_share, 1))} % of the time; did you "
            f"mean {plain(to_good)}, and {plain(to_bad)} for bad_to_good?"
        )
        yield Doubt((*at, "good_to_bad"), to_bad, message, to_good)


def ignored_rules(tcp: Tcp) -> Iterator[Doubt]:
    """Yield a doubt for each rule of NewReno that is stated for a sender that ignores it."""
    if tcp.variant == "newreno" and not tcp.is_todays:
        return
    sender = tcp.variant if tcp.variant != "newreno" else tcp.stack or "a sender of today"
    for name in NEWRENO_RULES:
        default = Tcp.model_fields[name].default
        if name in tcp.model_fields_set and getattr(tcp, name) != default:
            message = (
                f"is a rule of RFC 6582's NewReno, and {sender} ignores it: leave it out, or use "
                "variant newreno with neither a stack nor keys of today's senders"
            )
            yield Doubt(("tcp", name), None, message)


def _capacity_trace(file: str, rate_bps: float) -> Iterator[Doubt]:
    """Warn if a trace seems to have another unit, loses its last row, or exceeds `rate_bps`."""
    key, name = ("capacity", "file"), Path(file).name
    times, capacities = read_capacity_trace(file)
    most_bps, message = float(capacities[:-1].max()), ""
    if most_bps < PLAUSIBLE_BPS.low:
        message = (
            f"{name} has at most {plain(most_bps)} bit/s; did you mean {plain(most_bps)} Mbit/s? "
            f"capacity_bps is in bit/s: multiply by 1e6"
        )
    elif most_bps > PLAUSIBLE_BPS.high:
        message = f"{name} has up to {plain(most_bps / 1e12)} Tbit/s; capacity_bps is in bit/s"
    elif not 1 / MOST_OF_PEAK <= most_bps / rate_bps <= MOST_OF_PEAK:
        message = (
            f"{name} has at most {plain(most_bps)} bit/s, but path.rate_bps is {plain(rate_bps)}; "
            "both are in bit/s, and path.rate_bps should be the peak of the trace"
        )
    elif most_bps > rate_bps:
        message = (
            f"{name} has up to {plain(most_bps)} bit/s, above path.rate_bps ({plain(rate_bps)}), "
            "which should be the peak of the trace"
        )
    if message:
        yield Doubt(key, most_bps, message)
    yield from _steps(key, name, (times, capacities), "capacity_bps")


def _delay_trace(file: str) -> Iterator[Doubt]:
    """Warn if a trace seems to have delays or times in ms, or data in its unused last row."""
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
