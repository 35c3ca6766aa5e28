"""`./reproduce` does not use the Python of the virtual environment that it replaces."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.folders import ROOT


def test_setup_does_not_choose_the_python_of_the_environment_it_replaces(tmp_path: Path) -> None:
    own = tmp_path / ".venv/bin"
    own.mkdir(parents=True)
    (own / "python3").write_text("#!/bin/sh\necho the environment's own\n", encoding="utf-8")
    (own / "python3").chmod(0o755)
    script = (
        f"root={tmp_path}; source <(sed -n '/^find_python()/,/^}}/p' {ROOT}/reproduce); find_python"
    )
    path = f"{own}:{os.environ['PATH']}"
    found = subprocess.run(
        ["bash", "-c", script], env={"PATH": path}, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert "own" not in found
    assert Path(found).is_file()
