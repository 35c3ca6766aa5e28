"""All engines by name; the reference implementations are ns-2 and Linux.

python -m tcpgoodput.engines.referees

This command builds caches in advance, because parallel jobs would build them at the same time.
"""

from __future__ import annotations

from tcpgoodput.engines.base import Engine
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.ns2 import Ns2
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.referee import Referee

REFEREES: dict[str, Referee] = {referee.name: referee for referee in (Ns2(), Linux())}


def referee(name: str, profile: str | None = None) -> Referee:
    """Return a reference implementation by name, or Linux with a named profile of kernel settings.

    Without `profile`, Linux uses the profile for each scenario's TCP variant.
    """
    return REFEREES[name] if profile is None else Linux(profile)


ENGINES: dict[str, Engine] = {Packet.name: Packet(), **REFEREES}


def build_caches() -> None:
    """Build matplotlib's list of fonts, and compile the models and the packet simulator."""
    import matplotlib.font_manager

    from tcpgoodput.models import MODELS

    print(f"{len(matplotlib.font_manager.fontManager.ttflist)} fonts")
    for model in MODELS.values():
        model.compile()
    ENGINES[Packet.name].compile()


if __name__ == "__main__":
    build_caches()
