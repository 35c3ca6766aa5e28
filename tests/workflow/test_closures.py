"""What jobs depend on: measuring reaches no model, drawing no simulator, and none everything."""

from __future__ import annotations

import pytest

from tcpgoodput.workflow.code import ENTRY_POINTS, digests_of

MOST_FILES = {"measure": 90, "answer": 120, "publish": 12, "draw": 60}
"""So that a closure that grows is looked at."""


@pytest.mark.parametrize("job", MOST_FILES)
def test_a_job_depends_on_what_it_uses(job: str) -> None:
    assert len(digests_of(*ENTRY_POINTS[job])) <= MOST_FILES[job]


@pytest.mark.parametrize(
    ("job", "room"),
    [
        ("measure", "models/"),
        ("measure", "drawing/"),
        ("draw", "simulator/"),
        ("draw", "engines/"),
        ("publish", "models/"),
        ("publish", "scenario/"),
        ("publish_comparison", "simulator/"),
        ("answer_comparison", "simulator/"),
        ("claims", "simulator/"),
    ],
)
def test_rooms_that_never_need_each_other(job: str, room: str) -> None:
    reached = [file for file in digests_of(*ENTRY_POINTS[job]) if file.startswith(room)]
    assert reached == []


def test_the_simulator_knows_no_model() -> None:
    files = digests_of("tcpgoodput.simulator.simulation", "tcpgoodput.scenario.physics")
    assert not [file for file in files if file.startswith(("models/", "studies/", "engines/"))]
