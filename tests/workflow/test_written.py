"""What jobs have written is known by its digest, and what has changed since is set aside."""

from __future__ import annotations

import logging
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from tcpgoodput.project.run import Run
from tcpgoodput.workflow.written import Guarding, Written

FILE, OTHER, CACHE = "runs/mine/results/a.csv", "runs/mine/figures/b.png", ".cache/warm/fonts"
LINES = "runs/mine/results/plan/written.sha256"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """Two files of a job that has ended."""
    monkeypatch.chdir(tmp_path)
    for name in (FILE, OTHER, CACHE):
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text(f"{name}\n", encoding="utf-8")
    found = Written(Run("mine"))
    found.begun([FILE, OTHER, CACHE])
    found.ended([FILE, OTHER, CACHE, "runs/mine/results/nothing.csv"])
    return found


def test_a_file_as_it_was_written_is_left_alone(written: Written) -> None:
    assert written.changed() == []
    Path(FILE).touch()
    Path(CACHE).write_text("another", encoding="utf-8")  # everybody's
    Path(OTHER).unlink()  # Snakemake's matter
    assert written.changed() == []


@pytest.mark.parametrize("damage", [b"", b"runs/mine/res", b"\xff\x00"])
def test_a_file_that_was_changed_is_set_aside(written: Written, damage: bytes) -> None:
    Path(FILE).write_bytes(damage)
    assert written.changed() == [FILE]
    kept = written.set_aside([FILE])
    assert kept == {FILE: Path("runs/mine/logs/set_aside", FILE)}
    assert kept[FILE].read_bytes() == damage
    assert not Path(FILE).exists()
    Path(FILE).write_bytes(damage)  # who puts it back by hand wants it
    assert written.changed() == []


def test_what_a_job_is_at_work_on_is_nobodys(written: Written) -> None:
    written.begun([FILE])
    Path(FILE).write_text("half", encoding="utf-8")
    assert written.changed() == []
    written.ended([FILE])
    Path(FILE).write_text("hal", encoding="utf-8")
    assert written.changed() == [FILE]


def test_lines_that_are_damaged_or_cut_excuse_nothing_else(written: Written) -> None:
    lines = Path(LINES)
    lines.write_bytes(lines.read_bytes() + b"\xff\n" + b"0" * 64 + b"  " + FILE.encode()[:3])
    assert written.changed() == []
    Path(OTHER).write_text("", encoding="utf-8")
    assert written.changed() == [OTHER]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum here")
def test_sha256sum_reads_the_lines(written: Written) -> None:
    written.begun([FILE])
    Path(FILE).write_text("anew", encoding="utf-8")
    written.ended([FILE])
    Path(OTHER).unlink()
    written.tidy()
    ran = subprocess.run(["sha256sum", "-c", LINES], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{FILE}: OK\n"
    assert ran.stderr == ""


class Told(logging.Logger):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__("told")
        self.texts: list[str] = []

    def warning(self, msg: object, *args: object, **kwargs: Any) -> None:
        self.texts.append(str(msg))


def workflow(dryrun: bool) -> Any:
    """Return what of Snakemake's workflow is asked: one job makes FILE, no rule makes OTHER."""
    job = SimpleNamespace(output=[FILE])
    return SimpleNamespace(
        output_settings=SimpleNamespace(dryrun=dryrun),
        dag_settings=SimpleNamespace(forcerun=frozenset({"asked"})),
        dag=SimpleNamespace(jobs=[job], jobid=lambda _: 3),
        rules=[SimpleNamespace(is_producer=lambda file: file == FILE)],
    )


def event(name: LogEvent, **more: Any) -> logging.LogRecord:
    """Return a record as Snakemake makes it."""
    return logging.makeLogRecord({"event": name, **more})


def test_a_run_makes_again_what_was_changed(written: Written) -> None:
    asked, told = workflow(dryrun=False), Told()
    guarding = Guarding(written, asked, told)
    for name in (FILE, OTHER):
        Path(name).write_text("changed", encoding="utf-8")
    guarding.filter(event(LogEvent.WORKFLOW_STARTED))
    assert told.texts == [
        f"{name} is not what its job wrote: set aside as runs/mine/logs/set_aside/{name}, "
        "and made again."
        for name in (FILE, OTHER)
    ]
    assert asked.dag_settings.forcerun == {"asked", FILE}
    guarding.filter(event(LogEvent.JOB_INFO, jobid=3))
    Path(FILE).write_text("made again", encoding="utf-8")
    guarding.filter(event(LogEvent.JOB_FINISHED, job_id=3))
    assert written.changed() == []
    Path(FILE).write_text("and changed", encoding="utf-8")
    assert written.changed() == [FILE]


def test_a_quiet_run_is_followed_to_its_end(written: Written) -> None:
    guarding = Guarding(written, workflow(dryrun=False), Told())
    guarding.filter(event(LogEvent.JOB_INFO, jobid=3))
    Path(FILE).write_text("made again", encoding="utf-8")
    guarding.finished()
    Path(FILE).write_text("and changed", encoding="utf-8")
    assert written.changed() == [FILE]


def test_a_dry_run_says_so_and_touches_nothing(written: Written) -> None:
    asked, told = workflow(dryrun=True), Told()
    guarding = Guarding(written, asked, told)
    Path(FILE).write_text("changed", encoding="utf-8")
    guarding.filter(event(LogEvent.WORKFLOW_STARTED))
    guarding.filter(event(LogEvent.JOB_INFO, jobid=3))
    assert told.texts == [
        f"{FILE} is not what its job wrote: it would be set aside, and made again."
    ]
    assert asked.dag_settings.forcerun == {"asked", FILE}
    assert written.changed() == [FILE]
