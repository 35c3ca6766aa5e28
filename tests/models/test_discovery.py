"""Models in the package's folders and other packages are found, and imported only when needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tcpgoodput.models import MODELS
from tests import worked_example

SOURCE = Path(__file__).parents[2] / "src" / "tcpgoodput"
LISTED = """
import json
import tcpgoodput.studies.files
from tcpgoodput.models.registry import REGISTERS
print(json.dumps({register.kind: register.names() for register in REGISTERS}))
"""


def python(text: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
    command = [sys.executable, "-c", text]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def listed(before: str = "", path: Path | None = None) -> dict[str, list[str]]:
    run = python(before + LISTED, path)
    assert run.returncode == 0, run.stderr
    found: dict[str, list[str]] = json.loads(run.stdout)
    return found


def test_the_order_of_models_does_not_depend_on_imports() -> None:
    first = listed()
    assert first["model"][:2] == ["delay_spikes.lossless", "delay_spikes.lossy"]
    assert first["model"][-14:] == [
        "altman", "pftk", "cardwell", "cubic", "lakshman_madhow", "misra", "parvez",
        "pftk_approximation", "pftk_send_rate", "poojary",
        "bbr.random_loss", "bbr.random_loss_upper", "bbr.random_loss_lower", "bbr.fluid",
    ]  # fmt: skip
    assert [
        name for name in first["table"] if not name.startswith("links.") and "simulator" not in name
    ] == first["table"][:2]
    history = (
        "import tcpgoodput.simulator, tcpgoodput.models.packet_trains.errata\n"
        "import tcpgoodput.models.literature.pftk_send_rate\n"
        "import tcpgoodput.models.variable_capacity.curves\n"
    )
    assert listed(history) == first


def test_importing_a_model_does_not_import_the_others() -> None:
    run = python(
        "import sys, tcpgoodput.models.literature.pftk\n"
        "print([m for m in sys.modules if m.startswith('tcpgoodput.models.')])"
    )
    assert "literature.pftk" in run.stdout
    assert "misra" not in run.stdout
    assert "fluid" not in run.stdout


def test_listing_models_does_not_import_numba() -> None:
    run = python(
        "import sys\nfrom tcpgoodput.models import MODELS\nMODELS.names()\n"
        "print([m for m in ('numba', 'scipy', 'pandas', 'matplotlib') if m in sys.modules])"
    )
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a folder with a copy of the project's package, to which a test can add files."""
    shutil.copytree(SOURCE, tmp_path / "tcpgoodput", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_a_file_among_the_models_is_found(source: Path) -> None:
    literature = source / "tcpgoodput" / "models" / "literature"
    (literature / "tfrc.py").write_text(worked_example.code(), encoding="utf-8")
    found = listed(path=source)
    assert found["model"] == [*MODELS.names(), "tfrc"]
    (literature / "tfrc.py").rename(literature / "_tfrc.py")
    assert listed(path=source)["model"] == MODELS.names()


def package(folder: Path, value: str, text: str) -> Path:
    """Install a package with a module of models, which its entry point names as `value`."""
    (folder / "plugged").mkdir()
    (folder / "plugged" / "__init__.py").write_text("from plugged import models\n")
    (folder / "plugged" / "models.py").write_text(text, encoding="utf-8")
    about = folder / "plugged-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[tcpgoodput.models]\nmine = {value}\n")
    return folder


@pytest.mark.parametrize(
    ("value", "left_out"),
    [
        ("plugged", ""),
        ("plugged.models", ""),
        ("plugged.models:Tfrc", ""),
        ("plugged.models:Tfrc", "@register\n"),
    ],
)
def test_models_of_an_installed_package_are_found(
    tmp_path: Path, value: str, left_out: str
) -> None:
    path = package(tmp_path, value, worked_example.code().replace(left_out, ""))
    assert listed(path=path)["model"] == [*MODELS.names(), "tfrc"]


@pytest.mark.parametrize(
    ("value", "text", "message"),
    [
        ("plugged.absent", "", "No module named 'plugged.absent'"),
        ("plugged.models", "x = 1", "registers nothing"),
        ("plugged.models:x", "x = 1", "1 is no model"),
        ("plugged.models", "1 / 0", "ZeroDivisionError"),
    ],
)
def test_an_entry_point_without_a_model_is_reported(
    tmp_path: Path, value: str, text: str, message: str
) -> None:
    path = package(tmp_path, value, text)
    run = python(
        "from tcpgoodput.cli import main; import sys; sys.argv[1:] = ['models']; main()", path
    )
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert f"entry point mine = {value} of the package plugged: " in run.stderr
    assert message in run.stderr
