"""Scenarios with misjudged inputs of formulas."""

from __future__ import annotations

import pytest

from tcpgoodput.comparison.variations import misjudged
from tests.scenarios import scenario


def test_a_fifth_more_and_less() -> None:
    plain = scenario(loss={"process": "bernoulli", "probability": 0.01})
    found = misjudged(plain)
    assert set(found) == {"rtt-over", "rtt-under", "loss-over", "loss-under"}
    rtts_s = [found[f"rtt-{way}"].propagation_rtt_s for way in ("over", "under")]
    assert rtts_s == pytest.approx([1.2 * plain.propagation_rtt_s, 0.8 * plain.propagation_rtt_s])
    assert found["rtt-over"].loss == plain.loss
    assert found["loss-under"].loss.probability == pytest.approx(0.008)  # type: ignore[union-attr]


def test_bursts_come_more_often_and_are_as_long() -> None:
    channel = {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.5}
    loss = misjudged(scenario(loss=channel))["loss-over"].loss
    assert (loss.good_to_bad, loss.bad_to_good) == pytest.approx((0.012, 0.5))  # type: ignore[union-attr]


@pytest.mark.parametrize("p", [None, 0.9])
def test_what_is_not_there_or_would_be_no_probability_is_left_out(p: float | None) -> None:
    loss = {"process": "bernoulli", "probability": p} if p else {"process": "none"}
    assert "loss-over" not in misjudged(scenario(loss=loss))
