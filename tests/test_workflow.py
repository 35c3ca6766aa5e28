"""The whole workflow with the tiny configuration (`config/test`), in a copy of the project."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.project.changes import NAME
from tcpgoodput.project.manifest import read_manifest
from tcpgoodput.project.publish import KINDS
from tcpgoodput.project.run import LOCKS
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.project.verify import compared
from tcpgoodput.storage import read_rows
from tests import worked_example
from tests.folders import ODD, ROOT
from tests.provenance.test_describe import is_a_package
from tests.shared_run import HAS_TEX, SNAKEMAKE, TINY, Project, copy_of_tiny_run

# One worker of pytest-xdist runs all these tests, because they share and change a workflow run.
pytestmark = pytest.mark.xdist_group("workflow")

RUN = "runs/test"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(copy_of_tiny_run(tmp_path_factory, ODD))


def test_every_target_is_made(built: Project) -> None:
    made = built.files()
    for name in ("tooth", "sweep", "path"):
        assert {f"{RUN}/figures/mathis/{name}.pdf", f"{RUN}/figures/mathis/{name}.png"} <= made
        assert f"{RUN}/results/mathis/{name}.csv" in made
    assert f"{RUN}/figures/packet_trains/exchange.pdf" in made
    assert f"{RUN}/results/packet_trains/trace.csv" in made
    assert {
        f"{RUN}/results/mathis/mathis.ipynb",
        f"{RUN}/results/macros.csv",
        f"{RUN}/results/errata.csv",
    } <= made
    assert (f"{RUN}/paper/report.pdf" in made) == HAS_TEX


def test_the_manifest_lists_published_files_and_their_rules(built: Project) -> None:
    manifest = read_manifest(built.folder / RUN / "results/manifest.json")
    assert compared(manifest, built.folder / RUN / "results", built.folder / RUN) == []
    result = built.snakemake("--summary", "--config", TINY).stdout.splitlines()
    made = {line.split("\t")[0]: line.split("\t")[2] for line in result}
    listed = {f"{RUN}/{file.path}": file.rule for file in manifest.files}
    assert listed == {file: made[file] for file in listed}
    # The manifest lists no intermediate files, which have these folders in their paths.
    between = ("/answers/", "/comparison/scenarios/")
    shown = {f for f in made if f.endswith(KINDS) and not any(part in f for part in between)}
    assert listed.keys() == shown
    assert manifest.origin.packages.keys() >= {"numpy", "numba", "matplotlib"}
    assert manifest.origin.code.keys() == set(listed.values())


def test_every_published_column_is_described(built: Project) -> None:
    folder = built.folder / RUN / "results"
    content = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    is_a_package(content)
    manifest = read_manifest(folder / "manifest.json")
    tables = {f"results/{resource['path']}" for resource in content["resources"]}
    assert tables == {file.path for file in manifest.files if file.path.endswith(".csv")}


def test_published_data_have_the_published_columns(built: Project) -> None:
    rows = read_rows(built.folder / RUN / "results/mathis/sweep.csv")
    columns = "panel series origin x x_unit y y_unit y_low y_high n".split()
    assert list(rows[0]) == columns
    assert {row["origin"] for row in rows} == {"model"}
    assert {row["series"] for row in rows} == {"Mathis", "PFTK goodput"}
    assert len(rows) == 2 * 13  # rows of two models at 13 values of x


def test_a_users_own_model_is_in_all_tables(built: Project) -> None:
    """A user's model is in all tables if its file is added and a line in the settings names it."""
    results = built.folder / RUN / "results"
    for name in ("ranking", "sensitivity", "families"):
        families = {row["family"] for row in read_rows(results / f"comparison/{name}.csv")}
        assert "tfrc" in families, name
    assert "tfrc_pps" in (results / "comparison/maps/loss_rtt.csv").read_text(encoding="utf-8")
    report = results / "report"
    models = (report / "models.tex").read_text(encoding="utf-8")
    assert r"TFRC equation \citep{floyd2000}" in models
    assert "@inproceedings{floyd2000," in (report / "models.bib").read_text(encoding="utf-8")
    if HAS_TEX:
        cited = (report / "latex" / "report.bbl").read_text(encoding="utf-8")
        assert "{floyd2000}" in cited


