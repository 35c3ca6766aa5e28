"""The README's picture of the models' errors agrees with the current models and the simulator."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.requests import scenario_points
from tcpgoodput.drawing.thumbnail import NUMBERS, Numbers
from tcpgoodput.engines.measure import measured
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tests import shipped
from tests.folders import ROOT

STALE = "paper/matrix.png is stale; docs/workflow.md has the command that makes it"
QUICK = ("s05a-droptail-8", "s09-spikes-lossless")
"""Scenarios whose simulation at precision `paper` takes only a second."""


@pytest.fixture(scope="module")
def shown() -> Numbers:
    with Image.open(ROOT / "paper" / "matrix.png") as image:
        found: Numbers = json.loads(image.text[NUMBERS])
    return found


def test_the_overview_has_every_scenario_and_model(shown: Numbers) -> None:
    compared = shipped.comparison()
    rows = {row.id for stem in compared.scenarios for row in compared.rows(stem).values()}
    assert set(shown) == rows, STALE
    assert all(set(own) == {"simulated", *MODELS.names()} for own in shown.values()), STALE


def test_the_models_still_give_the_drawn_goodputs(shown: Numbers) -> None:
    compared = shipped.comparison()
    for stem in compared.scenarios:
        for scenario in compared.rows(stem).values():
            for model in MODELS.values():
                goodput_bps = predict(model, scenario, Conditions()).goodput_bps
                known = shown[scenario.id][model.name]
                same = known == (None if goodput_bps is None else pytest.approx(goodput_bps))
                assert same, f"{model.name} on {scenario.id}. {STALE}"


@pytest.mark.parametrize("stem", QUICK)
def test_the_simulator_still_gives_the_drawn_goodputs(stem: str, shown: Numbers) -> None:
    compared = shipped.comparison()
    rows = [*compared.rows(stem).values()]
    for scenario, request in zip(rows, scenario_points(compared, stem, Conditions()), strict=False):
        # The first requests are for `rows`; those for further changed copies of scenarios follow.
        assert request.scenario == scenario
        goodput_pps = measured(request).goodput_pps
        assert goodput_pps is not None
        measured_bps = goodput_pps * 8 * scenario.tcp.mss_bytes
        assert shown[scenario.id]["simulated"] == pytest.approx(measured_bps), STALE
