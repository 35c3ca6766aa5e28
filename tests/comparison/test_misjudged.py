"""Copies of a scenario in which the RTT or the loss probability is 20 % too large or too small.

They show how a wrong estimate changes a model's prediction.
"""

from __future__ import annotations

import pytest

from tcpgoodput.comparison.input_costs import misjudged
from tests.scenarios import scenario


def test_misjudged_scenarios_change_a_quantity_by_a_fifth() -> None:
    plain = scenario(loss={"process": "bernoulli", "probability": 0.01})
    found = misjudged(plain)
    assert set(found) == {"rtt-over", "rtt-under", "loss-over", "loss-under"}
    rtts_s = [found[f"rtt-{way}"].propagation_rtt_s for way in ("over", "under")]
    assert rtts_s == pytest.approx([1.2 * plain.propagation_rtt_s, 0.8 * plain.propagation_rtt_s])
    assert found["rtt-over"].loss == plain.loss
    assert found["loss-under"].loss.probability == pytest.approx(0.008)  # type: ignore[union-attr]


def test_misjudged_bursts_are_more_frequent_and_equally_long() -> None:
    channel = {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.5}
    loss = misjudged(scenario(loss=channel))["loss-over"].loss
    assert (loss.good_to_bad, loss.bad_to_good) == pytest.approx((0.012, 0.5))  # type: ignore[union-attr]


@pytest.mark.parametrize("p", [None, 0.9])
def test_absent_losses_and_invalid_probabilities_are_not_misjudged(p: float | None) -> None:
    loss = {"process": "bernoulli", "probability": p} if p else {"process": "none"}
    assert "loss-over" not in misjudged(scenario(loss=loss))
