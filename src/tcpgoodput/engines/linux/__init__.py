"""Engine `linux`: the TCP of this machine's kernel, over a path that a small program emulates."""

from tcpgoodput.engines.linux.engine import Linux
from tcpgoodput.engines.linux.instructions import PROFILES

__all__ = ["PROFILES", "Linux"]
