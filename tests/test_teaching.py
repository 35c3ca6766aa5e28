"""The notebooks that teach: they run as they are, and show what a run has made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from IPython.display import Image, Markdown
from nbformat import NotebookNode
from tcpgoodput.drawing.exhibits import Exhibits

import tcpgoodput
from tcpgoodput.drawing import exhibits
from tcpgoodput.jobs.notebooks import run_notebook
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.public.plot import draw_sweep, draw_window
from tcpgoodput.storage.files import as_json
from tcpgoodput.style.looks import load_style
from tests.scenarios import PLAIN

ROOT = Path(__file__).parents[1]
STUDIES = ["delay_spikes", "packet_trains", "mathis", "handoffs", "variable_capacity"]
TEACHING = [*STUDIES, "study"]
STYLE = load_style(ROOT / "config" / "style.yaml")
LOSSY = {**PLAIN, "loss": {"process": "bernoulli", "probability": 0.01}}


def cells(path: Path) -> list[NotebookNode]:
    return list(nbformat.read(path, as_version=4).cells)


# ---- The notebooks


def test_there_is_one_for_every_published_study() -> None:
    sources = load_configuration(ROOT / "config" / "config.yaml").sources
    assert {name for name, s in sources.items() if not s.figures.ours} == set(STUDIES)


@pytest.mark.parametrize("name", TEACHING)
def test_nothing_but_the_run_is_a_parameter(name: str) -> None:
    tagged = [c for c in cells(ROOT / "notebooks" / f"{name}.ipynb") if c.metadata.get("tags")]
    assert [(c.metadata.tags, c.source) for c in tagged] == [(["parameters"], "run = None")]


@pytest.mark.parametrize("name", TEACHING)
def test_a_displayed_equation_has_one_number_at_most(name: str) -> None:
    """MathJax draws none of two."""
    prose = "".join(c.source for c in cells(ROOT / "notebooks" / f"{name}.ipynb"))
    for shown in prose.split("$$")[1::2]:
        assert shown.count(r"\tag") <= 1, shown


@pytest.mark.parametrize("name", TEACHING)
def test_a_notebook_runs_as_it_is(name: str, tmp_path: Path) -> None:
    """In a folder `notebooks` beside the configuration, without a run."""
    (tmp_path / "config").symlink_to(ROOT / "config")
    written, executed = ROOT / "notebooks" / f"{name}.ipynb", tmp_path / "notebooks" / "a.ipynb"
    run_notebook(written, executed, {})
    outputs = [o for c in cells(executed) if c.cell_type == "code" for o in c.outputs]
    kinds = {kind for o in outputs for kind in o.get("data", {})}
    assert {"image/png", "text/html", "text/markdown"} <= kinds
    assert not [o.text for o in outputs if o.get("name") == "stderr"]
    shown = "".join(o.data.get("text/html", "") for o in outputs if "data" in o)
    assert "...</td>" not in shown  # a reason that is cut off
    assert "`./reproduce` does" in str(outputs)


def made_run(folder: Path, study: str) -> Path:
    """Write what a run leaves of a study: a picture, a table, and the list of both."""
    results, pictures = folder / "results" / study, folder / "figures" / study
    for path in (results, pictures):
        path.mkdir(parents=True)
    picture, _ = plt.subplots(figsize=(1, 1))
    picture.savefig(pictures / "one.png")
    plt.close(picture)
    (results / "one.csv").write_text("panel,x,y\na,1,2\n", encoding="utf-8")
    (results / "two.csv").write_text("name,value\nfirst,\nsecond,7\n", encoding="utf-8")
    shown = {"kind": "lines", "picture": f"../../figures/{study}/one.png", "rows": "one.csv"}
    typeset = {"kind": "table", "picture": None, "rows": "two.csv"}
    told = {
        "study": study,
        "title": "A made-up study",
        "conditions": {"equations": "corrected", "precision": "draft", "seed": 1},
        "style": STYLE.palette.model_dump(mode="json"),
        "exhibits": [
            {"name": "one", "title": "A picture", "caption": "What it shows.", **shown},
            {"name": "two", "title": "A table", "caption": "What it lists.", **typeset},
        ],
    }
    (results / "study.json").write_text(as_json(told), encoding="utf-8")
    return results / "study.json"


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    shown: list[Any] = []
    monkeypatch.setattr(exhibits, "display", shown.append)
    return shown


@pytest.mark.parametrize("where", ["results/made_up", "notebooks"])
def test_exhibits_are_found_from_where_a_notebook_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, displayed: list[Any], where: str
) -> None:
    made_run(tmp_path, "made_up")
    (tmp_path / where).mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / where)
    run = None if where == "notebooks" else "study.json"
    Exhibits(run, "made_up").show()
    title, picture, caption, _, table, _ = displayed
    assert isinstance(title, Markdown)
    assert title.data == "### one: A picture"
    assert isinstance(picture, Image)
    assert picture.data == (tmp_path / "figures" / "made_up" / "one.png").read_bytes()
    assert caption.data == "What it shows. Numbers: `one.csv`."
    assert table.to_dict("list") == {"name": ["first", "second"], "value": ["", 7]}


def test_without_a_run_one_line_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, displayed: list[Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    none = Exhibits(None, "made_up")
    none.show()
    (line,) = displayed
    assert "./reproduce" in line.data
    with pytest.raises(FileNotFoundError, match=r"config/style\.yaml here or above"):
        _ = none.style
    monkeypatch.chdir(ROOT / "notebooks")
    assert none.style.palette == STYLE.palette


def test_a_run_brings_its_own_style(tmp_path: Path) -> None:
    file = made_run(tmp_path, "made_up")
    told = json.loads(file.read_text(encoding="utf-8"))
    told["style"]["models"]["mathis"]["label"] = "Another name"
    file.write_text(json.dumps(told), encoding="utf-8")
    assert Exhibits(file, "made_up").style.model("mathis").label == "Another name"


def test_a_run_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Exhibits(tmp_path / "study.json", "made_up")


# ---- What they draw


def test_a_sweep_is_drawn_in_the_projects_style_and_faint_away_from_home() -> None:
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
    _, labels = axes.get_legend_handles_labels()
    assert labels == [look.label, STYLE.palette.engines["packet"].label]
    plt.close("all")


def test_a_window_is_drawn_with_what_happens_to_it() -> None:
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
