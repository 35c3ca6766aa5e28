"""Statistics of a recorded link, and distributions that fit the durations of its silences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tcpgoodput.scenario.distributions import (
    Constant,
    Distribution,
    Exponential,
    Lomax,
    Pareto,
    Uniform,
)
from tcpgoodput.studies.recordings.recording import DELAY_STEP_S, PACKET_BITS, Array, Recording

FEWEST = 8
"""Smallest number of silences to whose durations a distribution is fitted; chosen by hand."""

SHAPES = [float(shape) for shape in np.geomspace(1.05, 100, 400)]
"""Tail exponents of Pareto and Lomax distributions, from which the best fit is chosen."""

WIDTHS = [float(width) for width in np.linspace(0.01, 1, 100)]
"""Half-widths of uniform distributions, relative to the mean, from which the best fit is chosen."""


@dataclass(frozen=True)
class Fit:
    """A distribution fitted to measured durations, and its distance from these durations."""

    law: Distribution
    distance: float
    """Kolmogorov's distance: the largest difference between the two distribution functions."""


def fits(durations_s: Array) -> list[Fit]:
    """Return the best-fitting distribution of each kind, the closest to the data first.

    Every distribution has the measured mean, on which goodput depends most. The second parameter
    (the width of a uniform distribution, or the exponent of a tail) minimises the distance.
    Markov-modulated distributions are left out, because they would also need the order of the
    durations.
    """
    values = np.sort(durations_s)
    found = [Fit(law, _distance(values, law)) for law in _laws(values)]
    return sorted(found, key=lambda fit: fit.distance)


def _laws(values: Array) -> Iterator[Distribution]:
    mean_s = float(values.mean())
    yield Constant(distribution="constant", mean_s=mean_s)
    yield Exponential(distribution="exponential", mean_s=mean_s)
    families: list[list[Distribution]] = [
        [
            Uniform(distribution="uniform", low_s=(1 - w) * mean_s, high_s=(1 + w) * mean_s)
            for w in WIDTHS
        ],
        [Pareto(distribution="pareto", mean_s=mean_s, shape=a) for a in SHAPES],
        [Lomax(distribution="lomax", mean_s=mean_s, shape=a) for a in SHAPES],
    ]
    for family in families:
        yield min(family, key=lambda law: _distance(values, law))


def _distance(values: Array, law: Distribution) -> float:
    """Return Kolmogorov's distance between the distribution of sorted values and a law."""
    count = values.size
    reached = np.arange(count + 1) / count
    at, before = distribution_function(law, values)
    return float(max((reached[1:] - at).max(), (before - reached[:-1]).max()))


def distribution_function(law: Distribution, values: Array) -> tuple[Array, Array]:
    """Return P(T ≤ t) and P(T < t) for times t; the two differ only for a constant duration."""
    match law:
        case Constant():
            return (values >= law.mean_s).astype(float), (values > law.mean_s).astype(float)
        case Uniform():
            found = np.clip((values - law.low_s) / (law.high_s - law.low_s), 0, 1)
        case Exponential():
            found = -np.expm1(-values / law.mean_s)
        case Pareto():
            found = 1 - np.maximum(values / law.scale_s, 1.0) ** -law.shape
        case Lomax():
            found = 1 - (1 + values / law.spread_s) ** -law.shape
        case _:
            raise TypeError(f"a {law.distribution} law is not fitted")
    return found, found


PERCENTILES = (5, 25, 50, 75, 95)

PACKETS_PER_BIN = 10
"""Smallest mean number of packets in a bin for the analysis of rate changes. In shorter bins the
number of packets varies by rounding even if the rate of the link does not. Chosen by hand."""

DECORRELATED = 0.1
"""Value to which the rate's autocorrelation falls within one coherence time, by its definition in
section IV of Baiocchi and Vacirca."""

LONGEST_SEGMENT = 4096
BANDS_PER_OCTAVE = 3
"""Number of spectral bands per octave. The spectrum is averaged over segments of at most
LONGEST_SEGMENT bins of the rate, then within each band. Both numbers were chosen by hand."""

LEAST_PEAK_S, TIMES_THE_SPREAD, APART_S = 0.005, 5, 1.0
"""LEAST_PEAK_S, TIMES_THE_SPREAD: smallest height of a delay peak that counts as a hand-off.

The peak exceeds the median delay by at least LEAST_PEAK_S seconds, and by TIMES_THE_SPREAD times
the distance from the median to the 95th percentile. Peaks at most APART_S seconds apart are merged.
All three were chosen by hand.
"""

FEWEST_HANDOFFS = 3
"""Smallest number of delay peaks; a recording with fewer counts as one without hand-offs."""


