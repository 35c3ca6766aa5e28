"""Engines: what measures a scenario instead of modelling it.

A figure's series may name an engine that does not exist yet: it is listed as waiting for it.
"""

from tcpgoodput.engines.base import Engine, Measurement, Unavailable
from tcpgoodput.engines.packet import Packet

ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Packet(),)}

ENGINE_NAMES = {"packet": "the packet simulator", "ns2": "ns-2", "linux": "Linux"}
"""What they are called in a sentence, those that do not exist yet included."""

__all__ = ["ENGINES", "ENGINE_NAMES", "Engine", "Measurement", "Unavailable"]
