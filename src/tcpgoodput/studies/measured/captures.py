"""Read packets: tshark's fields or Wireshark's CSV, captures by way of tshark, tcptrace's CSV."""

from __future__ import annotations

import io
import math
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.packed_text import lines_of
from tcpgoodput.studies.measured.known import LONGEST_S, STALL_S, Reading, mean_and_ends, seconds

MOST_BYTES = 2**26
"""Largest size of a table in bytes, and MOST_PACKETS the largest number of packets that are read of
a capture; chosen by hand."""

MOST_PACKETS = 2**20

FEWEST_SEGMENTS = 1000
"""Smallest number of segments with data that describe a link, chosen by hand."""

MOST_MSS_BYTES = 9216
"""Largest payload of a packet in bytes; larger ones were captured before they were split."""

NEAR_S = 1e-3
"""Smallest time in seconds from a segment to its ACK in a capture at the sender; at the receiver it
is shorter. Chosen by hand."""

LONGEST_TSHARK_S = 300
"""Longest time in seconds for which tshark may run, chosen by hand."""

FRAME_HEADERS_BYTES = 66
"""Ethernet, IPv4 and TCP with time stamps, which Wireshark's Length counts."""

NOT_TCP = ["ARP", "DHCP", "DNS", "ICMP", "ICMPv6", "IGMPv2", "IGMPv3", "MDNS", "NTP", "QUIC", "UDP"]
"""Protocols in Wireshark's column of this name that TCP does not carry."""

AT_RECEIVER = "captured at the receiver, by the times of its ACKs: it tells no round trips"
NO_DATA = "is of packets, and none carries data of TCP"

TIMES = ("frame.time_epoch", "frame.time_relative", "Time")
OF_WAY = ("tcp.stream", "tcp.srcport", "Source")
AGAIN = ("tcp.analysis.retransmission", "tcp.analysis.fast_retransmission")
LATE, RTT = "tcp.analysis.out_of_order", "tcp.analysis.ack_rtt"
FIELDS = ("frame.time_epoch", "tcp.stream", "tcp.srcport", "tcp.len")
FIELDS += (AGAIN[0], LATE, RTT, "frame.number")
"""Fields that tshark is asked for. Tables of users may have others or fewer."""

COMMAND = "tshark -r FILE -Y tcp -T fields -E header=y -E separator=, " + " ".join(
    f"-e {name}" for name in FIELDS
)


def is_packet_table(beginning: bytes) -> bool:
    """Return whether a file is a table of packets of tshark or Wireshark, by its heading."""
    heading = beginning.split(b"\n")[0].replace(b'"', b"")
    is_export = heading.startswith(b"No.,Time,Source,Destination,")
    return is_export or b"tcp.len" in heading or b"tcp.analysis." in heading


def read_packet_table(path: Path) -> Reading:
    """Read a table with a row for each packet."""
    text = b"".join(lines_of(path, None, MOST_BYTES))
    reading = Reading(path, "a table of packets", text.count(b"\n"))
    return _of_packets(reading, text)


def read_capture(path: Path) -> Reading:
    """Read a packet capture by way of tshark.

    Raises:
        ConfigurationError: tshark is not installed or fails, or there are too few segments.

    """
    tshark = shutil.which("tshark")
    if tshark is None:
        message = f"is a packet capture, which needs tshark: install it, or run elsewhere {COMMAND}"
        raise refused(path, "", message)
    words = COMMAND.replace("FILE", "\0").split()
    command = [str(path) if word == "\0" else word for word in words[1:]]
    limits = ["-n", "-c", str(MOST_PACKETS), "-E", "occurrence=f"]
    try:
        run = subprocess.run(
            [tshark, *command, *limits], capture_output=True, check=False, timeout=LONGEST_TSHARK_S
        )
    except subprocess.TimeoutExpired:
        message = f"tshark takes longer than {LONGEST_TSHARK_S} s: cut the capture with editcap"
        raise refused(path, "", message) from None
    reading = Reading(path, "a packet capture, read by tshark")
    if run.returncode and run.stdout.count(b"\n") < 2:
        said = run.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
        raise refused(path, "", f"tshark cannot read the capture and says: {said[-1][:200]}")
    if run.stdout.rstrip().rpartition(b",")[2] == b"%d" % MOST_PACKETS:
        reading.notes.append(f"only the first {MOST_PACKETS} packets were read")
    if run.returncode:
        reading.notes.append("the capture is cut off: its packets up to there were read")
    return _of_packets(reading, run.stdout)


