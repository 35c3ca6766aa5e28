"""Read round trips of probes: ping of Linux, BusyBox, macOS, BSD and Windows, and irtt."""

from __future__ import annotations

import json
import math
import re
from array import array
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.packed_text import lines_of
from tcpgoodput.studies.measured.known import (
    STALL_S,
    Reading,
    add_losses,
    host_of,
    runs_of,
    seconds,
)
from tcpgoodput.studies.recordings.files import number_in

MOST_PROBES = 2**20
"""Largest number of lines of ping that are read: twelve days at one a second. Chosen by hand."""

MOST_JSON_BYTES = 2**25
"""Largest size of irtt's JSON in bytes, chosen by hand; an echo takes about 800."""

LONGEST_LINE_BYTES = 2**10

FEWEST = 20
"""Smallest number of probes that describe a link, chosen by hand: of twenty, not one may be lost,
and the loss can still be 17 %."""

MORE_ECHOES = "600 are better: ping -D -c 600 -i 0.2 HOST"

MOST_OTHERS = 10
"""Largest number of lines that are not understood and not worth a note, chosen by hand: a summary
in any language has fewer."""

WRAPPED = 2**16
"""Sequence numbers of ICMP echoes begin again at 0 after this many."""

REPLY = re.compile(
    rb"(?:\[(?P<clock>\d+\.\d+)\] )?\d+ \S+ .*?(?:icmp_seq|icmp_req|\bseq)=(?P<number>\d+)\b"
    rb".*?=(?P<ms>-?[\d.,]+) ?ms(?P<twice>.*DUP!)?"
)
"""An echo's reply. Only its numbers are used, so it may be in any language."""

UNANSWERED = re.compile(rb"(?:\[[\d.]+\] )?[^\d\s\[].*\bicmp_seq[= ](?P<number>\d+)\b")
"""A line on an echo that is no reply: no answer yet, a timeout or an error, in any language."""

WINDOWS = re.compile(rb"Reply from .*?: (?:bytes=\d+ )?time[=<](?P<ms>\d+) ?ms\b")
WINDOWS_LOST = re.compile(
    rb"Request timed out|.*General failure|.*TTL expired|.*[Dd]estination .*unreachable"
)
FOREIGN_WINDOWS = re.compile(rb"\S.*[=<]\d+ ?ms TTL=\d+")
SENT = re.compile(rb"(\d+) [^\d,%]+, (\d+) [^\d,%]+, (?:.*, )?[\d.,]+ ?%[^\d]*(?:(\d+) ?ms)?\s*$")
"""The numbers of sent and answered echoes and the time, in any language."""

HOST = re.compile(rb"^P\w+ (?:\S+ [(\[])?([0-9a-fA-F.:]+)[)\] ]")
"""The address of the host in the first line of ping."""

SUMMARY = re.compile(rb"(?:rtt|round-trip) min/avg/max\S* = ([\d.]+)/([\d.]+)/([\d.]+)")


class _Probes:
    """Probes in the order of their numbers; a number without a reply was lost."""

    def __init__(self) -> None:
        self.numbers = array("q")
        self.rtts_s = array("d")
        self.clocks_s = array("d")
        self.first, self.last = -1, 0  # of all numbers that were sent, also without a reply
        self.begun = 0  # what is added to the numbers of the current run of ping
        self.start = 1  # number of the first echo of this run, as `count` returns it
        self.is_new_run = False

    def add(self, number: int, rtt_s: float, clock_s: float) -> None:
        self.numbers.append(self.count(number))
        self.rtts_s.append(rtt_s)
        self.clocks_s.append(clock_s)

    def count(self, number: int) -> int:
        """Return a number as counted from the first run on, and count it as sent."""
        if self.is_new_run:
            self.begun, self.is_new_run = self.last + 1 - min(number, 1), False
            self.start = self.last + 1
        elif self.first < 0:
            self.start = min(number, 1)
        number += self.begun
        while self.last - number > WRAPPED // 2:
            self.begun += WRAPPED
            number += WRAPPED
        if self.begun >= WRAPPED and number - self.last > WRAPPED // 2:
            number -= WRAPPED  # a late reply of before the numbers began again
        self.first = number if self.first < 0 else min(self.first, number)
        self.last = max(self.last, number)
        return number

    def unnumbered(self) -> int:
        """Return the number of the next probe of a tool that prints none."""
        return 1 if self.is_new_run else self.last + 1 - self.begun

    def restart(self) -> None:
        """Begin a run of ping, whose numbers begin with 0 or 1."""
        self.is_new_run = self.first >= 0

    def end(self, sent: int) -> None:
        """End a run that sent a number of echoes, of which the last ones may be without a reply."""
        if self.is_new_run:  # not one was answered
            self.start = self.last + 1
        self.last = max(self.last, self.start + sent - 1)


