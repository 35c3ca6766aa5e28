"""The picture of a recorded link is legible, and shows what the recording has."""

from __future__ import annotations

import numpy as np
import pytest

from tcpgoodput.drawing import link, theme
from tcpgoodput.studies.recordings.facts import facts_of
from tcpgoodput.studies.recordings.recording import RateRecording, Recording
from tests.drawing.collisions import faults
from tests.recordings.made import of_counts


def table(rates_mbps: list[float]) -> RateRecording:
    edges = np.arange(len(rates_mbps) + 1, dtype=float)
    return RateRecording("drive.csv", "0" * 64, None, edges, 1e6 * np.array(rates_mbps))


def packets() -> Recording:
    counts = np.random.default_rng(3).poisson(1, 60_000)
    for start in range(1000, 60_000, 3000):
        counts[start : start + 700] = 0
    return of_counts(counts)


def drawn(recording: Recording, bin_s: float) -> theme.Picture:
    theme.apply(link.PLAIN)
    facts = facts_of(recording, round_trip_s=0.04, silence_s=0.2, bin_s=bin_s)
    picture = link.draw(facts, link.PLAIN)
    picture.draw_without_rendering()
    return picture


@pytest.mark.parametrize(
    ("recording", "bin_s"),
    [
        (table([20] * 18 + [0] * 3 + [5] * 20 + [12] * 19), 1.0),
        (table([5, 0, 3, 1, 9, 2, 2, 7] * 25), 1.0),
        (packets(), 0.02),
    ],
    ids=["minute", "200 s", "packets"],
)
def test_no_texts_collide(recording: Recording, bin_s: float) -> None:
    assert faults(drawn(recording, bin_s)) == []


def test_only_bins_finer_than_the_line_have_a_range() -> None:
    def labels(recording: Recording, bin_s: float) -> list[str]:
        return drawn(recording, bin_s).axes[0].get_legend_handles_labels()[1]

    assert not any("range" in label for label in labels(table([5, 0, 3, 1]), 1.0))
    assert any("range of bins of 0.02 s" in label for label in labels(packets(), 0.02))


def test_a_silence_is_a_bar_of_its_length_also_across_the_end() -> None:
    axes = drawn(table([0, 5, 5, 0, 5, 0, 0]), 1.0).axes[0]
    (bars,) = (c for c in axes.collections if "silences" in str(c.get_label()))
    spans = [segment[:, 0].tolist() for segment in bars.get_segments()]  # type: ignore[attr-defined]
    assert sorted(spans) == [[0, 1], [3, 4], [5, 7]]
