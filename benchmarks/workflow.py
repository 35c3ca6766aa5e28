"""Time the whole workflow: from scratch, with nothing to do, after a changed label or scenario.

python benchmarks/workflow.py [draft|paper]

The workflow runs in a copy of the project. Its time is split by kind of job.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from goals import against_goal

ROOT = Path(__file__).parents[1]
LEFT_OUT = ("tests", "benchmarks")
RUN = "timed"
RUNS = 3
"""Number of times that the finished workflow is started again; the fastest counts."""
LABEL = ("label: Throughput, unit: kbit/s", "label: Rate, unit: kbit/s")


def snakemake(folder: Path, precision: str, *targets: str) -> float:
    """Run the workflow in a folder; return the wall-clock time in seconds.

    If `targets` (paths in the run's folder) are given, only they are made.
    """
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    command = [sys.executable, "-m", "snakemake", "--cores", "all"]
    started = time.perf_counter()
    run = subprocess.run(
        [
            *command,
            *(f"runs/{RUN}/{target}" for target in targets),
            "--config",
            f"precision={precision}",
            f"run={RUN}",
        ],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise SystemExit(run.stdout[-2000:] + run.stderr[-4000:])
    return time.perf_counter() - started


def copy_project(folder: Path) -> None:
    """Copy the tracked files in their current state, except tests and benchmarks."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.rstrip("\0").split("\0"):
        if Path(name).parts[0] not in LEFT_OUT and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def split(folder: Path) -> dict[str, tuple[float, float]]:
    """Return total wall-clock time (s) and peak memory (MB) of each kind of job, slowest first."""
    kinds: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    logs = folder / "runs" / RUN / "logs" / "benchmarks"
    for file in logs.rglob("*.tsv"):
        parts = file.relative_to(logs).parts
        kind = parts[0].removesuffix(".tsv")
        with open(file, encoding="utf-8", newline="") as table:
            row = next(csv.DictReader(table, delimiter="\t"))
        seconds, memory = kinds[kind]
        peak = 0.0 if row["max_rss"] == "NA" else float(row["max_rss"])
        kinds[kind] = (seconds + float(row["s"]), max(memory, peak))
    return dict(sorted(kinds.items(), key=lambda item: -item[1][0]))


def main(precision: str) -> None:
    """Time the workflow from scratch, unchanged, and after two changes; print times and goals."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_project(folder)
        print(against_goal(f"{precision} from nothing", snakemake(folder, precision)))
        print(f"  {'jobs':40} wall s  peak MB")
        kinds = split(folder)
        for kind, (seconds, memory) in kinds.items():
            print(f"  {kind:40} {seconds:6.1f}  {memory:7.0f}")
        print(against_goal("memory of a job", max(memory for _, memory in kinds.values())))
        print(against_goal("nothing to do", min(snakemake(folder, precision) for _ in range(RUNS))))
        figures = folder / "config" / "figures" / "mathis.yaml"
        text = figures.read_text(encoding="utf-8")
        assert LABEL[0] in text, "the benchmark's label is gone; choose another"
        figures.write_text(text.replace(*LABEL), encoding="utf-8")
        picture = snakemake(folder, precision, "figures/mathis/fig02.png")
        print(against_goal("a changed label, to the picture", picture))
        print(f"and to the report: {snakemake(folder, precision):.1f} s")
        scenario = folder / "config" / "scenarios" / "s02-independent-1e-2.yaml"
        text = scenario.read_text(encoding="utf-8")
        for old, new in (("id: s02-independent-1e-2", "id: another"), ("0.01", "0.012")):
            assert old in text, "the benchmark's scenario has changed; choose another"
            text = text.replace(old, new)
        scenario.with_name("another.yaml").write_text(text, encoding="utf-8")
        matrix = snakemake(folder, precision, "figures/comparison/matrix.png")
        print(against_goal("a new scenario, to the matrix", matrix))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("precision", nargs="?", choices=["draft", "paper"], default="draft")
    main(parser.parse_args().precision)
