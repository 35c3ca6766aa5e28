"""All engines by name; the reference implementations are ns-2 and Linux."""

from __future__ import annotations

from tcpgoodput.engines.base import Engine
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.ns2 import Ns2
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.referee import Referee

REFEREES: dict[str, Referee] = {referee.name: referee for referee in (Ns2(), Linux())}


def referee(name: str, profile: str | None = None) -> Referee:
    """Return a reference implementation; for Linux, with one of its profiles."""
    return REFEREES[name] if profile is None else Linux(profile)


ENGINES: dict[str, Engine] = {Packet.name: Packet(), **REFEREES}
