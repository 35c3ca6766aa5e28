"""Engine `linux`: measures the TCP of this machine's kernel over an emulated path."""

from tcpgoodput.engines.linux.engine import Linux
from tcpgoodput.engines.linux.instructions import PROFILES

__all__ = ["PROFILES", "Linux"]
