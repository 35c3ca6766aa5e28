"""Mixed units, rounding and gaps in the blog article on the square-root model, with effects."""

from __future__ import annotations

import math

from tcpgoodput.models.mathis.square_root import throughput_pps
from tcpgoodput.models.registry import Effect, erratum


@erratum(
    where=r"last section, the throughput at 1\,\% loss",
    printed=r"1\,400 kbit/s at 1\,\% loss, packet size not given",
    corrected=r"$T = \mathrm{MSS}\,C/(\mathrm{RTT}\sqrt{p})$ with an MSS of 1448 bytes",
    proof=r"This is not a misprint. The value is rounded to two digits; packets of 1428 bytes "
    r"(IPv6 with timestamps, 1399.1 kbit/s), of 1448 and of 1460 bytes all give this rounded "
    r"value.",
)
def _rounded_rate() -> Effect:
    corrected = throughput_pps(0.01, 0.1) * 1448 * 8 / 1e3
    return Effect("throughput", "kbit/s", "p = 1 %, RTT 100 ms", 1400.0, corrected)


@erratum(
    where="discussion of figure 2",
    printed=r"``the sender will never send more than W bytes at every RTT''",
    corrected=r"$W$ packets, $W\cdot\mathrm{MSS}$ bytes",
    proof=r"$\frac38 W^2 = 1/p$ is a number of packets, and $\mathrm{MSS}\times\frac38 W^2$ a "
    r"number of bytes. So $W$ is in packets.",
    evidence="misprint seen in the text",
)
def _bytes_for_packets() -> Effect:
    largest = math.sqrt(8 / (3 * 0.01))
    point = "p = 1 %, an MSS of 1448 bytes"
    return Effect("most per round trip", "bytes", point, largest, 1448 * largest)
