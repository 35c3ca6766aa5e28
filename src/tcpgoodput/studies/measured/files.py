"""Read a measurement of any kind: recognise the tool by the file's beginning."""

from __future__ import annotations

import filecmp
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.packed_text import beginning_of
from tcpgoodput.configuration.unreadable import EMPTY_RECORD
from tcpgoodput.studies.measured import captures, counters, probes, transfers
from tcpgoodput.studies.measured.known import (
    STALL_S,
    Reading,
    check_agreement,
    in_order_of_use,
    mean_and_ends,
    seconds,
)
from tcpgoodput.studies.recordings.columns import TableColumns, first_row, is_time
from tcpgoodput.studies.recordings.files import (
    BEGINNING_BYTES,
    IPERF3_JSON,
    foreign,
    read_recording,
)

BATCHES = 10
"""Number of parts of a recorded link whose mean rates give the interval of the rate."""

READ = (
    "ping, irtt (JSON), iperf3 (JSON, --json-stream, text), iperf 2 (text, -y C), ss -ti, nstat, "
    "packet captures, CSV of tshark, Wireshark and tcptrace, Mahimahi files, and tables of times "
    "and rates"
)

PING = re.compile(rb"(?m)^(?:PING |\s*Pinging )")
IRTT = re.compile(rb'(?s)\s*\{.*?"irtt"')
IPERF = re.compile(
    rb"(?m)^(?:Connecting to host |Client connecting to |Server listening on "
    rb"|\[ *(?:ID|\d+|SUM)\](?:\[.X-.\])? +(?:Interval|[\d.]+ *- *[\d.]+ +sec |local ))"
)
IPERF_FAILED = re.compile(rb"\s*(?:Connecting to host [^\n]*\n\s*)?iperf3?: (?:error|interrupt)")
TCPDUMP = re.compile(rb"(?m)^(?:[\d:.-]+ )+IP6? \S+ > \S+: |^\d+ packets captured")
SS = re.compile(rb"(?m)^(?:Netid +)?State +Recv-Q |\bcwnd:\d")
NSTAT = re.compile(rb'(?m)^(?:#kernel|\{"kernel":|(?:Tcp|Ip)[A-Za-z]+ +\d+ +[\d.]+ *$)')
PCAP = tuple(bytes.fromhex(one) for one in "d4c3b2a1 a1b2c3d4 4d3cb2a1 a1b23c4d 0a0d0d0a".split())


ROW = re.compile(rb'(?m)^\s*"?\d[\d.:TZ+-]*"?(?:\s*$|[,;\t]\s*"?[-\w.]|\s+[-\d.])')
"""A row of a Mahimahi file, or of a table that begins with a time or a rate."""


@dataclass(frozen=True)
class Guesses:
    """The user's word on what the files do not say; None: a guess, with a note."""

    every_s: float | None = None
    """Time between the echoes of ping without time stamps, or the rows of a table, in seconds."""
    is_backward: bool = False
    """True: a bidirectional test describes the way to the client."""
    udp_fills: bool | None = None
    """True: a UDP test sent more than the link carries."""
    nstat_totals: bool | None = None
    """True: the numbers of nstat are totals, not increments."""
    columns: TableColumns = field(default_factory=TableColumns)
    """Columns, units, time stamps and missing rates of tables."""


def read_measurements(
    paths: Sequence[Path], guesses: Guesses, *, may_differ: bool = False
) -> list[Reading]:
    """Read measurements of one link, and return them in the order of `known.in_order_of_use`.

    A file that was given twice, also as a copy, counts once. Round trips may contradict each other
    if `may_differ`, because the user states it.

    Raises:
        ConfigurationError: a file is of none of the kinds, invalid or too short, or two files
            contradict each other.

    """
    copies: dict[Path, list[Path]] = {}
    for path in paths:
        first = next((one for one in copies if _are_equal(one, path)), path)
        copies.setdefault(first, []).append(path)
    readings = []
    for first, own in copies.items():
        readings.append(read_measurement(first, guesses))
        if len(own) > 1:
            names = ", ".join(dict.fromkeys(map(str, own)))
            readings[-1].notes.append(f"given {len(own)} times ({names}); it counts once")
    if not may_differ:
        check_agreement(readings)
    return in_order_of_use(readings)


