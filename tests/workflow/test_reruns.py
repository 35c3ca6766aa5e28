"""Workflow rules that Snakemake plans to run again after a change of the project.

The configuration is the tiny one, `config/test`. The project is copied with its code, so that code
can be changed.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.shared_run import HAS_TEX, TINY, Project, copy_of_tiny_run

pytestmark = pytest.mark.xdist_group("reruns")  # one worker runs all these tests, which share a run

STUDIES = {"study_mathis", "study_packet_trains"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = copy_of_tiny_run(tmp_path_factory, "project", "src")
    project = Project(folder, code=folder)
    assert project.planned() == set()
    return project


A_LINE_OF_CODE = ("annotations\n", "annotations\n\n_NEW = 1\n")


def test_new_times_of_unchanged_files_repeat_nothing(built: Project) -> None:
    """A checkout by git sets new times, also of scripts and of files of megabytes."""
    for folder in ("config", "data", "notebooks", "paper", "workflow"):
        for path in (built.folder / folder).rglob("*"):
            if path.is_file() and not path.is_symlink():
                os.utime(path)
    assert (built.folder / "data/census/connections.parquet").stat().st_size > 1e6
    assert built.planned() == set()


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
         {"claims", "study_mathis"}, {"simulate", "study_packet_trains", "comparison"}),
        ("config/test/printed/mathis.yaml", 'printed: "2.6.19"', 'printed: "2.6.21"',
         {"claims"}, {"simulate", *STUDIES, "comparison"}),
        ("config/test/figures/packet_trains.yaml", "{engine: packet}",
         "{engine: packet, label: Simulated}",
         {"study_packet_trains"}, {"simulate", "study_mathis", "comparison"}),
        ("data/census/connections_errors.csv", "native", "native ",
         STUDIES, {"simulate", "comparison"}),
        ("config/test/comparison.yaml", "label: ", "label: Now ",
         {"comparison", "validation", "inputs", "census", "referees"}, {"simulate"}),
    ],
)  # fmt: skip
def test_a_change_repeats_only_dependent_jobs(
    built: Project, file: str, old: str, new: str, made: set[str], left: set[str]
) -> None:
    with built.edited(file, old, new):
        again = built.planned()
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
        assert built.planned() == set()


def test_a_release_repeats_the_jobs_that_print_its_version(built: Project) -> None:
    # Python finds this description of the package before the installed one.
    described = built.folder / "src/tcpgoodput-99.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: tcpgoodput\nVersion: 99\n")
    try:
        again = built.planned()
    finally:
        shutil.rmtree(described)
    assert again == {"numbers", "manifest", *(["report"] if HAS_TEX else [])}


def test_changed_comments_of_the_configuration_repeat_no_job(built: Project) -> None:
    with ExitStack() as changes:
        for file in (built.folder / "config").rglob("*.yaml"):
            changes.enter_context(built.edited(str(file), "", "# A comment.\n\n"))
        assert built.planned() == set()


def test_results_moved_behind_a_link_repeat_no_job(built: Project, tmp_path: Path) -> None:
    results, elsewhere = built.folder / "runs/test/results", tmp_path / "results"
    shutil.move(results, elsewhere)
    results.symlink_to(elsewhere)
    try:
        assert built.planned() == set()
    finally:
        results.unlink()
        shutil.move(elsewhere, results)


def test_printed_equations_repeat_all_jobs_that_evaluate_models(built: Project) -> None:
    again = built.planned("equations=printed")
    assert {*STUDIES, "comparison", "validation", "inputs", "census", "claims"} <= again
    assert "simulate" not in again


def test_a_setting_of_the_report_repeats_the_report_alone(built: Project) -> None:
    again = built.planned("sentences=must-hold")
    assert again == {"numbers", "manifest", *(["report"] if HAS_TEX else [])}


LINKS = """figures:
  recordings:
    kind: table
    title: Recorded links
    caption: Links.
    table: links.recordings
    with: {file: data/links/links.csv}
    headings: {title: Link}
"""


def test_changed_files_that_a_figure_names_are_read_again(built: Project) -> None:
    """The trace is outside of all folders of the configuration."""
    trace = built.folder / "traces/link.csv"
    trace.parent.mkdir()
    trace.write_text("time_s,capacity_bps\n0,2e6\n1,1e6\n", encoding="utf-8")
    file = "config/test/figures/packet_trains.yaml"
    named = "{engine: packet, set: {capacity: {process: trace, file: traces/link.csv}}}"
    wanted = "runs/test/results/packet_trains/recordings.csv"
    try:
        with (
            built.edited(file, "{engine: packet}", named),
            built.edited(file, "figures:\n", LINKS),
        ):
            # The original's code is the same as the copy's, and is compiled already.
            run = Project(built.folder).snakemake(wanted, "--config", TINY)
            assert run.returncode == 0, run.stdout + run.stderr
            assert not {"simulate", "study_packet_trains"} & built.planned()
            with built.edited("data/links/links.csv", "EVDO", "EV-DO"):
                again = built.planned()
            assert "study_packet_trains" in again
            assert "simulate" not in again
            trace.write_text("time_s,capacity_bps\n0,2e6\n1,5e5\n", encoding="utf-8")
            assert {"simulate", "study_packet_trains"} <= built.planned()
    finally:
        shutil.rmtree(trace.parent)


def test_the_documentation_lists_every_rule(built: Project) -> None:
    listed = built.snakemake("--list-rules", "--config", TINY)
    rules = set(re.findall(r"^\s*(\w+)\s*$", listed.stdout, re.MULTILINE))
    assert "simulate" in rules
    families = {re.sub(r"^study_.*", "study_NAME", rule) for rule in rules}
    page = (ROOT / "docs/workflow.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`(\w+)`", page))
    assert families - {"all"} <= shown


Arrows = set[tuple[str, str]]


def arrows_of(project: Project, configuration: str) -> Arrows:
    """Return the arrows between the rules of a run; the rules of all studies are one rule."""
    run = project.snakemake(
        "--rulegraph", "mermaid-js", "--config", f"configuration={configuration}"
    )
    assert run.returncode == 0, run.stderr
    listed = re.findall(r"(id\d+)\[(\w+)\]", run.stdout)
    names = {key: re.sub(r"^study_.*", "study_NAME", name) for key, name in listed}
    drawn = {(names[a], names[b]) for a, b in re.findall(r"(id\d+) --> (id\d+)", run.stdout)}
    return {arrow for arrow in drawn if "all" not in arrow}


def paths_along(arrows: Arrows) -> Arrows:
    """Return the two ends of each path along one arrow or several."""
    found = set(arrows)
    while more := {(a, d) for a, b in found for c, d in arrows if b == c} - found:
        found |= more
    return found


@pytest.mark.skipif(not HAS_TEX, reason="neither latexmk nor tectonic is on PATH")
def test_the_flowchart_in_the_documentation_agrees_with_the_rules(built: Project) -> None:
    """Each arrow is a dependency, and each dependency is an arrow or a path along arrows."""
    # The tiny run measures a random sample in chunks, the whole run reads a second sample.
    files = ("config/test/config.yaml", "config/config.yaml")
    dependencies = set().union(*(arrows_of(built, file) for file in files))
    page = (ROOT / "docs/workflow.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^ *(\w+) --> (\w+)$", page, re.MULTILINE))
    assert shown <= dependencies
    assert dependencies <= paths_along(shown)
