"""Time the set-up of a copy of the project: the Python environment, and LaTeX where it is missing.

python benchmarks/setup.py

What uv and apt have downloaded before is not used: caches are in the copy.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from goals import against_goal
from workflow import copy_project


def main() -> None:
    """Set up, and print how long it took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_project(folder)
        started = time.perf_counter()
        subprocess.run(["./reproduce", "--version"], cwd=folder, check=True)
        print(against_goal("set-up", time.perf_counter() - started))


if __name__ == "__main__":
    main()