@dataclass(frozen=True, eq=False)
class Silences:
    """The silences of a recording: gaps without packets that last at least `threshold_s`."""

    threshold_s: float
    starts_s: Array
    lengths_s: Array
    """Lengths in seconds, shape (n,), of the silences that begin at `starts_s`."""

    @property
    def total_s(self) -> float:
        """The total length of all silences in seconds."""
        return float(self.lengths_s.sum())


@dataclass(frozen=True, eq=False)
class Changes:
    """Statistics of the changes of a recording's rate, in bins of `bin_s` seconds.

    A bin is not shorter than the round trip of the connections that will use the link.
    """

    steady: bool
    """True if the rate is constant except for rounding of the recording. Then the rate has neither
    a coherence time nor a frequency."""
    bin_s: float
    mean_bps: float
    deviation_bps: float
    correlation: Array
    """Autocorrelation of the rate at lags of 0, 1, … bins."""
    coherence_s: float | None
    """Coherence time in seconds. None if the rate is steady, or if its autocorrelation does not
    fall to a tenth within a quarter of the recording."""
    frequencies_hz: Array
    per_octave: Array
    """Share of the rate's variance per octave, at each frequency in `frequencies_hz`."""

    @property
    def dominant_hz(self) -> float | None:
        """The frequency in Hz with the most variance per octave; None if the rate is steady."""
        if self.steady:
            return None
        return float(self.frequencies_hz[np.argmax(self.per_octave)])

    @property
    def uncorrelated_share(self) -> float | None:
        """1 minus the rate's autocorrelation at a lag of one bin; None if the rate is steady."""
        if self.steady:
            return None
        return float(1 - self.correlation[1])


@dataclass(frozen=True, eq=False)
class Handoffs:
    """Hand-offs of a recorded link, detected as peaks of the one-way delay."""

    times_s: Array
    intervals_s: Array
    base_s: float
    """Median of all one-way delays in seconds."""
    levels_s: Array
    """Median delay in seconds before, between and after the peaks; one more than there are
    peaks."""
    peaks_s: Array
    """Largest one-way delay of each peak in seconds."""
    gaps_s: Array
    """Longest gap without packets that starts less than `APART_S` before or after each peak, in
    seconds."""

    @property
    def interval_s(self) -> float:
        """The median time between hand-offs in seconds."""
        return float(np.median(self.intervals_s))


@dataclass(frozen=True, eq=False)
class Facts:
    """Statistics of the recording of a link."""

    recording: Recording
    round_trip_s: float
    bin_s: float
    percentiles_bps: dict[int, float]
    peak_bps: float
    """Largest rate in whole bins of `bin_s` seconds; the percentiles are computed from the same
    bins."""
    longest_gap_s: float
    at_least_a_second: int
    """Number of gaps without packets that last at least a second."""
    silences: Silences
    changes: Changes
    handoffs: Handoffs | None
    """Detected hand-offs; None if no delays are recorded, or if there are too few peaks."""

    def record(self) -> dict[str, Any]:
        """Return the statistics as a dict, with the names of columns in `data/links/links.csv`."""
        recording, silences = self.recording, self.silences
        changes, handoffs = self.changes, self.handoffs
        return {
            "recording": recording.name,
            "sha256": recording.sha256,
            "length_s": recording.length_s,
            "packets": recording.packets,
            "mean_bps": recording.mean_bps,
            "bin_s": self.bin_s,
            **{f"p{n}_bps": bps for n, bps in self.percentiles_bps.items()},
            "peak_bps": self.peak_bps,
            "round_trip_s": self.round_trip_s,
            "silence_s": silences.threshold_s,
            "silences": int(silences.lengths_s.size),
            "silent_share": silences.total_s / recording.length_s,
            "at_least_1_s": self.at_least_a_second,
            "longest_silence_s": self.longest_gap_s,
            "changes_bin_s": changes.bin_s,
            "variation": changes.deviation_bps / changes.mean_bps,
            "coherence_s": changes.coherence_s,
            "uncorrelated_share": changes.uncorrelated_share,
            "dominant_hz": changes.dominant_hz,
            "handoffs": handoffs and int(handoffs.times_s.size),
            "handoff_interval_s": handoffs and handoffs.interval_s,
            "handoff_peak_s": handoffs and float(np.median(handoffs.peaks_s)),
            "base_delay_s": handoffs and handoffs.base_s,
        }


def facts_of(recording: Recording, *, round_trip_s: float, silence_s: float, bin_s: float) -> Facts:
    """Compute the statistics of a recording.

    Percentiles and peak are of rates in bins of `bin_s` seconds; a gap of `silence_s` seconds
    counts as a silence.
    """
    rates = recording.whole_rates(bin_s)
    _, gaps_s = recording.gaps()
    levels = np.percentile(rates, PERCENTILES)
    return Facts(
        recording,
        round_trip_s,
        bin_s,
        {n: float(level) for n, level in zip(PERCENTILES, levels, strict=True)},
        float(rates.max()),
        float(gaps_s.max(initial=0)),
        int(np.sum(gaps_s >= 1)),
        silences_of(recording, silence_s),
        changes_of(recording, round_trip_s),
        handoffs_of(recording),
    )


