"""Time the set-up of a copy of the project: the Python environment, and LaTeX if missing.

python benchmarks/setup.py

The caches of uv and apt are in the copy, so everything is downloaded again.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from goals import against_goal
from workflow import copy_project


def main() -> None:
    """Set up a copy of the project by ./reproduce, and print the time in seconds with its goal."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_project(folder)
        started = time.perf_counter()
        subprocess.run(["./reproduce", "--version"], cwd=folder, check=True)
        print(against_goal("set-up", time.perf_counter() - started))


if __name__ == "__main__":
    main()
