"""What a run knows of itself: its pace, its words, who holds the tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest

from tcpgoodput.project.run import Run
from tcpgoodput.workflow.captions import caption_rst
from tcpgoodput.workflow.console import about, cut, full_disk, in_words
from tcpgoodput.workflow.holding import Held, hold
from tcpgoodput.workflow.pace import Pace

ROOT = Path(__file__).parents[2]


def test_what_is_left_is_the_recordings_work_at_the_machines_pace() -> None:
    pace = Pace({"simulate": 2, "draw": 4}, {"simulate": 30.0, "draw": 10.0})
    assert pace.left_s(5.0) is None  # nothing is done yet
    pace.finished("simulate")
    assert pace.left_s(60.0) == pytest.approx(140.0)  # 70 s of the recording, twice as slow
    for rule in ("simulate", "draw", "draw", "draw", "draw"):
        pace.finished(rule)
    assert pace.left_s(200.0) == 0


def test_a_job_that_was_never_recorded_counts_as_an_average_one() -> None:
    pace = Pace({"a": 1, "mine": 1}, {"a": 10.0, "b": 20.0})
    pace.finished("a")
    assert pace.left_s(10.0) == pytest.approx(15.0)
    assert Pace({"a": 1}, {}).left_s(1.0) is None


def test_durations_and_lines_are_as_a_person_says_them() -> None:
    assert [in_words(s) for s in (0.44, 12.3, 61, 3725)] == [
        "0.4 s",
        "12 s",
        "1 min 01 s",
        "1 h 2 min",
    ]
    assert [about(s) for s in (1, 38, 100, 600)] == ["5 s", "40 s", "2 min", "10 min"]
    assert cut("one\n two", 20) == "one two"
    assert cut("a" * 30, 10) == "a" * 9 + "…"


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert full_disk(tmp_path) == ""
    assert full_disk(tmp_path / "gone") == ""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
    assert full_disk("runs/test/logs") == "The disk is full: there is no room in runs/test/logs/."


def test_a_run_that_takes_anothers_place_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run, made_of = Run("mine"), {"configuration": "config/config.yaml", "seed": 1}
    assert run.taken_over(made_of) is None
    assert run.taken_over(made_of) is None
    told = run.taken_over({**made_of, "seed": 2})
    assert told == "runs/mine/results/ is made anew where it differs: seed 1 before, now 2."
    assert run.taken_over({**made_of, "seed": 2}) is None
    (tmp_path / "runs/mine/results/run.json").write_bytes(b"\xff{")
    assert run.taken_over(made_of) is None


def test_captions_are_neither_markup_nor_templates() -> None:
    text = caption_rst("A *b*", "Loss $p_1$ and {{ 7 * 7 }} of `x`")
    assert text.startswith(r"**A \*b\***")
    assert r":math:`p_1`\ " in text
    # As Snakemake's report renders it: the template is ours, the caption a parameter of the job.
    template = jinja2.Template((ROOT / "workflow" / "report" / "figure.rst").read_text())
    rendered = template.render(snakemake=SimpleNamespace(params=SimpleNamespace(caption=text)))
    assert rendered.strip() == text.strip()
    assert r"{{ 7 \* 7 }}" in rendered


def test_the_tree_is_held_by_one_and_freed_by_its_end(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "0.output.lock").write_text("results/a.csv")
    code = "import sys; from pathlib import Path; from tcpgoodput.workflow.holding import hold;"
    code += "hold(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    assert not (tmp_path / "locks").exists()  # nobody held the tree: a killed run's lock
    with pytest.raises(Held, match=f"process {other.pid}, since"):
        hold(tmp_path)
    other.kill()
    other.communicate()
    assert hold(tmp_path) is not None
