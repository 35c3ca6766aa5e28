"""Read packets: tshark's fields or Wireshark's CSV, captures by way of tshark, tcptrace's CSV."""

from __future__ import annotations

import csv
import math
import shutil
import subprocess
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.packed_text import lines_of
from tcpgoodput.studies.measured.known import Reading

MOST_PACKETS = 2**21
"""Largest number of packets that are read, chosen by hand."""

FEWEST_SEGMENTS = 1000
"""Smallest number of segments with data that describe a link, chosen by hand."""

MOST_MSS_BYTES = 9216
"""Largest payload of a packet in bytes; larger ones were captured before they were split."""

LONGEST_TSHARK_S = 300
"""Longest time in seconds for which tshark may run, chosen by hand."""

FIELDS = (
    *("frame.time_epoch", "tcp.stream", "tcp.srcport", "tcp.len", "tcp.analysis.retransmission"),
    *("tcp.analysis.out_of_order", "tcp.analysis.ack_rtt", "tcp.window_size"),
)
"""Fields that this package asks tshark for. Exports by users may have others or fewer."""

AGAIN = ("tcp.analysis.retransmission", "tcp.analysis.fast_retransmission")
MARKS_AGAIN = ("[TCP Retransmission]", "[TCP Fast Retransmission]", "[TCP Spurious Retransmission]")
TIMES = ("frame.time_epoch", "frame.time_relative", "Time")
COMMAND = "tshark -r FILE -T fields -E header=y -E separator=, " + " ".join(
    f"-e {name}" for name in FIELDS
)


def is_packet_table(beginning: bytes) -> bool:
    """Return whether a file is a table of packets of tshark or Wireshark, by its heading."""
    heading = beginning.split(b"\n")[0]
    is_export = heading.replace(b'"', b"").startswith(b"No.,Time,Source,Destination,")
    return is_export or b"tcp.len" in heading or b"tcp.analysis." in heading


def read_packet_table(path: Path) -> Reading:
    """Read a table with a row for each packet.

    Raises:
        ConfigurationError: a column is missing, or there are too few segments.

    """
    lines = (
        line
        for block in lines_of(path)
        for line in block.decode("utf-8", "replace").split("\n")[:-1]
    )
    return _of_rows(Reading(path, "a table of packets (tshark)"), lines)


def read_capture(path: Path) -> Reading:
    """Read a packet capture by way of tshark.

    Raises:
        ConfigurationError: tshark is not installed or fails, or there are too few segments.

    """
    tshark = shutil.which("tshark")
    if tshark is None:
        message = f"is a packet capture, which needs tshark: install it, or run elsewhere {COMMAND}"
        raise refused(path, "", message)
    command = [tshark, "-n", "-r", str(path), "-c", str(MOST_PACKETS), "-Y", "tcp"]
    command += ["-T", "fields", "-E", "header=y", "-E", "separator=,", "-E", "occurrence=f"]
    command += [word for name in FIELDS for word in ("-e", name)]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LONGEST_TSHARK_S
        )
    except subprocess.TimeoutExpired:
        message = f"tshark takes longer than {LONGEST_TSHARK_S} s: cut the capture with editcap"
        raise refused(path, "", message) from None
    if run.returncode and run.stdout.count("\n") < 2:
        said = (run.stderr.strip().splitlines() or ["nothing"])[-1][:200]
        raise refused(path, "", f"tshark cannot read the capture and says: {said}")
    reading = Reading(path, "a packet capture, read by tshark")
    if run.returncode:
        reading.notes.append("the capture is cut off: its packets up to there were read")
    found = _of_rows(reading, run.stdout.splitlines())
    found.lines = 0
    return found


def _of_rows(reading: Reading, lines: Iterable[str]) -> Reading:
    rows = csv.reader(lines, delimiter=",")
    try:
        names = [name.strip() for name in next(rows, [])]
        return _of_packets(reading, names, rows)
    except csv.Error as error:
        raise refused(reading.path, "", f"is no CSV: {error}", rows.line_num) from None