def read_ping(path: Path, every_s: float | None) -> Reading:
    """Read the output of ping.

    A reply's number says which echoes were lost. The time between echoes is the user's, else that
    of the time stamps (`ping -D`) or of the summary, else 1 s.
    """
    probes, reading = _Probes(), Reading(path, "the output of ping")
    sent = answered = commas = twice = unanswered = others = 0
    line = b""
    summary_s, summary, has_first_line, is_windows = math.nan, None, False, False
    for block in lines_of(path, longest_line_bytes=LONGEST_LINE_BYTES):
        for line in block.split(b"\n")[:-1]:
            reading.lines += 1
            if found := REPLY.match(line):
                if found["twice"]:
                    twice += 1
                    continue
                commas += b"," in found["ms"]
                if found["ms"].startswith(b"-"):
                    message = f"has a negative round trip, {found['ms'].decode()} ms: was the "
                    message += "clock set? measure again, or leave such lines out"
                    raise refused(path, "", message, reading.lines)
                clock = float(found["clock"]) if found["clock"] else math.nan
                rtt_s = number_in(found["ms"].replace(b",", b".")) / 1e3
                probes.add(int(found["number"]), rtt_s, clock)
            elif found := UNANSWERED.match(line):
                unanswered += 1
                probes.count(int(found["number"]))
            elif found := WINDOWS.match(line):
                is_windows = True
                probes.add(probes.unnumbered(), number_in(found["ms"]) / 1e3, math.nan)
            elif is_windows and WINDOWS_LOST.match(line):
                probes.count(probes.unnumbered())
            elif line.startswith((b"PING ", b"Pinging ")):
                has_first_line, is_windows = True, is_windows or line.startswith(b"Pinging ")
                probes.restart()
                if found := HOST.search(line):
                    reading.host = host_of(found[1].decode())
            elif found := SENT.match(line):
                own = int(found[1])
                sent, answered = sent + own, answered + min(own, int(found[2]))
                if own <= MOST_PROBES:
                    probes.end(own)
                summary_s = float(found[3] or "nan") / 1e3 / max(1, own - 1)
            elif found := SUMMARY.search(line):
                summary = [float(text) / 1e3 for text in found.groups()]
            elif not is_windows and FOREIGN_WINDOWS.match(line):
                message = "is ping's output in another language, in which lost echoes cannot be "
                message += "told from other lines: repeat ping after the command chcp 437 and with "
                raise refused(path, "", f"{message}an English display language", reading.lines)
            else:
                others += bool(line.strip())
        if reading.lines >= MOST_PROBES:
            reading.notes.append(f"only the first {reading.lines} lines were read")
            break
    if not probes.numbers and summary and sent:
        return _of_summary(reading, sent, answered, summary)
    if has_first_line:
        probes.first = min(probes.first, 1)  # echoes at the beginning were lost
    if others > max(MOST_OTHERS, reading.lines / 10):
        words = f"{others} lines are not of ping and were not read"
        reading.notes.append(f"{words}: give each tool's output as a file of its own")
    if commas:
        reading.notes.append("decimal commas were read as points")
    if twice:
        reading.notes.append(f"{twice} replies came twice (DUP!); the second ones were left out")
    if is_windows:
        reading.notes.append("Windows rounds round trips to whole milliseconds")
    spacing = _spacing(reading, probes, every_s, summary_s)
    if not (sent or is_windows or unanswered) and reading.lines < MOST_PROBES:
        words = "no summary of ping: echoes lost after the last reply cannot be seen (ping -O, or "
        reading.notes.append(f"{words}stop it with Ctrl-C)")
    is_complete = any(one.match(line) for one in (REPLY, UNANSWERED, SENT))
    if re.match(rb"\[?\d", line) and not is_complete:  # the beginning of a reply
        reading.notes.append(
            "its last line is cut off: the file may lack later echoes; copy the whole file"
        )
    reading.is_there_and_back = True
    return _described(reading, probes, spacing, "echoes, lost on the way there or back")


def _of_summary(reading: Reading, sent: int, answered: int, summary: list[float]) -> Reading:
    """Return what `ping -q` tells: the counts, the minimum and the mean."""
    reading.add("rtt_min_s", summary[0])
    reading.add("rtt_median_s", summary[1], how="the mean: a summary has no median")
    reading.probes = sent
    reading.add_share("loss", sent - answered, sent, "echoes, there or back")
    reading.notes.append("a summary without lines for the echoes: runs of losses are unknown")
    reading.is_there_and_back = True
    reading.require(sent, FEWEST, "echoes", MORE_ECHOES)
    return reading


def _spacing(reading: Reading, probes: _Probes, every_s: float | None, summary_s: float) -> float:
    """Return the time between probes in seconds, and note where it comes from."""
    if every_s is not None:
        return every_s
    numbers = np.array(probes.numbers, dtype=float)
    sent_s = np.array(probes.clocks_s) - np.array(probes.rtts_s)
    with np.errstate(invalid="ignore", divide="ignore"):
        steps = np.diff(sent_s) / np.diff(numbers)
    steps = steps[np.isfinite(steps) & (steps > 0)]
    if steps.size:
        return float(np.median(steps))
    if math.isfinite(summary_s) and summary_s > 0:
        return summary_s
    reading.notes.append("no time stamps: an echo each second assumed (--every says otherwise)")
    return 1.0


