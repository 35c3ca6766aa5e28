"""Folders of a workflow run, and its command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.project.run import (
    LOCKS,
    Run,
    check_targets,
    claim,
    given_by,
    refuse_files_of_the_future,
)
from tcpgoodput.project.settings import DEFAULT_PATH


@pytest.mark.parametrize("name", [None, "draft"])
def test_every_run_has_the_same_folders(name: str | None) -> None:
    run = Run(name)
    found = [run.results, run.figures, run.paper, run.logs, run.report]
    plain = ["results", "figures", "paper", "logs", "paper/report.pdf"]
    assert found == [f"runs/{name}/{path}" if name else path for path in plain]
    assert run.root == (f"runs/{name}" if name else ".")


@pytest.mark.parametrize(
    ("config", "path", "changes"),
    [
        ({}, DEFAULT_PATH, {}),
        ({"precision": "draft", "seed": 2}, DEFAULT_PATH, {"precision": "draft", "seed": 2}),
        ({"configuration": "mine.yaml", "run": "a"}, Path("mine.yaml"), {"run": "a"}),
    ],
)
def test_given_by_returns_the_settings_file_and_changes(
    config: dict[str, Any], path: Path, changes: dict[str, Any]
) -> None:
    assert given_by(config, []) == (path, changes)


def test_values_of_the_settings_file_are_not_changes(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("sources: [mathis]\nseed: 3\n", encoding="utf-8")
    config = {"sources": ["mathis"], "seed": 3, "precision": "draft"}
    assert given_by(config, ["other.yaml", file]) == (file, {"precision": "draft"})
    assert given_by({**config, "seed": 4}, [file])[1] == {"seed": 4, "precision": "draft"}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        *(({"configuration": no}, "configuration: needs a file") for no in (None, 5, [], "")),
        ({"figures": None}, "figures: needs a value"),
        ({"precison": "draft"}, "unknown key; did you mean precision"),
    ],
)
def test_a_wrong_setting_on_the_command_line_is_refused(
    config: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        given_by(config, [])


WAIT = """
import sys
from tcpgoodput.project.run import Run, claim
kept = claim(Run(None))
print(flush=True)
input()
"""


def test_one_workflow_at_a_time_works_on_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", WAIT], **pipes, text=True) as other:
        assert other.stdout
        other.stdout.readline()
        with pytest.raises(
            ConfigurationError, match=rf"since \d\d:\d\d .* by process {other.pid} on"
        ):
            claim(Run(None))
        assert claim(Run("mine"))
        other.kill()
    assert claim(Run(None))


def test_a_run_in_a_folder_without_locks_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    LOCKS.parent.mkdir()
    LOCKS.write_text("a file in place of the folder", encoding="utf-8")
    assert claim(Run(None)) is None


def test_a_file_of_the_future_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "b c.yaml"):
        (tmp_path / "config/deeper" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "config/deeper" / name).touch()
    refuse_files_of_the_future("config", "nowhere")
    late = time.time() + 86400
    os.utime("config/deeper/b c.yaml", (late, late))
    with pytest.raises(ConfigurationError, match=r"config/deeper/b c.yaml: .*touch 'config/deep"):
        refuse_files_of_the_future("nowhere", "config")


FILES = [f"figures/{study}/{name}.pdf" for study in ("mathis", "handoffs") for name in ("a1", "b")]


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("figures/mathis/a2.pdf", "did you mean a1.pdf (in figures/mathis/)?"),
        ("figures/mathsi/b.pdf", "did you mean figures/mathis/b.pdf?"),
        ("a1.pdf", "did you mean figures/mathis/a1.pdf or figures/handoffs/a1.pdf?"),
        ("sit", "did you mean site?"),
        ("figures/mathis", "name a file in it, such as figures/mathis/a1.pdf"),
        ("/etc/passwd", "`snakemake --summary` lists all files"),
    ],
)
def test_a_target_that_no_rule_makes_is_refused_with_a_hint(target: str, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(hint)) as caught:
        check_targets(["all", target, FILES[0]], ["all", "site"], FILES, FILES.__contains__)
    assert [problem.file for problem in caught.value.problems] == [target]


def test_targets_may_be_written_in_any_way() -> None:
    absolute = str(Path.cwd() / FILES[0])
    check_targets(["all", f"./{FILES[0]}", absolute], ["all"], FILES, FILES.__contains__)
