"""Where the article rounds or says nothing: it has no misprint that matters."""

from __future__ import annotations

from tcpgoodput.models.mathis.square_root import throughput_pps
from tcpgoodput.models.registry import Effect, erratum


@erratum(
    id="rounded-rate",
    source="mathis",
    where=r"last section, the throughput at 1\,\% loss",
    printed=r"1\,400 kbit/s at 1\,\% loss, packet size not given",
    corrected=r"$T = \mathrm{MSS}\,C/(\mathrm{RTT}\sqrt{p})$ with an MSS of 1448 bytes",
    proof=r"No misprint: the value is rounded to two digits, which packets of 1448 and of 1460 bytes "
    r"share. It follows exactly only from an MSS that no Ethernet path has.",
    evidence="inferred",
)
def rounded_rate() -> Effect:
    """Compare the rounded rate with the formula's."""
    corrected = throughput_pps(0.01, 0.1) * 1448 * 8 / 1e3
    return Effect("throughput", "kbit/s", "p = 1 %, RTT 100 ms", 1400.0, corrected)
