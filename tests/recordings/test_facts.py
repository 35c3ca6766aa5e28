"""Statistics and distributions of recorded links, on recordings with known properties."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tcpgoodput.engines.path_schedule import durations
from tcpgoodput.scenario.distributions import (
    Constant,
    Distribution,
    Exponential,
    Lomax,
    Pareto,
    Uniform,
)
from tcpgoodput.studies.recordings.facts import (
    changes_of,
    distribution_function,
    facts_of,
    fits,
    handoffs_of,
    silences_of,
)
from tcpgoodput.studies.recordings.recording import PACKET_BITS
from tests.recordings.made import of_counts, of_rate


def test_rates_in_bins_of_any_width_count_every_packet() -> None:
    recording = of_rate(np.full(10_007, 0.8))
    for bin_s in (0.001, 0.02, 0.033, 1 / 3, 10.0, 99.0):
        edges, rates = recording.rates(bin_s)
        assert edges[0] == 0
        assert edges[-1] == recording.length_s
        assert rates @ np.diff(edges) == pytest.approx(recording.packets * PACKET_BITS)
        middle = np.diff(edges)[:-1]
        assert np.allclose(middle, bin_s)


def test_a_packet_is_counted_in_the_bin_of_its_millisecond() -> None:
    recording = of_counts([1, 2, 3, 4, 5, 6])
    _, rates = recording.rates(0.0025)  # the bins are 0-2.5, 2.5-5 and 5-6 ms
    assert (rates * [0.0025, 0.0025, 0.001] / PACKET_BITS).tolist() == pytest.approx([6, 9, 6])


def test_two_halves_give_the_whole_recording() -> None:
    recording = of_rate(np.full(5001, 0.5))
    first, second = recording.half(0), recording.half(1)
    assert [*first.opportunities, *second.opportunities] == recording.opportunities.tolist()


def test_silences_include_the_gap_across_the_end() -> None:
    counts = np.zeros(10_000)
    counts[[1000, 1001, 1500, 4000, 9000]] = 1
    silences = silences_of(of_counts(counts), 0.5)
    assert silences.starts_s.tolist() == [1.5, 4.0, 9.0]
    found = dict(zip(silences.starts_s.tolist(), silences.lengths_s.tolist(), strict=True))
    assert found == pytest.approx({1.5: 2.5, 4.0: 5.0, 9.0: 2.0})


def test_an_on_off_link_is_described() -> None:
    on_and_off = np.tile(np.append(np.full(500, 2), np.zeros(500)), 60)
    facts = facts_of(of_counts(on_and_off), round_trip_s=0.04, silence_s=0.2, bin_s=0.02)
    record = facts.record()
    assert record["mean_bps"] == pytest.approx(12e6)
    assert (record["p5_bps"], record["p95_bps"]) == pytest.approx((0, 24e6))
    assert record["silences"] == 60
    assert record["longest_silence_s"] == pytest.approx(0.501)
    assert record["silent_share"] == pytest.approx(0.501)
    assert record["at_least_1_s"] == 0
    assert record["variation"] == pytest.approx(1, abs=0.05)
    assert record["dominant_hz"] == pytest.approx(1, rel=0.15)


def test_a_silence_at_the_end_counts_in_the_standard_deviation() -> None:
    """The rates 20, 10, 5 and 0 packets per second have mean 8.75 and mean square 131.25."""
    counts = np.repeat([20, 10, 5, 0], 100) * np.tile(np.arange(100) % 10 == 0, 4)
    found = changes_of(of_counts(counts), 0.1)
    assert found.mean_bps == pytest.approx(8.75 * 10 * PACKET_BITS / 0.1)
    variance = 131.25 / 8.75**2 - 1
    assert found.deviation_bps / found.mean_bps == pytest.approx(math.sqrt(variance))


def test_a_shorter_last_bin_has_no_rate_of_its_own() -> None:
    """Two packets in the last millisecond are no rate of 24 Mbit/s in bins of 20 ms."""
    recording = of_counts([*np.tile(np.append(1, np.zeros(9)), 10), 2])
    facts = facts_of(recording, round_trip_s=0.04, silence_s=0.2, bin_s=0.02)
    assert facts.peak_bps == pytest.approx(2 * PACKET_BITS / 0.02)
    assert recording.left_out_s(0.02) == pytest.approx(0.001)
    assert recording.whole_rates(0.02).size == 5
    # A single whole bin has no deviation, so the shorter one is used, too.
    assert recording.left_out_s(0.06) == 0
    assert recording.whole_rates(0.06).size == 2


@pytest.mark.parametrize("frequency_hz", [0.05, 0.5, 4])
def test_the_dominant_frequency_of_a_sinusoid_is_found(frequency_hz: float) -> None:
    times_s = np.arange(200_000) / 1e3
    rate = 2 + 1.5 * np.sin(2 * math.pi * frequency_hz * times_s)
    found = changes_of(of_rate(rate), 0.04)
    assert found.dominant_hz == pytest.approx(frequency_hz, rel=0.15)


@pytest.mark.parametrize("coherence_s", [0.5, 3.0])
def test_the_coherence_time_of_an_autoregression_is_found(coherence_s: float) -> None:
    rng = np.random.default_rng(3)
    alpha = 0.1 ** (0.001 / coherence_s)
    level, levels = 0.0, np.empty(1_000_000)
    for k, step in enumerate(rng.normal(0, math.sqrt(1 - alpha**2), levels.size)):
        level = levels[k] = alpha * level + step
    found = changes_of(of_rate(np.maximum(3 + 0.8 * levels, 0)), 0.04)
    assert found.coherence_s == pytest.approx(coherence_s, rel=0.25)
    assert found.uncorrelated_share < 0.35


def test_a_constant_link_is_described() -> None:
    record = facts_of(
        of_counts(np.ones(30_000)), round_trip_s=0.04, silence_s=0.2, bin_s=0.02
    ).record()
    assert record["variation"] == 0
    assert record["coherence_s"] is None
    assert record["dominant_hz"] is None
    assert record["longest_silence_s"] == 0.001


@pytest.mark.parametrize("rounding", [math.floor, round, math.ceil])
@pytest.mark.parametrize("rate_bps", [86_048, 1e6, 5e6, 12e6, 24e6, 37e6, 250e6])
def test_a_constant_rate_has_no_coherence_time_and_no_frequency(
    rate_bps: float, rounding: Callable[[float], int]
) -> None:
    """A constant rate counts as constant, although packets are counted in whole milliseconds.

    The counts in equal intervals then differ by rounding.
    """
    count = int(20 * rate_bps / PACKET_BITS)
    at_ms = [rounding(1e3 * (k + 1) * PACKET_BITS / rate_bps) for k in range(count)]
    found = changes_of(of_counts(np.bincount(at_ms)), 0.037)
    assert found.steady
    assert (found.coherence_s, found.dominant_hz, found.uncorrelated_share) == (None, None, None)


@pytest.mark.parametrize("rate_bps", [1e6, 5e6, 20e6])
def test_a_variation_of_five_per_cent_is_not_steady(rate_bps: float) -> None:
    at_s = np.arange(60_000) / 1e3
    rate = rate_bps * (1 + 0.05 * np.sin(np.pi * at_s))
    carried = np.floor(np.cumsum(rate / 1e3 / PACKET_BITS))
    assert not changes_of(of_counts(np.diff(carried, prepend=0)), 0.04).steady


def test_hand_offs_are_found_as_peaks_of_the_delay() -> None:
    rng = np.random.default_rng(5)
    delays_s = rng.normal(0.02, 0.001, 6000)
    for second in (8, 23, 38, 53):
        delays_s[100 * second : 100 * second + 6] = [0.06, 0.07, 0.02, 0.05, 0.09, 0.03]
    delays_s[100 * 23 + 6 : 100 * 38] += 0.003
    counts = np.full(60_000, 3)
    counts[23_000 - 80 : 23_000] = 0
    found = handoffs_of(of_counts(counts, delays_s))
    assert found is not None
    assert found.times_s.tolist() == [8, 23, 38, 53]
    assert found.interval_s == 15
    assert found.peaks_s.tolist() == [0.09] * 4
    assert found.gaps_s.tolist() == pytest.approx([0.001, 0.081, 0.001, 0.001])
    assert found.levels_s == pytest.approx([0.02, 0.02, 0.023, 0.02, 0.02], abs=3e-4)
    assert handoffs_of(of_counts(counts, rng.normal(0.02, 0.001, 6000))) is None


LAWS: list[Distribution] = [
    Constant(distribution="constant", mean_s=2),
    Uniform(distribution="uniform", low_s=1, high_s=3),
    Exponential(distribution="exponential", mean_s=0.7),
    Pareto(distribution="pareto", mean_s=1, shape=2.5),
    Lomax(distribution="lomax", mean_s=1, shape=2.2),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_drawn_durations_are_fitted_by_their_own_law(law: Distribution) -> None:
    drawn = durations(law, np.random.default_rng(2))
    values = np.array([next(drawn) for _ in range(4000)])
    nearest = fits(values)[0]
    assert nearest.law.distribution == law.distribution
    assert nearest.law.mean_s == pytest.approx(values.mean())
    assert nearest.distance < 0.05
    assert sorted(fits(values), key=lambda f: f.distance) == fits(values)
    if isinstance(law, Pareto | Lomax):
        assert nearest.law.shape == pytest.approx(law.shape, rel=0.25)  # type: ignore[union-attr]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_a_distribution_function_equals_the_share_of_drawn_values(law: Distribution) -> None:
    drawn = durations(law, np.random.default_rng(4))
    values = np.array([next(drawn) for _ in range(20_000)])
    for at in (0.5, 1.5, 2.0, 2.5):
        up_to, below = (float(side[0]) for side in distribution_function(law, np.array([at])))
        assert up_to == pytest.approx(np.mean(values <= at), abs=0.015)
        assert below == pytest.approx(np.mean(values < at), abs=0.015)


def test_the_distance_equals_kolmogorovs_distance() -> None:
    """The Kolmogorov distance of the values 1, 2, 3, 6 equals a computation by hand.

    It is the distance to the fitted exponential distribution, which has their mean, 3.
    """
    values = np.array([1.0, 2.0, 3.0, 6.0])
    at = 1 - np.exp(-values / 3)
    by_hand = max(abs(at - np.arange(4) / 4).max(), abs(at - np.arange(1, 5) / 4).max())
    exponential = next(f for f in fits(values) if f.law.distribution == "exponential")
    assert exponential.distance == pytest.approx(by_hand)
