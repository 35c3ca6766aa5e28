"""The whole workflow on the tiny configuration, in a copy of the project."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import worked_example

ROOT = Path(__file__).parents[1]
PARTS = [
    "Snakefile",
    "CITATION.cff",
    "config",
    "data",
    "notebooks",
    "paper",
    "profiles",
    "workflow",
]
TINY = "configuration=config/test/config.yaml"
HAS_TEX = bool(shutil.which("latexmk") or shutil.which("tectonic"))


class Project:
    """A copy of the project's files without its results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("report.pdf"))
            else:
                shutil.copy(source, folder / part)

    def snakemake(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run snakemake in the copy."""
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=600,
        )

    def files(self) -> set[str]:
        """Return all files but Snakemake's own and compiled code."""
        return {
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if path.is_file() and not {".snakemake", "__pycache__"} & set(path.parts)
        }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("project"))
    worked_example.add_to(project.folder / "config/test/config.yaml")
    run = project.snakemake("--config", TINY)
    assert run.returncode == 0, run.stdout + run.stderr
    return project


def test_every_target_is_made(built: Project) -> None:
    made = built.files()
    for name in ("tooth", "sweep", "path"):
        assert {f"figures/mathis/{name}.pdf", f"figures/mathis/{name}.png"} <= made
        assert f"results/mathis/{name}.csv" in made
    assert "figures/packet_trains/exchange.pdf" in made
    assert "results/packet_trains/trace.csv" in made
    assert {"results/mathis/mathis.ipynb", "results/macros.csv", "results/errata.csv"} <= made
    assert ("paper/report.pdf" in made) == HAS_TEX


