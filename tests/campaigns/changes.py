"""Change a scenario on many pages of the explorer at once; find requests without an answer.

python -m tests.campaigns.changes [--count N] [--pages N] [--seed K] [--record]

The explorer is the project's web server that evaluates models. Each simulated page sends changes
like a slider that is moved: after a random pause it sends the next request, and the server stops
the answer to the page's previous request. The last request of each page must be answered
completely.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

from tcpgoodput.cli.explorer.page import Preset
from tcpgoodput.cli.explorer.server import Explorer, Server
from tcpgoodput.configuration import Document
from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.processes import is_running
from tests.scenarios import PLAIN

ASKED, PAGES = 2000, 8

PARTS = 5
"""Number of parts into which the changes (requests) are divided; after each part the server's
memory is measured."""

LONGEST_PAUSE_S = 0.3
"""Longest pause between two requests of a page, in seconds; chosen by hand."""

MOST_GROWTH_KIB = 50_000
"""Largest allowed growth in KiB of the memory of the server and its child processes, from the end
of the first part to the end of the last; chosen by hand."""

LOSSY = {**PLAIN, "id": "lossy", "loss": {"process": "bernoulli", "probability": 0.01}}


@contextmanager
def serving() -> Iterator[Server]:
    """Start the explorer's server for one scenario, with all models loaded and compiled."""
    preset = Preset.of(Document("lossy", LOSSY))
    with Server(Explorer({"lossy": preset}, "", dict, dict), 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        server.explorer.pool.prepare()
        yield server
        server.shutdown()


def answer(server: Server, page: str, **pairs: Any) -> list[dict[str, Any]]:
    """Send one request of a page, and return all records (JSON lines) of the server's answer.

    The values in `pairs` replace the scenario's values at keys such as `loss.probability`.
    """
    connection = http.client.HTTPConnection(*server.server_address[:2])
    connection.request("GET", "/answer?" + urlencode({"scenario": "lossy", "page": page, **pairs}))
    records = [json.loads(line) for line in connection.getresponse()]
    connection.close()
    return records


def changes(server: Server, page: str, count: int, seed: str, longest_pause_s: float) -> list[str]:
    """Send `count` requests of one page, with random pauses; return how each answer ended."""
    draw = Random(seed)
    sent: list[Future[list[dict[str, Any]]]] = []
    with ThreadPoolExecutor(count) as pool:
        for _ in range(count):
            pairs = {"loss.probability": draw.uniform(0.001, 0.1)}
            sent.append(pool.submit(answer, server, page, **pairs))
            time.sleep(draw.uniform(0, longest_pause_s))
    return [why_it_ended(answered.result()) for answered in sent]


def why_it_ended(records: list[dict[str, Any]]) -> str:
    """Return the kind of the last record of the server's answer; for a problem also its message."""
    last = records[-1] if records else {"kind": "nothing"}
    return str(last["kind"]) + (f": {last['message']}" if last["kind"] == "problem" else "")


def from_pages(
    server: Server, pages: int, count: int, seed: int, longest_pause_s: float
) -> list[list[str]]:
    """Send `count` requests from each of several pages at once; return how the answers ended.

    The result has a list for each page, in the order of its requests.
    """
    with ThreadPoolExecutor(pages) as pool:
        tasks = [
            pool.submit(changes, server, f"page-{n}", count, f"{seed}-{n}", longest_pause_s)
            for n in range(pages)
        ]
        return [task.result() for task in tasks]


def descendants(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text(encoding="ascii").split()):
            found += [child, *descendants(child)]
    return found


def memory_kib(process: int) -> int:
    """Return the private memory of a process in KiB (Linux: the sum of its private pages)."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def campaign(count: int, pages: int, seed: int) -> list[Outcome]:
    """Send `count` requests from `pages` pages; check answers, processes and growth of memory."""
    started = time.perf_counter()
    ends: Counter[str] = Counter()
    without_end, memories = 0, []
    here = os.getpid()
    with serving() as server:
        for part in range(PARTS):
            of_pages = from_pages(
                server, pages, count // pages // PARTS, seed + part, LONGEST_PAUSE_S
            )
            for of_page in of_pages:
                ends.update(of_page)
                without_end += "end" not in of_page
            memories.append(sum(map(memory_kib, [here, *descendants(here)])))
            print(f"{ends.total()} changes: {dict(ends)}, {memories[-1]} KiB", flush=True)
        forked = [process for process in descendants(here) if is_forked(process, here)]
    left = [process for process in forked if is_running(process)]
    took_s = time.perf_counter() - started
    unanswered = ends.total() - ends["end"] - ends["stopped"] + without_end
    growth = memories[-1] - memories[0]
    return [
        Outcome(
            "However fast pages change their scenario, no request stays without an answer, "
            "and the last one of each page is answered to its end",
            "changes",
            count,
            ends.total(),
            unanswered,
            took_s,
            note=f"from {pages} pages at once; {ends['stopped']} were stopped by a later one",
        ),
        Outcome(
            "The server leaves no process that answers",
            "processes",
            1,
            len(forked),
            len(left),
            took_s,
        ),
        Outcome(
            f"The server and its processes grow by less than {MOST_GROWTH_KIB // 1000} MB",
            "comparisons of their memory after the first and the last part of the changes",
            1,
            1,
            int(growth > MOST_GROWTH_KIB),
            took_s,
            worst=growth / 1000,
            worst_meaning="MB of growth",
        ),
    ]


def is_forked(process: int, server: int) -> bool:
    """Return whether a process is a grandchild of the server, thus forked with all code loaded."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    parent = next(line for line in status.splitlines() if line.startswith("PPid:"))
    return int(parent.split()[1]) != server


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="Change scenarios from many pages at once.")
    parser.add_argument("--count", type=int, default=ASKED)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write data/trust/changes.csv")
    arguments = parser.parse_args()
    outcomes = campaign(arguments.count, arguments.pages, arguments.seed)
    for outcome in outcomes:
        print(outcome_line(outcome))
    if arguments.record:
        print(record("changes", outcomes))


if __name__ == "__main__":
    main()
