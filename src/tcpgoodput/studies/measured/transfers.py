"""Read transfers of iperf3 (JSON and text) and of iperf 2 (text and CSV)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.configuration import ConfigurationError, refused
from tcpgoodput.scenario.capacity.trace import HIGHEST_BPS
from tcpgoodput.statistics import Interval
from tcpgoodput.studies.measured.known import (
    LEAST_BURST,
    LONGEST_S,
    STALL_S,
    Array,
    Reading,
    host_of,
    runs_of,
    seconds,
    share_interval,
)
from tcpgoodput.studies.recordings.columns import BITS, rate_unit
from tcpgoodput.studies.recordings.iperf3 import MOST_BYTES, SEVERAL_TESTS, events_of, text_of

SHORTEST_S = 5.0
"""Shortest transfer in seconds that describes a link, chosen by hand: slow start takes longer on
some."""

FEWEST_INTERVALS = 10
"""Smallest number of intervals whose losses tell loss events, and SHORTEST_ROUND_TRIPS the shortest
such interval in round trips; chosen by hand. An event takes about one to repair."""

SHORTEST_ROUND_TRIPS = 4

UDP_HEADERS_BYTES, MOST_UDP_BYTES = 28, 1472
"""Headers of UDP over IPv4, and the largest payload with them in a packet of 1500 bytes; a larger
datagram is split."""

FULL_LOSS = 0.1
"""Smallest share of lost datagrams from which on a UDP test counts as one that fills the link, so
that the link's queue dropped them. Chosen by hand."""

TEXT_ROW = re.compile(
    r"\[ *(?P<id>\d+|SUM)\](?:\[(?P<way>[TR]X-[CS])\])? +"
    r"(?P<start>\d+\.?\d*) *- *(?P<end>\d+\.?\d*) +sec +"
    r"[\d.]+ +[KMGT]?Bytes +(?P<rate>\d+\.?\d*) +(?P<unit>[KMGT]?(?:bits|Bytes)/sec)(?P<rest>.*)"
)
DATAGRAMS = re.compile(r" +[\d.]+ +ms +(?P<lost>\d+)/ *(?P<total>\d+)")
RESENT_3 = re.compile(r" +(?P<count>\d+)(?: +[\d.]+ +[KMG]?Bytes)? *(?:sender *)?$")
RESENT_2 = re.compile(r" +\d+/\d+ +(?P<count>\d+) +\S+/(?P<rtt_us>\d+)(?:\(\d+\))? us")
STAMP = re.compile(r"\d{14}(?:\.\d+)?,[\da-fA-F.:]*,\d*,")

TO_SERVER = {"TX-C", "RX-S"}
"""Marks of the rows of a bidirectional test on the way from the client to the server."""

ALL_STREAMS = "SUM"
"""Name, in place of a stream's number, of the rows of all streams."""

SHORT_REST = 0.1
"""Largest length, relative to the interval before, of a rest at the end that is left out: it begins
with packets that were under way. Chosen by hand."""


@dataclass(frozen=True)
class _Row:
    """What a line of text or CSV tells of one stream, or of all, in an interval."""

    rate_bps: float
    datagrams: tuple[int, int] | None = None
    """Lost and all datagrams, which the receiver counts."""
    resent: int | None = None
    rtt_s: float | None = None


Rows = dict[tuple[float, float], dict[str, _Row]]
"""Rows by the ends of their interval in seconds, then by the stream."""


