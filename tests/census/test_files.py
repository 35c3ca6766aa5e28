"""Each fault of a file that defines a random sample of connections (census) gives one message.

The message names the fault's line and key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.configuration import ConfigurationError
from tests.census.spaces import SMALL, written
from tests.folders import ROOT

CHOICE = {"law": "choice", "values": [1, 2, 3]}


def test_the_shipped_censuses_can_be_drawn_from() -> None:
    for path in sorted((ROOT / "config").rglob("census/*.yaml")):
        assert load_census(path).impairment_groups


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"draw": {}, "impairments": {}, "set": {}}, "draw", "name one, such as path.rate_bps"),
        ({"conditions": ["rtt_s - 99"]}, "conditions[0]", "none of 256 points meets it"),
        (
            {"draw": {"tcp.ack_every": CHOICE}, "impairments": {}, "set": {}},
            "points",
            "64 points of a space of 3 connections",
        ),
        ({"points": 2**31, "chunk": 2**30}, "points", "at most 1073741824 points"),
        ({"models": ["mathis", "mathos"]}, "models[1]", "did you mean mathis"),
        ({"models": ["mathis", "pftk", "mathis"]}, "models[2]", "listed twice; remove one"),
        ({"models": []}, "models", "leave the key out to evaluate all models"),
        ({"set": {"path.forward_delay": 1.0}}, "set.path.forward_delay", "path.forward_delay_s"),
        ({"set": {"path.forward_delay_s": "= rtf / 2"}}, "", "uses 'rtf'"),
        ({"set": {"path.forward_delay_s": "= -rtt"}}, "", "path.forward_delay_s"),
        ({"set": {"title": "mine"}}, "set.title", "is no key to set"),
        ({"draw": {**SMALL["draw"], "p": CHOICE}}, "impairments.loss.draw.p", "is drawn twice"),
        ({"draw": {**SMALL["draw"], "rtt_s": CHOICE}}, "draw.rtt_s", "give it another name"),
    ],
)
def test_an_error_is_one_message_with_file_and_key(
    tmp_path: Path, changes: dict[str, Any], key: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_census(written(tmp_path, **changes))
    (problem,) = caught.value.problems
    assert (problem.key, problem.file) == (key, str(tmp_path / "small.yaml"))
    assert message in problem.message