def _of_packets(reading: Reading, names: list[str], rows: Iterator[list[str]]) -> Reading:
    """Add what the packets of the direction with most data tell."""
    at = {name: number for number, name in enumerate(names)}
    time = next((at[name] for name in TIMES if name in at), None)
    length = at.get("tcp.len", at.get("Length"))
    if time is None or length is None:
        missing = "frame.time_epoch" if time is None else "tcp.len"
        message = f"is a table of packets without the column {missing}: {COMMAND}"
        raise refused(reading.path, "", message)
    ways: list[tuple[str, ...]] = []
    numbers: dict[tuple[str, ...], int] = {}
    way, clock, size, again = array("q"), array("d"), array("d"), array("b")
    late, rtt = array("b"), array("d")
    flags = [at[name] for name in AGAIN if name in at]
    of_way = [at[n] for n in ("tcp.stream", "tcp.srcport", "Source") if n in at]
    unread = 0
    for row in rows:
        reading.lines += 1
        if reading.lines > MOST_PACKETS:
            reading.notes.append(f"only the first {MOST_PACKETS} packets were read")
            break
        row += [""] * (len(names) - len(row))
        info = row[at["Info"]] if "Info" in at else ""
        try:
            clock_s, octets = float(row[time]), float(row[length] or 0)
            delay_s = (
                float(row[at["tcp.analysis.ack_rtt"]] or "nan") if AGAIN_RTT in at else math.nan
            )
        except ValueError:
            unread += 1
            continue
        key = tuple(row[k] for k in of_way)
        if key not in numbers:
            numbers[key] = len(ways)
            ways.append(key)
        way.append(numbers[key])
        clock.append(clock_s)
        size.append(octets if "tcp.len" in at else max(0.0, octets - 66))
        again.append(any(row[k] for k in flags) or any(mark in info for mark in MARKS_AGAIN))
        late.append(bool(row[at["tcp.analysis.out_of_order"]]) if OUT in at else OUT_MARK in info)
        rtt.append(delay_s)
    if unread:
        reading.notes.append(f"{unread} rows without a number for time or length were left out")
    if not ways:
        raise refused(reading.path, "", f"has no packets with {names[time]} and {names[length]}")
    if "tcp.len" not in at:
        reading.notes.append("payload is taken for the frame's length less 66 bytes of headers")
    sizes, ids = np.array(size), np.array(way)
    carried = np.bincount(ids, weights=sizes)
    main = int(carried.argmax())
    if len(ways) > 1:
        words = ", ".join(ways[main])
        reading.notes.append(f"{len(ways)} directions: this is the one with most data ({words})")
    is_own = (ids == main) & (sizes > 0)
    resent = np.array(again, dtype=bool) & is_own
    clocks = np.array(clock)
    count, repeats = int(is_own.sum()), int(resent.sum())
    rtts = np.array(rtt)[(ids != main) & (np.array(rtt) > 0)]
    reading.is_transfer = True
    if rtts.size:
        reading.add("rtt_min_s", float(rtts.min()), how=f"{rtts.size} ACKs; at the sender's side")
        reading.add_median("loaded_rtt_s", rtts, f"{rtts.size} ACKs")
        reading.add("loaded_rtt_max_s", float(rtts.max()))
    took_s = float(np.ptp(clocks[is_own])) if count else 0.0
    words = "segments; the queue dropped some, and some were not lost"
    reading.add_share("resent", repeats, count, words)
    if repeats and rtts.size:
        apart_s = float(np.median(rtts))
        first, events = -math.inf, 0
        for moment in clocks[resent]:
            if moment - first > apart_s:
                first, events = moment, events + 1
        reading.add_share("loss_events", events, count, "segments; a round trip apart")
        reading.add("burst_packets", repeats / events, how=f"{events} events")
    reading.add_share(
        "reordered", int((np.array(late, dtype=bool) & is_own).sum()), count, "segments"
    )
    if took_s > 0:
        data = float(sizes[is_own & ~resent].sum())
        reading.add("goodput_bps", 8 * data / took_s, how=f"{took_s:.4g} s, repeats left out")
        gaps = np.diff(clocks[is_own])
        reading.add_stalls(gaps[gaps >= 0.2], took_s, "gaps of 0.2 s and more between segments")
    if count:
        common, _ = Counter(sizes[is_own].tolist()).most_common(1)[0]
        reading.add("mss_bytes", common, how="the most frequent payload")
        if sizes[is_own].max() > MOST_MSS_BYTES:
            words = "segments larger than packets: the sender's network card splits them (ethtool "
            reading.notes.append(words + "-K DEVICE tso off), so shares are of larger units")
    if count < FEWEST_SEGMENTS:
        needed = f"at least {FEWEST_SEGMENTS} are needed: capture a longer transfer"
        raise reading.too_short(f"{count} segments with data", needed)
    return reading


AGAIN_RTT, OUT, OUT_MARK = "tcp.analysis.ack_rtt", "tcp.analysis.out_of_order", "[TCP Out-Of-Order]"


def read_tcptrace(path: Path) -> Reading:
    """Read tcptrace's CSV (`tcptrace -l -r --csv`): the connection and direction with most data.

    Raises:
        ConfigurationError: it has no complete connection, or too few segments.

    """
    reading = Reading(path, "tcptrace's CSV")
    names: list[str] = []
    best: dict[str, float] = {}
    for block in lines_of(path):
        for line in block.decode("utf-8", "replace").split("\n")[:-1]:
            reading.lines += 1
            cells = [cell.strip() for cell in line.split(",")]
            if cells[0].lstrip("/") == "conn_#":
                names = cells
                continue
            for end in ("a2b", "b2a") if names and len(cells) == len(names) else ():
                own = {
                    name.removesuffix(f"_{end}"): _finite(cell)
                    for name, cell in zip(names, cells, strict=True)
                    if name.endswith(end)
                }
                if own.get("actual_data_bytes", 0) > best.get("actual_data_bytes", 0):
                    best = own
    if not best:
        message = "is tcptrace's CSV without a connection that carried data: tcptrace -l -r --csv"
        raise refused(path, "", message)
    reading.is_transfer = True
    count = int(best.get("actual_data_pkts", 0))
    words = "segments; the queue dropped some, and some were not lost"
    reading.add_share("resent", min(count, int(best.get("rexmt_data_pkts", 0))), count, words)
    late = min(count, int(best.get("outoforder_pkts", 0)))
    reading.add_share("reordered", late, count, "segments")
    if best.get("RTT_samples"):
        reading.add("rtt_min_s", best["RTT_min"] / 1e3, how="tcptrace writes milliseconds")
        reading.add("loaded_rtt_s", best["RTT_avg"] / 1e3, how="the mean: tcptrace has no median")
        reading.add("loaded_rtt_max_s", best["RTT_max"] / 1e3)
    if best.get("throughput"):
        reading.add("goodput_bps", 8 * best["throughput"], how="tcptrace writes bytes per second")
    if best.get("max_segm_size"):
        reading.add("mss_bytes", best["max_segm_size"])
    if count < FEWEST_SEGMENTS:
        needed = f"at least {FEWEST_SEGMENTS} are needed: capture a longer transfer"
        raise reading.too_short(f"{count} segments with data", needed)
    return reading


def _finite(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) and number >= 0 else 0.0
