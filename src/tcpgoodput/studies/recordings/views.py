"""Views: descriptions of a recorded link for models, as scenarios derived from its statistics.

The links, and the scenarios, are also written as this project's files.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.trace import COLUMNS, DELAY_COLUMNS
from tcpgoodput.scenario.vocabulary import LONGEST_COHERENCE_S
from tcpgoodput.studies.recordings.facts import FEWEST, PACKETS_PER_BIN, Facts, Fit, fits
from tcpgoodput.studies.recordings.recording import (
    DELAY_STEP_S,
    PACKET_BITS,
    PACKET_BYTES,
    Array,
    Recording,
)

WIDTH = 100
"""Largest number of characters in a line of a scenario file."""

HEADER_BYTES = 52
"""Size of a packet's headers in bytes: TCP with timestamps over IPv4."""

FEWEST_BUFFERED = 4
"""Smallest buffer in packets; a smaller one would drop packets that the sender emits at one ACK."""

LEAST_SHARE_OF_MEAN = 1e-3
"""Smallest capacity in a description of the link as an autoregressive process, relative to the mean
capacity. Scenarios do not allow a capacity of 0. Chosen by hand."""


@dataclass(frozen=True)
class View:
    """A description of a recorded link, as a scenario, for some of the models."""

    name: str
    whose: str
    """Phrase that names the models which use this description of the link."""
    content: Mapping[str, Any]
    """The keys of the scenario that describes the link, with their values."""
    derived: Mapping[str, str] = field(default_factory=dict)
    """The derivation of each number in the scenario, as text by scenario key."""

    @property
    def scenario(self) -> Scenario:
        """The description of the link as a checked scenario."""
        return Scenario.model_validate(dict(self.content))


@dataclass(frozen=True)
class Missing:
    """A description of a link that cannot be derived from its recording, with the reason."""

    name: str
    reason: str


def views_of(facts: Facts, part: str, buffer_share: float = 1.0) -> list[View | Missing]:
    """Return the descriptions of a link for all models: by its mean, spikes, AR(1) and hand-offs.

    `part` names the part of the recording in explanations, such as `first half`. The buffer is a
    multiple of the bandwidth-delay product at the mean rate.
    """
    drawn = (_mean(facts, part), _spikes(facts, part), _ar1(facts, part), _handoffs(facts, part))
    return [_with_buffer(view, facts, buffer_share) for view in drawn]


def buffer_packets(mean_bps: float, round_trip_s: float, share: float) -> int:
    """Return a buffer in packets: `share` bandwidth-delay products, at least four packets."""
    return max(FEWEST_BUFFERED, round(share * mean_bps * round_trip_s / PACKET_BITS))


def _with_buffer(view: View | Missing, facts: Facts, share: float) -> View | Missing:
    if isinstance(view, Missing):
        return view
    mean_bps, round_trip_s = facts.recording.mean_bps, facts.round_trip_s
    packets = buffer_packets(mean_bps, round_trip_s, share)
    content = {**view.content, "path": {**view.content["path"], "buffer_packets": packets}}
    product = f"mean rate {_mbps(mean_bps)} x {round_trip_s:g} s"
    reason = f"our choice: {share:g} x {product}, at least {FEWEST_BUFFERED}"
    return View(view.name, view.whose, content, {**view.derived, "path.buffer_packets": reason})


def _base(facts: Facts, name: str, title: str, rate_bps: float) -> dict[str, Any]:
    way_s = rounded(facts.round_trip_s / 2)
    return {
        "id": f"{identifier(facts.recording.name)}-{name}",
        "title": f"{facts.recording.name}: {title}",
        "tcp": {
            "variant": "sack",
            "mss_bytes": PACKET_BYTES - HEADER_BYTES,
            "header_bytes": HEADER_BYTES,
        },
        "path": {
            "rate_bps": rounded(rate_bps),
            "forward_delay_s": way_s,
            "backward_delay_s": way_s,
        },
    }


