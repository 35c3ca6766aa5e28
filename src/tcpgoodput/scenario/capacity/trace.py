"""Traces: CSV files with the capacity of a link, or its delay, over time.

Each row is valid from its time until the time of the next row. The last row only marks the end,
after which the trace repeats; the value in the last row is not used.
"""

from __future__ import annotations

import csv
import math
from array import array
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration import ConfigurationError, Problem, refused
from tcpgoodput.configuration.packed_text import rows_of
from tcpgoodput.configuration.problems import ENOUGH_PROBLEMS, quoted

COLUMNS = ["time_s", "capacity_bps"]
DELAY_COLUMNS = ["time_s", "delay_s"]

FINER = 4
"""Number of parts into which the shortest time between two rows of a trace is divided, if the times
between rows are not multiples of it. Chosen by hand."""

MOST_STEPS = 2**22
"""Largest number of equal time steps that represent a trace; traces that need more lose detail."""

MOST_ROWS = 2**23
"""Largest number of lines of a trace, more than tcpgoodput trace writes. Chosen by hand."""

HIGHEST_BPS, LONGEST_DELAY_S = 1e15, 3600.0

Steps = tuple[NDArray[np.float64], NDArray[np.float64]]


def read_capacity_trace(path: Path | str) -> Steps:
    """Read the times and capacities of a trace.

    Args:
        path: a CSV file, plain or compressed by gzip, bzip2 or xz.

    Returns:
        Times in seconds, rising from 0, and the capacity in bit/s from each time on; shape (n,), n
        ≥ 2. The trace repeats after its last time, whose capacity is not used.

    Raises:
        ConfigurationError: the file is no CSV file of two columns of finite numbers in range, with
            rising times from 0 on; or the capacity is always 0.

    """
    times, capacities = _read(path, COLUMNS, HIGHEST_BPS)
    if capacities[:-1].max() == 0:
        raise refused(path, "capacity_bps", "is 0 throughout; one row must be above 0")
    return times, capacities


def read_delay_trace(path: Path | str) -> Steps:
    """Read the times and delays of a trace, in seconds; see `read_capacity_trace`."""
    return _read(path, DELAY_COLUMNS, LONGEST_DELAY_S)


def _read(path: Path | str, columns: list[str], most: float) -> Steps:
    # Without the reader's own rule for quotes, by which a stray one joins all lines up to the next.
    rows = csv.reader(rows_of(Path(path)), quoting=csv.QUOTE_NONE)
    if [_unquoted(name).strip() for name in next(rows, [])] != columns:
        message = f"the first line must be {','.join(columns)}"
        if columns == COLUMNS:
            message += "; tcpgoodput trace FILE --as capacity makes such a file of other formats"
        raise refused(path, "", message, 1)
    problems: list[Problem] = []
    times, values = array("d"), array("d")
    for row in rows:
        line = rows.line_num
        if line > MOST_ROWS:
            raise refused(
                path, "", f"has more than {MOST_ROWS} lines; cut it, or write longer steps"
            )
        if not any(cell.strip() for cell in row):
            continue
        try:
            time_s, value = map(float, map(_unquoted, row))
        except ValueError:
            message = f"needs two numbers, has {quoted(','.join(row))}"
            problems.append(Problem(str(path), line, "", message))
            time_s, value = math.nan, 0.0  # comparisons of the next time with NaN are false
        else:
            if not (math.isfinite(time_s) and time_s >= 0):
                message = f"is {time_s:g}, and must be a finite number from 0 on"
                problems.append(Problem(str(path), line, "time_s", message))
                time_s = math.nan
            elif (not times and time_s != 0) or (times and time_s <= times[-1]):
                problems.append(
                    Problem(
                        str(path),
                        line,
                        "time_s",
                        "must rise from 0 in the first row, from row to row",
                    )
                )
            if not (math.isfinite(value) and 0 <= value <= most):
                message = f"is {value:g}; 0 to {most:g} are allowed"
                problems.append(Problem(str(path), line, columns[1], message))
        if len(problems) >= ENOUGH_PROBLEMS:
            break
        times.append(time_s)
        values.append(value)
    if not problems and len(times) < 2:
        message = "needs at least two rows: the last one only says when the trace ends"
        problems.append(Problem(str(path), 0, "", message))
    if problems:
        raise ConfigurationError(problems)
    return np.array(times), np.array(values)


def _unquoted(cell: str) -> str:
    return cell[1:-1] if cell[:1] == cell[-1:] == '"' else cell


def even_steps(times: NDArray[np.float64]) -> int:
    """Return the number of equal time steps that represent a trace, exactly or approximately.

    `times` are the times of all rows in seconds; the last one is the end of the trace.
    """
    gaps = np.diff(times)
    # Ignore the step that ends at the last row; it may be shorter than the others.
    marks = times / (gaps[:-1] if gaps.size > 1 else gaps).min()
    if np.allclose(marks, np.round(marks), rtol=1e-9, atol=1e-6):
        return min(round(float(marks[-1])), MOST_STEPS)
    return min(math.ceil(FINER * float(marks[-1])), MOST_STEPS)


def mean_of_trace_bps(path: Path | str) -> float:
    """Return the time average of a trace's capacity, in bit/s."""
    times, capacities = read_capacity_trace(path)
    return float(np.average(capacities[:-1], weights=np.diff(times)))
