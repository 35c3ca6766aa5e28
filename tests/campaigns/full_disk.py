"""Run the workflow on a disk that is too small, then on larger disks until the run succeeds.

python -m tests.campaigns.full_disk [--count N] [--longest SECONDS] [--record]     as root

The project is on a file system in memory with less space than a run needs. The size is random, and
grows from run to run. Each run must end with a status other than 0 and name the file that the run
could not write. No output file may be incomplete. The run that finally has enough space must have
the same manifest as an undisturbed run. Nothing is deleted between the runs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.campaigns.tiny_run import TinyRun, half_written, timed

ASKED = 20

SIZES_EACH = 20
"""Largest number of disk sizes that one run tries before it gets enough space; chosen by hand."""

AMPLE_BYTES = 2 * 2**30

FULL = ("No space left on device", "The disk is full")
NAMED = re.compile(r"(?:runs|logs|\.snakemake|paper|figures|results)/[^\s:'\"]+")


class Disk:
    """A file system in memory (tmpfs), whose size can change while it is mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def resize(self, size: int) -> None:
        options = f"remount,size={size}"
        subprocess.run(["mount", "-o", options, self.folder], check=True, capture_output=True)

    @property
    def used(self) -> int:
        """Number of bytes that the files on this file system use."""
        outcome_line = os.statvfs(self.folder)
        return (outcome_line.f_blocks - outcome_line.f_bfree) * outcome_line.f_frsize


@contextmanager
def disk() -> Iterator[Disk]:
    """Mount a file system in memory within the context; this needs root."""
    with tempfile.TemporaryDirectory() as folder:
        options = f"size={AMPLE_BYTES}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
        try:
            yield Disk(Path(folder))
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fault(status: int, message: str) -> str | None:
    """Return what is wrong with the messages of a failed run on a full disk; None if nothing is.

    The messages must say that the disk is full, and name a file that could not be written.
    """
    lines = [line for line in message.splitlines() if any(word in line for word in FULL)]
    if not lines:
        return f"a full disk is not told, exit status {status}: {message[-1500:]}"
    if not any(map(NAMED.search, lines)):
        return f"nothing is named: {message[-1500:]}"
    return None


def campaign(count: int, longest_s: float, seed: int) -> list[Outcome]:
    """Run on disks that are too small, until `count` sizes or the time limit are reached.

    Each run from scratch is restarted on larger and larger disks. The last one has enough space.
    """
    draw = Random(seed)
    started = time.perf_counter()
    sizes, runs, halves = 0, 0, 0
    silent: list[str] = []
    unlike: list[str] = []
    with disk() as small:
        run = TinyRun(small.folder / "project")
        empty = small.used
        whole_s = timed(run)
        good, expected, need = run.manifest, run.contents(), small.used - empty
        print(f"{whole_s:.0f} s, {need / 1e6:.1f} MB with room enough", flush=True)
        while sizes < count and time.perf_counter() - started < longest_s:
            run.forget()
            # Disk sizes lie between the size of the project alone and the size of a complete run.
            shares = sorted(draw.uniform(0, 1) for _ in range(min(SIZES_EACH, count - sizes)))
            for share in shares:
                small.resize(max(empty + int(share * need), small.used))
                status, message = run.finish()
                if status == 0:
                    break  # the run succeeded: it needs less space than all its files together
                sizes += 1
                if found := fault(status, message):
                    silent.append(f"{100 * share:.0f} % of the need: {found}")
                    print(silent[-1], flush=True)
                halves += len(half_written(run, expected))
                print(f"{sizes} sizes, {runs} runs to their end", flush=True)
            small.resize(AMPLE_BYTES)
            status, message = run.finish()
            runs += 1
            if status:
                unlike.append(f"run {runs}: exit status {status}\n{message[-2000:]}")
            elif run.manifest != good or run.contents() != expected:
                unlike.append(f"run {runs}: {half_written(run, expected)}")
            for one in unlike:
                print(one, flush=True)
    took_s = time.perf_counter() - started
    room = f"sizes from 0 to all of the {need / 1e6:.0f} MB that a run writes"
    return [
        Outcome(
            "A run on a full disk ends with an error that names the cause and a file",
            "disk sizes",
            ASKED,
            sizes,
            len(silent),
            took_s,
            note=room,
        ),
        Outcome(
            "With enough space, the same command continues the run, and the manifest is that of an "
            "undisturbed run",
            "disk sizes",
            ASKED,
            sizes,
            len(unlike),
            took_s,
            note=f"{runs} complete runs, each after up to {SIZES_EACH} growing sizes; each "
            "manifest was compared with that of an undisturbed run",
        ),
        Outcome(
            "On a full disk no published file is incomplete",
            "checks of all published files",
            ASKED,
            sizes,
            halves,
            took_s,
        ),
    ]


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="Run the tiny run on disks that are too small.")
    parser.add_argument("--count", type=int, default=ASKED)
    parser.add_argument("--longest", type=float, default=3600.0, help="seconds, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write data/trust/full_disk.csv")
    arguments = parser.parse_args()
    outcomes = campaign(arguments.count, arguments.longest, arguments.seed)
    for outcome in outcomes:
        print(outcome_line(outcome))
    if arguments.record:
        print(record("full_disk", outcomes))


if __name__ == "__main__":
    main()
