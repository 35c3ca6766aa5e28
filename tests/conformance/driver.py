"""Apply the events of packet sequences to the simulator's sender and receiver.

python -m tests.conformance.driver

A sequence of events has ACKs, written data and timeouts, and the packets that the sender must send.
The command writes to data/conformance.csv whether the simulator agrees with each sequence.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.configuration import read
from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.arrays import new_arrays
from tcpgoodput.simulator.compiled import TICKS_PER_S, ticks
from tcpgoodput.simulator.receiver import ACKS, REPORTS_NEW, new_receiver, on_arrival
from tcpgoodput.simulator.senders.scoreboard import machine, rack, timers
from tcpgoodput.simulator.senders.scoreboard_state import DISORDER, LOSS, OPEN, RECOVERY
from tcpgoodput.simulator.senders.state import NONE, new_sender

SEQUENCES = Path(__file__).parent / "sequences.yaml"
RECORD = Path(__file__).parents[2] / "data" / "conformance.csv"

STATES = {OPEN: "open", DISORDER: "disorder", RECOVERY: "recovery", LOSS: "loss"}
SENDER = {"variant": "cubic", "stack": "linux-6.18", "timestamps": False, "mss_bytes": 1000}
SEGMENTS = 5


class Differs(Exception):
    """The simulator's sender does not behave as a packet sequence requires."""


class Driver:
    """The simulator's sender, driven by the events of a sequence instead of a simulated path."""

    def __init__(self, tcp: dict[str, Any], rtt_ms: float) -> None:
        vocabulary = Tcp.model_validate({**SENDER, **tcp})
        self.sender = new_sender(vocabulary)[0]
        self.receiver = new_receiver(vocabulary)[0]
        self.arrays = new_arrays(np.zeros(0), [], {}, 0)
        self.sender.transfer = 0
        self.now_ms = 0.0
        rack.note_min_rtt(self.sender, ticks(rtt_ms / 1e3), 0)
        timers.sample(self.sender, ticks(rtt_ms / 1e3), 0)

    def take(self, event: dict[str, Any]) -> list[int]:
        """Apply an event (an ACK, written data or a timeout); return the numbers of packets sent.

        Raises:
            Differs: a timer expires too early or too late.

        """
        s, r, a = self.sender, self.receiver, self.arrays
        if "timer" in event:
            low_ms, high_ms = event["timer"]
            sent = self._expire()
            if not low_ms <= self.now_ms <= high_ms:
                raise Differs(f"the timer expires at {self.now_ms:.1f} ms")
            return sent
        now = ticks(event.get("at", self.now_ms) / 1e3)
        while s.deadline < now:
            if sent := self._expire():
                raise Differs(f"the timer expires at {self.now_ms:.1f} ms and sends {sent}")
        self.now_ms = event.get("at", self.now_ms)
        s.transfer += event.get("write", 0)
        if "write" not in event:
            r.last_in_order = event.get("ack", r.last_in_order)
            r.twice = event.get("twice", NONE)
            machine.on_ack(s, r, a, event.get("report", NONE), now, None)
        return self._send(now)

    def _expire(self) -> list[int]:
        now = int(self.sender.deadline)
        self.now_ms = round(now * 1e3 / TICKS_PER_S, 6)
        machine.on_timer(self.sender, self.arrays, now, None)
        return self._send(now)

    def _send(self, now: int) -> list[int]:
        packets = []
        while (packet := machine.next_packet(self.sender, self.arrays, now)) != NONE:
            packets.append(int(packet))
        return packets


def play(sequence: dict[str, Any]) -> None:
    """Apply all events of a sequence to a sender, and compare its packets, window and state.

    Raises:
        Differs: the packets, the window or the state differ from the sequence.

    """
    driver = Driver(sequence.get("tcp", {}), sequence.get("rtt_ms", 100))
    for event in sequence["events"]:
        for one in _each(event, int(driver.receiver.last_in_order)):
            sent = driver.take(one)
            if sent != _packets(one) and "any" not in one:
                raise Differs(f"sends {sent} at {driver.now_ms:g} ms, not {_packets(one)}")
        _compare(driver, event)


def _each(event: dict[str, Any], last_in_order: int) -> list[dict[str, Any]]:
    """Expand an event with the key `every`, which stands for many ACKs, into one event per ACK.

    `last_in_order` is the last packet acknowledged before.
    """
    if "every" not in event:
        return [event]
    packets, apart_ms = event["every"]
    acks = range(last_in_order + packets, event["ack"] + 1, packets)
    return [
        {"at": event["at"] + number * apart_ms, "ack": ack, "any": True}
        for number, ack in enumerate(acks)
    ]


def _packets(event: dict[str, Any]) -> list[int]:
    first, _, last = str(event.get("sends", "")).partition("-")
    return list(range(int(first), int(last or first) + 1)) if first else []


def _compare(driver: Driver, event: dict[str, Any]) -> None:
    s = driver.sender
    has = {
        "cwnd": float(s.cwnd),
        "ssthresh": float(s.ssthresh),
        "reordering": int(s.reordering),
        "state": STATES[int(s.state)],
    }
    for name in has.keys() & event.keys():
        if has[name] != event[name]:
            raise Differs(f"{name} is {has[name]} at {driver.now_ms:g} ms, not {event[name]}")
    if has["cwnd"] < event.get("least_cwnd", 0):
        raise Differs(f"cwnd is {has['cwnd']} at {driver.now_ms:g} ms")


def outcome(sequence: dict[str, Any]) -> tuple[str, str]:
    """Return `agrees`, `differs` or `does not apply` for a sequence, and the reason, if any."""
    if "does_not_apply" in sequence:
        return "does not apply", sequence["does_not_apply"]
    try:
        play(sequence)
    except Differs as different:
        return "differs", str(different)
    return "agrees", ""


def receiver_outcome() -> tuple[str, str]:
    """Check the receiver's ACK after each arrival, for all orders of five segments.

    Return `agrees` or `differs`, and the first difference.
    """
    for order in permutations(range(SEGMENTS)):
        receiver = new_receiver(Tcp(variant="sack", mss_bytes=1000))[0]
        board = np.zeros(8, np.int8)
        came: set[int] = set()
        for packet in order:
            follows = on_arrival(receiver, board, packet, 0)
            came.add(packet)
            through = next(n for n in range(SEGMENTS + 1) if n not in came) - 1
            beyond = {n for n in came if n > through}
            held = {n for n in range(through + 1, SEGMENTS) if board[n]}
            right = REPORTS_NEW if packet in beyond else ACKS
            if (int(receiver.last_in_order), held, follows) != (through, beyond, right):
                return "differs", f"order {order}, packet {packet}"
    return "agrees", ""


def outcomes() -> pd.DataFrame:
    """Return a table with a row for each sequence: its id, source, outcome and the reason."""
    rows = [
        (sequence["id"], sequence["source"], *outcome(sequence))
        for sequence in read(SEQUENCES).data
    ]
    source = "packetdrill tests of FreeBSD, all orders of five segments"
    rows.append(("a receiver of segments in any order", source, *receiver_outcome()))
    return pd.DataFrame(rows, columns=["sequence", "taken_from", "conformance", "why"])


if __name__ == "__main__":
    outcomes().to_csv(RECORD, index=False, lineterminator="\n")
