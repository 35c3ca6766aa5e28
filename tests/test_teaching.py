"""Every notebook for teaching runs unchanged, and shows the figures that it computes."""

from __future__ import annotations

import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import yaml
from IPython.display import Image, Markdown
from nbformat import NotebookNode

import tcpgoodput
from tcpgoodput.api.simulate import draw_window
from tcpgoodput.api.sweep import draw_sweep
from tcpgoodput.comparison.census.design import record_of
from tcpgoodput.drawing import OF_SAMPLES
from tcpgoodput.project.notebooks import run_notebook
from tcpgoodput.project.settings import load_settings
from tcpgoodput.style import load_style
from tests import shipped
from tests.folders import ROOT
from tests.scenarios import PLAIN

STUDIES = ["delay_spikes", "packet_trains", "mathis", "handoffs", "variable_capacity"]
OTHERS = [*(name for name in STUDIES if name != "handoffs"), "study"]
EVERY = sorted((ROOT / "notebooks").glob("*.ipynb"))
TINY = ROOT / "config" / "test" / "config.yaml"
LONGEST_CELL = 22
STYLE = load_style(ROOT / "config" / "style.yaml")
SHOWN = re.compile(r'\.show\("(\w+)"\)')
"""Pattern of a call that shows a figure of a study."""
POINTS = re.compile(r'\.points\("(\w+)", f?"([\w{}]+)"')
"""Pattern of a call that reads a series of a figure; braces are variables."""
LOSSY = {**PLAIN, "loss": {"process": "bernoulli", "probability": 0.01}}


def cells(path: Path) -> list[NotebookNode]:
    return list(nbformat.read(path, as_version=4).cells)


# ---- Parameters and execution of the notebooks


def test_every_published_study_has_a_notebook() -> None:
    sources = shipped.configuration().sources
    assert {name for name, s in sources.items() if not s.figures.ours} == set(STUDIES)


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_notebooks_have_the_standard_parameters(path: Path) -> None:
    (parameters,) = [c for c in cells(path) if "parameters" in c.metadata.get("tags", ())]
    defined: dict[str, Any] = {}
    exec(parameters.source, defined)
    settings = load_settings(ROOT / "config" / "config.yaml", {})
    defaults = settings.model_dump(include={"precision", "equations", "seed"})
    defaults |= {"configuration": "config/config.yaml", "changes": {}}
    assert defined | defaults == defined
    assert defined["figures"] is None if path.stem != "simulate" else defined["table"] is None


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_a_cell_of_code_fits_on_a_screen(path: Path) -> None:
    lengths = [len(c.source.splitlines()) for c in cells(path) if c.cell_type == "code"]
    assert max(lengths) <= LONGEST_CELL


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_a_displayed_equation_has_at_most_one_number(path: Path) -> None:
    """No displayed equation has two numbers, because MathJax does not draw such an equation."""
    prose = "".join(c.source for c in cells(path))
    for shown in prose.split("$$")[1::2]:
        assert shown.count(r"\tag") <= 1, shown


@pytest.mark.parametrize("study", STUDIES)
def test_a_lecture_names_figures_series_and_claims_that_exist(study: str) -> None:
    """A name that the configuration lacks gives no error in a notebook, but no content either."""
    configuration = shipped.configuration()
    figures = configuration.sources[study].figures.figures
    source = "".join(c.source for c in cells(ROOT / "notebooks" / f"{study}.ipynb"))
    shown, read = SHOWN.findall(source), POINTS.findall(source)
    assert {*shown, *(figure for figure, _ in read)} <= figures.keys()
    assert len(shown) >= 2
    assert read
    for figure, series in read:
        ids = {s.key for panel in figures[figure].panels.values() for s in panel.series}
        assert "{" in series or series in ids
    (verdicts,) = re.findall(r"show_verdicts\((.*?)\)", source, re.DOTALL)
    claims = re.findall(r'"([\w-]+)"', verdicts)
    assert claims
    assert {*claims} <= {claim.id for claim in configuration.claims[study].claims}


