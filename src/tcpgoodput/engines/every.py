"""Every engine by its name."""

from __future__ import annotations

from tcpgoodput.engines.base import Engine
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.referees import REFEREES

ENGINES: dict[str, Engine] = {Packet.name: Packet(), **REFEREES}
