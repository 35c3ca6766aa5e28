"""Every engine by its name; ns-2 and Linux, which this project did not write."""

from __future__ import annotations

from tcpgoodput.engines.base import Engine
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.ns2 import Ns2
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.referee import Referee

REFEREES: dict[str, Referee] = {referee.name: referee for referee in (Ns2(), Linux())}


def referee(name: str, profile: str | None = None) -> Referee:
    """Return a referee, Linux under one of its profiles."""
    return REFEREES[name] if profile is None else Linux(profile)


ENGINES: dict[str, Engine] = {Packet.name: Packet(), **REFEREES}
