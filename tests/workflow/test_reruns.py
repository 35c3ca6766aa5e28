"""What is made again after a change, and why: Snakemake is asked, on the tiny configuration.

The project is copied with its code, so that code can be changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests import worked_example
from tests.folders import ROOT
from tests.shared_run import TINY, copy_of_tiny_run

pytestmark = pytest.mark.xdist_group("reruns")  # one worker builds what its tests share

PLAN = "runs/test/results/plan/"

ERRATUM_READ = """
  - id: tooth
    where: "figure 1"
    statement: "The rounded rate is what it is."
    predicate: {kind: bound, above: 0}
    data: {model: {erratum: rounded-rate, form: printed}}
"""

Reasons = dict[str, set[str]]
"""By rule: the requests, code and other files whose change is the reason to run its jobs."""


class Project:
    """A copy of the project that runs its own code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str) -> str:
        """Run a module of Python on the copy's code, and return what it says."""
        run = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder / "src")},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout + run.stderr

    def snakemake(self, *arguments: str) -> str:
        """Run snakemake on the tiny configuration."""
        return self.run("snakemake", *arguments, "--config", TINY)

    def reasons(self) -> Reasons:
        """Return which jobs would run because of a file that has changed, and of which."""
        planned = self.snakemake("--dry-run")
        found: Reasons = {}
        for rule, told in re.findall(r"^    (\w+): (.*)$", planned, re.MULTILINE):
            changed = re.search(r"Updated input files: (.*?)(?:; |$)", told)
            files = changed[1].split(", ") if changed else []
            for file in files:
                found.setdefault(rule, set()).add(file.removeprefix(PLAN))
        return found

    @contextmanager
    def edited(self, file: str, old: str, new: str) -> Iterator[None]:
        """Change a text for a while."""
        path = self.folder / file
        kept = path.read_text(encoding="utf-8")
        assert old in kept
        path.write_text(kept.replace(old, new, 1), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(kept, encoding="utf-8")

    @contextmanager
    def changed(self, file: str, old: str, new: str) -> Iterator[Reasons]:
        """Change a text for a while, and yield what would run because of it."""
        with self.edited(file, old, new):
            yield self.reasons()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(copy_of_tiny_run(tmp_path_factory, "project", "src"))
    assert project.reasons() == {}
    return project


A_LINE_OF_CODE = ("annotations\n", "annotations\n\n_NEW = 1\n")
COMMENTED = (
    "simulator/senders/window.py", "models/mathis/square_root.py", "drawing/lines.py",
    "claims/verdicts.py", "report/numbers.py", "census/join.py",
)  # fmt: skip
MEASURING, ANSWERING = {"code/measure.json"}, {"code/answer.json"}


def test_a_constant_of_the_intervals_measures_again_and_all_that_reads_intervals(
    built: Project,
) -> None:
    file = "src/tcpgoodput/numerics/statistics.py"
    with built.changed(file, "CONFIDENCE = 0.95", "CONFIDENCE = 0.99") as again:
        assert again["measure"] == MEASURING
        assert "code/answer.json" in again["answer"]  # referees' records are summed up there
        assert not {"publish", "draw"} & again.keys()


def test_where_engines_measure_is_asked_anew_and_answered_anew(built: Project) -> None:
    file = "src/tcpgoodput/studies/sweeps.py"
    with built.changed(file, "MEASURED_POINTS = 13", "MEASURED_POINTS = 15") as again:
        assert again["measure"] == {"points/packet_trains.json"}
        assert "answers/mathis/sweep.json" in again["answer"]


def test_a_line_of_a_model_asks_that_model_and_measures_nothing(built: Project) -> None:
    file = "src/tcpgoodput/models/mathis/square_root.py"
    with built.changed(file, *A_LINE_OF_CODE) as again:
        assert "measure" not in again
        assert not {"publish", "draw", "draw_comparison"} & again.keys()
        # The reductions that models are asked through are made of this one.
        assert {"answer", "answer_scenarios", "answer_map"} <= again.keys()


def test_comments_and_layout_are_no_code(built: Project) -> None:
    with ExitStack() as changes:
        for name in COMMENTED:
            old, new = "annotations\n", "annotations\n\n\n# A comment.\n"
            changes.enter_context(built.edited(f"src/tcpgoodput/{name}", old, new))
        assert built.reasons() == {}


def test_an_erratum_is_what_says_so(built: Project) -> None:
    file = "src/tcpgoodput/models/packet_trains/errata.py"
    seen, assumed = ('evidence="misprint seen in the text"', 'evidence="our assumption"')
    with built.changed(file, seen, assumed) as again:
        assert again["report_parts"] == {"report.json"}
        assert again.keys() <= {"report_parts", "report", "claims", "agreement"}


def test_an_erratum_that_claims_name_puts_them_to_the_test_again(built: Project) -> None:
    claims = built.folder / "config/test/claims/mathis.yaml"
    kept = claims.read_text(encoding="utf-8")
    claims.write_text(kept + ERRATUM_READ, encoding="utf-8")
    try:
        built.snakemake("--dry-run")
        asked = built.folder / PLAN / "claims.json"
        before = asked.read_text(encoding="utf-8")
        file = "src/tcpgoodput/models/mathis/errata.py"
        with built.changed(file, *A_LINE_OF_CODE) as again:
            assert "claims.json" in again["claims"]
            assert asked.read_text(encoding="utf-8") != before
    finally:
        claims.write_text(kept, encoding="utf-8")


def test_what_is_missing_of_the_plan_is_written_again(built: Project) -> None:
    request = built.folder / PLAN / "looks/mathis/sweep.json"
    kept = request.read_text(encoding="utf-8")
    request.unlink()
    built.snakemake("--dry-run")
    assert request.read_text(encoding="utf-8") == kept


@pytest.mark.parametrize("damage", [b"", b"[]\n", b"\xff\x00"])
def test_a_request_that_was_changed_is_written_again(built: Project, damage: bytes) -> None:
    requests = [built.folder / PLAN / name for name in ("looks/mathis/sweep.json", "identity.txt")]
    kept = [request.read_bytes() for request in requests]
    for request in requests:
        request.write_bytes(damage)
    assert built.reasons() == {}
    assert [request.read_bytes() for request in requests] == kept


def test_a_word_of_prose_in_a_notebook_is_that_notebook(built: Project) -> None:
    rules = {"mathis": "show", "claims": "claims", "comparison": "show_comparison"}
    wanted: Reasons = {}
    with ExitStack() as changes:
        for name, rule in rules.items():
            notebook = f"notebooks/{name}.ipynb"
            changes.enter_context(
                built.edited(notebook, '"source": [', '"source": [\n    "Word. ",')
            )
            wanted[rule] = {notebook}
        assert built.reasons() == wanted


def test_a_colour_redraws_and_computes_nothing(built: Project) -> None:
    with built.changed("config/style.yaml", "font_size_pt: 8", "font_size_pt: 9") as again:
        assert {"draw", "draw_comparison"} <= again.keys()
        assert not {"measure", "answer", "publish", "answer_scenarios", "answer_map"} & again.keys()


def test_how_pictures_are_drawn_draws_again(built: Project) -> None:
    file = "src/tcpgoodput/drawing/lines.py"
    with built.changed(file, *A_LINE_OF_CODE) as again:
        assert again == {"draw": {"code/draw.json"}}


def test_a_word_of_the_page_makes_the_page_again(built: Project) -> None:
    with built.edited("src/tcpgoodput/explorer/parts/main.js", "// The views", "// All views"):
        assert built.reasons()["explorer"] == {"explorer.json"}
    assert "explorer" not in built.reasons()


def test_a_label_is_published_and_drawn_and_breaks_no_claim(built: Project) -> None:
    file = "config/test/figures/packet_trains.yaml"
    with built.changed(file, "{engine: packet}", "{engine: packet, label: Simulated}") as again:
        assert again["publish"] == {"labels/packet_trains/measured.json"}
        assert not {"measure", "answer", "answer_scenarios", "answer_map"} & again.keys()


def test_a_claim_is_put_to_the_test_and_nothing_else(built: Project) -> None:
    with built.changed(
        "config/test/claims/mathis.yaml", 'printed: "1.4e3"', 'printed: "1.7e3"'
    ) as again:
        assert again.keys() <= {"claims", "report_parts", "agreement"}
        assert again["claims"] == {"claims.json"}


def test_a_recorded_link_that_a_series_names_is_part_of_the_plan(built: Project) -> None:
    folder = built.folder / "config/test"
    figures = folder / "figures/packet_trains.yaml"
    kept = figures.read_text(encoding="utf-8")
    link = "{process: trace, file: config/test/link.csv}"
    trace = folder / "link.csv"
    trace.write_text("time_s,capacity_bps\n0,2e6\n1,1e6\n", encoding="utf-8")
    figures.write_text(
        kept.replace("{engine: packet}", f"{{engine: packet, set: {{capacity: {link}}}}}"),
        encoding="utf-8",
    )
    try:
        built.snakemake("--dry-run")
        points = built.folder / PLAN / "points/packet_trains.json"
        before = points.read_text(encoding="utf-8")
        trace.write_text("time_s,capacity_bps\n0,2e6\n1,5e5\n", encoding="utf-8")
        assert "points/packet_trains.json" in built.reasons()["measure"]
        assert points.read_text(encoding="utf-8") != before
    finally:
        figures.write_text(kept, encoding="utf-8")
        trace.unlink()


def test_what_a_model_of_another_package_imports_is_part_of_the_plan(built: Project) -> None:
    package = built.folder / "src/outsider"
    described = built.folder / "src/outsider-1.dist-info"
    for folder in (package, described):
        folder.mkdir()
    entry = "[tcpgoodput.models]\noutsider = outsider.tfrc\n"
    (described / "entry_points.txt").write_text(entry, encoding="utf-8")
    (described / "METADATA").write_text("Name: outsider\nVersion: 1\n", encoding="utf-8")
    (package / "__init__.py").write_text("from outsider import halves\n", encoding="utf-8")
    code = worked_example.code().replace('"tfrc"', '"outsider"')  # whose own name is taken
    (package / "tfrc.py").write_text(code, encoding="utf-8")
    halves = package / "halves.py"
    halves.write_text("HALF = 1 / 2\n", encoding="utf-8")
    request = built.folder / PLAN / "answers/comparison.json"
    try:
        built.snakemake("--dry-run")
        before = request.read_text(encoding="utf-8")
        halves.write_text("HALF = 2 / 4\n", encoding="utf-8")
        built.snakemake("--dry-run")
        assert request.read_text(encoding="utf-8") != before
    finally:
        shutil.rmtree(package)
        shutil.rmtree(described)


def test_jobs_read_no_configuration(built: Project) -> None:
    """It was validated once: a job has its request, and needs nothing else of it."""
    results = "runs/test/results"
    built.snakemake("--dry-run")  # whatever another test has changed and put back, the plan is new
    hidden = (built.folder / "config").rename(built.folder / "hidden")
    models = "test/my_models"  # code, though it lies there
    shutil.copytree(hidden / models, built.folder / "config" / models)
    try:
        request, out = f"{results}/plan/answers/packet_trains/measured.json", "again.csv"
        measured = f"{results}/measurements/packet_trains.csv"
        built.run("tcpgoodput.studies.answer", request, out, measured)
        built.run(
            "tcpgoodput.comparison.publish",
            f"{results}/plan/looks/comparison.json",
            results,
        )
        built.run("tcpgoodput.report", f"{results}/plan/report.json", results)
    finally:
        shutil.rmtree(built.folder / "config")
        hidden.rename(built.folder / "config")
    answers = built.folder / results / "packet_trains/answers/measured.csv"
    assert (built.folder / "again.csv").read_bytes() == answers.read_bytes()


def test_the_rules_are_few_and_the_documentation_shows_them_all(built: Project) -> None:
    listed = built.snakemake("--list-rules").split("\n")
    rules = {line.strip() for line in listed if re.fullmatch(r"\s*\w+\s*", line)}
    assert "measure" in rules
    assert len(rules) <= 36
    page = (ROOT / "docs/workflow.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`(\w+)`", page)) | set(re.findall(r"^  (\w+) -->", page, re.MULTILINE))
    assert rules - {"all"} <= shown
    arrows = set(re.findall(r"^  (\w+) --> (\w+)$", page, re.MULTILINE))
    graph = built.snakemake("--rulegraph", "mermaid-js")
    names = dict(re.findall(r"^\s+(id\d+)\[(\w+)\]", graph, re.MULTILINE))
    edges = {
        (names[a], names[b]) for a, b in re.findall(r"^\s+(id\d+) --> (id\d+)", graph, re.MULTILINE)
    }
    assert arrows <= edges | {(a, b) for a, b in arrows if "report" in (a, b)}  # needs LaTeX