def silences_of(recording: Recording, threshold_s: float) -> Silences:
    """Return the gaps without packets that last at least `threshold_s`."""
    starts, lengths = recording.gaps()
    long = lengths >= threshold_s
    return Silences(threshold_s, starts[long], lengths[long])


def changes_of(recording: Recording, round_trip_s: float) -> Changes:
    """Return the statistics of a recording's rate changes, as a connection sees them.

    Changes within a round trip of the connection are averaged.
    """
    shortest_s = PACKETS_PER_BIN * PACKET_BITS / recording.mean_bps
    bin_s = max(round_trip_s, shortest_s, recording.step_s)
    steady = recording.is_steady()
    rates = recording.whole_rates(bin_s)
    correlation = _autocorrelation(rates)
    below, coherence_s = np.flatnonzero(correlation <= DECORRELATED), None
    if below.size and not steady:  # interpolate between the lags on both sides of `DECORRELATED`
        first = int(below[0])
        before, after = correlation[first - 1], correlation[first]
        coherence_s = float(bin_s * (first - 1 + (before - DECORRELATED) / (before - after)))
    mean_bps, deviation_bps = float(rates.mean()), float(rates.std())
    spectrum = _spectrum(rates, bin_s)
    return Changes(steady, bin_s, mean_bps, deviation_bps, correlation, coherence_s, *spectrum)


def _autocorrelation(values: Array) -> Array:
    """Return the autocorrelation at lags of 0, 1, … values, below a quarter of their number."""
    deviations = values - values.mean()
    variance = float(deviations @ deviations)
    lags = max(2, values.size // 4)
    if variance == 0:
        return np.append(1.0, np.zeros(lags - 1))
    transform = np.fft.rfft(deviations, 2 * values.size)
    return np.fft.irfft(np.abs(transform) ** 2)[:lags] / variance


def _spectrum(values: Array, bin_s: float) -> tuple[Array, Array]:
    """Return the mean frequencies of bands in Hz, and their shares of the variance per octave."""
    length = min(values.size, LONGEST_SEGMENT)
    window = np.hanning(length + 2)[1:-1]
    deviations = values - values.mean()
    starts = range(0, values.size - length + 1, max(1, length // 2))
    power = sum(np.abs(np.fft.rfft(window * deviations[s : s + length])) ** 2 for s in starts)
    frequencies = np.fft.rfftfreq(length, bin_s)[1:]
    if frequencies.size == 0 or not np.any(power):
        return np.array([1 / (length * bin_s)]), np.zeros(1)
    bands = np.floor(BANDS_PER_OCTAVE * np.log2(frequencies / frequencies[0]) + 0.5).astype(int)
    lines = np.bincount(bands)
    in_bands = np.bincount(bands, power[1:])[lines > 0] / lines[lines > 0]
    middles = np.bincount(bands, frequencies)[lines > 0] / lines[lines > 0]
    # Power per hertz times frequency is proportional to power per octave.
    per_octave = in_bands * middles * math.log(2)
    return middles, per_octave / (power[1:].sum() * frequencies[0])


def handoffs_of(recording: Recording) -> Handoffs | None:
    """Return the hand-offs in the one-way delays of a recording.

    None if no delays are recorded, or if there are fewer than `FEWEST_HANDOFFS` peaks.
    """
    delays = recording.delays_s
    if delays is None:
        return None
    base_s, high_s = np.percentile(delays, (50, 95))
    least_s = base_s + max(LEAST_PEAK_S, TIMES_THE_SPREAD * (high_s - base_s))
    at = np.flatnonzero(delays >= least_s)
    peaks = np.split(at, 1 + np.flatnonzero(np.diff(at) > APART_S / DELAY_STEP_S))
    if at.size == 0 or len(peaks) < FEWEST_HANDOFFS:
        return None
    starts, lengths = recording.gaps()
    times_s = DELAY_STEP_S * np.array([peak[0] for peak in peaks])
    ends = [0, *(int(peak[-1]) + 1 for peak in peaks)]
    begins = [*(int(peak[0]) for peak in peaks), delays.size]
    between = [delays[i:k] for i, k in zip(ends, begins, strict=True)]
    near = [lengths[(starts > t - APART_S) & (starts < t + APART_S)] for t in times_s]
    return Handoffs(
        times_s,
        np.diff(times_s),
        float(base_s),
        np.array([np.median(part) if part.size else base_s for part in between]),
        np.array([delays[peak].max() for peak in peaks]),
        np.array([gaps.max(initial=0.0) for gaps in near]),
    )