def test_missing_reference_measurements_are_listed(built: Project) -> None:
    listed = read_rows(built.folder / RUN / "results/inventory.csv")
    rows = {row["figure"]: row for row in listed}
    assert rows["waiting"]["status"] == "in part"
    assert rows["waiting"]["waiting_for"] == "linux"
    assert rows["sweep"]["status"] == "in part"
    assert rows["tooth"]["status"] == "complete"
    assert int(rows["sweep"]["points_out_of_domain"]) > 0
    assert "Nothing is recorded of Linux" in (
        built.folder / f"{RUN}/results/mathis/figures.tex"
    ).read_text(encoding="utf-8")


def test_every_claim_has_a_verdict(built: Project) -> None:
    rows = read_rows(built.folder / RUN / "results/claims.csv")
    columns = "source id statement evidence predicate verdict joint value value_low value_high"
    assert list(rows[0]) == [*columns.split(), *"bound note was is why verdict_before".split()]
    assert [row["verdict"] for row in rows] == [
        "reproduced", "undecided", "depends", "contradicted", "reproduced",
    ]  # fmt: skip
    assert {f"{RUN}/results/claims.ipynb", f"{RUN}/figures/claims/verdicts.pdf"} <= built.files()


def test_executed_notebooks_contain_no_warning_and_no_memory_address(built: Project) -> None:
    executed = list((built.folder / RUN / "results").rglob("*.ipynb"))
    assert {file.stem for file in executed} >= {"mathis", "comparison", "claims", "referees"}
    for file in executed:
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                assert output.get("name") != "stderr", (file.name, output)
                assert " at 0x" not in "".join(output.get("data", {}).get("text/plain", [])), file


AT_ONE_PERCENT = "{figure: sweep, series: mathis, take: at, at: 0.01}"
WITHOUT_LOSS = "{model: mathis, scenario: small, set: {loss.probability: 0}, quantity: goodput_pps}"


def test_numbers_of_the_text_come_from_the_data(built: Project) -> None:
    listed = read_rows(built.folder / RUN / "results/macros.csv")
    values = {row["name"]: float(row["value"]) for row in listed if row["value"]}
    assert values["MathisAtOnePercent"] == pytest.approx(1448 * 8e-3 * 1.5**0.5 / 0.01)


def test_every_model_answers_every_scenario(built: Project) -> None:
    rows = read_rows(built.folder / RUN / "results/comparison.csv")
    columns = "scenario variation model status reduction goodput_bps simulated_bps ci95_bps"
    assert list(rows[0]) == [*columns.split(), "log_error"]
    cases = {(row["scenario"], row["variation"]) for row in rows}
    assert cases == {(name, b) for name in ("lossy", "drop-tail") for b in ("", "b2")}
    assert len(rows) == 4 * len({row["model"] for row in rows})
    made = built.files()
    for name in ("matrix", "variations", "ranking", "sensitivity", "held", "map_loss_rtt"):
        assert f"{RUN}/figures/comparison/{name}.pdf" in made
    rows = read_rows(built.folder / RUN / "results/heldout/rows.csv")
    assert {row["family"] for row in rows} >= {"mathis", "pftk"}


def test_predictions_are_judged_at_each_level_of_knowledge(built: Project) -> None:
    results = built.folder / RUN / "results/inputs"
    names = {"errors", "gains", "predictors", "regimes", "formulas", "rows"}
    assert {file.stem for file in results.glob("*.csv")} == {*names, "recorded", "recorded_gains"}
    found = read_rows(results / "errors.csv")
    here = {(row["case"], row["predictor"]) for row in found if row["judge"] == "packet"}
    assert here >= {
        (case, predictor)
        for case in ("lost-packets", "everything", "without-round-trip")
        for predictor in ("formula", "fluid", "simulation", "cap", "oracle", "cap over a constant")
    }
    assert f"{RUN}/figures/inputs/levels.pdf" in built.files()