def _of_packets(reading: Reading, text: bytes) -> Reading:
    """Add what the packets of the direction with most data tell."""
    rows = _table(reading.path, text, 0)
    time = next((name for name in TIMES if name in rows), None)
    length = next((name for name in ("tcp.len", "Length") if name in rows), None)
    if time is None or length is None:
        lacking = "frame.time_epoch" if time is None else "tcp.len"
        message = f"is a table of packets without the column {lacking}: {COMMAND}"
        raise refused(reading.path, "", message)
    if length == "Length" and "Protocol" in rows:
        rows = rows[~rows["Protocol"].isin(NOT_TCP)]
    if rows.empty:
        raise refused(reading.path, "", NO_DATA)
    clock_s, octets = (pd.to_numeric(rows[name], errors="coerce") for name in (time, length))
    if length == "Length":
        words = f"payload is taken for the frame's length less {FRAME_HEADERS_BYTES} bytes"
        reading.notes.append(f"{words}: export tcp.len for the exact one")
        octets = (octets - FRAME_HEADERS_BYTES).clip(lower=0)
    if unread := int((clock_s.isna() | octets.isna()).sum()):
        reading.notes.append(f"{unread} rows without a number for time or length were left out")
    way = rows[[name for name in OF_WAY if name in rows]].agg(" ".join, axis=1)
    carried = octets.groupby(way).sum()
    if carried.empty or not carried.max():
        raise refused(reading.path, "", NO_DATA)
    main = carried.idxmax()
    if len(carried) > 1:
        reading.notes.append(f"{len(carried)} directions: this is the one with most data ({main})")
    info = rows["Info"] if "Info" in rows else pd.Series("", rows.index)
    resent = info.str.contains("Retransmission]", regex=False)
    for name in {*AGAIN} & {*rows}:
        resent |= rows[name] != ""
    late = (
        rows[LATE] != "" if LATE in rows else info.str.contains("[TCP Out-Of-Order]", regex=False)
    )
    own = (way == main) & (octets > 0) & clock_s.notna()
    if not own.any():
        message = "has no segment with data and a time in seconds: in Wireshark, set View, Time "
        raise refused(reading.path, "", f"{message}Display Format to seconds, or {COMMAND}")
    rtts_s = _rtts(rows, way, main)
    if rtts_s.empty or rtts_s.min() < NEAR_S:
        reading.notes.append(AT_RECEIVER if rtts_s.size else "no column with round trips (ack_rtt)")
        rtts_s = rtts_s[:0]
    elif late[own].any():
        words = "captured at the sender, where segments out of order are ones that were sent again"
        reading.notes.append(words)
        resent, late = resent | late, late & False
    _describe(reading, clock_s[own], octets[own], resent[own], late[own], rtts_s)
    return reading


def _table(path: Path, text: bytes, skipped: int) -> pd.DataFrame:
    """Return the rows of a CSV as text, with the heading after some lines."""
    heading = text.split(b"\n", skipped + 1)[skipped]
    try:
        with warnings.catch_warnings(action="ignore"):  # rows may be longer than the heading
            found = pd.read_csv(
                io.BytesIO(text),
                sep="\t" if b"\t" in heading else ",",
                dtype=str,
                keep_default_na=False,
                skiprows=skipped,
                on_bad_lines="skip",
                encoding_errors="replace",
                index_col=False,
            )
    except ValueError as error:
        raise refused(path, "", f"is no CSV: {str(error).splitlines()[0][:100]}") from None
    return found.rename(columns=str.strip).fillna("")


def _rtts(rows: pd.DataFrame, way: pd.Series, main: str) -> pd.Series:
    """Return the round trips in seconds that tshark found for ACKs of the main direction."""
    if RTT not in rows:
        return pd.Series(dtype=float)
    is_answer = way != main
    if OF_WAY[0] in rows:
        is_answer &= rows[OF_WAY[0]] == rows[OF_WAY[0]][way == main].iloc[0]
    found = pd.to_numeric(rows[RTT][is_answer], errors="coerce")
    return found[found > 0]


