"""The arrays of a run: what is under way, what has arrived, what the run is told beforehand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.simulator.trace import EVENT, SENT


class Arrays(NamedTuple):
    """Rings are indexed modulo their size, a power of two."""

    arrivals: NDArray[np.int64]
    """Ring: when packets under way are known to have arrived, in order of these times."""
    under_way: NDArray[np.int64]
    """Ring: these packets."""
    board: NDArray[np.int8]
    """For each packet beyond a hole: whether it has arrived."""
    departures: NDArray[np.int64]
    """Ring: when queued packets leave the server."""
    capacity: NDArray[np.float64]
    """Packets that each step of a periodic capacity carries."""
    delays: NDArray[np.int64]
    """Delays beyond the bottleneck that hand-offs cycle through."""
    scripted: NDArray[np.int64]
    """Transmissions whose fate is given, by their number, rising."""
    fates: NDArray[np.int64]
    """What happens to them: how many ticks late they are, or LOST."""
    events: NDArray[np.void]
    sent: NDArray[np.void]
    """What the trace keeps; see `trace`."""


def new_arrays(
    packets: int,
    capacity: NDArray[np.float64],
    delays: list[int],
    script: dict[int, int],
    traced: int,
) -> Arrays:
    """Return the arrays of a run with at most `packets` under way and `traced` events kept."""
    size = 1 << max(4, (packets - 1).bit_length())
    numbers = sorted(script)
    return Arrays(
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int8),
        np.zeros(size, np.int64),
        capacity,
        np.array(delays, np.int64),
        np.array(numbers, np.int64),
        np.array([script[number] for number in numbers], np.int64),
        np.zeros(traced, EVENT),
        np.zeros(4 * traced, SENT),
    )
