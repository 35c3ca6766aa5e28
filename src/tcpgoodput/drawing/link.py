"""Picture of a recorded link: its rate, delay and silences, and how fast its rate changes."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import LogLocator

from tcpgoodput.drawing import theme
from tcpgoodput.studies.recordings.facts import (
    DECORRELATED,
    FEWEST,
    Facts,
    Handoffs,
    distribution_function,
    fits,
)
from tcpgoodput.studies.recordings.recording import DELAY_STEP_S
from tcpgoodput.style import Look, Palette, Style

FIRST = Look(label="First", colour="#0072B2")
DASHED = {"color": "#D55E00", "linestyle": theme.LINES["dashed"]}

PLAIN = Style(
    Palette(
        font_size_pt=9,
        text_width_cm=16,
        models={},
        engines={},
        variants={},
        lines={"neutral": FIRST},
    )
)
"""Default style with the report's sizes, for use without a style file."""

ROW_CM = 4.6

COLUMNS_SHOWN = 1200
"""Largest number of time bins in which a picture shows the rate."""

HEADROOM = 1.25
"""Upper end of the y axis of rates, divided by the largest rate that it must show. The margin
leaves room for the legend."""

SILENCE_PT = 4
"""Height of the bars that mark silences in points."""

MOST_DECADES = 1.2
"""Most decades of a narrow logarithmic axis of which three ticks each have a label."""

FEW_GAPS = 10
"""With fewer gaps between packets than this number, each gap is also drawn as a point."""

PALE = {"alpha": 0.25, "linewidth": 0}


def draw(facts: Facts, style: Style) -> Picture:
    """Draw the statistics of a recorded link, including its delay if it was recorded."""
    has_delays = facts.recording.delays_s is not None
    picture = theme.new_picture(style, ROW_CM * (2 + has_delays))
    rows = [["rate", "rate", "rate"], ["silences", "correlation", "spectrum"]]
    if has_delays:
        rows.insert(1, ["delay", "delay", "delay"])
    panels = picture.subplot_mosaic(rows)
    _rate(panels["rate"], facts)
    if has_delays:
        _delay(panels["delay"], facts)
    _silences(panels["silences"], facts)
    _correlation(panels["correlation"], facts)
    _spectrum(panels["spectrum"], facts)
    return picture


def _rate(axes: Axes, facts: Facts) -> None:
    """Draw the mean rate in wide bins, with the range of the narrow bins within each wide bin."""
    recording = facts.recording
    shown_s = max(facts.bin_s, recording.length_s / COLUMNS_SHOWN)
    edges, rates = recording.rates(shown_s)
    fine = recording.rates(facts.bin_s)[1] / 1e6
    firsts = np.minimum((edges[:-1] / facts.bin_s).astype(int), fine.size - 1)
    least, most = np.minimum.reduceat(fine, firsts), np.maximum.reduceat(fine, firsts)
    is_finer = fine.size > rates.size
    if is_finer:
        axes.fill_between(
            edges[:-1],
            least,
            most,
            step="post",
            color=FIRST.colour,
            label=f"range of bins of {facts.bin_s:g} s",
            **PALE,
        )
    label = f"mean of {shown_s:.2g} s" if is_finer else f"rate in bins of {shown_s:.2g} s"
    axes.stairs(rates / 1e6, edges, baseline=None, color=FIRST.colour, label=label)
    axes.axhline(recording.mean_bps / 1e6, label="mean", **DASHED)
    _mark_silences(axes, facts)
    axes.set(xlabel="Time [s]", ylabel="Rate [Mbit/s]", xlim=(0, recording.length_s))
    # Limit the axis: a few bins with bursts would otherwise make all other rates look like zero.
    axes.set_ylim(0, HEADROOM * max(float(np.percentile(most, 99)), float(rates.max()) / 1e6))
    axes.set_title(recording.name, loc="left", pad=18)
    legend = axes.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=4, frameon=False, borderaxespad=0
    )
    # The legend is wider than the axes, which must not become narrower for it.
    legend.set_in_layout(False)