@dataclass
class _Transfer:
    """The intervals of a transfer, all streams together."""

    ends_s: list[float] = field(default_factory=list)
    widths_s: list[float] = field(default_factory=list)
    rates_bps: list[float] = field(default_factory=list)
    rtts_s: list[float] = field(default_factory=list)
    resent: int | None = None
    resent_each: list[int] = field(default_factory=list)
    """Number of segments that were sent again in each interval; empty: unknown."""
    total_bps: float | None = None
    """Goodput of the whole test, as the tool states it."""
    lost: tuple[int, int] | None = None
    """Lost and all datagrams of a UDP test."""
    wire: float = 1.0
    """Size of a datagram with its headers over that of its payload, if known."""
    streams: int = 1
    is_sent: bool = False
    """True: the rates of the intervals are what the sender sent, and in a test of TCP what it wrote
    into its buffer, which it refills only now and then."""
    quiet: list[bool] = field(default_factory=list)
    """Whether no acknowledgement arrived in each interval; empty: unknown."""
    unread_bytes: float = 0.0
    """What was written and did not arrive: it was in the sender's buffer at the end."""

    def add(self, start_s: float, end_s: float, rate_bps: float) -> bool:
        """Add an interval; return False if it is a short rest at the end, which is left out."""
        if self.widths_s and end_s - start_s < SHORT_REST * self.widths_s[-1]:
            return False
        if not (0 <= start_s < end_s < LONGEST_S and 0 <= rate_bps <= HIGHEST_BPS):
            raise ValueError("an interval whose times or rate are impossible")
        self.ends_s.append(end_s)
        self.widths_s.append(end_s - start_s)
        self.rates_bps.append(rate_bps)
        return True

    def add_all(self, rows: Rows, path: Path) -> None:
        """Add the rows of a text; those from the start to the end are of the whole test."""
        self.streams = max(1, *(len(own.keys() - {ALL_STREAMS}) for own in rows.values()))
        last_s = max(end for _, end in rows)
        whole_ends, whole, counted = None, list[tuple[int, int]](), list[tuple[int, int]]()
        try:
            for ends, own in rows.items():
                chosen = [own[ALL_STREAMS]] if ALL_STREAMS in own else [*own.values()]
                rate_bps = sum(row.rate_bps for row in chosen)
                datagrams = [row.datagrams for row in chosen if row.datagrams]
                # The sender and the receiver time the whole test apart.
                if len(rows) > 1 and ends[0] == 0 and ends[1] >= 0.99 * last_s:
                    self.total_bps, whole_ends = rate_bps, ends
                    whole = datagrams or whole
                elif self.add(*ends, rate_bps):
                    counted += datagrams
                    if resent := [row.resent for row in chosen if row.resent is not None]:
                        self.resent_each.append(sum(resent))
                    self.rtts_s += [row.rtt_s for row in chosen if row.rtt_s is not None]
            if whole_ends and self.total_bps is not None and not self.widths_s:
                self.add(*whole_ends, self.total_bps)
        except ValueError as error:
            raise refused(path, "", f"is iperf's output with {error}") from None
        self.is_sent = not counted
        if datagrams := whole or counted:
            self.lost = sum(lost for lost, _ in datagrams), sum(sent for _, sent in datagrams)

    def describe(self, reading: Reading, mss_bytes: float | None, is_full: bool | None) -> Reading:
        """Add what the transfer tells.

        Without an MSS, 1448 bytes are assumed. `is_full` says whether a UDP test filled the link;
        None: a guess by the lost share.
        """
        took_s, stalls = sum(self.widths_s), self._stalls()
        carried_bps = self._carried_bps(stalls)
        mean_bps = sum(r * w for r, w in zip(self.rates_bps, self.widths_s, strict=True))
        mean_bps = self.total_bps or (mean_bps / took_s if took_s else 0.0)
        spread = Interval.of(carried_bps.tolist()) if carried_bps.size > 1 else None
        ends = [mean_bps - spread.half_width, mean_bps + spread.half_width] if spread else []
        how = f"{len(self.rates_bps)} intervals"
        reading.is_transfer, reading.streams = True, self.streams
        if self.lost:
            self._describe_datagrams(reading, mean_bps, [] if self.is_sent else ends, is_full)
        else:
            one = [end / self.streams for end in ends]
            how += f"; one of {self.streams} streams, which share the link" * (self.streams > 1)
            reading.add("goodput_bps", mean_bps / self.streams, one, how)
            if carried_bps.size > 1:
                first = self._first()
                later = "the first interval is left out, for it fills the sender's own buffer"
                if first > 1:
                    later = f"the first {first} intervals are left out, for they fill the sender's "
                    later += "own buffer"
                reading.add("peak_bps", float(carried_bps[first:].max()), how=later)
                reading.add_median("interval_bps", carried_bps[first:], later)
        if self.rtts_s:
            reading.add_median("loaded_rtt_s", self.rtts_s, f"{len(self.rtts_s)} smoothed ones")
            reading.add("loaded_rtt_max_s", max(self.rtts_s))
        if mss_bytes:
            reading.add("mss_bytes", mss_bytes)
        if self.resent is not None and mean_bps:
            segments = max(1, round(mean_bps * took_s / 8 / (mss_bytes or 1448))) + self.resent
            reading.add_resent(self.resent, segments, "segments, about")
            self._describe_events(reading, took_s / segments)
        silent_s = [sum(self.widths_s[run]) for run in stalls]
        empty = self.rates_bps.count(0) - sum(run.stop - run.start for run in stalls)
        if self.is_sent and not self.lost and empty:
            words = f"the sender wrote nothing in {empty} of {len(self.rates_bps)} intervals: it "
            words += "refills its buffer only now and then, so what it wrote next counts for them"
            unknown = "; whether the link stood still is unknown (iperf3 -J or ping tells it)"
            reading.notes.append(words + unknown * (not self.quiet))
        if not self.is_sent or self.quiet or not (self.lost or empty):
            shown = f"{len(stalls)} in {seconds(took_s)}; "
            shown += "only whole intervals without data are seen"
            reading.add_stalls(silent_s, took_s, shown)
        reading.require(took_s, SHORTEST_S, "seconds", "iperf3 -c HOST -t 30 -J")
        return reading

    def _stalls(self) -> list[slice]:
        """Return the runs of intervals without data in which the link stood still.

        A sender writes nothing while its buffer is full. Then the link stood still only if no
        acknowledgement arrived in one of the intervals. With a small window there is a gap in each
        round trip, which is no stall.
        """
        shortest_s = max(STALL_S, min(self.rtts_s, default=0.0))
        starts, counts = runs_of(np.array(self.rates_bps) == 0)
        runs = [slice(a, a + n) for a, n in zip(starts.tolist(), counts.tolist(), strict=True)]
        return [
            run
            for run in runs
            if (not self.is_sent or any(self.quiet[run]))
            and round(sum(self.widths_s[run]), 2) >= shortest_s
        ]

    def _carried_bps(self, stalls: Sequence[slice]) -> Array:
        """Return the rates of the intervals.

        A sender writes what was acknowledged since it wrote before: these bytes are spread over the
        empty intervals before, unless the link stood still in them.
        """
        rates_bps, widths_s = np.array(self.rates_bps), np.array(self.widths_s)
        if not self.is_sent or not rates_bps.any():
            return rates_bps
        is_own = rates_bps > 0
        for run in stalls:
            is_own[run] = True
        group = np.minimum(np.cumsum(is_own) - is_own, is_own.sum() - 1)
        bits, took_s = np.bincount(group, rates_bps * widths_s), np.bincount(group, widths_s)
        return np.asarray((bits / took_s)[group])

    def _first(self) -> int:
        """Return the number of intervals at the beginning that fill the sender's buffer.

        It is at least one, and at most half of them: a receiver may end before the sender does.
        """
        if not self.is_sent:
            return 1
        written = np.cumsum(np.array(self.rates_bps) * self.widths_s) / 8
        fills = 1 + int(np.searchsorted(written, self.unread_bytes))
        return min(fills, max(1, written.size // 2))

    def _describe_events(self, reading: Reading, spacing_s: float) -> None:
        """Add the mean number of segments sent again per loss event, if it can be known.

        Loss events are assumed to come independently of each other. Then a share exp(-m) of the
        intervals has none, with m events per interval on average, whatever their sizes. The first
        interval is left out, because slow start fills the queue. `spacing_s` is the mean time
        between segments: events of several segments are bad times that last as long as these take.
        """
        each = self.resent_each[1:]
        empty, count = each.count(0), len(each)
        if count < FEWEST_INTERVALS or not 0 < empty < count:
            return
        if self.rtts_s and min(self.widths_s) < SHORTEST_ROUND_TRIPS * np.median(self.rtts_s):
            return  # many events would count in two intervals
        per_event = sum(each) / count  # over the number of events per interval
        burst, *ends = (
            max(1.0, per_event / -math.log(share))
            for share in (empty / count, *share_interval(empty, count))
        )
        shown = f"{empty} of {count} intervals have none; independent events are assumed"
        reading.add("burst_packets", burst, ends, shown)
        if ends[0] > LEAST_BURST:
            shown = f"a guess: {burst:.3g} segments per loss event, at their mean distance"
            reading.add("bad_s", burst * spacing_s, how=shown)

    def _describe_datagrams(
        self, reading: Reading, mean_bps: float, ends: Sequence[float], is_full: bool | None
    ) -> None:
        assert self.lost
        lost, total = self.lost
        if lost >= total or not mean_bps:
            message = "is a UDP test of which nothing arrived: is UDP let through to the receiver?"
            raise refused(reading.path, "", message)
        filled = lost / total >= FULL_LOSS if is_full is None else is_full
        if filled:
            what = "filled the link, so its rate is what arrived, and its queue dropped the rest"
            headers = "with headers" if self.wire > 1 else "without headers"
            how = f"what arrived of a UDP test, {headers}"
            reading.add("rate_bps", mean_bps * self.wire, [end * self.wire for end in ends], how)
        else:
            what = "did not fill the link, so its losses are the link's own, and the link is at "
            what += "least as fast"
            reading.add("peak_bps", mean_bps, ends, "what arrived of a UDP test")
            reading.add_share("loss", lost, total, "datagrams, as if independent")
        guess = " (--udp-fills says otherwise)" if is_full is None else ""
        reading.notes.append(f"{lost} of {total} datagrams were lost: this UDP test {what}{guess}")


def read_iperf3_json(path: Path, is_backward: bool, is_full: bool | None) -> Reading:
    """Read iperf3's JSON of a TCP or UDP test, from either end.

    `is_backward` selects the way to the client in a bidirectional test; `is_full` says whether a
    UDP test filled the link (None: if it lost a tenth).
    """
    reading, text = Reading(path, "iperf3's JSON"), text_of(path, None)
    try:
        test = events_of(text)
    except (ValueError, KeyError, TypeError, RecursionError):
        message = "is iperf3's JSON, and it was cut off: let the test run to its end, or copy the "
        raise refused(path, "", f"{message}whole file") from None
    if test.get("error") and not test.get("intervals"):
        message = f"is iperf3's JSON of a test that failed: {str(test['error'])[:200]!r}. Check "
        raise refused(path, "", f"{message}that iperf3 -s runs on the other host, and repeat it")
    try:
        return _of_json(reading, test, is_backward, is_full)
    except ConfigurationError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        message = "is iperf3's JSON, and parts of it were changed or are missing: use it as it is"
        raise refused(path, "", message) from None


def _of_json(
    reading: Reading, test: Mapping[str, Any], is_backward: bool, is_full: bool | None
) -> Reading:
    start, end = test.get("start", {}), test.get("end", {})
    settings = start.get("test_start", {})
    is_both = any("sum_bidir_reverse" in interval for interval in test["intervals"])
    other = "_bidir_reverse" if is_both and is_backward else ""
    transfer, windows = _Transfer(), [0]
    if is_both:
        way = "to the client" if other else "from the client (--backward: the other one)"
        reading.notes.append(f"bidirectional test: this is the way {way}")
    is_udp, is_receiver = settings.get("protocol") == "UDP", False
    before = list[tuple[Any, ...]]()
    server = test.get("server_output_json")  # only the receiver has the rates of what arrived
    has_arrivals = isinstance(server, dict) and _has_arrivals(server)
    for interval in (server if has_arrivals else test)["intervals"]:
        row = interval.get(f"sum{other}") or {}
        way = row.get("sender", not other)
        own = [s for s in interval.get("streams", []) if not is_both or s["sender"] == way]
        # Each acknowledgement changes the smoothed round trip, which is in microseconds.
        times = [(s.get("socket"), s["rtt"], s.get("rttvar")) for s in own if s.get("rtt")]
        is_quiet, before = times == before, times
        if row.get("omitted") or any(stream.get("omitted") for stream in own):
            continue
        ends = {**(own[0] if own else {}), **row}
        numbers = (float(ends[key]) for key in ("start", "end", "bits_per_second"))
        is_added = transfer.add(*numbers)
        transfer.rtts_s += [s["rtt"] / 1e6 for s in own if s.get("rtt")]
        windows += [s["snd_wnd"] for s in own if s.get("snd_wnd")]
        transfer.is_sent = bool(row.get("sender", "retransmits" in row))
        if is_added and times:
            transfer.quiet.append(is_quiet)
        if is_added and "retransmits" in row:  # a receiver's rows have none, and those of UDP
            transfer.resent_each.append(int(row["retransmits"]))
        is_udp, is_receiver = is_udp or "lost_packets" in row, not row.get("sender", True)
    whole = end.get(f"sum_received{other}") or end.get(f"sum{other}") or {}
    sent = end.get(f"sum_sent{other}") or {}
    transfer.total_bps = whole.get("bits_per_second")
    if not is_udp:
        transfer.total_bps = transfer.total_bps or sent.get("bits_per_second")
        if sent.get("bytes") and whole.get("bytes"):
            transfer.unread_bytes = float(sent["bytes"] - whole["bytes"])
    if sent.get("retransmits") is not None and not is_udp:
        transfer.resent = int(sent["retransmits"])
    counts = whole if whole.get("packets") else end.get("sum") or {}
    if is_udp and counts.get("packets"):
        transfer.lost = max(0, int(counts["lost_packets"])), int(counts["packets"])
        transfer.is_sent = not (has_arrivals or _has_arrivals(test))
        if f"sum_received{other}" not in end:  # before iperf 3.12 the sum has what was sent
            arrived = 1 - transfer.lost[0] / transfer.lost[1]
            sent_bps = whole.get("bits_per_second", 0.0)
            transfer.total_bps = arrived * sent_bps if transfer.is_sent else None
        late = sum(s.get("udp", {}).get("out_of_order", 0) for s in end.get("streams", []))
        reading.add_share("reordered", int(late), transfer.lost[1], "datagrams")
    elif is_udp:
        message = "is iperf3's JSON of a UDP test without what arrived: let it run to its end"
        raise refused(reading.path, "", message)
    connected = start.get("connected") or [{}]
    reading.host = host_of(str(connected[0].get("remote_host", "")))
    mss = start.get("tcp_mss") or start.get("tcp_mss_default")
    if max(windows):
        reading.add("window_bytes", max(windows))
    reading.variant = end.get("sender_tcp_congestion")
    transfer.streams = max(1, int(settings.get("num_streams", 1)))
    if is_udp and (size := settings.get("blksize")):
        transfer.wire = 1 + UDP_HEADERS_BYTES / min(size, MOST_UDP_BYTES)
    if settings.get("target_bitrate") and not is_udp:
        limit = settings["target_bitrate"] / 1e6
        reading.is_held = True
        transfer.is_sent, transfer.quiet = True, []  # it is the sender that was silent at times
        reading.notes.append(f"the sender was held to {limit:g} Mbit/s (-b): not the most possible")
    if is_receiver and not has_arrivals:
        reading.notes.append("the receiver's side: it sees neither round trips nor windows")
    if (began := start.get("timestamp", {}).get("timesecs")) and transfer.ends_s:
        reading.span_s = float(began), began + transfer.ends_s[-1]
    return transfer.describe(reading, float(mss) if mss and not is_udp else None, is_full)


def _has_arrivals(test: Mapping[str, Any]) -> bool:
    """Return whether the intervals of a UDP test have what arrived, with the lost datagrams."""
    return any("lost_packets" in (one.get("sum") or {}) for one in test.get("intervals", []))


def read_iperf_text(path: Path, is_backward: bool, is_full: bool | None) -> Reading:
    """Read the lines that iperf3 or iperf 2 prints for its intervals.

    The options are those of `read_iperf3_json`.
    """
    reading, transfer, rows = Reading(path, "iperf's text"), _Transfer(), Rows()
    has_resent, resent_by_sender = False, dict[str, int]()
    is_client = is_reverse = False
    ways = set[str | None]()
    for line in reading.texts(MOST_BYTES):
        has_resent |= " Retr" in line or " Rtry" in line
        is_client |= line.startswith(("Connecting to", "Client connecting"))
        is_reverse |= "everse" in line  # "Reverse mode" in iperf3, "(reverse)" in iperf 2
        found = TEXT_ROW.match(line.strip())
        if not found or "(omitted)" in line:
            continue
        if found["way"] and (found["way"] in TO_SERVER) == is_backward:
            continue
        ways.add(found["way"])
        row, is_sender = _row(found, has_resent), found["rest"].rstrip().endswith("sender")
        if is_sender and row.resent is not None:
            resent_by_sender[found["id"]] = row.resent
        own = rows.setdefault((float(found["start"]), float(found["end"])), {})
        if found["id"] in own and float(found["start"]) > 0:
            raise refused(path, "", SEVERAL_TESTS, reading.lines)
        own[found["id"]] = row  # of two rows of the whole test, the receiver's comes last
    if not rows:
        raise refused(path, "", "is iperf's text without a line of an interval and its rate")
    transfer.add_all(rows, path)
    if not transfer.lost:  # a sender counts what it sent again, but not on every system
        is_sender = is_client and not is_reverse and ways == {None}
        transfer.is_sent = bool(transfer.resent_each or is_sender or ways & {"TX-C", "TX-S"})
    if not transfer.lost and transfer.resent_each:
        transfer.resent = sum(transfer.resent_each)
    elif not transfer.lost and resent_by_sender:  # the receiver's intervals do not have them
        total = sum(resent_by_sender.values())
        transfer.resent = resent_by_sender.get(ALL_STREAMS, total)
    return transfer.describe(reading, None, is_full)


def _row(found: re.Match[str], has_resent: bool) -> _Row:
    """Return what a line of text tells; `has_resent` says whether the heading has such a column."""
    rest, unit = found["rest"], found["unit"]
    prefix = unit.removesuffix("Bytes/sec")
    if prefix == unit:
        size = BITS[rate_unit(unit) or ""]
    else:  # iperf divides bytes by powers of 1024, and bits by those of 1000
        size = 8.0 * 1024 ** "_KMGT".index(prefix or "_")
    datagrams = None if rest.rstrip().endswith("sender") else DATAGRAMS.match(rest)
    again = has_resent and (RESENT_2.match(rest) or RESENT_3.match(rest))
    rtt_us = again.groupdict().get("rtt_us") if again else None
    return _Row(
        float(found["rate"]) * size,
        (int(datagrams["lost"]), int(datagrams["total"])) if datagrams else None,
        int(again["count"]) if again else None,
        int(rtt_us) / 1e6 if rtt_us else None,
    )


def read_iperf_csv(path: Path, is_full: bool | None) -> Reading:
    """Read iperf 2's CSV (`-y C`): time, two addresses, stream, interval, bytes, bit/s.

    A UDP receiver's rows also have jitter, lost datagrams, datagrams, per cent and reordering.
    """
    reading, transfer, rows = Reading(path, "iperf 2's CSV"), _Transfer(), Rows()
    is_client = False
    for line in reading.texts(MOST_BYTES):
        if not line.strip():
            continue
        cells = line.split(",")
        try:
            start, end = cells[6].split("-")
            counts = None
            if len(cells) >= 13 and int(cells[11]) > 0:
                counts = max(0, int(cells[10])), int(cells[11])
            stream = ALL_STREAMS if cells[5] == "-1" else cells[5]
            is_client |= int(cells[2] or 0) > int(cells[4] or 0)  # a server's port is the smaller
            own = rows.setdefault((float(start), float(end)), {})
            own[stream] = _Row(float(cells[8]), counts)  # the receiver's row comes last
        except (ValueError, IndexError):
            message = "is no row of iperf 2's CSV: time, addresses, interval, bytes, bit/s"
            raise refused(path, "", message, reading.lines) from None
    transfer.add_all(rows, path)
    if not transfer.lost:
        transfer.is_sent = is_client
    return transfer.describe(reading, None, is_full)
