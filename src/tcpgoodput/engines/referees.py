"""The referees: engines that this project did not write."""

from __future__ import annotations

from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.ns2 import Ns2
from tcpgoodput.engines.referee import Referee

REFEREES: dict[str, Referee] = {referee.name: referee for referee in (Ns2(), Linux())}


def referee(name: str, profile: str | None = None) -> Referee:
    """Return a referee, Linux under one of its profiles."""
    return REFEREES[name] if profile is None else Linux(profile)
