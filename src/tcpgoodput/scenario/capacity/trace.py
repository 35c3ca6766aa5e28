"""Capacity traces: files of steps in the capacity of a link."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration import ConfigurationError, Problem, refused

COLUMNS = ["time_s", "capacity_bps"]


def read_capacity_trace(path: Path | str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the times and capacities of a trace.

    Returns:
        Times in seconds, rising from 0, and the capacity in bit/s from each time on; shape (n,),
        n ≥ 2. The trace repeats after its last time, whose capacity is not used.

    Raises:
        ConfigurationError: not a CSV file of two columns of finite numbers in range.

    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise refused(path, "", f"cannot be read as CSV: {error}") from None
    if not rows or [name.strip() for name in rows[0]] != COLUMNS:
        raise refused(path, "", f"the first line must be {','.join(COLUMNS)}", 1)
    problems: list[Problem] = []
    times: list[float] = []
    capacities: list[float] = []
    for line, row in enumerate(rows[1:], start=2):
        try:
            time_s, capacity_bps = (float(cell) for cell in row)
        except ValueError:
            problems.append(Problem(str(path), line, "", f"needs two numbers, has {row!r}"))
            continue
        if not (math.isfinite(time_s) and time_s >= 0):
            problems.append(Problem(str(path), line, "time_s", f"is {time_s}"))
        elif (not times and time_s != 0) or (times and time_s <= times[-1]):
            problems.append(Problem(str(path), line, "time_s", "must rise from 0"))
        if not (math.isfinite(capacity_bps) and 0 <= capacity_bps <= 1e15):
            problems.append(Problem(str(path), line, "capacity_bps", f"is {capacity_bps}"))
        times.append(time_s)
        capacities.append(capacity_bps)
    if not problems and len(times) < 2:
        problems.append(Problem(str(path), 0, "", "needs at least two rows"))
    if not problems and max(capacities[:-1]) == 0:
        problems.append(Problem(str(path), 0, "capacity_bps", "is 0 throughout"))
    if problems:
        raise ConfigurationError(problems)
    return np.array(times), np.array(capacities)


def mean_of_trace_bps(path: Path | str) -> float:
    """Return the time average of a trace's capacity, in bit/s."""
    times, capacities = read_capacity_trace(path)
    return float(np.average(capacities[:-1], weights=np.diff(times)))
