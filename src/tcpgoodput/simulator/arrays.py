"""Arrays of a simulation run: packets under way and received, and inputs such as capacities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.simulator.channel.state import FRAME
from tcpgoodput.simulator.trace import EVENT, SENT


class Arrays(NamedTuple):
    """Arrays of a simulation run.

    A ring is an array indexed modulo its size, which is a power of two.
    """

    arrivals: NDArray[np.int64]
    """Ring of the times in ticks, ascending, at which the ACKs of the packets under way can reach
    the sender."""
    under_way: NDArray[np.int64]
    """Ring of the numbers of the packets under way; the times in `arrivals` have the same order."""
    stamps: NDArray[np.int64]
    """Ring of the send times in ticks of the packets under way, in the order of `arrivals`. Only
    senders with a scoreboard use `stamps`, `sent_at` and `marks`."""
    sent_at: NDArray[np.int64]
    """Ring, indexed by packet number, of the times in ticks at which outstanding packets were last
    sent."""
    marks: NDArray[np.int8]
    """Ring, indexed by packet number, of the marks of outstanding packets, such as LOST; see
    `senders.scoreboard.marks`."""
    after_run: NDArray[np.int64]
    """Ring, indexed by packet number: for a packet with marks, a later packet such that all packets
    between them have marks; see `senders.scoreboard.marks.next_unmarked`."""
    repeat_before: NDArray[np.int64]
    """Ring, indexed by packet number: for a packet that was resent, and that SACK does not report,
    the one that was resent before it, or NONE. `repeat_after`: the one that was resent after it."""
    repeat_after: NDArray[np.int64]
    phase_began: NDArray[np.int64]
    """Ring, indexed by packet number, with `delivered_at` and `delivered`, of the state of a BBR
    sender when it sent the packet; see `senders.scoreboard.bbr.samples`. For other senders these
    rings have one element."""
    delivered_at: NDArray[np.int64]
    delivered: NDArray[np.int64]
    board: NDArray[np.int8]
    """Ring, indexed by packet number, for packets above the first missing one: 1 if the packet has
    arrived at the receiver, else 0."""
    departures: NDArray[np.int64]
    """Ring of the times in ticks at which queued packets leave the bottleneck's server."""
    capacity: NDArray[np.float64]
    """Transmission time of a packet in ticks, in each step of a periodic capacity."""
    delays: NDArray[np.int64]
    """Delays after the bottleneck in ticks: one per hand-off (used in turn) or per trace step."""
    scripted: NDArray[np.int64]
    """Numbers of the transmissions whose loss or additional delay is prescribed, ascending."""
    fates: NDArray[np.int64]
    """Additional delay in ticks of each transmission in `scripted`, or LOST."""
    bad_runs: NDArray[np.int64]
    """Listed runs [first, end) of packets that the loss process loses next, shape (n, 2)."""
    frames: NDArray[np.void]
    """Ring of the packets on a link that retransmits, in the order of their arrival there; see
    `state.FRAME`. On other links `frames` and `repeats` have one element."""
    repeats: NDArray[np.int64]
    """Ring of the numbers of the frames that wait for their repetition, in the order of its
    time."""
    errors: NDArray[np.void] | None
    """Record of the process by which attempts to send a frame fail; None on other links."""
    events: NDArray[np.void]
    """Recorded events of the sender; see `trace.EVENT`."""
    sent: NDArray[np.void]
    """Record of each packet sent; see `trace.SENT`."""


RINGS = (
    "arrivals",
    "under_way",
    "stamps",
    "sent_at",
    "after_run",
    "repeat_before",
    "repeat_after",
    "departures",
)
"""Names of the rings of whole numbers that all senders have."""

SAMPLES = ("phase_began", "delivered_at", "delivered")
"""Names of the rings of whole numbers with BBR's samples."""

FEWEST = 2**10
"""Initial number of elements of a ring; small rings stay in the processor's fastest cache."""


GROWTH = 4
"""Factor by which a full ring (an array indexed modulo its size) is enlarged. Chosen by hand."""


def new_arrays(
    capacity: NDArray[np.float64],
    delays: list[int],
    script: dict[int, int],
    traced: int,
    *,
    samples: bool = False,
    errors: NDArray[np.void] | None = None,
) -> Arrays:
    """Return the arrays of a new run.

    Args:
        capacity: transmission time of a packet in ticks, in each step of a periodic capacity.
        delays: delays after the bottleneck in ticks.
        script: prescribed additional delay in ticks, or LOST, by number of the transmission.
        traced: largest number of events to record.
        samples: whether the sender takes samples of its delivery rate.
        errors: record of the process by which attempts to send a frame fail, on a link that
            retransmits.

    """
    frames = 1 if errors is None else FEWEST
    numbers = sorted(script)
    return Arrays(
        **{ring: np.zeros(FEWEST, np.int64) for ring in RINGS},
        **{ring: np.zeros(FEWEST if samples else 1, np.int64) for ring in SAMPLES},
        marks=np.zeros(FEWEST, np.int8),
        board=np.zeros(FEWEST, np.int8),
        capacity=capacity,
        delays=np.array(delays, np.int64),
        scripted=np.array(numbers, np.int64),
        fates=np.array([script[number] for number in numbers], np.int64),
        bad_runs=np.empty((0, 2), np.int64),
        frames=np.zeros(frames, FRAME),
        repeats=np.zeros(frames, np.int64),
        errors=errors,
        events=np.zeros(traced, EVENT),
        sent=np.zeros(4 * traced, SENT),
    )


def enlarged(arrays: Arrays, last_in_order: int, highest: int) -> Arrays:
    """Return arrays with larger rings and the same content.

    Args:
        arrays: the arrays whose rings are full.
        last_in_order: the last packet that the receiver got in order.
        highest: the highest packet that the receiver got.

    """
    # Rings are indexed modulo their size. An entry at index x of the old ring belongs at one of
    # x, x + old size, …; so copy the old ring to all of these places.
    tiled = {
        ring: np.tile(getattr(arrays, ring), GROWTH)
        for ring in (*RINGS, *SAMPLES, "marks", "frames", "repeats")
    }
    beyond = np.arange(last_in_order + 1, highest + 1)
    board = np.zeros(GROWTH * arrays.board.size, np.int8)
    board[beyond & (board.size - 1)] = arrays.board[beyond & (arrays.board.size - 1)]
    return arrays._replace(board=board, **tiled)
