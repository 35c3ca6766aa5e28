"""Read what Linux counts: `ss -ti` of one connection over time, and `nstat` of the whole host."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from tcpgoodput.configuration import refused
from tcpgoodput.studies.measured.known import Reading, host_of
from tcpgoodput.studies.recordings.files import number_in

CLOCK = re.compile(r"(\d{9,10}(?:\.\d+)?)\s*$")
"""A line with seconds since 1970, as `date +%s.%N` prints them between samples."""

ADDRESSES = re.compile(
    r"(?:\S+ +)?(?:[A-Z][A-Z0-9-]+ +)?\d+ +\d+ +(\S+:\S+) +(\S+:\S+)"  # the state may be missing
)
FIELDS = re.compile(r"([a-z_]+):(\d[\d.]*)(?:/(\d[\d.]*))?")
LIMITED = re.compile(r"(rwnd|sndbuf)_limited:\d+ms\(([\d.]+)%\)")
BUSY = re.compile(r"\bbusy:(\d+)ms")
ALGORITHM = re.compile(
    r"(?:^\s+|\S+:\S+\s+)(?:ts |sack |ecn |ecnseen |fastopen )*([a-z][a-z0-9]+) "
)
COUNTER = re.compile(r"((?:Ip6?|Tcp|Udp|Icmp)[A-Za-z0-9]+)\s+(\d+)\s+[\d.]+\s*$")
MOST_BYTES = 2**25
"""Largest size of a file in bytes, chosen by hand; a sample of `ss` takes about 500."""

FEWEST_SAMPLES = 5
"""Smallest number of samples of `ss` that describe a link, chosen by hand."""

FEWEST_SEGMENTS = 1000
"""Smallest number of counted segments that describe a link, chosen by hand."""

MOST_DEVIATIONS = 8
"""Smallest timeout without the round trip, in mean deviations of round trips, that is the smallest
one of the sender: Linux adds four of them, which had been twice as large. Chosen by hand."""

Sample = dict[str, float]


def read_ss(path: Path) -> Reading:
    """Read samples of `ss -ti`, of the connection that sent most.

    Lines of seconds since 1970 between the samples give their times.
    """
    reading = Reading(path, "the output of ss")
    by_connection: dict[tuple[str, ...], list[Sample]] = defaultdict(list)
    names: dict[tuple[str, ...], str] = {}
    connection: tuple[str, ...] = ()
    clock = math.nan
    for line in reading.texts(MOST_BYTES):
        if found := CLOCK.match(line):
            clock = float(found[1])
        if found := ADDRESSES.match(line):
            connection = found[1], found[2]
        if " cwnd:" not in line:
            continue
        sample = {"clock": clock}
        for name, value, other in FIELDS.findall(line):
            sample[name] = number_in(value.rstrip("."))
            sample[f"{name}/"] = number_in((other or value).rstrip("."))
        if found := BUSY.search(line):
            # ss prints the shares of the busy time only if they are above 0.
            sample |= {"busy_s": float(found[1]) / 1e3, "rwnd": 0.0, "sndbuf": 0.0}
        for limit, percent in LIMITED.findall(line):
            sample[limit] = min(1.0, number_in(percent.rstrip(".")) / 100)
        by_connection[connection].append(sample)
        if found := ALGORITHM.search(line):
            names[connection] = found[1]
    if not by_connection:
        raise refused(path, "", "is the output of ss without the windows of a connection: ss -ti")
    sent = {key: own[-1].get("bytes_acked", len(own)) for key, own in by_connection.items()}
    connection = max(sent, key=lambda key: sent[key])
    samples = by_connection[connection]
    if len(sent) > 1:
        words = " to ".join(connection)
        reading.notes.append(f"{len(sent)} connections: this is {words}, which sent most")
    reading.variant, reading.is_transfer = names.get(connection), True
    reading.host = host_of(connection[1].rpartition(":")[0]) if connection else ""
    return _of_samples(reading, samples)


def _of_samples(reading: Reading, samples: list[Sample]) -> Reading:
    def values(name: str) -> list[float]:
        return [one[name] for one in samples if math.isfinite(one.get(name, math.nan))]

    last = samples[-1]
    for name in ("bytes_acked", "busy_s"):  # ss leaves out what is 0
        if name in last:
            samples = [{name: 0.0, **one} for one in samples]
    if shortest := values("minrtt"):
        reading.add("rtt_min_s", min(shortest) / 1e3, how="the kernel's minrtt")
    if rtts := [value / 1e3 for value in values("rtt")]:
        reading.add_median("loaded_rtt_s", rtts, f"{len(rtts)} smoothed ones")
        reading.add("loaded_rtt_max_s", max(rtts))
    if "mss" in last:
        reading.add("mss_bytes", last["mss"])
    if windows := values("snd_wnd"):
        reading.add("window_bytes", max(windows))
    if (segments := int(last.get("data_segs_out", 0))) > 0:
        again = min(int(last.get("retrans/", 0)), segments)
        reading.add_resent(again, segments, "segments")
    for quantity, limit in (("window_limited", "rwnd"), ("buffer_limited", "sndbuf")):
        if math.isfinite(share := last.get(limit, math.nan)):
            reading.add(quantity, share, how="of the time with data to send")
    # The retransmission timeout is the smoothed round trip and at least the smallest timeout; it is
    # more than that only if round trips differ by a large part of it.
    floors_s = [
        (one["rto"] - one["rtt"]) / 1e3
        for one in samples
        if {"rto", "rtt"} <= one.keys() and MOST_DEVIATIONS * one["rtt/"] < one["rto"] - one["rtt"]
    ]
    if floors_s:
        reading.add("rto_floor_s", min(floors_s), how="least rto less rtt: Linux adds both")
    clocks, acked, busy_s = values("clock"), values("bytes_acked"), values("busy_s")
    bits = 8 * max(0.0, acked[-1] - acked[0]) if acked else 0.0
    if len(clocks) == len(acked) == len(samples) > 1 and clocks[-1] > clocks[0]:
        reading.add("goodput_bps", bits / (clocks[-1] - clocks[0]), how=f"{len(clocks)} samples")
        if len(busy_s) == len(samples):
            share = (busy_s[-1] - busy_s[0]) / (clocks[-1] - clocks[0])
            reading.add("busy", min(1.0, max(0.0, share)), how="between the samples")
        reading.span_s = clocks[0], clocks[-1]
    else:
        words = "no times between the samples (date +%s.%N tells them)"
        if len(busy_s) == len(acked) == len(samples) > 1 and busy_s[-1] > busy_s[0]:
            how = "by the time with data to send"
            reading.add("goodput_bps", bits / (busy_s[-1] - busy_s[0]), how=how)
            words += ": only the time with data to send counts"
        reading.notes.append(words)
    remedy = "while true; do date +%s.%N; ss -tin dst HOST; sleep 1; done >FILE"
    reading.require(len(samples), FEWEST_SAMPLES, "samples", remedy)
    return reading


def read_nstat(path: Path, is_total: bool | None) -> Reading:
    """Read blocks of `nstat`, as text or JSON.

    Args:
        path: the output, one block after the other.
        is_total: whether a block has the totals since the start of the host (`nstat -a`) instead of
            the increments since the block before; None: totals if there are two blocks or more and
            no counter ever falls.

    Raises:
        ConfigurationError: there are too few segments.

    """
    reading, blocks = Reading(path, "the output of nstat"), [dict[str, int]()]
    for line in reading.texts(MOST_BYTES):
        if line.lstrip().startswith("{"):
            try:
                own = json.loads(line)["kernel"].items()
                blocks.append({name: int(value) for name, value in own})
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                message = "is no JSON of nstat: use the output of nstat -j as it is"
                raise refused(path, "", message, reading.lines) from None
        elif found := COUNTER.match(line):
            if found[1] in blocks[-1]:
                blocks.append({})
            blocks[-1][found[1]] = int(found[2])
    blocks = [own for own in blocks if own]
    names = {name for own in blocks for name in own}
    # nstat leaves out counters that are 0.
    counted = {name: [own.get(name, 0) for own in blocks] for name in names}
    if is_total is None:
        never_falls = all(a <= b for own in counted.values() for a, b in pairwise(own))
        is_total = len(blocks) > 1 and never_falls
        kind = "totals, as none ever falls" if is_total else "increments"
        reading.notes.append(f"its numbers are taken for {kind} (--nstat says otherwise)")

    def total(name: str) -> int:
        own = counted.get(name, [0])
        return own[-1] - own[0] if is_total and len(own) > 1 else sum(own)

    segments = max(0, total("TcpOutSegs"))
    reading.notes.append("nstat counts all connections of the host, and their acknowledgements")
    again = min(max(0, total("TcpRetransSegs")), segments)
    reading.add_share("resent", again, segments, "segments of all connections")
    reading.add("timeouts", max(0, total("TcpExtTCPTimeouts")))
    late = sum(max(0, total(f"TcpExtTCP{kind}Reorder")) for kind in ("SACK", "Reno", "TS"))
    reading.add_share("reordered", min(late, segments), segments, "segments, as events")
    remedy = "run nstat -n before and nstat after a transfer"
    reading.require(segments, FEWEST_SEGMENTS, "segments", remedy)
    return reading