def _are_equal(one: Path, other: Path) -> bool:
    """Return whether two paths are of one file, or of files with the same content."""
    if one == other:
        return True
    try:
        are_files = one.is_file() and other.is_file()
        return are_files and filecmp.cmp(one, other, shallow=False)
    except OSError:  # the reader of the file says why it cannot be read
        return False


def read_measurement(path: Path, guesses: Guesses) -> Reading:
    """Read one measurement; see `read_measurements`."""
    beginning = beginning_of(path, BEGINNING_BYTES) if path.is_file() else b""
    if beginning.startswith(PCAP):
        return captures.read_capture(path)
    if IPERF3_JSON.match(beginning):
        return transfers.read_iperf3_json(path, guesses.is_backward, guesses.udp_fills)
    if IRTT.match(beginning):
        return probes.read_irtt(path, guesses.every_s)
    if IPERF_FAILED.match(beginning):
        message = "is the message of an iperf test that failed: check that the server runs and can "
        raise refused(path, "", f"{message}be reached, and repeat the test")
    if TCPDUMP.search(beginning):
        message = "is the text of tcpdump, which has too little: capture with tcpdump -w FILE.pcap,"
        raise refused(path, "", f"{message} or print with {captures.COMMAND}")
    if IPERF.search(beginning):
        return transfers.read_iperf_text(path, guesses.is_backward, guesses.udp_fills)
    if transfers.STAMP.match(beginning.decode("latin-1").lstrip()):
        return transfers.read_iperf_csv(path, guesses.udp_fills)
    if SS.search(beginning):
        return counters.read_ss(path)
    if NSTAT.search(beginning):
        return counters.read_nstat(path, guesses.nstat_totals)
    if b"conn_#," in beginning:
        return captures.read_tcptrace(path)
    if captures.is_packet_table(beginning):
        return captures.read_packet_table(path)
    is_ping = any(probes.is_echo(line) for line in beginning.split(b"\n"))
    if is_ping or PING.search(beginning):
        return probes.read_ping(path, guesses.every_s)
    is_link = ROW.search(beginning) and not foreign(beginning)
    if path.is_file() and not is_link and not guesses.columns.is_set:
        kind = (foreign(beginning) or "").partition(":")[0].partition(". ")[0]
        kind = kind or ("is no measurement that is known" if beginning.strip() else EMPTY_RECORD)
        raise refused(path, "", f"{kind}; link reads {READ}")
    return _of_recording(path, guesses, beginning)


def _of_recording(path: Path, guesses: Guesses, beginning: bytes) -> Reading:
    """Read a recorded link: a Mahimahi file, or a table of times and rates.

    The time between rows is not used for a table with times: the user states it for a ping.
    """
    lines = beginning.decode("utf-8", "replace").splitlines()
    at, _ = first_row(lines)
    has_times = at is not None and any(map(is_time, re.split(r"[\t,;]", lines[at])))
    every_s = None if has_times else guesses.every_s
    recording = read_recording(path, None, replace(guesses.columns, every_s=every_s))
    reading = Reading(path, "a recorded link")
    _, ends = mean_and_ends(recording.rates(recording.length_s / BATCHES)[1])
    reading.add("rate_bps", recording.mean_bps, ends, f"the mean of {seconds(recording.length_s)}")
    _, gaps_s = recording.gaps()
    stalls = gaps_s[gaps_s >= STALL_S].tolist()
    how = f"{len(stalls)} in {seconds(recording.length_s)}"
    reading.add_stalls(stalls, recording.length_s, how)
    reading.notes += [recording.understood] if recording.understood else []
    if not recording.is_steady():
        words = "its rate changes, and only the mean is used here: tcpgoodput trace describes them"
        reading.notes.append(words)
    return reading
