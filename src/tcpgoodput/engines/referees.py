"""All engines by name; the reference implementations are ns-2 and Linux.

python -m tcpgoodput.engines.referees

This command builds caches in advance, because parallel jobs would build them at the same time.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from tcpgoodput.engines.base import Engine
from tcpgoodput.engines.linux import Linux
from tcpgoodput.engines.ns2 import CapacityAs, Ns2
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.referee import Referee

REFEREES: dict[str, Referee] = {referee.name: referee for referee in (Ns2(), Linux())}


def referee(name: str, profile: str | None = None, capacity_as: CapacityAs = "link") -> Referee:
    """Return a reference implementation by name, with its settings.

    Args:
        name: a name in `REFEREES`.
        profile: name of a profile of Linux kernel settings; None: the profile for each scenario's
            TCP variant.
        capacity_as: what varies the capacity in ns-2.

    """
    if profile is not None:
        return Linux(profile)
    return REFEREES[name] if capacity_as == "link" else Ns2(capacity_as)


ENGINES: dict[str, Engine] = {Packet.name: Packet(), **REFEREES}


def build_caches() -> None:
    """Compile the models and the packet simulator, and build matplotlib's list of fonts.

    The tasks run in parallel, because each compiles on one core only. The simulator comes first,
    because it takes longest.
    """
    from tcpgoodput.simulator import simulation, stepped

    tasks = (simulation.compile_all, stepped.compile_all, _models, _fonts)
    with ProcessPoolExecutor() as pool:
        for done in [pool.submit(task) for task in tasks]:
            done.result()


def _models() -> None:
    from tcpgoodput.models import MODELS

    for model in MODELS.values():
        model.compile()


def _fonts() -> None:
    from matplotlib.font_manager import fontManager

    print(f"{len(fontManager.ttflist)} fonts")


if __name__ == "__main__":
    build_caches()
