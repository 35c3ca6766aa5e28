"""Names of the engines."""

PACKET = "packet"
"""Name of the packet simulator, the engine that can measure any scenario."""

REFEREE_NAMES = ("ns2", "linux")
"""Names of the reference implementations, which are not part of this project."""

ENGINE_NAMES = {PACKET: "the packet simulator", "ns2": "ns-2", "linux": "Linux"}
"""Names of the engines for use in sentences, by short name."""
