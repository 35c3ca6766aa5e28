"""What all TCP senders share: sequence numbers, the window, slow start, congestion avoidance.

A sender is stepped: an acknowledgement or a timeout in, the packets to send out. It knows neither
time nor path. Packets are numbered from 0; `acked` is the last one received in order.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from tcpgoodput.scenario.vocabulary import Tcp

ROUNDING = 1e-9
"""Increments of 1/cwnd or 1/⌊cwnd⌋ that should add up to a whole packet miss it by less."""

LIMITED_TRANSMIT = 2
"""New packets that RFC 3042 allows beyond cwnd, one for each of the first two duplicate ACKs."""


@dataclass(frozen=True)
class Ack:
    """A cumulative acknowledgement, with what was received out of order."""

    through: int
    """The last packet received in order."""
    sacked: frozenset[int] = frozenset()
    """Packets received beyond a hole (RFC 2018)."""


@dataclass
class Reaction:
    """What a sender does: packets to send, in order, and whether its timer starts anew."""

    packets: list[int] = field(default_factory=list)
    restarts_timer: bool = False


class Sender(ABC):
    """A long-lived TCP sender."""

    def __init__(self, tcp: Tcp, *, acked: int = -1, sent: int = -1, cwnd: float | None = None):
        self.tcp = tcp
        self.acked = acked
        self.highest_sent = sent
        self.next_packet = sent + 1
        self.cwnd = float(cwnd if cwnd is not None else tcp.initial_window_packets)
        self.ssthresh = math.inf
        self.duplicates = 0
        self.recover = acked - 1
        """Highest packet sent when loss was last detected: no second cut below it (RFC 6582)."""

    @property
    def flight(self) -> int:
        """Packets sent and not acknowledged (FlightSize of RFC 5681)."""
        return self.highest_sent - self.acked

    def start(self) -> list[int]:
        """Return the first window."""
        return self._send_new()

    def on_ack(self, ack: Ack) -> Reaction:
        """React to an acknowledgement; one that others have overtaken says nothing new."""
        if ack.through < self.acked:
            return Reaction()
        if ack.through > self.acked:
            self.acked = ack.through
            self.next_packet = max(self.next_packet, self.acked + 1)
            return self._on_new_ack(ack)
        if self.flight == 0:
            return Reaction()
        self.duplicates += 1
        return self._on_duplicate(ack)

    def on_timeout(self) -> Reaction:
        """Start over with one packet, and send all that is outstanding again (RFC 5681, 3.1)."""
        self.ssthresh = self._half_flight()
        self._start_over()
        return Reaction([*self._repeat_first(), *self._send_new()], restarts_timer=True)

    @abstractmethod
    def _on_new_ack(self, ack: Ack) -> Reaction:
        """React to an ACK of new data; `acked` has moved already."""

    @abstractmethod
    def _on_duplicate(self, ack: Ack) -> Reaction:
        """React to a duplicate ACK; `duplicates` counts it already."""

    def _open_window(self) -> None:
        """Grow by one packet per ACK below ssthresh, by one per round trip above it."""
        if self.cwnd < self.ssthresh:
            self.cwnd += 1
        elif self.tcp.ca_increment == "floor":
            self.cwnd += 1 / math.floor(self.cwnd + ROUNDING)
        else:
            self.cwnd += 1 / self.cwnd

    def _may_retransmit_fast(self) -> bool:
        return self.duplicates == self.tcp.dupthresh and self.acked > self.recover

    def _half_flight(self) -> float:
        """Return half of what is in flight, within the window, at least two packets."""
        return max(2, min(self.flight, self._window()) // 2)

    def _start_over(self) -> None:
        self.recover = self.highest_sent
        self.cwnd = 1.0
        self.duplicates = 0
        self.next_packet = self.acked + 1

    def _window(self, extra: int = 0) -> int:
        """Return the packets that may be outstanding."""
        window = math.floor(self.cwnd + ROUNDING) + extra
        limit = self.tcp.max_window_packets
        return window if limit is None else min(window, limit)

    def _send_new(self, extra: int = 0) -> list[int]:
        """Return what the window allows from `next_packet` on, repeated packets included."""
        last = self.acked + self._window(extra)
        packets = list(range(self.next_packet, last + 1))
        self.next_packet = max(self.next_packet, last + 1)
        self.highest_sent = max(self.highest_sent, self.next_packet - 1)
        return packets

    def _repeat_first(self) -> list[int]:
        """Return the first outstanding packet, to be sent again."""
        self.next_packet = max(self.next_packet, self.acked + 2)
        return [self.acked + 1]

    def _limited_transmit(self) -> list[int]:
        """Return a new packet for an early duplicate ACK (RFC 3042), if that is on."""
        repeating = self.next_packet <= self.highest_sent
        if not self.tcp.limited_transmit or self.duplicates > LIMITED_TRANSMIT or repeating:
            return []
        return self._send_new(extra=self.duplicates)
