"""Read the JSON output of iperf3: what arrives in a UDP test that fills the link is its rate."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.configuration import ConfigurationError, refused
from tcpgoodput.configuration.packed_text import Digest, lines_of, unpacked_name
from tcpgoodput.studies.recordings.recording import RateRecording

MOST_BYTES = 2**24
"""Largest size of a file in bytes, chosen by hand. A test with an interval for each 0.1 s has this
size after an hour."""

AGAIN = re.compile(rb'(?m)^\}\s*\{\s*"start"|\A\{"event":\s*"start"(?s:.*)^\{"event":\s*"start"')
"""The beginning of a second test in a file, as `iperf3 -J >>FILE` and --json-stream leave it."""

SEVERAL_TESTS = "has several tests of iperf: give each test as a file of its own"

CHANGED = ", but its parts were changed or left out"

LONGEST_ERROR = 200
"""Most characters that are quoted of iperf3's own message; chosen by hand."""

MEASURE = (
    "measure at the receiver of a UDP test that sends more than the link can carry, such as iperf3 "
    "-c HOST -u -b 100M -R -J for the way to this machine, or with --get-server-output in place of "
    "-R for the way from it"
)


def read_iperf3(path: Path) -> RateRecording:
    """Read the rates that the receiver of a UDP test reports for each interval.

    Args:
        path: the output of iperf3 with the option -J or --json-stream, of the receiver, or of the
            sender with the option --get-server-output; plain, or compressed.

    Raises:
        ConfigurationError: the file is no complete JSON text, or the test failed, is one of TCP or
            has only the sender's rates; the message says how to measure a link.

    """
    digest = hashlib.sha256()
    text = text_of(path, digest)
    try:
        test = events_of(text)
    except (ValueError, RecursionError):
        message = ", and it was cut off: its end is missing or damaged. Let the test run to its "
        raise _refused(path, f"{message}end, or copy the whole file") from None
    except (KeyError, TypeError):
        raise _refused(path, CHANGED) from None
    try:
        server = test.get("server_output_json")
        rows = list(_received(test))
        if not rows and isinstance(server, dict):  # only the server received packets
            rows = list(_received(server))
        found = np.array(
            [[row[key] for key in ("start", "end", "bits_per_second")] for row in rows], dtype=float
        ).reshape(-1, 3)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _refused(path, CHANGED) from None
    if not rows:
        raise _refused(path, f" {_instead_of_rates(test)}")
    lost, packets = (sum(row.get(key, 0) for row in rows) for key in ("lost_packets", "packets"))
    found = found[found[:, 1] > found[:, 0]]
    starts_s, ends_s, rates_bps = found.T
    rising = found.size and np.all(np.diff(starts_s) > 0)
    if not (rising and np.isfinite(found).all() and (found >= 0).all() and rates_bps.any()):
        raise refused(path, "", "is iperf3's JSON, and its intervals do not follow each other")
    understood = f"iperf3's UDP test: payload that arrived in each interval; {_loss(lost, packets)}"
    if "error" in test:
        understood += f"; the test ended early: {_error(test)}"
    return RateRecording(
        unpacked_name(path),
        digest.hexdigest(),
        None,
        np.append(starts_s, ends_s[-1]) - starts_s[0],
        rates_bps,
        understood=understood,
    )


def text_of(path: Path, digest: Digest | None) -> bytes:
    """Return the text of one test; `digest` is updated as in `lines_of`.

    Raises:
        ConfigurationError: the file cannot be read, or has several tests.

    """
    text = b"".join(lines_of(path, digest, MOST_BYTES, longest_line_bytes=MOST_BYTES))
    if AGAIN.search(text):
        raise refused(path, "", SEVERAL_TESTS)
    return text


def events_of(text: bytes) -> dict[str, Any]:
    """Return the output of a test; the events of --json-stream become the parts of one object."""
    try:
        whole = json.loads(text)
    except ValueError:
        events = [json.loads(line) for line in text.splitlines() if line.strip()]
    else:
        if "event" not in whole:
            return dict(whole)
        events = [whole]
    test: dict[str, Any] = {"intervals": []}
    for event in events:
        if event["event"] == "interval":
            test["intervals"].append(event["data"])
        else:
            test[event["event"]] = event["data"]
    return test


def _received(test: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sums over all streams of the intervals in which this side received UDP packets."""
    for interval in test.get("intervals", []):
        for name in ("sum", "sum_bidir_reverse"):
            row = interval.get(name, {})
            if "lost_packets" in row and not row.get("sender") and not row.get("omitted"):
                yield row


def _loss(lost: float, packets: float) -> str:
    """Return the share of lost packets as text, and what it says about the measurement."""
    if lost <= 0:
        return "no packet was lost, so the sender may have sent less than the link can carry"
    share = lost / packets if packets else math.nan
    return f"{100 * share:.3g} % of the packets were lost"


def _error(test: dict[str, Any]) -> str:
    """Return the message with which iperf3 ended a test, in quotation marks."""
    return repr(str(test["error"])[:LONGEST_ERROR])


def _refused(path: Path, what: str) -> ConfigurationError:
    return refused(path, "", f"is iperf3's JSON{what}. To record a link, {MEASURE}")


def _instead_of_rates(test: dict[str, Any]) -> str:
    """Return in words what a test is that has no rates of a UDP receiver."""
    if "error" in test:
        what = f"of a test that failed: {_error(test)}. Check that iperf3 -s runs on the other host"
        return f"{what} and can be reached, and repeat the test"
    if not test.get("intervals"):
        return "without intervals: the test ended before its first one, or -i 0 left them out"
    start = test.get("start")
    protocol = start.get("test_start", {}).get("protocol") if isinstance(start, dict) else None
    if protocol == "UDP":
        return "of the sender of a UDP test: what was sent is not what the link carried"
    if protocol == "TCP":
        return "of a TCP transfer: what it carried is not what the link could have carried"
    return "without the intervals of a UDP receiver, and only those show what the link carried"