def _mark_silences(axes: Axes, facts: Facts) -> None:
    silences = facts.silences
    if silences.starts_s.size == 0:  # matplotlib's layout fails without points
        return
    # Bars of a few milliseconds would be invisible, so each has a least width.
    length_s = facts.recording.length_s
    lengths_s = np.maximum(silences.lengths_s, length_s / COLUMNS_SHOWN)
    ends_s = silences.starts_s + lengths_s
    beyond_s = ends_s[ends_s > length_s] - length_s  # a silence at the end continues at the start
    starts_s = np.append(silences.starts_s, np.zeros(beyond_s.size))
    axes.hlines(
        np.zeros(starts_s.size),
        starts_s,
        np.append(np.minimum(ends_s, length_s), beyond_s),
        color=theme.INK,
        linewidth=SILENCE_PT,
        zorder=3,
        clip_on=False,
        label=f"silences of {silences.threshold_s:g} s and more",
    )


def _delay(axes: Axes, facts: Facts) -> None:
    delays_s = facts.recording.delays_s
    assert delays_s is not None
    axes.plot(DELAY_STEP_S * np.arange(delays_s.size), 1e3 * delays_s, color=FIRST.colour)
    if isinstance(handoffs := facts.handoffs, Handoffs):
        for time_s in handoffs.times_s:
            axes.axvline(time_s, zorder=0, **DASHED)
    axes.set(xlabel="Time [s]", ylabel="One-way delay [ms]", xlim=(0, facts.recording.length_s))
    axes.set_ylim(bottom=0)


def _silences(axes: Axes, facts: Facts) -> None:
    """Draw the number of gaps between packets that last at least x seconds.

    The dashed line is the best-fitting distribution of the long gaps, the silences.
    """
    lengths = np.sort(facts.recording.gaps()[1])
    marker = "." if lengths.size < FEW_GAPS else ""
    look = {"color": FIRST.colour, "drawstyle": "steps-pre", "marker": marker, "label": "gaps"}
    as_long = lengths.size - np.searchsorted(lengths, lengths)
    axes.plot(lengths, as_long, **look)
    silences = np.sort(facts.silences.lengths_s)
    if silences.size >= FEWEST:
        law = fits(silences)[0].law
        at = np.geomspace(silences[0], silences[-1], 200)
        longer = silences.size * (1 - distribution_function(law, at)[0])
        label = f"silences, {law.distribution}"
        axes.plot(at, np.maximum(longer, 0.5), label=label, **DASHED)
    axes.axvline(facts.silences.threshold_s, color="#777777", linestyle=theme.LINES["dotted"])
    axes.set(xscale="log", yscale="log", xlabel="Gap [s]", ylabel="Gaps as long and longer")
    axes.set_ylim(bottom=0.7)
    axes.legend(loc="upper right", frameon=False)
    _few_ticks(axes)
    theme.plain_log_ticks(axes, "y")


def _few_ticks(axes: Axes) -> None:
    """Label the x axis of a narrow panel with so few numbers that they do not touch."""
    theme.plain_log_ticks(axes, "x")
    low, high = axes.get_xlim()
    if MOST_DECADES < math.log10(high / low) < 2 * MOST_DECADES:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))


def _correlation(axes: Axes, facts: Facts) -> None:
    changes = facts.changes
    lags_s = changes.bin_s * np.arange(changes.correlation.size)
    axes.plot(lags_s[1:], changes.correlation[1:], color=FIRST.colour, label="rate")
    if changes.coherence_s is not None:
        fitted = DECORRELATED ** (lags_s[1:] / changes.coherence_s)
        axes.plot(lags_s[1:], fitted, label=f"AR(1), {changes.coherence_s:.3g} s", **DASHED)
    axes.axhline(DECORRELATED, color="#777777", linestyle=theme.LINES["dotted"])
    axes.set(xscale="log", xlabel="Lag [s]", ylabel="Autocorrelation", ylim=(-0.45, 1.05))
    axes.legend(loc="lower left", frameon=False)
    _few_ticks(axes)


def _spectrum(axes: Axes, facts: Facts) -> None:
    changes = facts.changes
    axes.plot(changes.frequencies_hz, 100 * changes.per_octave, color=FIRST.colour)
    if changes.dominant_hz is not None:
        axes.axvline(changes.dominant_hz, **DASHED)
    axes.set(xscale="log", xlabel="Frequency [Hz]", ylabel="Variance per octave [%]")
    axes.set_ylim(bottom=0)
    _few_ticks(axes)
