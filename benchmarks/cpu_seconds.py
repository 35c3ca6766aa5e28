"""Compare the CPU seconds of a finished run with the recorded ones, job by job.

python benchmarks/cpu_seconds.py [--record]

Snakemake measures each job (`logs/benchmarks/`). CPU seconds depend less on other work on the
machine than the time on the clock, but they depend on the processor: both runs are divided by the
time of a fixed piece of work on the same machine. The exit status is 1 if the whole run took
`MOST` times as much as the recorded run. `--record` writes `data/cpu_seconds.csv`, after a complete
run on an idle machine.
"""

from __future__ import annotations

import argparse
import csv
import time
from datetime import date
from pathlib import Path

from simulator import machine

from tcpgoodput import simulate
from tcpgoodput.storage import csv_text, read_rows, write_text

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "logs" / "benchmarks"
RECORDED = ROOT / "data" / "cpu_seconds.csv"
FIXED = "(a fixed simulation)"
"""Row of the table with the time of the fixed piece of work."""
MOST = 1.15
"""Largest ratio of CPU seconds to the recorded ones."""


def of_jobs() -> dict[str, float]:
    """Return the CPU seconds of each job of the last run, by the path of its benchmark."""
    seconds = {}
    for file in sorted(LOGS.rglob("*.tsv")):
        with file.open(encoding="utf-8") as lines:
            (row,) = csv.DictReader(lines, delimiter="\t")
        seconds[file.relative_to(LOGS).with_suffix("").as_posix()] = float(row["cpu_time"])
    return seconds


def of_fixed_work() -> float:
    """Return the CPU seconds of a simulation of 3e7 packets, without its compilation."""
    link = {
        "id": "fixed",
        "title": "SACK, 1 % loss",
        "tcp": {"variant": "sack", "mss_bytes": 1500},
        "path": {"rate_bps": 1e7, "forward_delay_s": 0.02, "backward_delay_s": 0.03},
        "loss": {"process": "bernoulli", "probability": 0.01},
    }
    simulate(link, replications=1, duration_s=10)
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        simulate(link, replications=20, duration_s=8000)
        best = min(best, time.process_time() - started)
    return best


def main() -> int:
    """Compare the last run with the recorded one, or record it; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write data/cpu_seconds.csv")
    record = parser.parse_args().record
    jobs, fixed_s = of_jobs(), of_fixed_work()
    if record:
        jobs |= {FIXED: fixed_s}
        where = {"date": f"{date.today()}", "machine": machine()}
        rows = [{"job": job, "cpu_s": f"{s:.3g}", **where} for job, s in jobs.items()]
        write_text(RECORDED, csv_text(["job", "cpu_s", *where], rows))
        return 0
    recorded = {row["job"]: float(row["cpu_s"]) for row in read_rows(RECORDED)}
    scale = fixed_s / recorded.pop(FIXED)
    if missing := sorted(set(recorded) - set(jobs)):
        print(f"not in logs/benchmarks: {', '.join(missing)}; run ./reproduce first")
        return 1
    for job in sorted(jobs, key=lambda job: -jobs[job]):
        before = f"{scale * recorded[job]:8.1f}" if job in recorded else "       –"
        print(f"{jobs[job]:8.1f} {before}  {job}")
    whole, before = sum(jobs.values()), scale * sum(recorded.values())
    print(f"{whole:8.1f} {before:8.1f}  whole: {whole / before:.2f} times the recorded CPU seconds")
    print(f"(recorded seconds times {scale:.2f}: a fixed simulation takes {fixed_s:.2f} s here)")
    return int(whole > MOST * before)


if __name__ == "__main__":
    raise SystemExit(main())
