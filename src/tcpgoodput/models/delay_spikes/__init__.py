"""Renewal-reward goodput under delay spikes (Lassila and Kuusela)."""

from tcpgoodput.models.delay_spikes import (  # noqa: F401
    curves,
    errata,
    lossless,
    lossy,
    lossy_exact,
    lossy_rtt_units,
    random_length,
    tables,
)