@pytest.mark.parametrize("study", STUDIES)
def test_a_lecture_cites_works_of_the_bibliography(study: str) -> None:
    bibliography = (ROOT / "paper" / "references.bib").read_text(encoding="utf-8")
    prose = "".join(c.source for c in cells(ROOT / "notebooks" / f"{study}.ipynb"))
    links = re.findall(r"\]\((https://[^)]+)\)", prose.partition("## References")[2])
    assert len(links) >= 3
    for link in links:
        assert f"{{{link.removeprefix('https://doi.org/')}}}" in bibliography, link


@pytest.mark.parametrize("study", [*STUDIES, "bbr"])
def test_each_exercise_of_a_lecture_has_a_folded_solution(study: str) -> None:
    every = cells(ROOT / "notebooks" / f"{study}.ipynb")
    numbered = re.compile(r"^\*\*\d\.\*\*", re.MULTILINE)
    solutions = [after for c, after in pairwise(every) if numbered.search(c.source)]
    assert len(solutions) == 3
    for solution in solutions:
        assert "hide-cell" in solution.metadata["tags"]
        assert solution.metadata["jupyter"] == {"outputs_hidden": True, "source_hidden": True}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with the files that notebooks read, without results of a workflow run."""
    for part in ("config", "data", "paper", "notebooks"):
        (tmp_path / part).symlink_to(ROOT / part)
    return tmp_path


def copied(figure: dict[str, Any]) -> set[str]:
    """Return the names in `like` of a figure and its panels, such as `fig12` for `fig12/b`."""
    parts = [figure, *figure.get("panels", {}).values()]
    return {str(part.get("like", "")).partition("/")[0] for part in parts}


def leave_few_figures(project: Path, study: str, named: str) -> None:
    """Reduce a project to one study and the figures whose names are in a text.

    The text is a notebook's source. Computing all figures of the study would take minutes. Figures
    are kept, too, from which the named ones are copied (`like`).
    """
    config, whole = project / "config", ROOT / "config"
    config.unlink()
    (config / "figures").mkdir(parents=True)
    shutil.copyfile(whole / "style.yaml", config / "style.yaml")
    stated = yaml.safe_load((whole / "config.yaml").read_text(encoding="utf-8"))
    stated = {"sources": [study], "figures": "figures", "style": stated["style"]}
    (config / "config.yaml").write_text(yaml.safe_dump(stated), encoding="utf-8")
    file = Path("figures", f"{study}.yaml")
    content = yaml.safe_load((whole / file).read_text(encoding="utf-8"))
    every = content["figures"]
    kept = {name for name in every if f'"{name}"' in named}
    while more := {name for figure in kept for name in copied(every[figure]) & every.keys()} - kept:
        kept |= more
    content["figures"] = {name: every[name] for name in every if name in kept}
    content.pop("settings", None)  # they name figures that are left out
    (config / file).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def outputs_of(name: str, folder: Path, **parameters: str) -> list[NotebookNode]:
    """Run a notebook in the current folder; return the outputs of its cells."""
    executed = folder / "executed.ipynb"
    run_notebook(ROOT / "notebooks" / f"{name}.ipynb", executed, parameters)
    return [o for c in cells(executed) if c.cell_type == "code" for o in c.outputs]


def pictures(outputs: list[NotebookNode]) -> int:
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize(
    "name", ["handoffs", *(pytest.param(name, marks=pytest.mark.weekly) for name in OTHERS)]
)
def test_a_notebook_runs_by_hand(project: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A notebook runs in a folder of the project without results of a run, as a user runs it."""
    source = "".join(c.source for c in cells(ROOT / "notebooks" / f"{name}.ipynb"))
    if name == "study":
        figures = tcpgoodput.study("transfers").figures
    else:
        leave_few_figures(project, name, source)
        figures = SHOWN.findall(source)
    assert figures
    here = project / "mine"
    here.mkdir()
    monkeypatch.chdir(here)
    outputs = outputs_of(name, here)
    shown = [o.data for o in outputs if "data" in o]
    assert {"image/png", "text/markdown"} <= {kind for data in shown for kind in data}
    assert not [o.text for o in outputs if o.get("name") == "stderr"]
    # An object without a readable representation is shown with its memory address.
    assert not [data for data in shown if " at 0x" in data.get("text/plain", "")]
    tables = "".join(data.get("text/html", "") for data in shown)
    assert "...</td>" not in tables  # no cell is truncated
    titles = {data.get("text/markdown", "").partition(":")[0] for data in shown}
    assert {f"### {figure}" for figure in figures} <= titles
    made = {path.name for path in project.iterdir() if not path.is_symlink()}
    assert made <= {"mine", "config", ".cache"}  # no other files are written


