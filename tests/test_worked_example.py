"""The example model of config/README.md works as described there."""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import worked_example
from tests.scenarios import PLAIN

ROOT = Path(__file__).parents[1]
MAIN = "from tcpgoodput.cli import main; main()"
RTT_S, SIZE_BYTES = 0.1, 1000


def tcpgoodput(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a scenario, and settings that name the example model."""
    (tmp_path / "config").mkdir()
    worked_example.add_to(tmp_path / "config" / "config.yaml")
    lossy = {**PLAIN, "loss": {"process": "bernoulli", "probability": 0.01}}
    (tmp_path / "lossy.yaml").write_text(yaml.safe_dump(lossy), encoding="utf-8")
    return tmp_path


def rfc5348_bytes_per_s(s: float, R: float, p: float) -> float:
    """Return TFRC's rate X_Bps in bytes/s as RFC 5348, section 3.1, prints it.

    `s` is the packet size in bytes, `R` the RTT in seconds, and `p` the loss event rate.
    """
    b, t_RTO = 1, 4 * R
    f = R * math.sqrt(2 * b * p / 3) + t_RTO * (3 * math.sqrt(3 * b * p / 8) * p * (1 + 32 * p**2))
    return s / f


@pytest.mark.parametrize("p", [1e-6, 1e-3, 0.01, 0.09])
def test_the_example_gives_the_rfcs_numbers(folder: Path, p: float) -> None:
    lossy = {**PLAIN, "loss": {"process": "bernoulli", "probability": p}}
    (folder / "lossy.yaml").write_text(yaml.safe_dump(lossy), encoding="utf-8")
    run = tcpgoodput(folder, "predict", "lossy.yaml", "--model", "tfrc", "--json")
    assert run.returncode == 0, run.stderr
    [record] = json.loads(run.stdout)
    expected = 8 * rfc5348_bytes_per_s(SIZE_BYTES, RTT_S, p)
    assert record["goodput_bps"] == pytest.approx(expected, rel=1e-12)
    assert record["status"] == "native"


def test_the_example_is_listed_as_a_model(folder: Path) -> None:
    records = json.loads(tcpgoodput(folder, "models", "--json").stdout)
    assert records[-1]["name"] == "tfrc"
    assert records[-1]["title"] == "TFRC equation"
    assert "tfrc" not in tcpgoodput(ROOT, "models").stdout


def test_the_example_is_compared_with_the_simulation(folder: Path) -> None:
    found = json.loads(tcpgoodput(folder, "compare", "lossy.yaml", "--json").stdout)
    [tfrc] = [record for record in found["models"] if record["name"] == "tfrc"]
    goodput_bps = found["simulation"]["goodput_bps"]
    assert tfrc["log_error"] == pytest.approx(math.log(tfrc["goodput_bps"] / goodput_bps))


def test_the_example_can_be_given_by_the_models_option(folder: Path) -> None:
    (folder / "config" / "config.yaml").unlink()
    file = f"config/{worked_example.FILE}"
    run = tcpgoodput(folder, "predict", "lossy.yaml", "--models", file, "--model", "tfrc", "--json")
    assert json.loads(run.stdout)[0]["goodput_bps"] > 0
    assert "did you mean" not in tcpgoodput(folder, "models", "--models", file).stderr


def test_running_the_example_creates_no_files(folder: Path) -> None:
    before = set(folder.rglob("*"))
    assert tcpgoodput(folder, "models").returncode == 0
    assert set(folder.rglob("*")) == before


def test_the_example_has_at_most_fifty_lines() -> None:
    assert len(worked_example.code().splitlines()) <= 50
    assert ast.get_docstring(ast.parse(worked_example.code()))
