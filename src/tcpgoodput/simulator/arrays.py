"""Arrays of a run: packets under way and received, and inputs such as capacities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.simulator.trace import EVENT, SENT


class Arrays(NamedTuple):
    """Arrays of a run. Rings are indexed modulo their size, a power of two."""

    arrivals: NDArray[np.int64]
    """Ring of times at which the sender learns of the arrival of packets under way, in ascending
    order."""
    under_way: NDArray[np.int64]
    """Ring of the numbers of these packets."""
    stamps: NDArray[np.int64]
    """Ring of the send times of these packets. This and the next two are used by senders with a
    scoreboard."""
    sent_at: NDArray[np.int64]
    """Last send time of each outstanding packet."""
    marks: NDArray[np.int8]
    """Marks of each outstanding packet; see `senders.scoreboard.marks`."""
    board: NDArray[np.int8]
    """State of each packet above the first missing one: 1 if it has arrived, else 0."""
    departures: NDArray[np.int64]
    """Ring of the times at which queued packets leave the server."""
    capacity: NDArray[np.float64]
    """Transmission time of a packet in ticks, in each step of a periodic capacity."""
    delays: NDArray[np.int64]
    """Delays beyond the bottleneck in ticks: the cycle of hand-offs, or the steps of a trace."""
    scripted: NDArray[np.int64]
    """Numbers of the transmissions with a prescribed fate, in ascending order."""
    fates: NDArray[np.int64]
    """Fates of these transmissions: the delay in ticks, or LOST."""
    events: NDArray[np.void]
    sent: NDArray[np.void]
    """Packets that the trace recorded; `events` are its events. See `trace`."""


FEWEST = 2**10
"""Initial size of rings in packets, small enough for a processor's nearest cache."""


GROWTH = 4
"""Factor by which full rings are enlarged."""


def new_arrays(
    capacity: NDArray[np.float64], delays: list[int], script: dict[int, int], traced: int
) -> Arrays:
    """Return the arrays of a new run.

    Args:
        capacity: transmission time of a packet in ticks, in each step of a periodic capacity.
        delays: delays beyond the bottleneck in ticks.
        script: fate of each transmission with a prescribed fate, by its number.
        traced: number of events to record.

    """
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
    """Return arrays with larger rings and the same content.

    Args:
        arrays: the arrays of a run.
        through: the last packet that the receiver has in order.
        highest: the highest packet that the receiver has.

    """
    # Index x of the old ring becomes x, x + size, …, so copy the old ring to all of these places.
    tiled = {
        ring: np.tile(getattr(arrays, ring), GROWTH)
        for ring in ("arrivals", "under_way", "stamps", "sent_at", "marks", "departures")
    }
    beyond = np.arange(through + 1, highest + 1)
    board = np.zeros(GROWTH * arrays.board.size, np.int8)
    board[beyond & (board.size - 1)] = arrays.board[beyond & (arrays.board.size - 1)]
    return arrays._replace(board=board, **tiled)