def _mean(facts: Facts, part: str) -> View:
    recording = facts.recording
    content = _base(facts, "mean", "its mean rate", recording.mean_bps)
    derived = {"path.rate_bps": f"{recording.carried} in {recording.length_s:g} s ({part})"}
    return View("mean", "models of a constant rate", content, derived)


def _spikes(facts: Facts, part: str) -> View | Missing:
    silences, recording = facts.silences, facts.recording
    count = silences.lengths_s.size
    if count < FEWEST:
        found = f"{count} silence{'s' * (count != 1)} of {silences.threshold_s:g} s and more"
        return Missing(
            "spikes", f"{found} in the {part}; the fit of a distribution needs at least {FEWEST}"
        )
    spoken_s = recording.length_s - silences.total_s
    rate_bps = recording.bits / spoken_s
    # The recording repeats, so the first silence follows the last one.
    starts = silences.starts_s
    intervals = np.diff(starts, append=starts[0] + recording.length_s)
    between, long = fits(intervals), fits(silences.lengths_s)
    content = _base(facts, "spikes", "its silences as delay spikes", rate_bps)
    content["spikes"] = {"interval": _law(between[0]), "duration": _law(long[0])}
    derived = {
        "path.rate_bps": (
            f"between silences: {recording.carried} in {spoken_s:g} s, which are the "
            f"{recording.length_s:g} s ({part}) without {silences.total_s:g} s of silence"
        ),
        "spikes.interval": _fit_text(
            between, count, "from the start of a silence to the next one's"
        ),
        "spikes.duration": _fit_text(
            long, count, f"gaps of {silences.threshold_s:g} s and more between packets"
        ),
    }
    return View("spikes", "delay_spikes", content, derived)


def _ar1(facts: Facts, part: str) -> View | Missing:
    changes = facts.changes
    if changes.steady:
        return Missing("ar1", f"the rate is constant in the {part}, except for rounding")
    if changes.coherence_s is None:
        reason = f"the rate's autocorrelation is above 0.1 up to a lag of a quarter of the {part}"
        return Missing("ar1", reason)
    mean_bps, half_bps = changes.mean_bps, math.sqrt(3) * changes.deviation_bps
    least_bps = LEAST_SHARE_OF_MEAN * mean_bps
    low_bps = max(mean_bps - half_bps, least_bps)
    high_bps = 2 * mean_bps - low_bps
    coherence_s = min(changes.coherence_s, LONGEST_COHERENCE_S)
    content = _base(facts, "ar1", "its rate as a first-order autoregression", high_bps)
    content["capacity"] = {
        "process": "ar1",
        "min_bps": rounded(low_bps),
        "max_bps": content["path"]["rate_bps"],
        "coherence_s": rounded(coherence_s),
        "step_s": rounded(min(changes.bin_s, coherence_s)),
    }
    low = f"mean {_mbps(mean_bps)} less sqrt(3) x deviation {_mbps(changes.deviation_bps)}"
    if low_bps == least_bps:
        low += f", which is below 0: {LEAST_SHARE_OF_MEAN:g} of the mean instead"
    derived = {
        "path.rate_bps": "the largest capacity",
        "capacity.min_bps": f"{low} ({part}, bins of {changes.bin_s:g} s)",
        "capacity.max_bps": "as far above the mean as capacity.min_bps is below it",
        "capacity.coherence_s": "the lag at which the rate's autocorrelation is 0.1",
        "capacity.step_s": "the bin of the statistics: the longest of a round trip, "
        f"{PACKETS_PER_BIN} packets of {PACKET_BITS} bit at the mean rate, and a step of the "
        "recording",
    }
    return View("ar1", "variable_capacity", content, derived)


