"""Each correction of an equation of the delay-spike study is justified from first principles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from tcpgoodput.answers import Undefined
from tcpgoodput.models import ERRATA, Effect
from tcpgoodput.models.delay_spikes.cycles import (
    PRINTED_GROWTH,
    cut_start_pps,
    cycle,
    printed_growth,
    printed_is_cut,
)

LOW, HIGH = (0.3152, 40e3 / 4608), (0.24608, 100e3 / 4608)


def effect(name: str) -> Effect:
    found = ERRATA[f"delay_spikes.{name}"].effect()
    assert found.printed != found.corrected
    return found


def test_the_corrected_start_sends_one_over_p() -> None:
    shown = effect("starting-rate")
    assert shown.corrected == pytest.approx(1 / 0.02, rel=1e-12)
    # The printed send rate at the start of a cycle is R (the RTT) times the right one. The packets
    # of a cycle increase with the rate's square, so a cycle would have R²/p packets, not 1/p.
    assert shown.printed == pytest.approx(50 * 0.3152**2, rel=1e-12)


def test_the_corrected_sign_solves_the_quadratic() -> None:
    shown = effect("sign-of-linear-growth")
    (rtt_s, _), p = HIGH, 0.05
    x0 = math.sqrt(2 / (3 * p * rtt_s))
    doubled = quad(lambda t: 2 ** (t / rtt_s), 0, rtt_s * math.log2(x0))[0]
    grown = quad(lambda t: x0 + t / rtt_s, 0, shown.corrected)[0]
    assert doubled + grown == pytest.approx(1 / p, rel=1e-9)
    assert shown.printed is None
    for link in (LOW, HIGH):
        for loss in (0.02, 0.05):
            start = min(math.sqrt(2 / (3 * loss * link[0])), link[1])
            assert start**2 - 2 * (start - 1) / math.log(2) - 2 / (loss * link[0]) < 0


def test_the_corrected_condition_keeps_the_start_below_the_limit() -> None:
    shown = effect("rate-limited-condition")
    assert shown.printed > LOW[1]
    assert shown.corrected == LOW[1]
    # By the printed condition, a cycle's start rate exceeds the rate's limit for the loss
    # probabilities p between the printed and the right threshold.
    (rtt_s, max_rate), growth = LOW, printed_growth(LOW[0])
    for p in np.geomspace(1e-3, 0.5, 200):
        starts_above = printed_is_cut(p, growth, max_rate) and (
            cut_start_pps(p, growth, max_rate) > max_rate * (1 + 1e-12)
        )
        between = 2 / (3 * rtt_s * max_rate**2) <= p < 1 / (rtt_s * max_rate**2) * (1 - 1e-12)
        assert starts_above == between


def test_the_mean_of_the_exponential_law_makes_the_next_line_true() -> None:
    shown = effect("exponential-mean")
    left = quad(lambda t: (t - 5) * math.exp(-t / 20) / 20, 5, 2000, limit=500)[0]
    assert shown.corrected == pytest.approx(left / 20, rel=1e-6)


def test_only_the_corrected_growth_ignores_the_unit_of_time() -> None:
    shown = effect("unit-of-the-slope")
    in_milliseconds = (0.05, HIGH[0] * 1e3, HIGH[1] / 1e3, 1000.0)
    corrected = 4.608 / (0.05 * cycle(*in_milliseconds).mean_s / 1e3)
    assert corrected == pytest.approx(shown.corrected, rel=1e-9)
    with pytest.raises(Undefined, match="slow start begins with 1 packet"):
        cycle(*in_milliseconds, PRINTED_GROWTH)
    plain = cycle(0.05, *HIGH, 1.0, PRINTED_GROWTH).mean_s
    assert 4.608 / (0.05 * plain) == pytest.approx(shown.printed, rel=1e-12)


def test_the_printed_growth_is_not_a_packet_per_round_trip() -> None:
    """By the study's own relation w = rR; (14) gives the time in which the rate grows to 2x₀."""
    (rtt_s, max_rate), p = HIGH, 0.15
    for equations, packets in (((), 1.0), ((PRINTED_GROWTH,), rtt_s)):
        means = cycle(p, rtt_s, max_rate, 0.0, *equations)
        assert means.mode == 1
        grown = means.start_pps * rtt_s  # packets of window, from x₀R to 2x₀R
        assert grown / (means.avoidance_s / rtt_s) == pytest.approx(packets, rel=1e-12)


def test_the_axis_of_figure_seven_has_room_for_the_corrected_growth_alone() -> None:
    """The right axis begins at 35 kbit/s, for a loss of 5 %, spikes of 3 s, and 20 to 50 s."""
    for equations, above in (((), True), ((PRINTED_GROWTH,), False)):
        means = cycle(0.05, *HIGH, 1.0, *equations)
        kbps = [4.608 / (0.05 * means.mean_s) * (1 - 3 / mean) for mean in (20, 50)]
        assert (min(kbps) > 35) is above
        assert (max(kbps) > 35) is above
        if above:
            assert [round(y) for y in kbps] == [43, 48]


def test_round_trips_follow_the_rule() -> None:
    assert effect("round-trip-of-both-links").corrected == pytest.approx(200 + 4608 / 100)


def test_the_stated_intervals_exist_from_their_lower_end_on() -> None:
    shown = effect("intervals-below-seven")
    for mean, low in ((shown.printed, 10), (shown.corrected, 2)):
        assert 2 * mean - low == low  # so the uniform distribution has no width
    assert shown.corrected < 7 < shown.printed


def test_illegible_settings_are_assumptions_not_misprints() -> None:
    own = [e for e in ERRATA.values() if e.source == "delay_spikes"]
    assert {e.id for e in own if e.evidence == "our assumption"} == {
        "intervals-below-seven",
        "propagation-of-figure-nine",
        "round-trip-of-both-links",
        "sign-of-linear-growth",
    }
