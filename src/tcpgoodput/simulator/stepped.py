"""A sender and its receiver, run step by step by arrivals and timeouts, without a clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.compiled import entry_point
from tcpgoodput.simulator.receiver import REPORTS_NEW, new_receiver, on_arrival
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.sender import next_packet, on_ack, on_timeout
from tcpgoodput.simulator.senders.state import NONE, new_sender

MOST_PACKETS = 2**12
"""Size of the arrays; at most this number of packets can be sent and not acknowledged."""


@dataclass(frozen=True)
class Reaction:
    """Reaction to a packet's arrival: the ACK, its kind, and the packets that the sender sends."""

    ack: int
    """Highest packet that the ACK acknowledges in order."""
    kind: str
    """Kind of the ACK: ack, partial ack, full ack or duplicate ack."""
    flight: int
    """FlightSize after the ACK, before new packets are sent: packets sent and not acknowledged."""
    sent: tuple[int, ...]


class Stepped:
    """A sender and a receiver that acknowledges every packet."""

    def __init__(self, tcp: Tcp, *, acked: int = -1, window: int) -> None:
        """Set up a sender in congestion avoidance that has nothing outstanding.

        Args:
            tcp: the sender's settings.
            acked: number of the last packet that is already acknowledged; -1: none.
            window: cwnd in packets.

        Raises:
            ValueError: ACKs are delayed, or packets are paced, which needs a clock.

        """
        if tcp.variant == "bbr":
            raise ValueError("BBR paces its packets by a clock, so it cannot be stepped")
        if tcp.ack_every != 1:
            raise ValueError("senders are stepped with an ACK per packet (ack_every: 1)")
        self._sender, self._receiver = new_sender(tcp)[0], new_receiver(tcp)[0]
        self._board = np.zeros(MOST_PACKETS, np.int8)
        self._sender.acked = self._sender.highest_sent = acked
        self._sender.next_packet = acked + 1
        self._sender.recover = self._sender.timed_out = acked - 1
        self._sender.cwnd = window
        self._sender.ssthresh = 0
        self._receiver.last_in_order = self._receiver.highest = acked

    @property
    def cwnd(self) -> float:
        """The congestion window, in packets."""
        return float(self._sender.cwnd)

    @property
    def ssthresh(self) -> float | None:
        """The slow-start threshold in packets; None before a loss was detected."""
        return float(self._sender.ssthresh) or None

    @property
    def recovering(self) -> bool:
        """Whether the sender is in fast recovery."""
        return bool(self._sender.in_recovery)

    @property
    def flight(self) -> int:
        """FlightSize, the number of packets that are sent and not acknowledged."""
        return int(self._sender.highest_sent - self._sender.acked)

    @property
    def last_in_order(self) -> int:
        """The last packet received in order."""
        return int(self._receiver.last_in_order)

    def has_arrived(self, packet: int) -> bool:
        """Return whether a packet has arrived at the receiver."""
        return packet <= self.last_in_order or bool(self._board[packet % MOST_PACKETS])

    def start(self) -> tuple[int, ...]:
        """Send the packets that the window allows, and return their numbers."""
        return self._send()

    def on_arrival(self, packet: int) -> Reaction:
        """Process the arrival of a packet, and of its ACK at the sender."""
        s, r = self._sender, self._receiver
        recovering, acked = bool(s.in_recovery), int(s.acked)
        acknowledge(s, r, self._board, packet)
        kind = "ack"
        if r.last_in_order == acked:
            kind = "duplicate ack"
        elif recovering:
            kind = "partial ack" if s.in_recovery else "full ack"
        return Reaction(int(r.last_in_order), kind, self.flight, self._send())

    def on_timeout(self) -> tuple[int, ...]:
        """Process the expiry of the retransmission timer, and return the packets sent."""
        time_out(self._sender)
        return self._send()

    def _send(self) -> tuple[int, ...]:
        sent = np.zeros(MOST_PACKETS, np.int64)
        count = send(self._sender, self._receiver, self._board, sent)
        if count == MOST_PACKETS:
            raise ValueError(f"more than {MOST_PACKETS} packets are outstanding")
        return tuple(sent[:count].tolist())


@entry_point
def acknowledge(s, r, board, packet):  # type: ignore[no-untyped-def]
    """Process the arrival of a packet, and of its ACK at the sender."""
    on_ack(s, r, board, on_arrival(r, board, packet, 0) == REPORTS_NEW, 0)


@entry_point
def time_out(s):  # type: ignore[no-untyped-def]
    """Process the expiry of the sender's retransmission timer."""
    on_timeout(s, 0)


@entry_point
def send(s, r, board, sent):  # type: ignore[no-untyped-def]
    """Write the numbers of the packets that may be sent now to `sent`; return their count."""
    for count in range(sent.size):
        packet = next_packet(s, r, board)
        if packet == NONE:
            return count
        timer.on_sent(s, packet, 0)
        sent[count] = packet
    return sent.size


def compile_all() -> None:
    """Run a sender for a few events, so that numba caches the compiled code."""
    connection = Stepped(Tcp(variant="newreno", mss_bytes=1), window=1)
    connection.start()
    connection.on_arrival(0)
    connection.on_timeout()