def _handoffs(facts: Facts, part: str) -> View | Missing:
    handoffs, recording = facts.handoffs, facts.recording
    if recording.delays_s is None:
        return Missing(
            "handoffs", "hand-offs are detected in one-way delays, which need the option --delay"
        )
    if handoffs is None:
        return Missing("handoffs", f"too few peaks of the one-way delay in the {part}")
    excess_s = np.maximum(handoffs.peaks_s - handoffs.base_s, handoffs.gaps_s)
    late_s = float(np.median(excess_s))
    packets = max(1, round(recording.mean_bps / PACKET_BITS * late_s))
    content = _base(facts, "handoffs", "its hand-offs", recording.mean_bps)
    steps_s = content["path"]["backward_delay_s"] + handoffs.levels_s - handoffs.base_s
    content["handoffs"] = {
        "interval_s": rounded(handoffs.interval_s),
        "packets": packets,
        "fate": "late",
        "late_s": rounded(late_s),
        "delay_steps_s": [rounded(max(0.0, float(step_s))) for step_s in steps_s],
    }
    count = handoffs.times_s.size
    derived = {
        "path.rate_bps": f"the mean rate ({part})",
        "handoffs.interval_s": f"median between {count} peaks of the one-way delay ({part})",
        "handoffs.packets": "number of packets that the link carries in late_s at the mean rate",
        "handoffs.fate": "packets that arrive during a hand-off leave after it",
        "handoffs.late_s": (
            "median over the delay peaks; for each peak the larger of two: the rise of the delay "
            "above its median, and the longest gap without packets around the peak"
        ),
        "handoffs.delay_steps_s": (
            "backward_delay_s, plus the median delay between two peaks minus the median of all "
            "delays"
        ),
    }
    return View("handoffs", "handoffs", content, derived)


def identifier(name: str) -> str:
    """Return a file's name as an id: lower-case letters, digits and hyphens."""
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
    return "-".join(filter(None, letters.split("-")))[:60] or "recording"


def _law(fit: Fit) -> dict[str, Any]:
    return {
        name: rounded(value) if isinstance(value, float) else value
        for name, value in fit.law.model_dump().items()
    }


def _fit_text(found: list[Fit], count: int, what: str) -> str:
    others = ", ".join(f"{fit.law.distribution} {fit.distance:.2f}" for fit in found[1:])
    return (
        f"{count} durations, {what}; of the distributions with the same mean, the one with the "
        f"smallest Kolmogorov distance, {found[0].distance:.2f} ({others})"
    )


def rounded(value: float) -> float:
    """Return a number with six significant digits."""
    return float(f"{value:.6g}")


def _mbps(rate_bps: float) -> str:
    return f"{rate_bps / 1e6:.4g} Mbit/s"


def capacity_csv(edges: Array, rates: Array) -> Iterator[str]:
    """Yield the lines of a CSV file of capacities; the last one only marks the end of the trace."""
    yield ",".join(COLUMNS) + "\n"
    for time_s, rate_bps in zip(edges[:-1], rates, strict=True):
        yield f"{time_s:.10g},{rate_bps:.10g}\n"
    yield f"{edges[-1]:.10g},0\n"


def delay_csv(recording: Recording) -> Iterator[str]:
    """Yield the lines of a CSV file with a recording's one-way delays in seconds.

    The last line only marks the end of the trace.
    """
    delays = recording.delays_s
    assert delays is not None
    yield ",".join(DELAY_COLUMNS) + "\n"
    for number, delay_s in enumerate(delays):
        yield f"{DELAY_STEP_S * number:.10g},{delay_s:.10g}\n"
    yield f"{DELAY_STEP_S * delays.size:.10g},0\n"


def scenario_yaml(view: View, origin: str) -> str:
    """Return a scenario file as YAML, with comments about the derivation of each number.

    The comment at the top has the sentence `origin` about the recording.
    """
    head = f"A recorded link as {view.whose} would describe it. {origin}"
    lines = [*_comment(head, ""), *_lines(view.content, "", view.derived)]
    return "\n".join(lines) + "\n"


def _lines(part: Mapping[str, Any], at: str, derived: Mapping[str, str]) -> Iterator[str]:
    indent = "  " * at.count(".")
    for name, value in part.items():
        key = at + name
        if key in derived:
            yield from _comment(derived[key], indent)
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{key}.", derived)
        else:
            yield f"{indent}{name}: {json.dumps(value, ensure_ascii=False)}"


def _comment(text: str, indent: str) -> list[str]:
    start = f"{indent}# "
    return textwrap.wrap(
        text, WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )
