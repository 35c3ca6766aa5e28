"""The packet simulator: one TCP connection on one path."""

from tcpgoodput.simulator import (  # noqa: F401  (each registers its table or curve)
    ack_trace,
    ladder,
    trajectory,
)
