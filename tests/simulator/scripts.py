"""Packet scripts: connections with the expected events at the sender, worked out by hand.

A script is read, its connection is simulated, and the events are compared one by one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.api.simulate import NAMES
from tcpgoodput.configuration import read
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.channel.state import LISTED
from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.trace import ACK, DELAYED_ACK, SILENT_ARRIVAL

FOLDER = Path(__file__).parent / "scripts"
FILES = sorted(FOLDER.glob("*/*.yaml"))


@dataclass(frozen=True)
class Line:
    """An event at the sender (a line of a script), and the sender's state after it.

    `sends` has the numbers of the packets sent, with `*` for lost ones; `-` if none is sent.
    `rto_at_s` is the time at which the retransmission timer expires; infinite if it is off.
    """

    time_s: float
    event: str
    sends: str
    cwnd: float
    ssthresh: float
    rto_at_s: float

    def agrees(self, other: Line) -> bool:
        """Return whether two events are equal; numbers may differ by 0.0006."""
        numbers = ("time_s", "cwnd", "ssthresh", "rto_at_s")
        close = (_close(getattr(self, n), getattr(other, n)) for n in numbers)
        return self.event == other.event and self.sends == other.sends and all(close)


def _close(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, abs_tol=6e-4)


def written(path: Path) -> tuple[dict[str, Any], list[Line]]:
    """Read a script file; return its content (a mapping), and its expected events."""
    script = read(path).data
    lines = []
    for text in script["trace"].splitlines()[1:]:
        time, event, sends, cwnd, ssthresh, rto_at = re.split(r" {2,}", text.split("#")[0].strip())
        lines.append(
            Line(float(time), event, sends, float(cwnd), _number(ssthresh), _number(rto_at))
        )
    return script, lines


def _number(text: str) -> float:
    return math.inf if text == "-" else float(text)


def played(script: dict[str, Any], until_s: float) -> list[Line]:
    """Simulate the connection of a script until a time; return the events at its sender."""
    path = script["path"]
    scenario = Scenario.model_validate(
        {
            "id": "script",
            "title": script["title"],
            "tcp": {"mss_bytes": 1000, **script["tcp"]},
            "path": {
                "rate_bps": 8000 / path["packet_s"],
                "forward_delay_s": 0,
                "backward_delay_s": path["delay_s"],
                "buffer_packets": path.get("buffer_packets"),
            },
            "arq": {"error": 0.5, **script["arq"]} if "arq" in script else None,
        }
    )
    simulation = Simulation(
        scenario,
        np.random.default_rng(0),
        lose=tuple(script.get("lose", ())),
        late_s={int(number): late for number, late in script.get("late", {}).items()},
        traced_events=1000,
    )
    if "arq" in script:
        fail_attempts(simulation, script["fail"])
    simulation.run(until_s + 1e-6)
    return recorded_lines(simulation, reports=scenario.tcp.variant in ("sack", "cubic", "bbr"))


def fail_attempts(simulation: Simulation, numbers: Sequence[int]) -> None:
    """Let exactly these attempts fail on a link that retransmits, numbered from 0 by their ends."""
    simulation._arrays.errors["loss"] = LISTED
    simulation._arrays.errors["bad_until"] = 0
    runs = [(number, number + 1) for number in numbers] + [(NEVER, NEVER)]
    simulation._arrays = simulation._arrays._replace(bad_runs=np.array(runs, np.int64))


def recorded_lines(simulation: Simulation, *, reports: bool) -> list[Line]:
    """Return a simulation's recorded events as lines of a script.

    With `reports`, ACKs have selective acknowledgements.
    """
    events, sent = simulation.events()
    beyond: set[int] = set()
    lines = []
    for number, event in enumerate(events):
        beyond.add(int(event["packet"]))
        beyond = {packet for packet in beyond if packet > event["ack"]}
        if event["kind"] == SILENT_ARRIVAL:
            continue
        name = NAMES[int(event["kind"])]
        if event["kind"] in (ACK, DELAYED_ACK):
            name = f"ack {event['ack']}"
            if reports and beyond:
                name += f" sack {_ranges(sorted(beyond))}"
        own = sent[sent["event"] == number]
        packets = [f"{one['packet']}{'*' if one['arrives'] < 0 else ''}" for one in own]
        deadline = math.inf if event["deadline"] >= NEVER else event["deadline"] / TICKS_PER_S
        lines.append(
            Line(
                event["time"] / TICKS_PER_S,
                name,
                " ".join(packets) or "-",
                float(event["cwnd"]),
                float(event["ssthresh"]),
                deadline,
            )
        )
    return lines


def _ranges(packets: list[int]) -> str:
    """Format sorted packet numbers as ranges: 4, 5, 6, 8 is `4-6,8`."""
    runs: list[list[int]] = []
    for packet in packets:
        if runs and packet == runs[-1][-1] + 1:
            runs[-1].append(packet)
        else:
            runs.append([packet])
    return ",".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else f"{r[0]}" for r in runs)
