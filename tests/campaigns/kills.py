"""Kill a run of the workflow on the tiny configuration repeatedly, resume it, compare results.

python -m tests.campaigns.kills [--count N] [--longest SECONDS] [--seed K] [--record [--further]]

A run from scratch is killed at a random time, restarted by the same command, killed again, and so
on until it finishes. Then its manifest must equal that of an undisturbed run. Nothing is deleted
between the starts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from random import Random

from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.campaigns.tiny_run import TinyRun, half_written, timed
from tests.folders import ODD

ASKED = 100

SHORTEST_S, LONGEST_SHARE = 0.2, 0.3
"""Earliest kill after a start, in seconds, and latest kill, as a share of the duration of a
complete run; chosen by hand."""

MOST_KILLS = 12
"""Largest number of kills of one run; after them it may finish. Chosen by hand."""


def campaign(count: int, longest_s: float, seed: int) -> list[Outcome]:
    """Kill and resume runs until `count` kills or the time limit (seconds) are reached."""
    draw = Random(seed)
    started = time.perf_counter()
    kills, while_resuming, runs, halves, bad = 0, 0, 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        run = TinyRun(Path(folder) / ODD)
        whole_s = timed(run)
        good, expected = run.manifest, run.contents()
        print(f"{whole_s:.0f} s undisturbed, manifest {good[:12]}", flush=True)
        while kills < count and time.perf_counter() - started < longest_s:
            run.forget()
            of_this = 0
            while of_this < MOST_KILLS and kills < count:
                if not run.killed_after(draw.uniform(SHORTEST_S, LONGEST_SHARE * whole_s)):
                    break
                kills, of_this = kills + 1, of_this + 1
                halves += len(half_written(run, expected))
            while_resuming += max(0, of_this - 1)
            status, message = run.finish()
            runs += 1
            if status:
                bad.append(f"run {runs}, {of_this} kills: exit status {status}\n{message[-2000:]}")
                continue
            if run.manifest != good or run.contents() != expected:
                bad.append(f"run {runs}, {of_this} kills: {half_written(run, expected)}")
            print(f"{kills} kills, {runs} runs, {len(bad)} bad", flush=True)
    for one in bad:
        print(one)
    return [
        Outcome(
            "A killed run, continued by the same command, ends with the same manifest",
            "kills -9 of the process group",
            ASKED,
            kills,
            len(bad),
            time.perf_counter() - started,
            note=f"seed {seed}; {while_resuming} of them while a run continued; {runs} complete "
            "runs, whose manifests were compared with those of undisturbed runs",
        ),
        Outcome(
            "After a kill no published file is incomplete",
            "checks of all published files after a kill",
            ASKED,
            kills,
            halves,
            time.perf_counter() - started,
        ),
    ]


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="Kill the tiny run again and again.")
    parser.add_argument("--count", type=int, default=ASKED)
    parser.add_argument("--longest", type=float, default=3600.0, help="seconds, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write data/trust/kills.csv")
    parser.add_argument("--further", action="store_true", help="add to what is recorded there")
    arguments = parser.parse_args()
    outcomes = campaign(arguments.count, arguments.longest, arguments.seed)
    for outcome in outcomes:
        print(outcome_line(outcome))
    if arguments.record:
        print(record("kills", outcomes, further=arguments.further))


if __name__ == "__main__":
    main()
