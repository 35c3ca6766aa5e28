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
    stamps: NDArray[np.int64]
    """Ring: when these were sent; only for a sender with a scoreboard, as the next two."""
    sent_at: NDArray[np.int64]
    """For each outstanding packet: when it was sent last."""
    marks: NDArray[np.int8]
    """For each outstanding packet: what the sender knows of it."""
    board: NDArray[np.int8]
    """For each packet beyond a hole: whether it has arrived."""
    departures: NDArray[np.int64]
    """Ring: when queued packets leave the server."""
    capacity: NDArray[np.float64]
    """Ticks that a packet takes in each step of a periodic capacity."""
    delays: NDArray[np.int64]
    """Delays beyond the bottleneck that hand-offs cycle through, or those of a trace's steps."""
    scripted: NDArray[np.int64]
    """Transmissions whose fate is given, by their number, rising."""
    fates: NDArray[np.int64]
    """What happens to them: how many ticks late they are, or LOST."""
    events: NDArray[np.void]
    sent: NDArray[np.void]
    """What the trace keeps; see `trace`."""


FEWEST = 2**10
"""Packets that rings hold at first; few enough for a processor's nearest cache."""


GROWTH = 4
"""Rings that are full become so many times as large."""


def new_arrays(
    capacity: NDArray[np.float64], delays: list[int], script: dict[int, int], traced: int
) -> Arrays:
    """Return the arrays of a run of which `traced` events are kept."""
    numbers = sorted(script)
    return Arrays(
        np.zeros(FEWEST, np.int64),
        np.zeros(FEWEST, np.int64),
        np.zeros(FEWEST, np.int64),
        np.zeros(FEWEST, np.int64),
        np.zeros(FEWEST, np.int8),
        np.zeros(FEWEST, np.int8),
        np.zeros(FEWEST, np.int64),
        capacity,
        np.array(delays, np.int64),
        np.array(numbers, np.int64),
        np.array([script[number] for number in numbers], np.int64),
        np.zeros(traced, EVENT),
        np.zeros(4 * traced, SENT),
    )


def enlarged(arrays: Arrays, through: int, highest: int) -> Arrays:
    """Return arrays with larger rings that hold the same.

    Args:
        arrays: a run's arrays.
        through: the last packet that the receiver has in order.
        highest: the highest that it has.

    """
    # A place x of the old ring is now one of x, x + size, …: whichever is read finds it.
    tiled = {
        ring: np.tile(getattr(arrays, ring), GROWTH)
        for ring in ("arrivals", "under_way", "stamps", "sent_at", "marks", "departures")
    }
    beyond = np.arange(through + 1, highest + 1)
    board = np.zeros(GROWTH * arrays.board.size, np.int8)
    board[beyond & (board.size - 1)] = arrays.board[beyond & (arrays.board.size - 1)]
    return arrays._replace(board=board, **tiled)