def test_a_second_run_has_nothing_to_do(built: Project) -> None:
    run = built.snakemake("--config", TINY)
    assert "Nothing to be done" in run.stdout + run.stderr


def with_a_new_manifest(built: Project) -> subprocess.CompletedProcess[str]:
    """Run the workflow so that it only makes the manifest, and return the process."""
    (built.folder / RUN / "results/manifest.json").unlink()
    run = built.snakemake("--config", TINY)
    assert run.returncode == 0, run.stdout + run.stderr
    return run


def test_the_end_of_a_run_lists_results_and_verdicts(built: Project) -> None:
    """At its end, a run prints where the results are, and the number of each verdict on claims."""
    run = with_a_new_manifest(built)
    assert re.search(r"\d+ of \d+ steps", run.stderr)
    last_words = run.stderr[run.stderr.index("Done.") :]
    for result in (f"{RUN}/figures", f"{RUN}/results", "reproduced", "marked"):
        assert result in last_words
    assert "heldout.yaml" not in last_words


def test_the_end_of_a_run_names_files_that_no_rule_makes(built: Project) -> None:
    """Files of removed figures and studies stay; the end of a run says how to delete them."""
    old = [
        f"{RUN}/figures/mathis/removed.pdf",
        f"{RUN}/results/measurements/removed.csv",
        f"{RUN}/results/removed_study/fig01.csv",
    ]
    own = f"{RUN}/results/mathis/notes.txt"
    for file in (*old, own):
        (built.folder / file).parent.mkdir(parents=True, exist_ok=True)
        (built.folder / file).write_text("x", encoding="utf-8")
    run = with_a_new_manifest(built)
    assert f"this configuration does not make these files: {', '.join(old)}\n" in run.stderr
    (command,) = re.findall(r"; (xargs .*) deletes them", run.stderr)
    subprocess.run(["bash", "-c", command], cwd=built.folder, check=True)
    assert not any((built.folder / file).exists() for file in old)
    assert (built.folder / own).exists()
    assert "this configuration does not make" not in with_a_new_manifest(built).stderr


def test_the_end_of_a_run_reminds_of_the_seed_of_a_new_model(built: Project) -> None:
    """A model that the run before did not have needs held-out connections that it never saw."""
    record = built.folder / RUN / "results" / NAME
    items = json.loads(record.read_text(encoding="utf-8"))
    models = [name for name in items if name.startswith("model ")]
    assert models
    kept = {name: digest for name, digest in items.items() if name != models[0]}
    record.write_text(json.dumps(kept), encoding="utf-8")
    run = with_a_new_manifest(built)
    assert "a new model: set a new seed in heldout.yaml" in run.stderr
    assert models[0] in run.stderr


@pytest.mark.parametrize(
    "verb",
    ["--dag", "--list-changes code", "--list-untracked"],  # other tests use -n and --summary
)
def test_snakemakes_own_options_work(built: Project, verb: str) -> None:
    run = built.snakemake(*verb.split(), "--config", TINY)
    assert run.returncode == 0, run.stderr
    assert "Error" not in run.stderr


@pytest.mark.parametrize("verb", ["--lint", "--dry-run"])
def test_snakemake_without_the_package_says_how_to_set_up(tmp_path: Path, verb: str) -> None:
    project = Project.new(tmp_path / "clone")
    hiding = tmp_path / "hiding"
    hiding.mkdir()
    (hiding / "tcpgoodput.py").touch()  # no package, so it hides all modules of the real one
    run = project.snakemake(verb, PYTHONPATH=str(hiding))
    assert run.returncode == 2
    assert "./reproduce setup" in run.stderr
    assert "Traceback" not in run.stderr