def test_published_data_have_the_published_columns(built: Project) -> None:
    with open(built.folder / "results/mathis/sweep.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = "panel series origin x x_unit y y_unit y_low y_high n".split()
    assert list(rows[0]) == columns
    assert {row["origin"] for row in rows} == {"model"}
    assert {row["series"] for row in rows} == {"Mathis", "PFTK goodput"}
    assert len(rows) == 14


def test_a_model_of_ones_own_is_everywhere(built: Project) -> None:
    """Its file and its line in the settings are all that the project was given."""
    results = built.folder / "results"
    for name in ("comparison", "comparison/ranking", "comparison/sensitivity"):
        with open(results / f"{name}.csv", newline="", encoding="utf-8") as file:
            assert "tfrc" in {row["model"] for row in csv.DictReader(file)}, name
    assert "tfrc_pps" in (results / "comparison/maps/loss_rtt.csv").read_text(encoding="utf-8")
    shown = json.loads((results / "comparison/comparison_maps.json").read_text(encoding="utf-8"))
    assert shown["drawn"]["loss_rtt"][-1] == "tfrc"
    look = shown["style"]["models"]["tfrc"]
    assert look["label"] == "TFRC equation"
    others = [look for name, look in shown["style"]["models"].items() if name != "tfrc"]
    assert look["colour"] not in {other["colour"] for other in others}
    report = results / "report"
    models = (report / "models.tex").read_text(encoding="utf-8")
    assert r"TFRC equation \citep{floyd2008}" in models
    assert "@techreport{floyd2008," in (report / "models.bib").read_text(encoding="utf-8")
    macros = (results / "macros.csv").read_text(encoding="utf-8")
    assert "RankIndependentLossTfrcTypical" in macros
    assert "MapLossRttTfrc" in macros
    if HAS_TEX:
        cited = (report / "latex" / "report.bbl").read_text(encoding="utf-8")
        assert "{floyd2008}" in cited


def test_what_waits_is_listed_and_not_faked(built: Project) -> None:
    with open(built.folder / "results/inventory.csv", newline="", encoding="utf-8") as file:
        rows = {row["figure"]: row for row in csv.DictReader(file)}
    assert rows["waiting"]["status"] == "in part"
    assert rows["waiting"]["waiting_for"] == "linux"
    assert rows["sweep"]["status"] == "in part"
    assert rows["tooth"]["status"] == "complete"
    assert int(rows["sweep"]["points_out_of_domain"]) > 0
    assert "Nothing is recorded of Linux" in (
        built.folder / "results/mathis/figures.tex"
    ).read_text(encoding="utf-8")


def test_claims_have_a_verdict_each(built: Project) -> None:
    with open(built.folder / "results/claims.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = "source id statement evidence predicate verdict value bound note".split()
    assert list(rows[0]) == columns
    assert [row["verdict"] for row in rows] == [
        "reproduced", "untestable", "reproduced", "contradicted",
    ]  # fmt: skip
    assert {"results/claims.ipynb", "figures/claims/verdicts.pdf"} <= built.files()
    assert "fourteen-hundred" in (built.folder / "results/report/claims.tex").read_text()


def test_a_claim_that_cannot_be_evaluated_stops_the_run(built: Project) -> None:
    file = built.folder / "config/test/claims/mathis.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("at: 0.01", "at: 7"), encoding="utf-8")
    command = [sys.executable, "-m", "tcpgoodput.claims", "config/test/config.yaml"]
    command += ["notebooks/claims.ipynb", "results"]
    run = subprocess.run(command, cwd=built.folder, capture_output=True, text=True, timeout=60)
    file.write_text(text, encoding="utf-8")
    assert run.returncode == 2
    assert "claim fourteen-hundred: model cannot be evaluated: no data at x = 7" in run.stderr


def test_numbers_of_the_text_come_from_the_data(built: Project) -> None:
    with open(built.folder / "results/macros.csv", newline="", encoding="utf-8") as file:
        values = {row["name"]: float(row["value"]) for row in csv.DictReader(file)}
    assert values["MathisAtOnePercent"] == pytest.approx(1448 * 8e-3 * 1.5**0.5 / 0.01)


def test_every_model_answers_every_scenario(built: Project) -> None:
    with open(built.folder / "results/comparison.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = "scenario model status reduction goodput_bps simulated_bps ci95_bps log_error".split()
    assert list(rows[0]) == columns
    assert {row["scenario"] for row in rows} == {"lossy", "lossy-b2", "drop-tail", "drop-tail-b2"}
    assert len(rows) == 4 * len({row["model"] for row in rows})
    made = built.files()
    for name in ("matrix", "matrix_b2", "ranking", "choice", "sensitivity", "map_loss_rtt"):
        assert f"figures/comparison/{name}.pdf" in made


def test_a_new_scenario_adds_its_own_job_and_no_other_number(built: Project) -> None:
    table = built.folder / "results/comparison.csv"
    before = table.read_text(encoding="utf-8").splitlines()
    new = built.folder / "config/test/scenarios/a-new-one.yaml"
    old = built.folder / "config/test/scenarios/lossy.yaml"
    new.write_text(old.read_text(encoding="utf-8").replace("id: lossy", "id: new-one"))
    try:
        run = built.snakemake("--dry-run", "--config", TINY)
        planned = run.stdout + run.stderr
        assert "a-new-one.json" in planned
        assert planned.count("Comparing the models on") == 1
        assert "Comparing the models over" not in planned
        assert "Drawing the comparison's maps" not in planned
        run = built.snakemake("results/comparison.csv", "--config", TINY)
        assert run.returncode == 0, run.stdout + run.stderr
        after = table.read_text(encoding="utf-8").splitlines()
        assert [line for line in after if not line.startswith("new-one")] == before
        # random numbers belong to a scenario's content, not to its name
        own = [line.split(",", 1)[1] for line in after if line.startswith("new-one,")]
        assert own == [line.split(",", 1)[1] for line in before if line.startswith("lossy,")]
    finally:
        new.unlink()
        assert built.snakemake("--config", TINY).returncode == 0


def test_a_second_run_has_nothing_to_do(built: Project) -> None:
    run = built.snakemake("--config", TINY)
    assert "Nothing to be done" in run.stdout + run.stderr


def test_a_changed_label_redraws_and_does_not_recompute(built: Project) -> None:
    file = built.folder / "config/test/figures/mathis.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("label: cwnd}", "label: window}"))
    run = built.snakemake("--config", TINY, "--dry-run")
    planned = run.stdout + run.stderr
    assert "draw_mathis" in planned
    assert "figure_data" not in planned
    assert "draw_packet_trains" not in planned


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("variant: newreno", "variant: newrno", "did you mean newreno"),
        ("model: pftk", "model: pftkk", "did you mean pftk"),
        ("scenario: small", "scenario: smal", "did you mean small"),
        ("= p", "= q", "uses 'q'"),
        ("title: A tooth", "title: A $tooth", "without its partner"),
        ("caption: One", "caption: !!python/object:os.system One", "tags are not allowed"),
        ("probability: 0.01", "probability: 5", "per cent"),
    ],
)
def test_bad_configuration_ends_before_anything_is_made(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    project = Project(tmp_path)
    file = tmp_path / "config/test/figures/mathis.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    before = project.files()
    run = project.snakemake("--config", TINY)
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert project.files() == before


def test_unknown_settings_on_the_command_line_are_refused(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for change, message in [
        ("precison=draft", "did you mean precision"),
        ("precision=quick", "draft, paper"),
        ("configuration=nowhere.yaml", "no such file"),
    ]:
        run = project.snakemake("--config", change)
        assert run.returncode == 2, run.stderr
        assert message in run.stderr


@pytest.mark.skipif(not HAS_TEX, reason="neither latexmk nor tectonic is on PATH")
def test_report_and_figures_are_the_same_bytes_elsewhere(built: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "a" / "longer" / "path")
    worked_example.add_to(other.folder / "config/test/config.yaml")
    run = other.snakemake("--config", TINY, TZ="Asia/Tokyo", PYTHONHASHSEED="7", LC_ALL="C")
    assert run.returncode == 0, run.stdout + run.stderr
    suffixes = (".pdf", ".png", ".csv", ".tex")
    compared = [f for f in built.files() if f.endswith(suffixes) and f in other.files()]
    assert "paper/report.pdf" in compared
    for name in compared:
        assert (built.folder / name).read_bytes() == (other.folder / name).read_bytes(), name
