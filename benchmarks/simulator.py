"""Time the packet simulator, compared with ns-2, htsim, Linux and two minimal loops.

Run it on an idle machine: python benchmarks/simulator.py [--htsim FOLDER] [--record FILE]. Results
are CPU times per packet that the sender sends. Simulator, ns-2 and htsim run several times in turn,
and the best time of each counts, without compilation. Linux runs once, in real time; its CPU time
is that of the process that sends, carries and receives, with the kernel's share. The column of an
engine that this machine cannot run is empty: ns-2 needs Debian's ns2, Linux needs gcc and root, and
htsim needs `--htsim` with the folder `sim` of its source (github.com/Broadcom/csg-htsim), in which
`make libhtsim.a` was run. The gain of a second core is printed, too.

`--record` writes the table as CSV, for the report. If the file has times of the same day and the
same machine, each smaller time is kept, so that several runs can be combined.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import numba
import numpy as np
from goals import against_goal

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.ns2.process import read, run
from tcpgoodput.engines.ns2.script import script
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.storage import csv_text, read_rows, write_text

RUNS = 3
NS2_WITHIN_S = 600.0
NO_LIMIT = 100_000
"""Buffer in packets of a queue in htsim that never overflows."""
OTHERS = ("ns2_ns", "htsim_ns", "linux_ns")
ON_LINUX = Plan(1, 0.0, 0.0, 20.0)
SINUSOID = {"process": "sinusoid", "min_bps": 2e6, "max_bps": 1e7, "frequency_hz": 1.0}
SPIKES = {
    "interval": {"distribution": "exponential", "mean_s": 10.0},
    "duration": {"distribution": "constant", "mean_s": 0.5},
}

CASES: dict[str, dict[str, Any]] = {
    "NewReno, drop-tail": {"variant": "newreno", "buffer": 100},
    "SACK, drop-tail": {"variant": "sack", "buffer": 100},
    "NewReno, 0.1 % loss": {"variant": "newreno", "loss": 0.001},
    "Tahoe, 1 % loss": {"variant": "tahoe", "loss": 0.01},
    "NewReno, 1 % loss": {"variant": "newreno", "loss": 0.01},
    "SACK, 1 % loss": {"variant": "sack", "loss": 0.01},
    "SACK, 5 % loss": {"variant": "sack", "loss": 0.05},
    "CUBIC, 0.1 % loss": {"variant": "cubic", "loss": 0.001},
    "SACK, C(t) sinusoid": {"variant": "sack", "buffer": 100, "capacity": SINUSOID},
    "NewReno, delay spikes": {"variant": "newreno", "loss": 0.001, "spikes": SPIKES},
}
LENGTHS = (10**6, 10**7, 10**8, 10**9)


def connection(
    variant: str,
    *,
    stack: str | None = None,
    loss: float = 0.0,
    buffer: int | None = None,
    **parts: Any,
) -> Scenario:
    """Return a connection over 10 Mbit/s and an RTT of 50 ms; no `buffer` limit if it is None."""
    return Scenario.model_validate(
        {
            "id": "benchmark",
            "title": "10 Mb/s, 50 ms, packets of 1000 bytes",
            "tcp": {"variant": variant, "stack": stack, "mss_bytes": 1000},
            "path": {
                "rate_bps": 1e7,
                "forward_delay_s": 0.025,
                "backward_delay_s": 0.025,
                "buffer_packets": buffer,
            },
            "loss": {"process": "bernoulli", "probability": loss},
            **parts,
        }
    )


def simulate(scenario: Scenario, packets: int) -> tuple[float, int]:
    """Simulate until about `packets` packets are sent; return CPU time (s) and packets sent."""
    simulation = Simulation(scenario, random_stream(scenario, 1, 0))
    simulation.run(100.0)
    pps = simulation.counts.packets_sent / 100.0
    simulation = Simulation(scenario, random_stream(scenario, 1, 0))
    start = time.thread_time()
    simulation.run(packets / pps)
    return time.thread_time() - start, simulation.counts.packets_sent


def used_by_others_s() -> float:
    """Return the CPU time of all ended child processes in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def simulate_in_ns2(scenario: Scenario, packets: int) -> tuple[float, int]:
    """Simulate `packets`/1000 seconds in ns-2; return its CPU time (s) and the packets sent."""
    written = script(scenario, random_stream(scenario, 1, 0), Plan(1, 0.0, 0.0, packets / 1000))
    before_s = used_by_others_s()
    printed = read(run(written.text, NS2_WITHIN_S))
    return used_by_others_s() - before_s, printed.sent