def test_the_public_catalogue_of_workflows_lists_the_project() -> None:
    """The catalogue searches README files for two words, and reads some files by their names."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert {"snakemake", "workflow"} <= set(re.findall(r"\w+", readme))
    assert (ROOT / "workflow/Snakefile").is_file()
    assert (ROOT / "config/README.md").is_file()
    assert {file.suffix for file in (ROOT / "workflow/rules").iterdir()} == {".smk"}
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"] is True
    rules = "".join(file.read_text() for file in (ROOT / "workflow/rules").iterdir())
    declared = {key for key in ("conda", "container") if re.search(rf"^ +{key}:", rules, re.M)}
    assert any(usage["software-stack-deployment"].values()) == bool(declared)


def test_snakemakes_linter_finds_only_the_excused_warning() -> None:
    """Snakemake's linter only warns that rules have no software environment of their own.

    All rules use the project's environment.
    """
    command = [*SNAKEMAKE, "--lint"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    found = set(re.findall(r"^ +\* (.*)$", run.stderr, re.MULTILINE))
    assert found == {"Specify a conda environment or container for each rule.:"}, run.stderr


def test_snakemakes_report_has_every_figure_and_table(built: Project) -> None:
    run = built.snakemake("--report", "report.html", "--config", TINY)
    assert run.returncode == 0, run.stderr
    page = (built.folder / "report.html").read_text(encoding="utf-8")
    for name in ("tooth", "sweep", "path", "exchange", "matrix", "verdicts", "map_loss_rtt"):
        assert f'"{name}.png"' in page, name
    for name in ("trace", "claims", "comparison", "errata"):
        assert f'"{name}.csv"' in page, name
    figures = yaml.safe_load((ROOT / "config/test/figures/mathis.yaml").read_text())["figures"]
    for figure in figures.values():
        assert figure["title"] in page
        assert f"<p>{figure['caption']}</p>" in page
    assert "Errors of all model families on all scenarios" in page
    (built.folder / "report.html").unlink()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("config.yaml", worked_example.setting(), ""),
        (worked_example.FILE, "from math import sqrt\n", "from math import sqrt\n\n_NEW = 1\n"),
    ],
    ids=["taken away", "edited"],
)
def test_a_changed_model_is_evaluated_again_without_measurements(
    built: Project, file: str, old: str, new: str
) -> None:
    with built.edited(f"config/test/{file}", old, new):
        again = built.planned()
    assert "comparison" in again
    assert "simulate" not in again


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("variant: newreno", "variant: newrno", "did you mean newreno"),
        ("scenario: small", "scenario: smal", "did you mean small"),
        ("= p", "= q", "uses 'q'"),
    ],
)
def test_bad_configuration_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    shutil.copytree(ROOT / "config", tmp_path / "config")
    file = tmp_path / "config/test/figures/mathis.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        load_configuration(tmp_path / "config/test/config.yaml")


def test_bad_configuration_stops_the_run_before_any_file_is_written(tmp_path: Path) -> None:
    project = Project.new(tmp_path)
    with project.edited("config/test/figures/mathis.yaml", "model: pftk", "model: pftkk"):
        before = project.files()
        run = project.snakemake("--config", TINY)
    assert run.returncode == 2
    assert "did you mean pftk" in run.stderr
    assert "Traceback" not in run.stderr
    assert project.files() == before


def test_unknown_settings_on_the_command_line_are_refused(tmp_path: Path) -> None:
    project = Project.new(tmp_path)
    for change, message in [
        ("precison=draft", "did you mean precision"),
        ("precision=quick", "draft, paper"),
        ("configuration=nowhere.yaml", "no such file"),
    ]:
        run = project.snakemake("--config", change)
        assert run.returncode == 2, run.stderr
        assert message in run.stderr


def test_a_run_without_latex_or_comparison_is_planned(tmp_path: Path) -> None:
    project = Project.new(tmp_path / "project")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "sh", "which"):
        (tools / name).symlink_to(str(shutil.which(name)))
    run = project.snakemake("--dry-run", "--config", TINY, "comparison=null", PATH=str(tools))
    assert run.returncode == 0, run.stderr
    assert "manifest" in run.stdout
    assert not {"report", "explorer", "comparison"} & {*re.findall(r"^(\w+) +1$", run.stdout, re.M)}


@pytest.mark.skipif(not HAS_TEX, reason="neither latexmk nor tectonic is on PATH")
def test_a_run_without_comparison_and_samples_makes_its_report(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The campaign `omissions` leaves out other parts, and makes all jobs."""
    project = Project(copy_of_tiny_run(tmp_path_factory, "less"))
    report = f"{RUN}/paper/report.pdf"
    (project.folder / report).unlink()
    for folder in ("comparison", "census"):
        shutil.rmtree(project.folder / RUN / "figures" / folder)
    less = ("--config", TINY, "comparison=null", "census=null", "--", report)
    run = project.snakemake("--rerun-triggers", "mtime", "--forcerun", "numbers", *less)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (project.folder / report).is_file()


