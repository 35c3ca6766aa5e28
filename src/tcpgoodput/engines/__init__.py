"""Engines: what measures a scenario instead of modelling it.

The packet simulator is part of the project and measures whatever is asked. The others are referees:
where they are at hand, what they measure is recorded, and everything else reads the records.
"""

from tcpgoodput.engines.base import Engine, Measurement, Unavailable
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.ns2 import Ns2
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.referee import Observation, Referee

REFEREES: dict[str, Referee] = {referee.name: referee for referee in (Ns2(), Linux())}


def referee(name: str, profile: str | None = None) -> Referee:
    """Return a referee, Linux under one of its profiles."""
    return REFEREES[name] if profile is None else Linux(profile)


REFERENCE = Packet.name
"""The engine that measures whatever is asked."""

ENGINES: dict[str, Engine] = {REFERENCE: Packet(), **REFEREES}

ENGINE_NAMES = {"packet": "the packet simulator", "ns2": "ns-2", "linux": "Linux"}
"""What they are called in a sentence."""

__all__ = [
    "ENGINES",
    "ENGINE_NAMES",
    "REFEREES",
    "REFERENCE",
    "Engine",
    "Measurement",
    "Observation",
    "Referee",
    "Unavailable",
    "referee",
]
