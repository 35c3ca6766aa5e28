"""The simulator, compared with scripts worked out by hand from the RFCs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.scripts import FILES, FOLDER, played, written


def test_there_are_scripts_for_every_rule() -> None:
    assert len(FILES) >= 60


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER))[:-5])
def test_the_simulator_follows_the_script(path: Path) -> None:
    script, expected = written(path)
    actual = played(script, expected[-1].time_s)
    for line, (wanted, got) in enumerate(zip(expected, actual, strict=False), start=1):
        assert wanted.agrees(got), f"line {line} of the trace ({script['rule']})"
    assert len(actual) == len(expected), f"{script['rule']}: {actual[len(expected) :]}"
