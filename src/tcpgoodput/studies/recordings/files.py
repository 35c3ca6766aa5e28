"""Read recorded links, and recognise files of other tools, such as packet captures."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration import ConfigurationError, Problem, refused
from tcpgoodput.configuration.packed_text import beginning_of, lines_of, unpacked_name
from tcpgoodput.configuration.problems import ENOUGH_PROBLEMS, quoted
from tcpgoodput.configuration.unreadable import EMPTY_RECORD
from tcpgoodput.studies.recordings.columns import UNIX_TIMES, TableColumns, is_table
from tcpgoodput.studies.recordings.iperf3 import read_iperf3
from tcpgoodput.studies.recordings.recording import DELAY_STEP_S, PacketRecording, Recording

USABLE = (
    "tcpgoodput trace reads Mahimahi files (a line for each packet of 1500 bytes that could leave, "
    "with its millisecond) and tables with a column of times and one of rates"
)

CARRIED = (
    "what a TCP transfer carried is not what the link could have carried; tcpgoodput link FILE "
    "says what it tells"
)

CAPTURED = (
    f"{CARRIED}; if the sender kept the link full, write the packets' arrivals as whole "
    "milliseconds, one a line"
)

ROUND_TRIPS = (
    "it has round trips, and no rates; tcpgoodput link FILE says what they tell; for delay: {file: "
    "delay.csv} of a scenario write lines of time_s,delay_s, such as half of each round trip"
)

IPERF_TABLE = (
    r"sed -nE '/sender|receiver|omitted/d; s/.* ([0-9.]+) *- *[0-9.]+ +sec +[0-9.]+ +[A-Za-z]+ +"
    r"([0-9.]+ +[A-Za-z]+\/sec).*/\1,\2/p' FILE"
)
"""Command that writes the lines of iperf, as `0.00,14.01 Mbits/sec`, which is a table."""

IPERF3_JSON = re.compile(
    rb'(?s)\s*\{\s*"(?:start"\s*:.*?"(?:connected|version|cookie|test_start|error)"|intervals"\s*:'
    rb'|event"\s*:\s*"(?:start|interval|error)")'
)


@dataclass(frozen=True)
class Kind:
    """A kind of file that is not a recording of a link, recognised by its first bytes."""

    name: str
    begins: bytes
    """Regular expression that matches at the beginning of the file."""
    reason: str
    """Why such a file is not a recording of a link, and how to convert the file."""


KINDS = (
    Kind(
        "a packet capture (pcap)",
        rb"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\xa1\xb2\x3c\x4d",
        CAPTURED,
    ),
    Kind("a packet capture (pcapng)", rb"\x0a\x0d\x0d\x0a", CAPTURED),
    Kind("a packet capture as text (tcpdump)", rb"(?s).*?\bIP6? \S+ > \S+: ", CARRIED),
    Kind("tshark's text", rb"\s*\d+ +\d+\.\d+ +\S+ +(?:\xe2\x86\x92|->) +\S+ ", CARRIED),
    Kind(
        "the message of an iperf test that failed",
        rb"(?s)(?:Connecting to host [^\n]*\n\s*)?iperf3?: (?:error|interrupt)",
        "check that the server runs and can be reached, and repeat the test",
    ),
    Kind(
        "iperf's text",
        rb"(?s).*?(?:\[ *ID\] *Interval|Connecting to host "
        rb"|\[ *(?:\d+|SUM)\] +\d+\.\d+ *- *\d+\.\d+ +sec )",
        f"{CARRIED}; if a UDP test that filled the link received it, make a table: {IPERF_TABLE}",
    ),
    Kind(
        "tcp_probe's output",
        rb"(?s)(?:.*?\btcp_probe: |\s*\d+\.\d+ \S+:\d+ \S+:\d+ \d+ 0x[0-9a-fA-F]+ )",
        f"it has a sender's windows, not the link's rate; {CARRIED}",
    ),
    Kind(
        "the output of ss",
        rb"(?s)(?:.*?\bcwnd:\d+|(?:Netid\s+)?State\s+Recv-Q\s)",
        f"it has a sender's windows, not the link's rate; {CARRIED}",
    ),
    Kind(
        "the output of ping",
        rb"(?:\[[\d.]+\] )?(?:PING \S+ |\d+ bytes from |\s*Pinging |Reply from )",
        ROUND_TRIPS,
    ),
    Kind("irtt's JSON", rb'(?s)\s*\{.*?"irtt"', ROUND_TRIPS),
    Kind(
        "a log of mm-link",
        rb"# mahimahi mm-link",
        "it has events of packets; the link is in the trace that mm-link reads",
    ),
    Kind("JSON", rb"\s*(?:\{|\[\s*[\[\{\"\]]|\[[^\]]*,)", "write times and rates as CSV"),
    Kind("a zip archive or a spreadsheet", rb"PK\x03\x04", "unpack it, or save it as CSV"),
    Kind("packed by zstd", rb"\x28\xb5\x2f\xfd", "unpack it, or pack it by gzip, bzip2 or xz"),
    Kind("packed by 7-Zip", rb"7z\xbc\xaf\x27\x1c", "unpack it, or pack it by gzip, bzip2 or xz"),
    Kind("a Parquet file", rb"PAR1", "save it as CSV"),
    Kind("a web page", rb"(?i)\s*<(?:!doctype|html)", "download the file itself"),
)


def foreign(beginning: bytes) -> str | None:
    """Return a message if a file is not a recording of a link; None if it may be a recording.

    The message names the kind of the file, and says how to convert it.
    """
    for kind in KINDS:
        if re.match(kind.begins, beginning):
            return f"is {kind.name}: {kind.reason}. {USABLE}"
    if b"\x00" in beginning:
        return f"is no text. {USABLE}"
    return None


LONGEST_MS = 6 * 3_600_000
"""Longest recording in milliseconds (six hours); each millisecond takes four bytes of memory.
Chosen by hand."""

LONGEST_DIGITS = 19
"""Largest number of digits of a time, that of nanoseconds since 1970."""

LONGEST_DELAY_MS = 60_000

BEGINNING_BYTES = 4096
"""Number of bytes at the beginning of a file by which its kind is recognised; chosen by hand."""

ENDS_APART_S = 1.0
"""Largest allowed difference in seconds between the durations of a recording's two files, of rates
and of delays; chosen by hand."""


ROUNDED_S = 1.01 * DELAY_STEP_S
"""Largest difference in seconds between these durations that the step between delays explains."""


def read_recording(
    path: Path, delays: Path | None = None, columns: TableColumns | None = None
) -> Recording:
    """Read a recording of a link, and a file of delays if there is one.

    Args:
        path: a file with one line for each packet of 1500 bytes that could leave the link: the time
            in milliseconds. The last time is the length of the recording. Or a table of rates; see
            `read_table`. Or the JSON output of iperf3; see `read_iperf3`. The file is plain or
            compressed by gzip, bzip2 or xz.
        delays: a file with one line for each 10 ms, with the one-way delay in milliseconds.
        columns: the user's settings for a table's columns; None: all are guessed.

    Raises:
        ConfigurationError: the file is invalid, or belongs to another tool, which the message
            names.

    """
    beginning = beginning_of(path, BEGINNING_BYTES) if path.is_file() else b""
    is_json = IPERF3_JSON.match(beginning) is not None
    if not is_json and (message := foreign(beginning)):
        raise refused(path, "", message)
    if beginning and not beginning.strip():
        raise refused(path, "", f"{EMPTY_RECORD}. {USABLE}")
    columns = columns or TableColumns()
    recording: Recording
    if (is_table(beginning) and not is_json) or columns.every_s is not None:
        # This import is here because it loads pandas, which takes half a second.
        from tcpgoodput.studies.recordings.tables import read_table

        recording = read_table(path, columns)
    elif columns.is_set:
        what = "is JSON" if is_json else "has one number in each line"
        raise refused(path, "", f"{what}: options for columns and units are only for tables")
    elif is_json:
        recording = read_iperf3(path)
    else:
        recording = _read_packets(path)
    return recording if delays is None else _with_delays(recording, delays)


def _read_packets(path: Path) -> PacketRecording:
    """Read a file with the times, in whole milliseconds, at which packets could leave the link."""
    digest, counts, last_ms = hashlib.sha256(), np.zeros(2**16, np.uint32), 0
    number, origin_ms = 1, 0
    for block in lines_of(path, digest):
        if number == 1:
            origin_ms = _origin_ms(block)
        times_ms = _milliseconds(block, origin_ms)
        if times_ms is None or times_ms[0] < last_ms or times_ms[-1] > LONGEST_MS:
            times_ms = _line_by_line(path, block, number, last_ms, origin_ms)
        last_ms = int(times_ms[-1])
        if last_ms >= counts.size:
            counts = np.append(counts, np.zeros(max(counts.size, last_ms + 1), np.uint32))
        first_ms = int(times_ms[0])
        added = np.bincount(times_ms - first_ms)
        counts[first_ms : first_ms + added.size] += added.astype(np.uint32)
        number += block.count(b"\n")
    if number == 1:
        raise refused(path, "", f"{EMPTY_RECORD}. {USABLE}")
    if last_ms == 0:
        raise refused(
            path, "", "has the length 0 ms, which its last line gives; a later time must follow"
        )
    counts[0] += counts[last_ms]  # the recording repeats: packets at its end leave at its start
    understood = "times in ms since 1970: the first one counts as 0" if origin_ms else ""
    return PacketRecording(
        unpacked_name(path), digest.hexdigest(), None, counts[:last_ms], understood=understood
    )


def _origin_ms(block: bytes) -> int:
    """Return the first time in a file if it is one in milliseconds since 1970; otherwise 0."""
    first = block.partition(b"\n")[0].strip()
    least_ms = int(dict(UNIX_TIMES)["ms"])
    is_unix = first.isdigit() and len(first) == len(str(least_ms))
    return int(first) if is_unix and int(first) < 4 * least_ms else 0


def _milliseconds(block: bytes, origin_ms: int) -> NDArray[np.int64] | None:
    """Return the times in a block of lines after `origin_ms`, or None if a line may be invalid."""
    if block.translate(None, b"0123456789\n") or block[0] == 10 or b"\n\n" in block:
        return None
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
    if np.diff(ends, prepend=-1).max() > len(str(LONGEST_MS + origin_ms)) + 1:
        return None
    numbers = np.fromstring(block.decode("ascii"), np.int64, sep="\n")
    return numbers - origin_ms if np.all(np.diff(numbers) >= 0) else None


def _line_by_line(
    path: Path, block: bytes, number: int, last_ms: int, origin_ms: int
) -> NDArray[np.int64]:
    """Return the times in milliseconds in a block of lines, after checking each line."""
    problems, times = [], []
    for line, text in enumerate(block.split(b"\n")[:-1], start=number):
        if not text.strip().isdigit():
            message = f"needs a whole number of milliseconds, has {quoted(text)}"
        elif len(text.strip().lstrip(b"0")) > LONGEST_DIGITS:
            message = _beyond()
        elif (time_ms := int(text) - origin_ms) > LONGEST_MS:
            units = [unit for unit, least in UNIX_TIMES if least <= int(text) < 4 * least]
            message = _beyond()
            if units and not origin_ms:
                message += f"; a time since 1970 in {units[0]}? write milliseconds"
        elif time_ms < last_ms:
            message = f"{time_ms} ms come after {last_ms} ms: times must not decrease"
        else:
            last_ms = time_ms
            times.append(last_ms)
            continue
        problems.append(Problem(str(path), line, "", message))
        if len(problems) == ENOUGH_PROBLEMS:
            break
    if problems:
        raise ConfigurationError(problems)
    return np.array(times)


def _beyond() -> str:
    hours = LONGEST_MS // 3_600_000
    return f"is beyond {hours} hours ({LONGEST_MS} ms), the longest recording"


def _with_delays(recording: Recording, path: Path) -> Recording:
    delays_s = np.fromiter(_delays_s(path), float)
    if delays_s.size == 0:
        raise refused(path, "", f"{EMPTY_RECORD}. {USABLE}")
    lasts_s, length_s = DELAY_STEP_S * delays_s.size, recording.length_s
    notes = [recording.understood] * bool(recording.understood)
    if abs(lasts_s - length_s) > ENDS_APART_S:
        message = f"lasts {lasts_s:g} s with a line for each {DELAY_STEP_S:g} s, {recording.name} "
        message += f"{length_s:g} s: they do not belong to the same recording"
        raise refused(path, "", message)
    if abs(lasts_s - length_s) > ROUNDED_S:
        words = f"the delays last {lasts_s:g} s and the rates {length_s:g} s"
        notes.append(f"{words}: each of them repeats after its own end")
    return replace(recording, delays_s=delays_s, understood="; ".join(notes))


def _delays_s(path: Path) -> Iterator[float]:
    problems: list[Problem] = []
    line = 0
    for block in lines_of(path):
        for text in block.split(b"\n")[:-1]:
            line += 1
            delay_ms = number_in(text)
            if 0 <= delay_ms <= LONGEST_DELAY_MS:
                yield delay_ms / 1e3
                continue
            message = f"needs a delay of 0 to {LONGEST_DELAY_MS} ms, has {quoted(text)}"
            problems.append(Problem(str(path), line, "", message))
            if len(problems) == ENOUGH_PROBLEMS:
                raise ConfigurationError(problems)
        if DELAY_STEP_S * line > LONGEST_MS / 1e3:
            raise refused(path, "", f"lasts longer than {LONGEST_MS // 3_600_000} hours; cut it")
    if problems:
        raise ConfigurationError(problems)


def number_in(text: str | bytes) -> float:
    """Return the number that a text is; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
