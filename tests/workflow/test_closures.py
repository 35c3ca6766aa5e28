"""What jobs depend on: measuring reaches no model, drawing no simulator, and none everything."""

from __future__ import annotations

import json
import re
from importlib.metadata import version

import pytest

from tcpgoodput import _PLACES
from tcpgoodput.jobs.closure import imported_files
from tcpgoodput.jobs.code import digests_of, installed
from tcpgoodput.workflow.entry_points import ENTRY_POINTS
from tests.folders import ROOT

MOST_FILES = {"measure": 95, "answer": 120, "publish": 12, "draw": 60}
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
        ("census_measure", "models/"),
        ("census_measure", "comparison/"),
        ("census_answer", "simulator/"),
        ("census_read", "simulator/"),
    ],
)
def test_rooms_that_never_need_each_other(job: str, room: str) -> None:
    reached = [file for file in digests_of(*ENTRY_POINTS[job]) if file.startswith(room)]
    assert reached == []


def test_notebooks_use_nothing_that_their_jobs_do_not_depend_on() -> None:
    closures = {job: set(imported_files(*ENTRY_POINTS[job])) for job in ("show", "show_comparison")}
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        job = "show_comparison" if notebook.stem.startswith("comparison") else "show"
        if notebook.stem in ("claims", "referees"):  # their jobs' entry points run them
            continue
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        used = set(re.findall(r"^ *(?:from|import) (tcpgoodput\.[\w.]+)", code, re.MULTILINE))
        used |= {_PLACES[name] for name in re.findall(r"\btcpgoodput\.(\w+)\(", code)}
        for module in used:
            assert set(imported_files(module)) <= closures[job], (notebook.name, module)


def test_of_other_peoples_packages_the_versions_count() -> None:
    assert digests_of(*ENTRY_POINTS["measure"])["numpy"] == version("numpy")
    assert "matplotlib" not in digests_of(*ENTRY_POINTS["measure"])
    assert "matplotlib" in digests_of(*ENTRY_POINTS["draw"])
    assert any(name.startswith("numpy-") for name in installed())


def test_the_simulator_knows_no_model() -> None:
    files = digests_of("tcpgoodput.simulator.simulation", "tcpgoodput.scenario.physics")
    assert not [file for file in files if file.startswith(("models/", "studies/", "engines/"))]
