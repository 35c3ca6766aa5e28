"""Formulas of the literature that the sources use or are compared with."""

from tcpgoodput.models.literature import (  # noqa: F401  (each registers what it offers)
    altman,
    cardwell,
    cubic,
    lakshman_madhow,
    misra,
    pftk,
    pftk_approximation,
    pftk_send_rate,
)