def build_htsim(source: Path, folder: Path) -> Path:
    """Compile `htsim.cpp` with htsim's library in the folder `source`; return the program's path.

    The optimisation is that of htsim's own Makefile. `folder` is the place for the program.
    """
    program, code = folder / "htsim", Path(__file__).with_name("htsim.cpp")
    library = ["-I", str(source), str(code), str(source / "libhtsim.a")]
    subprocess.run(["g++", "-O3", "-std=c++11", *library, "-o", str(program)], check=True)
    return program


def simulate_in_htsim(program: Path, scenario: Scenario, packets: int) -> tuple[float, int]:
    """Simulate `packets`/1000 seconds in htsim; return its CPU time (s) and the packets sent."""
    loss, buffer = scenario.loss.lost_share, scenario.path.buffer_packets or NO_LIMIT
    arguments = [str(packets / 1000), str(loss), str(buffer)]
    before_s = used_by_others_s()
    run = subprocess.run([str(program), *arguments], check=True, capture_output=True, text=True)
    return used_by_others_s() - before_s, int(run.stdout)


def is_run_by_htsim(scenario: Scenario) -> bool:
    """Return whether `htsim.cpp` has the sender and the path of a scenario."""
    variable = scenario.capacity or scenario.spikes
    return scenario.tcp.variant == "newreno" and not variable


def carry_on_linux(scenario: Scenario) -> float | None:
    """Return Linux's CPU time per packet sent, in seconds; None if the run failed or was disturbed.

    Other load on the machine disturbs a run, because packets are sent in real time.
    """
    engine = REFEREES["linux"]
    engine.compile()
    before_s = used_by_others_s()
    try:
        seen = engine.observe(scenario, Conditions(), 0, ON_LINUX)
    except Unavailable as reason:
        print(reason)
        return None
    return (used_by_others_s() - before_s) / (seen.packets_sent or math.nan)


def is_run_by(engine: str, scenario: Scenario) -> bool:
    """Return whether an engine (`ns2` or `linux`) is installed here and can run a scenario."""
    return not (REFEREES[engine].missing() or REFEREES[engine].refusal(scenario))


@numba.njit(error_model="numpy")
def window_chain(count: int) -> float:
    """Add 1/cwnd to cwnd in a loop, in which each step needs the result of the previous one."""
    cwnd = 2.0
    for _ in range(count):
        cwnd += 1.0 / cwnd
        if cwnd > 100.0:
            cwnd = 50.0
    return cwnd


@numba.njit(error_model="numpy")
def ring_and_queue(count: int, ring: np.ndarray) -> int:
    """Run a minimal simulator: read each packet's arrival from a ring, and compute its departure.

    A departure, plus a delay, is written to the ring as a later packet's arrival. Return the last
    departure.
    """
    mask = ring.size - 1
    free_at = 0
    for number in range(count):
        at = ring[number & mask]
        free_at = max(at, free_at) + 800
        ring[(number + 100) & mask] = free_at + 50_000
    return free_at


def ns_per_step(work: Callable[..., Any], *arguments: Any, count: int = 20_000_000) -> float:
    """Return the CPU time in ns per step of the loop `work(count, *arguments)`, best of several."""
    work(1, *arguments)
    times = []
    for _ in range(RUNS):
        start = time.thread_time()
        work(count, *arguments)
        times.append(time.thread_time() - start)
    return min(times) / count * 1e9


def on_cores(scenario: Scenario, packets: int, cores: int) -> float:
    """Return the wall-clock time of four simulations on `cores` threads, in seconds."""
    start = time.perf_counter()
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(lambda _: simulate(scenario, packets), range(4)))
    return time.perf_counter() - start


