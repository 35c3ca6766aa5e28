"""The points of a sweep at which models and engines are evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.answers import Precision
from tcpgoodput.engines.measurements import Setting
from tcpgoodput.project.checked import checked
from tcpgoodput.studies.schema import Panel
from tcpgoodput.studies.sweeps import PointRequest, point_requests, sweep_points
from tests.folders import ROOT
from tests.scenarios import scenario

KEY = "loss.probability"

GRIDS = st.builds(
    lambda start, factor, points, scale, listed: {
        "start": start,
        "stop": start * factor,
        "points": points,
        "scale": scale,
        "listed": listed,
    },
    st.floats(1e-5, 1e-3),
    st.floats(1.5, 500),
    st.integers(2, 60),
    st.sampled_from(["linear", "log"]),
    st.lists(st.floats(1e-5, 0.4), max_size=4),
)


LOSSY = {"any": scenario(loss={"process": "bernoulli", "probability": 0.01})}


def panel(sweep: dict[str, Any], engines: list[str]) -> Panel:
    return Panel.model_validate(
        {
            "scenario": "any",
            "quantity": "goodput_pps",
            "sweep": {"variable": "p", "set": {KEY: "= p"}, **sweep},
            "x": {"label": "x"},
            "y": {"label": "y"},
            "series": [{"model": "mathis"}, *({"engine": engine} for engine in engines)],
        }
    )


@given(
    GRIDS,
    st.none() | GRIDS,
    st.none() | GRIDS,
    st.lists(st.sampled_from(["packet", "ns2"]), unique=True, max_size=2),
    st.sampled_from(["draft", "paper"]),
)
def test_models_are_evaluated_at_the_points_of_the_engines(
    values: dict[str, Any],
    measured: dict[str, Any] | None,
    recorded: dict[str, Any] | None,
    engines: list[str],
    precision: Precision,
) -> None:
    """A model is evaluated at all x at which engines measure, equal to twelve digits."""
    grids = {"values": values, "measured": measured, "recorded": recorded}
    request = panel({name: grid for name, grid in grids.items() if grid}, engines)
    model, *others = (
        {f"{point.x:.12g}" for point in sweep_points(LOSSY, request, series, precision)}
        for series in request.series
    )
    single = panel({"values": values}, [])
    points = sweep_points(LOSSY, single, single.series[0], precision)
    alone = {f"{point.x:.12g}" for point in points}
    for other in others:
        assert other <= model
    assert len(model) <= len(alone) + sum(map(len, others))
    if not engines:
        assert model == alone


def test_measurements_do_not_depend_on_the_last_digits_of_logarithms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The keys of measurements are the same if numpy's logarithmic values have other last digits.

    These digits depend on the processor.
    """

    def keys() -> list[str]:
        sources = checked(ROOT / "config" / "config.yaml").sources.values()
        return [
            request.key("paper", 1)
            for source in sources
            for figure in source.figures.figures.values()
            for request in point_requests(source.scenarios, figure, "paper")
        ]

    here, spaced = keys(), np.geomspace
    assert len(set(here)) > 3000
    for towards in (0, np.inf):
        monkeypatch.setattr(np, "geomspace", lambda *a, t=towards: np.nextafter(spaced(*a), t))
        assert keys() == here


def test_an_expression_without_its_equals_sign_gets_a_hint() -> None:
    forgotten = panel({"values": {"listed": [0.01]}, "set": {KEY: "p / 2"}}, [])
    with pytest.raises(ValueError, match="an expression begins with =: '= p / 2'"):
        sweep_points(LOSSY, forgotten, forgotten.series[0], "draft")


@pytest.mark.parametrize("precision", ["draft", "paper"])
def test_a_measurement_ends_at_the_half_width_of_its_sweep(precision: Precision) -> None:
    """At precision draft the sweep's numbers have no effect."""
    point = PointRequest("a", "packet", "packet", 1.0, 2_000_000, scenario(), half_width=0.01)
    setting = point.engine_request(precision, 7).setting
    assert isinstance(setting, Setting)
    if precision == "draft":
        assert (setting.half_width, setting.packets) == (None, 2_000_000)
    else:
        assert (setting.half_width, setting.most_packets) == (0.01, 2_000_000)
        assert (setting.packets, setting.seed) == (None, 7)
