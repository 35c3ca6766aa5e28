"""The help of each command: its usage is plain, and its examples work."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tcpgoodput.cli.app import EXAMPLES, run
from tests.cli.program import INTERRUPTIBLE
from tests.folders import ROOT

NAMES = {command.__name__ for command in EXAMPLES}
MINE = "tcpgoodput new --rate 20M --rtt 60ms --loss 1% > mine.yaml"
ENDLESS = "explore"
LINES = [
    line for c, lines in EXAMPLES.items() if c.__name__ != ENDLESS for line in lines if line != MINE
]
ALLOWED = {"verify": {0, 1}}
"""Exit statuses of examples that may differ from 0: results may be absent, or those of a change."""


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run([command, "--help"]) == 0
    return capsys.readouterr().out


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """Return a folder with the project's configuration and the files that examples name."""
    for name in ("config", "data", "paper", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    for file in (ROOT / "docs/examples").iterdir():
        shutil.copy(file, tmp_path)
    rows = "\n".join(f"{t},{rate}" for t, rate in enumerate([10e6, 20e6, 0, 15e6, 12e6, 5e6, 9e6]))
    (tmp_path / "drive.csv").write_text(f"time_s,rate_bps\n{rows}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert MINE in help_of("new", capsys)
    words, _, file_name = MINE.removeprefix("tcpgoodput ").partition(" > ")
    assert run(shlex.split(words)) == 0
    (tmp_path / file_name).write_text(capsys.readouterr().out, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_an_example_works(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del folder
    program, command, *words = shlex.split(line)
    assert program == "tcpgoodput"
    assert f"\n  {line}\n" in help_of(command, capsys)
    status = run([command, *words])
    captured = capsys.readouterr()
    assert status in ALLOWED.get(command, {0}), captured.err
    assert captured.out or captured.err


@pytest.mark.parametrize("line", EXAMPLES[next(c for c in EXAMPLES if c.__name__ == ENDLESS)])
def test_an_example_of_the_explorer_works(line: str, folder: Path) -> None:
    words = [*shlex.split(line.replace("8000", "0"))[1:], "--no-browser"]
    command = [*INTERRUPTIBLE, *words]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        message = process.stderr.readline()
        assert message.startswith("The explorer is at http://")
        with urllib.request.urlopen(message.split()[4], timeout=60) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@pytest.mark.parametrize("command", sorted(NAMES))
def test_the_usage_is_plain(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(command, capsys)
    usage = text.splitlines()[0]
    assert re.fullmatch(rf"Usage: tcpgoodput {command} \[OPTIONS\]( \[?[\w.]+\]?(\.\.\.)?)?", usage)
    assert not re.search(r"<|\[\[|\{", text.partition("Options:")[0])
    assert len(text.split("\nExample")) == 2


@pytest.mark.parametrize(
    ("command", "argument"),
    [("check", "[FILE]..."), ("link", "FILE..."), ("show", "SCENARIO.yaml")],
)
def test_the_usage_says_what_is_required(
    command: str, argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = help_of(command, capsys).splitlines()[0]
    assert first == f"Usage: tcpgoodput {command} [OPTIONS] {argument}"