def machine() -> str:
    """Return the processor's name and the number of its cores."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.is_file() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def compare(packets: int, htsim: Path | None) -> list[dict[str, Any]]:
    """Return a row per case: CPU time in ns per packet of each engine.

    ns-2 and htsim send about `packets` packets, the simulator ten times as many. `htsim` is the
    program from `build_htsim`. The value of an engine that cannot run here is None.
    """
    rows = []
    for name, parts in CASES.items():
        scenario = connection(**parts)
        simulate(scenario, 1000)
        in_ns2, on_linux = (is_run_by(engine, scenario) for engine in ("ns2", "linux"))
        in_htsim = htsim is not None and is_run_by_htsim(scenario)
        ours, of_ns2, of_htsim = [], [], []
        for _ in range(RUNS):
            seconds, sent = simulate(scenario, 10 * packets)
            ours.append(seconds / sent * 1e9)
            if in_ns2:
                seconds, sent = simulate_in_ns2(scenario, packets)
                of_ns2.append(seconds / sent * 1e9)
            if in_htsim:
                seconds, sent = simulate_in_htsim(htsim, scenario, packets)
                of_htsim.append(seconds / sent * 1e9)
        row = {"case": name, "packet_ns": min(ours), "ns2_ns": min(of_ns2, default=None)}
        row["htsim_ns"] = min(of_htsim, default=None)
        linux_s = carry_on_linux(scenario) if on_linux else None
        row["linux_ns"] = linux_s and linux_s * 1e9
        rows.append(row)
        others = "".join(f" {row[other] or math.nan:10.0f}" for other in OTHERS)
        print(f"{name:24} {row['packet_ns']:8.1f}{others}", flush=True)
    return rows


def recorded(file: Path, where: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the rows of a recorded table by case, if they are of this day and machine."""
    rows = read_rows(file) if file.is_file() else []
    return {row["case"]: row for row in rows if row.items() >= where.items()}


def best(
    rows: list[dict[str, Any]], earlier: dict[str, dict[str, str]], times: list[str]
) -> list[dict[str, Any]]:
    """Return rows with the smaller of the new and the earlier time in each of the columns."""
    for row in rows:
        for column in times:
            before = earlier.get(row["case"], {}).get(column)
            values = [float(value) for value in (row.get(column), before) if value]
            row[column] = min(values, default=None)
    return rows


def main() -> None:
    """Print CPU times per packet: of all cases, of minimal loops, and for several run lengths.

    Also print the gain of a second core and the peak memory.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--packets", type=int, default=500_000, help="that ns-2 sends in a run")
    parser.add_argument("--longest", type=int, default=10**8, help="packets of the longest run")
    parser.add_argument("--htsim", type=Path, help="folder `sim` of htsim, with libhtsim.a")
    parser.add_argument("--record", type=Path, help="write the table to this CSV file")
    arguments = parser.parse_args()
    print("                         ns per packet: here, ns-2, htsim, Linux")
    with tempfile.TemporaryDirectory() as folder:
        program = build_htsim(arguments.htsim, Path(folder)) if arguments.htsim else None
        rows = compare(arguments.packets, program)
    for row in rows:
        if row["ns2_ns"]:
            faster = row["ns2_ns"] / row["packet_ns"]
            print(f"{row['case']}, {against_goal('ns-2 over the simulator', faster)}")
    print("\nfloor: ns per step")
    floors = {
        "floor: the chain cwnd += 1/cwnd": ns_per_step(window_chain),
        "floor: ring and departure": ns_per_step(ring_and_queue, np.zeros(1024, np.int64)),
    }
    lossless = connection("newreno", buffer=100)
    lengths = {f"{n:.0e} packets": n for n in LENGTHS if n <= arguments.longest}
    for name, value in floors.items():
        print(f"{name:36} {value:6.2f}")
    print("\nlength of a run: ns per packet, NewReno, drop-tail")
    for name, length in lengths.items():
        runs = [simulate(lossless, length) for _ in range(1 if length > 10**8 else RUNS)]
        floors[name] = min(seconds / sent for seconds, sent in runs) * 1e9
        print(f"{name:36} {floors[name]:6.2f}", flush=True)
    rows += [{"case": name, "packet_ns": value} for name, value in floors.items()]
    for variant, name in (("cubic", "Linux's CUBIC"), ("bbr", "BBR")):
        todays = connection(variant, stack="linux-6.18", loss=0.01)
        runs = [simulate(todays, 10**6) for _ in range(RUNS)]
        each_ns = 1e9 * min(seconds / sent for seconds, sent in runs)
        print("\n" + against_goal(f"a packet of {name} at 1 % loss", each_ns))
    lossy = connection("newreno", loss=0.001)
    one, two = (min(on_cores(lossy, 10**7, n) for _ in range(RUNS)) for n in (1, 2))
    print(f"\n{against_goal('two cores over one', one / two)}")
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory: {memory_mb:.0f} MB")
    if arguments.record:
        where = {"date": f"{date.today()}", "machine": machine()}
        times = ["packet_ns", *OTHERS]
        rows = best([row | where for row in rows], recorded(arguments.record, where), times)
        write_text(arguments.record, csv_text(["case", *times, *where], rows))


if __name__ == "__main__":
    main()