@pytest.mark.weekly
def test_measuring_by_hand_writes_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    outputs = outputs_of("simulate", project, precision="draft")
    assert pictures(outputs) == 2
    assert "replications" in "".join(o.text for o in outputs if o.get("name") == "stdout")
    assert not (project / "results").exists()


@pytest.mark.weekly
def test_the_census_notebook_runs_by_hand(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    few = project / "few.parquet"
    whole = pq.read_table(ROOT / record_of("connections"))
    pq.write_table(whole.filter(pc.field("point") < 1024), few)
    assert pictures(outputs_of("census", project, table=str(few))) == len(OF_SAMPLES)
    assert not (project / "results").exists()


# ---- Figures and tables of a study that its notebook shows


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    return shown


def test_a_figure_is_shown_with_its_title_and_its_caption(displayed: list[Any]) -> None:
    tooth = tcpgoodput.study("mathis", TINY).figure("tooth")
    tooth.show()
    title, picture, caption = displayed
    assert isinstance(title, Markdown)
    assert title.data == f"### tooth: {tooth.title}"
    assert isinstance(picture, Image)
    assert picture.data == tooth.pictures[".png"]
    assert caption.data == f"{tooth.caption} Numbers: `tooth.csv`."


def test_a_table_is_shown_as_rows_with_blanks(displayed: list[Any]) -> None:
    modes = tcpgoodput.study("delay_spikes").figure("table1")
    assert modes.pictures == {}
    modes.show()
    _, rows, _ = displayed
    assert list(rows["mode"]) == list(modes.table["mode"])
    assert not rows.isna().any(axis=None)
    with pytest.raises(TypeError):
        modes.draw()


def test_a_study_is_drawn_in_the_style_of_its_configuration(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "config" / "test", tmp_path / "config")
    style = tmp_path / "config" / "style.yaml"
    text = (ROOT / "config" / "style.yaml").read_text(encoding="utf-8")
    label = STYLE.model("mathis").label
    style.write_text(text.replace(label, "Another name"), encoding="utf-8")
    request = tcpgoodput.study("mathis", tmp_path / "config" / "config.yaml", style="style.yaml")
    assert request.style.model("mathis").label == "Another name"


def test_a_study_that_the_settings_do_not_list_is_refused() -> None:
    with pytest.raises(ValueError, match="'mathsi'; did you mean mathis"):
        tcpgoodput.study("mathsi", TINY)


def test_a_figure_that_is_not_configured_is_named_in_a_sentence(displayed: list[Any]) -> None:
    study = tcpgoodput.study("mathis", TINY)
    study.show("fig02")
    (sentence,) = displayed
    assert "`fig02`" in sentence.data


def test_points_are_those_of_the_figures_table_with_their_scenarios() -> None:
    study = tcpgoodput.study("mathis", TINY)
    line = study.points("sweep", "mathis")
    table = study.figure("sweep").table
    own = table[table["series"] == STYLE.model("mathis").label]
    assert list(line["x"]) == list(own["x"])
    assert np.allclose(line["y"], own["y"], rtol=1e-6)
    assert [s.loss.probability for s in line["scenario"]] == list(line["x"])
    for figure, series in [("sweep", "altman"), ("fig02", "mathis"), ("tooth", "cwnd")]:
        empty = study.points(figure, series)
        assert empty.empty
        assert np.allclose([], empty["y"])


def test_verdicts_are_those_of_the_ledger(displayed: list[Any], tmp_path: Path) -> None:
    study = tcpgoodput.study("mathis", TINY)
    study.save(tmp_path, None)
    ids = ("more-loss-less-throughput", "fourteen-hundred")
    found = study.verdicts(*ids, "no-such-claim")
    ledger = tcpgoodput.ledger(TINY, tmp_path).rows
    expected = ledger[ledger["id"].isin(ids)][["id", "evidence", "verdict", "value"]]
    records = [one.record() for one in found]
    assert [[r[key] for key in expected.columns] for r in records] == expected.to_numpy().tolist()
    study.show_verdicts(*ids)
    (text,) = displayed
    assert "> At 1 % loss throughput is 1400 kbit/s." in text.data
    assert "Models: reproduced.** The statement holds in all 2 interpretations" in text.data
    assert "It holds in 1 of 2 interpretations of the text; in ours it holds." in text.data
    (number,) = [r["value"] for r in records if r["verdict"] == "depends"]
    assert f"the number is {float(number):.4g}" in text.data


def test_without_measurements_verdicts_are_those_of_the_release(
    displayed: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    study = tcpgoodput.study("mathis")
    monkeypatch.chdir(ROOT)
    study.show_verdicts("kind-of-loss-enters-the-constant")
    monkeypatch.chdir(tmp_path)  # without the reference results
    study.show_verdicts("kind-of-loss-enters-the-constant")
    released, missing = (text.data for text in displayed)
    assert "Packet simulator: reproduced** in the reference results." in released
    assert "NewReno, bursts of two / Simulated, NewReno > 1.1" in released
    assert "not measured" in missing
    assert "reproduced" not in missing


def test_opening_a_study_enters_its_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "notebooks")
    with pd.option_context("display.max_colwidth", 7), plt.rc_context({"axes.grid": False}):
        study = tcpgoodput.open_study("mathis")
        assert pd.get_option("display.max_colwidth") is None
        assert plt.rcParams["axes.grid"]
    assert Path.cwd() == ROOT
    assert repr(study).startswith(f"{study.title}: {len(study.figures)} figures")


# ---- Pictures that the notebooks draw themselves


def test_a_sweep_has_the_projects_style_and_is_faint_out_of_domain() -> None:
    losses = {"loss.probability": [0.001, 0.01, 0.1]}
    rows = tcpgoodput.sweep(LOSSY, losses, models=["mathis", "cardwell"], precision="draft")
    assert set(rows.loc[rows["series"] == "mathis", "status"]) == {"native", "out-of-domain"}
    rows.loc[rows["series"] == "cardwell", "y"] = np.nan
    _, axes = plt.subplots()
    draw_sweep(axes, rows, STYLE)
    look = STYLE.model("mathis")
    faint, solid = (line for line in axes.get_lines() if line.get_color() == look.colour)
    assert np.isfinite(faint.get_ydata()).tolist() == [True] * 3
    assert np.isfinite(solid.get_ydata()).tolist() == [True, True, False]
    assert faint.get_alpha() < 1
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    outside = handles.pop("Model out of domain")
    assert outside.get_alpha() == faint.get_alpha()
    assert list(handles) == [look.label, STYLE.palette.engines["packet"].label]
    within = rows[rows["status"] != "out-of-domain"]
    _, axes = plt.subplots()
    draw_sweep(axes, within, STYLE)
    assert axes.get_legend_handles_labels()[1] == list(handles)
    plt.close("all")


def test_a_window_is_drawn_with_its_losses() -> None:
    measured = tcpgoodput.simulate(LOSSY, replications=1, duration_s=60, trace=True)
    _, axes = plt.subplots()
    draw_window(axes, measured, STYLE)
    window, lost, *_ = axes.get_lines()
    assert measured.events is not None
    assert len(lost.get_xdata()) == measured.events["lost"].sum() > 0
    top = axes.get_ylim()[1]
    assert max(window.get_ydata()) < lost.get_ydata()[0] < top
    plt.close("all")
    with pytest.raises(ValueError, match="trace=True"):
        draw_window(axes, tcpgoodput.simulate(LOSSY, replications=2, duration_s=5), STYLE)
