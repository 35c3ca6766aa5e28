"""Workflow rules that Snakemake plans to run again after a change of the project.

The configuration is the tiny one, `config/test`. The project is copied with its code, so that code
can be changed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.shared_run import TINY, copy_of_tiny_run

pytestmark = pytest.mark.xdist_group("reruns")  # one worker runs all these tests, which share a run

STUDIES = {"study_mathis", "study_packet_trains"}


class Project:
    """A copy of the project in which the workflow runs the copy's code, not the original."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def snakemake(self, *arguments: str, code: Path | None = None) -> str:
        """Run snakemake on the tiny configuration; return its output.

        `code` is the project whose code runs, by default the copy. The original's code is the same
        until a test changes the copy's, and is compiled already.
        """
        run = subprocess.run(
            [sys.executable, "-m", "snakemake", *arguments, "--config", TINY],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str((code or self.folder) / "src")},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout + run.stderr

    def again(self) -> set[str]:
        """Return the Snakemake rules that a run would execute now."""
        planned = self.snakemake("--dry-run")
        return set(re.findall(r"^(\w+) +\d+$", planned, re.MULTILINE)) - {"total", "all"}

    @contextmanager
    def edited(self, file: str, old: str, new: str) -> Iterator[None]:
        """Replace a text in a file of the copy, and restore the file after the `with` block."""
        path = self.folder / file
        kept = path.read_text(encoding="utf-8")
        assert old in kept
        path.write_text(kept.replace(old, new, 1), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(kept, encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(copy_of_tiny_run(tmp_path_factory, "project", "src"))
    assert project.again() == set()
    return project


A_LINE_OF_CODE = ("annotations\n", "annotations\n\n_NEW = 1\n")


@pytest.mark.parametrize(
    ("file", "old", "new", "made", "left"),
    [
        (
            "src/tcpgoodput/statistics.py", "CONFIDENCE = 0.95", "CONFIDENCE = 0.99",
            {"simulate", *STUDIES, "comparison"}, set(),
        ),
        (
            "src/tcpgoodput/studies/sweeps.py", "MEASURED_POINTS = 13", "MEASURED_POINTS = 15",
            {"simulate", *STUDIES}, set(),
        ),
        (
            "src/tcpgoodput/models/mathis/square_root.py", *A_LINE_OF_CODE,
            {*STUDIES, "comparison", "claims"}, {"simulate"},
        ),
        (
            "src/tcpgoodput/models/packet_trains/errata.py",
            'evidence="misprint seen in the text"', 'evidence="our assumption"',
            {"numbers"}, {"simulate"},
        ),
        ("src/tcpgoodput/drawing/lines.py", *A_LINE_OF_CODE, STUDIES, {"simulate"}),
        ("src/tcpgoodput/report/numbers.py", *A_LINE_OF_CODE, {"numbers", "report"},
         {"simulate", *STUDIES, "comparison", "claims"}),
        ("src/tcpgoodput/cli/explorer/parts/main.js", "// The views", "// All views", {"explorer"},
         {"simulate", *STUDIES, "comparison", "numbers"}),
        ("notebooks/mathis.ipynb", '"source": [', '"source": [\n    "Word. ",',
         {"study_mathis"}, {"simulate", "study_packet_trains", "comparison"}),
        ("notebooks/claims.ipynb", '"source": [', '"source": [\n    "Word. ",',
         {"claims"}, {"simulate", *STUDIES, "comparison"}),
        ("config/style.yaml", "font_size_pt: 9", "font_size_pt: 8",
         {*STUDIES, "comparison"}, {"simulate"}),
        ("config/test/claims/mathis.yaml", 'printed: "1.4e3"', 'printed: "1.7e3"',
         {"claims"}, {"simulate", *STUDIES, "comparison"}),
        ("config/test/figures/packet_trains.yaml", "{engine: packet}",
         "{engine: packet, label: Simulated}",
         {"study_packet_trains"}, {"simulate", "study_mathis", "comparison"}),
        ("config/test/comparison.yaml", "maps:", "# Maps:\nmaps:", {"comparison"}, {"simulate"}),
    ],
)  # fmt: skip
def test_a_change_repeats_only_dependent_jobs(
    built: Project, file: str, old: str, new: str, made: set[str], left: set[str]
) -> None:
    with built.edited(file, old, new):
        again = built.again()
    assert made <= again
    assert not left & again


COMMENTED = (
    "simulator/senders/window.py", "models/mathis/square_root.py", "drawing/lines.py",
    "comparison/claims/verdicts.py", "report/numbers.py",
)  # fmt: skip


def test_changed_comments_and_layout_repeat_no_job(built: Project) -> None:
    with ExitStack() as changes:
        for name in COMMENTED:
            old, new = "annotations\n", "annotations\n\n\n# A comment.\n"
            changes.enter_context(built.edited(f"src/tcpgoodput/{name}", old, new))
        assert built.again() == set()


def test_a_changed_trace_file_is_measured_again(built: Project) -> None:
    folder = built.folder / "config/test"
    link = "{process: trace, file: config/test/link.csv}"
    trace = folder / "link.csv"
    trace.write_text("time_s,capacity_bps\n0,2e6\n1,1e6\n", encoding="utf-8")
    file = "config/test/figures/packet_trains.yaml"
    named = f"{{engine: packet, set: {{capacity: {link}}}}}"
    wanted = "runs/test/results/measurements/packet_trains.csv"
    try:
        with built.edited(file, "{engine: packet}", named):
            built.snakemake(wanted, code=ROOT)
            assert "simulate" not in built.again()
            trace.write_text("time_s,capacity_bps\n0,2e6\n1,5e5\n", encoding="utf-8")
            assert "simulate" in built.again()
    finally:
        trace.unlink()


def test_the_documentation_lists_every_rule(built: Project) -> None:
    listed = built.snakemake("--list-rules").split("\n")
    rules = {line.strip() for line in listed if re.fullmatch(r"\s*\w+\s*", line)}
    assert "simulate" in rules
    families = {re.sub(r"^study_.*", "study_NAME", rule) for rule in rules}
    page = (ROOT / "docs/workflow.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`(\w+)`", page))
    assert families - {"all"} <= shown
