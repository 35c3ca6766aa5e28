"""The packet simulator: TCP senders and receivers, stepped by hand so far."""

from tcpgoodput.simulator import ack_trace, ladder  # noqa: F401  (each registers its table)
