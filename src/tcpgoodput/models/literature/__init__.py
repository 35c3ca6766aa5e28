"""Formulas of the literature that the sources use or are compared with."""

from tcpgoodput.models.literature import pftk, pftk_approximation, pftk_send_rate  # noqa: F401