# ---- named runs, Snakemake's lock, interrupted runs


def test_a_named_run_writes_only_to_its_own_folder(built: Project) -> None:
    before = built.files()
    made = "runs/mine/results/mathis/tooth.csv"
    run = built.snakemake(made, "--config", TINY, "run=mine")
    assert run.returncode == 0, run.stdout + run.stderr
    new = built.files() - before
    assert made in new
    assert all(name.startswith("runs/mine/") for name in new)
    last_words = run.stderr[run.stderr.index("Done.") :]
    assert made in last_words
    assert "claims" not in last_words  # verdicts of another run


def test_a_draft_is_a_separate_run(built: Project) -> None:
    run = built.snakemake("--dry-run", "--quiet", "all", "--config", "precision=draft")
    assert run.returncode == 0, run.stderr
    run = built.snakemake("--config", "run=../elsewhere")
    assert run.returncode == 2
    assert "run" in run.stderr


@pytest.mark.parametrize("signalled", [signal.SIGINT, signal.SIGKILL])
def test_the_same_command_continues_after_an_interruption(
    built: Project, signalled: signal.Signals
) -> None:
    wanted = f"{RUN}/figures/mathis/tooth.pdf"
    log = f"{RUN}/logs/studies/mathis.log"
    (built.folder / log).unlink()
    request = ("--config", TINY, "--", wanted)
    output = built.stopped(signalled, log, "--forcerun", "study_mathis", *request)
    if signalled == signal.SIGINT:
        assert output.splitlines()[-1].startswith("What was made is kept; the same command")
    run = built.snakemake(*request)
    if "LockException" in run.stderr:  # the killed run left Snakemake's lock
        assert built.snakemake("--unlock", "--config", TINY).returncode == 0
        run = built.snakemake(*request)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (built.folder / wanted).is_file()


# ---- changes that a user makes


def test_a_claim_that_cannot_be_evaluated_stops_the_run(built: Project) -> None:
    with built.edited("config/test/claims/mathis.yaml", AT_ONE_PERCENT, WITHOUT_LOSS):
        run = built.snakemake(f"{RUN}/results/claims.csv", "--config", TINY)
    assert run.returncode == 1
    result = "claim fourteen-hundred: model cannot be evaluated: mathis gives no value"
    assert result in run.stderr


def test_a_new_scenario_does_not_change_other_rows(built: Project) -> None:
    table = built.folder / f"{RUN}/results/comparison.csv"
    before = table.read_text(encoding="utf-8").splitlines()
    new = built.folder / "config/test/scenarios/a-new-one.yaml"
    old = built.folder / "config/test/scenarios/lossy.yaml"
    new.write_text(old.read_text(encoding="utf-8").replace("id: lossy", "id: new-one"))
    try:
        run = built.snakemake("--dry-run", "--config", TINY)
        # Only the new scenario is simulated: for the comparison, and for sweeps of the explorer.
        measured = re.findall(r"Measuring (\w+)", run.stdout + run.stderr)
        assert sorted(set(measured)) == ["comparison", "explorer"]
        run = built.snakemake(f"{RUN}/results/comparison.csv", "--config", TINY)
        assert run.returncode == 0, run.stdout + run.stderr
        after = table.read_text(encoding="utf-8").splitlines()
        assert [line for line in after if not line.startswith("new-one")] == before
        # The new scenario is a copy of `lossy` with another id. Random numbers depend on a
        # scenario's content, not on its id, so both have the same results.
        own = [line.split(",", 1)[1] for line in after if line.startswith("new-one,")]
        assert own == [line.split(",", 1)[1] for line in before if line.startswith("lossy,")]
    finally:
        new.unlink()


