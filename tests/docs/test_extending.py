"""Each diff of `docs/extending.md` applies to the project, and has the documented effect."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM
from tests.folders import ROOT
from tests.scenarios import PLAIN

PAGE = ROOT / "docs" / "extending.md"
DIFF = re.compile(r"```diff\n(.*?)```", re.DOTALL)
pytestmark = pytest.mark.weekly


def changed(folder: Path, heading: str) -> Path:
    """Copy the project to a folder, apply the diff of a section of the page, return the folder."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    found = DIFF.search(section.partition("\n## ")[0])
    assert found is not None
    for name in ("src", "config", "workflow", "paper", "data"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "apply", "-"], cwd=folder, input=found[1], text=True, check=True)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "88"}
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    loss = "{process: regular, every_packets: 100}"
    tcp, path = (str(PLAIN[part]) for part in ("tcp", "path"))
    for name, lost in (("plain", "{process: none}"), ("regular", loss)):
        text = f"id: {name}\ntitle: A path\ntcp: {tcp}\npath: {path}\nloss: {lost}\n"
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_new_engine_is_available_and_reports_its_missing_program(folder: Path) -> None:
    done = run(changed(folder, "A new engine"), "simulate", "plain.yaml", "--engine", "ns3")
    assert done.returncode == 2
    assert "needs ns3-connection on PATH" in done.stderr


def test_the_documented_new_table_passes_the_check(folder: Path) -> None:
    done = run(changed(folder, "A new published table"), "check", "config/figures/mathis.yaml")
    assert "no errors" in done.stdout
    assert "peaks" in (folder / "config/figures/mathis.yaml").read_text(encoding="utf-8")


def test_a_new_loss_process_is_simulated_and_undefined_for_models(folder: Path) -> None:
    before = run(ROOT, "predict", "--all", str(folder / "regular.yaml"))
    assert before.returncode == 2
    changed(folder, "A new loss process")
    predicted = run(folder, "predict", "--all", "regular.yaml").stdout
    assert "does not describe regular loss" in predicted
    done = run(folder, "simulate", "regular.yaml", "--replications", "2", "--duration", "100")
    counts = dict(re.findall(r"^(packets sent|retransmissions) +(\d+)$", done.stdout, re.MULTILINE))
    lost = int(counts["packets sent"]) / 100
    assert int(counts["retransmissions"]) == pytest.approx(lost, rel=0.1)
