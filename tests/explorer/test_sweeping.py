"""A sweep of a key on the explorer's web page gives the same rows as `tcpgoodput.sweep`."""

from __future__ import annotations

import pytest

import tcpgoodput
from tcpgoodput.cli.explorer.answering import MOST_POINTS, OWN, points, values_of
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario import Scenario
from tests.scenarios import PLAIN

LOSSY = Scenario.model_validate({**PLAIN, "loss": {"process": "bernoulli", "probability": 0.01}})


def swept_values(**own: str) -> list:
    return values_of({**OWN, **own})


def test_values_have_the_requested_spacing() -> None:
    key = {"key": "loss.probability"}
    assert swept_values(**key, **{"from": "0.001", "to": "0.1", "points": "3"}) == [
        0.001,
        0.01,
        0.1,
    ]
    assert swept_values(**key, **{"from": "0", "to": "0.5", "points": "3", "scale": "linear"}) == [
        0,
        0.25,
        0.5,
    ]
    whole = {"key": "path.buffer_packets", "from": "1", "to": "4", "points": "9"}
    assert swept_values(**whole) == [1, 2, 3, 4]
    assert swept_values(key="tcp.limited_transmit") == [False, True]
    assert swept_values(key="tcp.variant")[:2] == ["oldtahoe", "tahoe"]


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"key": "loss"}, "not a key that a sweep can follow"),
        ({"key": "title"}, "not a key"),
        ({"from": "x"}, "must be a number, is 'x'"),
        ({"from": "nan"}, "must be a number"),
        ({"from": "2"}, "from below to"),
        ({"points": str(MOST_POINTS + 1)}, f"2 to {MOST_POINTS} points"),
        ({"points": "1e9"}, f"2 to {MOST_POINTS} points"),
        ({"from": "0"}, "above 0 on a logarithmic scale"),
    ],
)
def test_invalid_input_is_reported(own: dict[str, str], message: str) -> None:
    given = {"key": "loss.probability", "from": "0.001", "to": "0.1", **own}
    with pytest.raises(ConfigurationError, match=message):
        swept_values(**given)


def test_points_equal_those_of_the_public_sweep() -> None:
    found = list(points(LOSSY, "loss.probability", [0.01, 0.04]))
    assert found[0] == {
        "kind": "sweep",
        "key": "loss.probability",
        "unit": "",
        "values": [0.01, 0.04],
    }
    draft, paper = found[1:3], found[3:5]
    assert [point["x"] for point in draft + paper] == [0.01, 0.04, 0.01, 0.04]
    result = tcpgoodput.sweep(LOSSY, {"loss.probability": [0.01]})
    for row, expected in zip(paper[0]["rows"], result.to_dict("records"), strict=True):
        assert row["series"] == expected["series"]
        assert row["y"] == (None if expected["y"] != expected["y"] else expected["y"])


def test_an_invalid_value_is_a_point_with_a_problem() -> None:
    high = {"process": "sinusoid", "min_bps": 1e5, "max_bps": 1e6, "frequency_hz": 1}
    wavy = Scenario.model_validate({**PLAIN, "capacity": high})
    found = list(points(wavy, "capacity.max_bps", [1e6, 1e14]))
    assert [bool(point["problem"]) for point in found[1:]] == [False, True] * 2
    assert "above path.rate_bps" in found[2]["problem"]