def test_an_added_point_measures_only_that_point(built: Project) -> None:
    wanted = f"{RUN}/results/measurements/packet_trains.csv"
    table = built.folder / wanted
    before = table.read_text(encoding="utf-8").splitlines()
    file, points = "config/test/figures/packet_trains.yaml", "listed: [0.02, 0.05"
    with built.edited(file, f"{points}]", f"{points}, 0.07]"):
        assert built.snakemake("--config", TINY, "--", wanted).returncode == 0
    after = table.read_text(encoding="utf-8").splitlines()
    log = built.folder / f"{RUN}/logs/simulate/packet_trains.log"
    assert len(set(after) - set(before)) == 1
    assert set(before) < set(after)
    output = log.read_text(encoding="utf-8")
    assert re.findall(r"^(\d+ of \d+)$", output, re.MULTILINE) == ["7 of 8", "8 of 8"]


def test_a_failing_cell_is_reported_in_three_lines(built: Project) -> None:
    notebook = built.folder / "notebooks/mathis.ipynb"
    kept = notebook.read_text(encoding="utf-8")
    content = json.loads(kept)
    content["cells"][-1]["source"] = ["x = 1\n", "x / 0"]
    notebook.write_text(json.dumps(content), encoding="utf-8")
    try:
        run = built.snakemake(f"{RUN}/results/mathis/mathis.ipynb", "--config", TINY)
    finally:
        notebook.write_text(kept, encoding="utf-8")
    assert run.returncode == 1
    log = (built.folder / f"{RUN}/logs/studies/mathis.log").read_text(encoding="utf-8")
    *_, where, why, executed = log.splitlines()
    assert where.startswith("notebooks/mathis.ipynb, cell ")
    assert where.endswith(": x = 1")
    assert why == "ZeroDivisionError: division by zero"
    left = built.folder / executed.removeprefix("The notebook up to this cell is ")[:-1]
    assert "ZeroDivisionError" in left.read_text(encoding="utf-8")


def test_a_recording_that_is_refused_fails_with_its_own_message(built: Project) -> None:
    table = built.folder / "data/ns2/comparison.csv"
    with built.edited("data/ns2/comparison.csv", "key,", "keys,"):
        run = built.snakemake(f"{RUN}/results/referees/ns2/comparison.json", "--config", TINY)
    assert run.returncode == 1
    assert f"{table.relative_to(built.folder)}: this or its provenance" in run.stderr + run.stdout
    assert "MissingOutputException" not in run.stderr


@pytest.mark.parametrize(
    ("folder", "given", "near"),
    [
        (f"{RUN}/figures/mathis", "toot.pdf", "tooth.pdf"),
        (f"{RUN}/results/measurements", "packet_train.csv", "packet_trains.csv"),
    ],
)
def test_an_unknown_target_is_answered_with_a_similar_one(
    built: Project, folder: str, given: str, near: str
) -> None:
    run = built.snakemake("-n", f"{folder}/{given}", "--config", TINY)
    assert run.returncode == 2
    assert f"did you mean {near} (in {folder}/)?" in run.stderr
    assert "MissingRuleException" not in run.stderr


@pytest.mark.parametrize("option", ["-np", "--dag=dot"])
def test_options_that_run_no_job_are_possible_during_a_run(built: Project, option: str) -> None:
    lock = built.folder / LOCKS / "test"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        run = built.snakemake(option, "--config", TINY)
        assert run.returncode == 0, run.stderr
        assert "another workflow makes it" in built.snakemake("--config", TINY).stderr


def test_a_recorded_sample_is_paired_with_a_whole_one(tmp_path: Path) -> None:
    project = Project.new(tmp_path)
    for file in (project.folder / "data/census").glob("connections*"):
        file.unlink()
    wanted = "results/census/linux/recorded/gains.csv"
    run = project.snakemake("--dry-run", wanted, "--config", "inputs=null")
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"^census_join +1$", run.stdout, re.MULTILINE)
