"""Names of the engines."""

REFERENCE = "packet"
"""The engine that measures any scenario."""

REFEREE_NAMES = ("ns2", "linux")
"""The reference implementations, which this project did not write, in order."""

ENGINE_NAMES = {"packet": "the packet simulator", "ns2": "ns-2", "linux": "Linux"}
"""Names of the engines in a sentence."""
