"""Compilation of the path's emulator, and its lists of losses, delays, rates and hand-offs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.path_schedule import (
    MOST_PER_CAPACITY,
    Array,
    bad_runs,
    capacity_in_steps,
    delay_in_steps,
    handoff_times,
    packets_in,
    spike_intervals,
)
from tcpgoodput.scenario import Scenario

SOURCE = Path(__file__).with_name("emulator.c")


def compiler() -> str | None:
    """Return the path of the system's C compiler, or None if there is none."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@cache
def emulator() -> Path:
    """Return the path of the compiled emulator of a network path; compile it if necessary.

    The program is stored in the user's cache.

    Raises:
        Unavailable: compilation failed.

    """
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    program = _cache() / f"emulator-{digest}"
    if program.is_file():
        return program
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        made = Path(folder, "emulator")
        command = [str(compiler()), "-O2", "-pthread", "-o", str(made), str(SOURCE), "-lm"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            message = (run.stderr.splitlines() or ["the compiler says nothing"])[0]
            raise Unavailable(f"the path's emulator does not compile: {message}")
        made.replace(program)
    return program


def _cache() -> Path:
    """Return the user's cache folder for compiled programs, or else a new temporary folder."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "tcpgoodput")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (only tests whether it works)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="tcpgoodput-"))
    probe.close()
    return folder


Lists = list[tuple[str, list[float]]]


def path_lists(
    scenario: Scenario, stream: np.random.Generator, horizon_s: float, *, phases: bool = True
) -> Lists:
    """Return the lists with which the emulator replays a scenario's path, up to a horizon.

    Args:
        scenario: the scenario to run.
        stream: the source of random numbers.
        horizon_s: the time that the lists must cover, in seconds.
        phases: whether a periodic capacity and a delay start at a random phase.

    """
    rate: list[float] = [0.0, scenario.path.rate_bps]
    if capacity := capacity_in_steps(scenario, stream, horizon_s, phases=phases):
        rate = _steps(capacity.times_s, capacity.rates_bps, capacity.period_s, horizon_s)
    delay: list[float] = []
    if way := delay_in_steps(scenario, stream, capacity, phases=phases):
        delay = _steps(way.times_s, way.delays_s, way.period_s, horizon_s)
    return [
        *_losses(scenario, stream, horizon_s),
        *_handoffs(scenario, stream, horizon_s),
        ("stopped_s", spike_intervals(scenario, stream, horizon_s).ravel().tolist()),
        ("capacity", rate),
        ("delay", delay),
    ]


def _losses(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    loss = scenario.loss
    lists: Lists = [("loss_before", [int(loss.place == "before")])]
    steps = MOST_PER_CAPACITY * horizon_s * scenario.rate_pps
    if loss.impairment is None:
        return lists
    runs = bad_runs(loss, stream, steps)
    if loss.counts_slots:
        lists.append(("bad_s", (runs.ravel() / scenario.rate_pps).tolist()))
    else:
        lists.append(("lost_packets", packets_in(runs).tolist()))
    return lists


def _handoffs(scenario: Scenario, stream: np.random.Generator, horizon_s: float) -> Lists:
    handoffs = scenario.handoffs
    if handoffs is None:
        return []
    late_s = -1.0 if handoffs.fate == "lost" else float(handoffs.late_s or 0)
    return [
        ("handoffs_s", handoff_times(scenario, stream, horizon_s).tolist()),
        ("handoff_packets", [handoffs.packets]),
        ("late_s", [late_s]),
        ("delay_steps_s", list(handoffs.delay_steps_s)),
    ]


def _steps(times_s: Array, values: Array, period_s: float, horizon_s: float) -> list[float]:
    """Return steps as a list of start time, value, start time, value and so on."""
    turns = np.arange(np.ceil(horizon_s / period_s)) if period_s else np.zeros(1)
    times = (turns[:, np.newaxis] * period_s + times_s).ravel()
    return [float(x) for x in np.column_stack([times, np.tile(values, turns.size)]).ravel()]