def _described(reading: Reading, probes: _Probes, spacing_s: float, what: str) -> Reading:
    """Add what the probes tell of round trips, losses, reordering and stalls."""
    numbers, rtts = np.array(probes.numbers), np.array(probes.rtts_s)
    good = np.isfinite(rtts)
    numbers, rtts, clocks = numbers[good], rtts[good], np.array(probes.clocks_s)[good]
    if not numbers.size:
        raise refused(
            reading.path,
            "",
            f"is {reading.kind}, and no probe was answered: does the host answer ping? probe "
            "another one, or state the round trip (--rtt)",
        )
    total = probes.last - probes.first + 1
    if total > 4 * MOST_PROBES:
        raise refused(
            reading.path, "", f"has numbers of echoes up to {probes.last}: is it damaged?"
        )
    by_number = np.full(total, math.nan)
    by_number[numbers - probes.first] = rtts
    reading.probes = total
    reading.add("rtt_min_s", float(rtts.min()), how=f"{rtts.size} round trips")
    reading.add_median("rtt_median_s", rtts, f"{rtts.size} round trips")
    reading.add("rtt_p95_s", float(np.quantile(rtts, 0.95)))
    lost = np.isnan(by_number)
    add_losses(reading, lost, spacing_s, float(np.median(rtts)), what)
    reading.require(total, FEWEST, "probes", MORE_ECHOES)
    # ping prints replies as they arrive. Round trips do not tell their order: after a stall, they
    # come within less than ping's timer and the rounding leave open.
    arrived = np.arange(numbers.size) if np.isnan(clocks).any() else clocks
    late = int((np.diff(numbers[np.argsort(arrived, kind="stable")]) < 0).sum())
    reading.add_share("reordered", late, rtts.size, "replies")
    excess = by_number[~lost] - np.median(rtts)  # a lost echo between two late ones ends no stall
    starts, lengths = runs_of(excess >= STALL_S)
    stalls = [float(excess[a : a + n].max()) for a, n in zip(starts, lengths, strict=True)]
    watched = seconds(total * spacing_s)
    how = f"{len(stalls)} in {watched}; "
    if reading.get("bad_s"):  # longer runs of losses than chance explains
        lengths_s = spacing_s * runs_of(lost)[1]
        reading.outages_s = lengths_s[lengths_s >= max(STALL_S, 2 * spacing_s)].tolist()
        runs = len(reading.outages_s)
        how = f"{len(stalls)} delays, {runs} run{'s' * (runs != 1)} of lost echoes in "
        how += f"{watched}; "
    how += f"shorter ones than {spacing_s:.3g} s are seen only in part"
    reading.add_stalls([*stalls, *reading.outages_s], total * spacing_s, how)
    if np.isfinite(clocks).all():
        reading.span_s = float(clocks.min()), float(clocks.max())
    return reading


def read_irtt(path: Path, every_s: float | None) -> Reading:
    """Read irtt's JSON (`irtt client -o FILE`): round trips, losses by direction, reordering."""
    reading, probes = Reading(path, "irtt's JSON"), _Probes()
    text = b"".join(lines_of(path, None, MOST_JSON_BYTES, longest_line_bytes=MOST_JSON_BYTES))
    try:
        whole = json.loads(text)
        trips: list[dict[str, Any]] = whole["round_trips"]
        for trip in trips:
            number, rtt_ns = int(trip["seqno"]), trip.get("delay", {}).get("rtt")
            sent = trip.get("timestamps", {}).get("client", {}).get("send", {}).get("wall")
            if rtt_ns is None or str(trip.get("lost", "false")) != "false":
                probes.count(number)
            else:
                clock = (sent + rtt_ns) / 1e9 if sent else math.nan
                probes.add(number, rtt_ns / 1e9, clock)
        stated = whole.get("config", {}).get("params", {}).get("interval")
        summary_s = stated / 1e9 if stated else math.nan
        ways = whole.get("stats", {})
        shares = {way: ways.get(f"{way}stream_loss_percent") for way in ("up", "down")}
        each = [f"{share:.3g} % {way}stream" for way, share in shares.items() if share is not None]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        message = "is irtt's JSON, and it was cut off or changed: copy the whole file"
        raise refused(path, "", message) from None
    if each:
        reading.notes.append(f"irtt counts the losses of each way: {', '.join(each)}")
    spacing = _spacing(reading, probes, every_s, summary_s)
    reading.is_there_and_back = not each
    return _described(reading, probes, spacing, "round trips, lost on the way there or back")


def is_echo(line: bytes) -> bool:
    """Return whether a line of a file is of ping, such as a reply, in any language."""
    return any(one.match(line) for one in (REPLY, UNANSWERED, WINDOWS, FOREIGN_WINDOWS, SUMMARY))
