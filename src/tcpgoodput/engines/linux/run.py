"""One run of the path's emulator: start the program, wait for its end, and check its output."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition

from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.linux.path import emulator
from tcpgoodput.engines.run import Observation

GRACE_S = 20.0
"""Time in seconds by which a run may exceed its planned duration before it counts as hanging.
Chosen by hand."""

MEDIAN_LATE_S = 1e-4
LONGEST_STALL_S = 0.05
"""Longest time in seconds by which the emulator may release a packet too late in a valid run.
Chosen by hand."""

ATTEMPTS = 4

MOST_PPS_PER_CORE = 10_000.0
"""Largest total rate in packets/s of the runs at a time, for each processor core. Runs are in real
time and must not delay each other's packets. Chosen by hand: at about 15 000, the median delay of a
packet was 30 to 50 µs, where `MEDIAN_LATE_S` are allowed."""

NETSTAT = {
    "timeouts": ("TCPTimeouts",),
    "fast_retransmits": ("TCPRenoRecovery", "TCPSackRecovery"),
    "undos": ("TCPFullUndo", "TCPPartialUndo", "TCPDSACKUndo", "TCPLossUndo"),
    "loss_probes": ("TCPLossProbes",),
    "spurious_timeouts": ("TCPSpuriousRTOs",),
}
"""Names of the kernel's counters (`TcpExt`) that are added up to obtain each count."""


@dataclass(frozen=True)
class Disturbed(Exception):
    """A run is invalid: the machine released packets too late, or dropped packets itself."""

    median_s: float
    longest_s: float
    drops: int

    def __str__(self) -> str:
        """Return as text by how much the machine disturbed the run."""
        if self.drops:
            return f"it dropped {self.drops} packets between its TCP and the path"
        return (
            f"packets left {1e6 * self.median_s:.0f} µs late in the median and "
            f"{1e3 * self.longest_s:.0f} ms at worst; {1e6 * MEDIAN_LATE_S:.0f} µs and "
            f"{1e3 * LONGEST_STALL_S:.0f} ms are allowed"
        )


def carried_pps() -> float:
    """Return the largest total rate in packets/s of the runs at a time on this machine."""
    return MOST_PPS_PER_CORE * len(os.sched_getaffinity(0))


@dataclass
class Room:
    """The room on this machine for runs at a time: their rates add up to at most `carried_pps`."""

    rates_pps: list[float] = field(default_factory=list)
    """Rates of the current runs."""
    changed: Condition = field(default_factory=Condition)

    @contextmanager
    def taken(self, pps: float) -> Iterator[None]:
        """Wait until there is room for a run of this rate, which alone may exceed it; take it."""
        rates, most_pps = self.rates_pps, carried_pps()
        with self.changed:
            self.changed.wait_for(lambda: not rates or sum(rates) + pps <= most_pps)
            rates.append(pps)
        try:
            yield
        finally:
            with self.changed:
                rates.remove(pps)
                self.changed.notify_all()


ROOM = Room()


def observed(instructions: str, duration_s: float, mss_bytes: int, pps: float) -> Observation:
    """Run the emulator and return its observation; repeat a run that the machine disturbs.

    A run waits as long as the machine has no room for its packets beside those of other runs.

    Args:
        instructions: the emulator's input; see `instructions.instructions`.
        duration_s: planned duration of the run in seconds.
        mss_bytes: payload of a packet, in which the goodput is counted.
        pps: largest rate in packets/s at which the run sends; see `engine.largest_pps`.

    Raises:
        Unavailable: the emulator failed, hung, or was disturbed each time.

    """
    with ROOM.taken(pps):
        for attempt in range(ATTEMPTS):
            try:
                return observation(_output(instructions, duration_s), mss_bytes)
            except Disturbed as disturbed:
                if attempt == ATTEMPTS - 1:
                    raise Unavailable(f"the machine is too busy: {disturbed}") from None
    raise AssertionError  # unreachable: the loop always returns or raises


def _output(instructions: str, duration_s: float) -> str:
    limit_s = duration_s + GRACE_S
    try:
        run = subprocess.run(
            [emulator()],
            input=instructions,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit_s,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"the path's emulator did not end within {limit_s:.0f} s") from None
    if run.returncode:
        message = (run.stderr.splitlines() or [f"it ended with status {run.returncode}"])[0]
        raise Unavailable(f"the path's emulator failed: {message}")
    return run.stdout


def observation(output: str, mss_bytes: int) -> Observation:
    """Return what the emulator observed in the measured time, parsed from its output.

    Raises:
        Unavailable: a value is missing or is not a number.
        Disturbed: packets were released too late, or dropped by the machine itself.

    """
    lines = output.splitlines()
    if "unfinished" in lines:
        raise Unavailable("the transfer has not ended in the time that it was given")
    if not lines or lines[-1] != "done":
        raise Unavailable("the path's emulator stopped before its end")
    try:
        numbers = {
            key: float(value)
            for key, value in (line.split() for line in lines[:-1] if ":" not in line)
        }
        kernel = {when: _counters(lines, when) for when in ("warm", "end")}
        return _observation(numbers, kernel, mss_bytes)
    except (ValueError, KeyError) as error:
        raise Unavailable(f"the path's emulator printed something unexpected: {error}") from None


def _observation(
    numbers: dict[str, float], kernel: dict[str, dict[str, int]], mss_bytes: int
) -> Observation:
    late_s, longest_s = 1e-6 * numbers["late_us_median"], 1e-6 * numbers["late_us_max"]
    drops = int(numbers["host_drops"])
    if drops or late_s > MEDIAN_LATE_S or longest_s > LONGEST_STALL_S:
        raise Disturbed(late_s, longest_s, drops)

    def since(name: str) -> float:
        return numbers[f"end_{name}"] - numbers[f"warm_{name}"]

    counters = {
        name: sum(kernel["end"][key] - kernel["warm"][key] for key in keys)
        for name, keys in NETSTAT.items()
    }
    whole_s = numbers["end_s"] - numbers["connected_s"]
    return Observation(
        measured_s=since("s"),
        delivered=since("bytes") / mss_bytes,
        packets_sent=int(since("sent")),
        retransmissions=int(since("again")),
        timeouts=counters.pop("timeouts"),
        fast_retransmits=counters.pop("fast_retransmits"),
        packets_lost=int(since("lost")),
        packets_dropped=int(since("dropped")),
        handoffs=int(since("handoffs")),
        mean_window_packets=numbers["window_packets"],
        mean_rtt_s=numbers["rtt_s"],
        details={
            **counters,
            "connected_s": numbers["connected_s"],
            "whole_pps": numbers["end_bytes"] / mss_bytes / whole_s,
            "late_us_median": numbers["late_us_median"],
            "late_us_99": numbers["late_us_99"],
            "late_us_max": numbers["late_us_max"],
            "emulator_share": numbers["cpu_s"] / numbers["end_s"],
        },
    )


def _counters(lines: list[str], when: str) -> dict[str, int]:
    """Return the kernel's counters when the measured time starts (`warm`) or ends (`end`)."""
    found: dict[str, int] = {}
    tables = [line.split()[1:] for line in lines if line.startswith(f"{when} Tcp")]
    for names, values in zip(tables[::2], tables[1::2], strict=True):
        if names[0] != values[0]:
            raise ValueError(f"{names[0]} is followed by {values[0]}")
        found |= dict(zip(names[1:], map(int, values[1:]), strict=True))
    return found
