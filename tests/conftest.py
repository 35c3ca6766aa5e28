"""Settings of hypothesis for property tests, and the marker `core`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# Repeatable examples, and no time limits.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

HERE = Path(__file__).parent
CORE = [
    HERE / part
    for part in (
        "conformance",
        "engines",
        "models",
        "referees",
        "simulator",
        "campaigns/test_samples.py",
        "comparison/test_errors.py",
        "configuration/test_plausibility.py",
        "configuration/test_scenario_errors.py",
        "test_scenario.py",
        "test_statistics.py",
        "test_vocabulary.py",
        "test_worked_example.py",
    )
]


@pytest.hookimpl(tryfirst=True)  # before pytest selects tests by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of models, simulator, engines, scenarios and statistics as `core`.

    Groups of tests that one worker runs come first, because they take minutes: at the end of the
    suite they would leave the other cores idle.
    """
    for item in items:
        if any(item.path.is_relative_to(part) for part in CORE):
            item.add_marker(pytest.mark.core)
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