def _describe(
    reading: Reading,
    clock_s: pd.Series,
    octets: pd.Series,
    resent: pd.Series,
    late: pd.Series,
    rtts_s: pd.Series,
) -> None:
    """Add the quantities of the segments of one direction."""
    count, repeats = octets.size, int(resent.sum())
    reading.is_transfer = True
    if rtts_s.size:
        reading.add("rtt_min_s", float(rtts_s.min()), how=f"{rtts_s.size} acknowledgements")
        reading.add_median("loaded_rtt_s", rtts_s, f"{rtts_s.size} acknowledgements")
        reading.add("loaded_rtt_max_s", float(rtts_s.max()))
    reading.add_resent(repeats, count, "segments")
    if repeats and rtts_s.size:
        first, sizes, median_s = -math.inf, list[int](), rtts_s.median()
        for moment in clock_s[resent]:
            if moment - first > median_s:
                first = moment
                sizes.append(0)
            sizes[-1] += 1
        words = "segments; those sent again within a round trip count once"
        reading.add_share("loss_events", len(sizes), count, words)
        reading.add("burst_packets", *mean_and_ends(sizes), f"{len(sizes)} events")
    reading.add_share("reordered", int(late.sum()), count, "segments")
    if 0 < (took_s := float(clock_s.max() - clock_s.min())) < LONGEST_S:
        rate_bps = 8 * float(octets[~resent].sum()) / took_s
        reading.add("goodput_bps", rate_bps, how=f"{seconds(took_s)}, repeats left out")
        second = ((clock_s - clock_s.min()) // 1).astype(int)
        every = range(second.max() + 1)  # also those without segments
        later = octets[~resent].groupby(second).sum().reindex(every, fill_value=0)[1:-1]
        if later.size > 1:
            words = "whole seconds but the first, in which slow start may overshoot"
            reading.add("peak_bps", 8 * float(later.max()), how=words)
            reading.add_median("interval_bps", 8 * later, words)
        gaps_s = np.diff(clock_s)
        words = f"gaps of {STALL_S:g} s and more between segments, which the sender may have made"
        reading.add_stalls(gaps_s[gaps_s >= STALL_S].tolist(), took_s, words)
    if octets.max() <= MOST_MSS_BYTES:
        reading.add("mss_bytes", float(octets.mode()[0]), how="the most frequent payload")
    else:
        words = "segments larger than packets: the network card splits them (ethtool -K DEVICE tso "
        reading.notes.append(f"{words}off gro off), so shares are of larger units")
    reading.require(count, FEWEST_SEGMENTS, "segments with data", "capture a longer transfer")


def read_tcptrace(path: Path) -> Reading:
    """Read tcptrace's CSV (`tcptrace -l -r --csv`): the connection and direction with most data."""
    text = b"".join(lines_of(path, None, MOST_BYTES))
    reading = Reading(path, "tcptrace's CSV", text.count(b"\n"))
    heading = next(k for k, line in enumerate(text.split(b"\n")) if b"conn_#," in line)
    rows = _table(path, text, heading).apply(pd.to_numeric, errors="coerce").fillna(0.0)
    names = [name for name in ("actual_data_bytes_a2b", "actual_data_bytes_b2a") if name in rows]
    if not names or not (rows[names] > 0).any(axis=None):
        message = "is tcptrace's CSV without a connection that carried data: tcptrace -l -r --csv"
        raise refused(path, "", message)
    name = rows[names].max().idxmax()
    row = rows.loc[rows[name].idxmax()]
    own = {key.removesuffix(name[-4:]): float(row[key]) for key in rows if key.endswith(name[-4:])}
    count = max(1, int(own.get("actual_data_pkts", 0)))
    for quantity, key in (("resent", "rexmt_data_pkts"), ("reordered", "outoforder_pkts")):
        reading.add_share(quantity, min(count, int(own.get(key, 0))), count, "segments")
    if own.get("RTT_samples") and own["RTT_min"] / 1e3 < NEAR_S:
        reading.notes.append(AT_RECEIVER)
    elif own.get("RTT_samples"):
        reading.add("rtt_min_s", own["RTT_min"] / 1e3, how="tcptrace writes milliseconds")
        reading.add("loaded_rtt_s", own["RTT_avg"] / 1e3, how="the mean: tcptrace has no median")
        reading.add("loaded_rtt_max_s", own["RTT_max"] / 1e3)
    if own.get("throughput"):
        reading.add("goodput_bps", 8 * own["throughput"], how="tcptrace writes bytes per second")
    if own.get("max_segm_size"):
        reading.add("mss_bytes", own["max_segm_size"])
    reading.is_transfer = True
    reading.require(count, FEWEST_SEGMENTS, "segments with data", "capture a longer transfer")
    return reading
