"""Files of other tools, which are no recordings of a link: what they are, what would do."""

from __future__ import annotations

import re
from dataclasses import dataclass

USABLE = (
    "tcpgoodput trace reads Mahimahi files (a line for each packet of 1500 bytes that could leave, "
    "with its millisecond) and tables with a column of times and one of rates"
)

CARRIED = "what a TCP transfer carried is not what the link could have carried"


@dataclass(frozen=True)
class Kind:
    """A kind of file, and the beginning that it is known by."""

    name: str
    begins: re.Pattern[bytes]
    reason: str
    """Why it is no recording of a link, or what to do with it."""


def _kind(name: str, begins: bytes, reason: str) -> Kind:
    return Kind(name, re.compile(begins), reason)


KINDS = (
    _kind(
        "a packet capture (pcap)",
        rb"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\xa1\xb2\x3c\x4d",
        f"{CARRIED}; if the sender kept the link full, write the packets' arrivals as whole "
        "milliseconds, one a line",
    ),
    _kind(
        "a packet capture (pcapng)",
        rb"\x0a\x0d\x0d\x0a",
        f"{CARRIED}; if the sender kept the link full, write the packets' arrivals as whole "
        "milliseconds, one a line",
    ),
    _kind("a packet capture as text (tcpdump)", rb"(?s).*?\bIP6? \S+ > \S+: ", CARRIED),
    _kind(
        "iperf3's JSON",
        rb'(?s)\s*\{\s*"start"\s*:.*?"(?:connected|version|cookie|test_start)"',
        CARRIED,
    ),
    _kind("iperf's text", rb"(?s).*?(?:\[ *ID\] *Interval|Connecting to host )", CARRIED),
    _kind(
        "tcp_probe's output",
        rb"(?s)(?:.*?\btcp_probe: |\s*\d+\.\d+ \S+:\d+ \S+:\d+ \d+ 0x[0-9a-fA-F]+ )",
        f"it has a sender's windows, not the link's rate; {CARRIED}",
    ),
    _kind(
        "the output of ss",
        rb"(?s)(?:.*?\bcwnd:\d+|(?:Netid\s+)?State\s+Recv-Q\s)",
        f"it has a sender's windows, not the link's rate; {CARRIED}",
    ),
    _kind("the output of ping", rb"PING \S+ ", "it has round trips, and no rates"),
    _kind(
        "a log of mm-link",
        rb"# mahimahi mm-link",
        "it has what happened to packets; the link is in the trace that mm-link was given",
    ),
    _kind("JSON", rb"\s*[\{\[]", "write times and rates as CSV"),
    _kind("a zip archive or a spreadsheet", rb"PK\x03\x04", "unpack it, or save it as CSV"),
    _kind("packed by zstd", rb"\x28\xb5\x2f\xfd", "unpack it, or pack it by gzip, bzip2 or xz"),
    _kind("packed by 7-Zip", rb"7z\xbc\xaf\x27\x1c", "unpack it, or pack it by gzip, bzip2 or xz"),
    _kind("a Parquet file", rb"PAR1", "save it as CSV"),
    _kind("text in UTF-16", rb"\xff\xfe|\xfe\xff", "save it as UTF-8"),
    _kind("a web page", rb"(?i)\s*<(?:!doctype|html)", "download the file itself"),
)


def foreign(beginning: bytes) -> str | None:
    """Return what a file is that is no recording, and what would do; None: it may be one.

    Args:
        beginning: its first bytes, unpacked.

    """
    for kind in KINDS:
        if kind.begins.match(beginning):
            return f"is {kind.name}: {kind.reason}. {USABLE}"
    if b"\x00" in beginning:
        return f"is no text. {USABLE}"
    return None
