"""All models side by side: on a scenario, on a folder of them, and over regions of the plane."""

from tcpgoodput.comparison.compare import compare
from tcpgoodput.comparison.errors import log_error, order_of_errors

__all__ = ["compare", "log_error", "order_of_errors"]
