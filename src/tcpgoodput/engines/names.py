"""What the engines are called."""

REFERENCE = "packet"
"""The engine that measures whatever is asked."""

REFEREE_NAMES = ("ns2", "linux")
"""Those that this project did not write, in their order."""

ENGINE_NAMES = {"packet": "the packet simulator", "ns2": "ns-2", "linux": "Linux"}
"""What they are called in a sentence."""
