"""Measure what a plan asks for, but for what is measured already.

python -m tcpgoodput.engines.measure CORES PLAN CODE TABLE

The table of an earlier run is read first, and what a run that was stopped has left beside it: rows
stand where the same code has measured the same connections under the same setting, and the table
is as it was written.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import Closeness, measured_closely
from tcpgoodput.engines.kept import Kept
from tcpgoodput.engines.measurements import Effort, Measured, Request
from tcpgoodput.engines.packet import Packet

Progress = Callable[[int, int], None]
Each = Callable[[Sequence[Request]], Iterable[Measured]]

SAVED_EVERY_S = 5.0
"""How much of its work a job that is stopped does again."""


def measured(request: Request, engine: Packet | None = None) -> Measured:
    """Return what the packet simulator measures of a connection, by default on all cores."""
    effort = Effort(**json.loads(request.setting))
    try:
        return Measured.of(request, _measurement(request, effort, engine or Packet()))
    except Undefined as undefined:
        return Measured.none(request, str(undefined))


def _measurement(request: Request, effort: Effort, engine: Packet) -> Measurement:
    conditions = Conditions(precision=effort.precision, seed=effort.seed)
    if effort.half_width is None:
        return engine.measure(
            request.scenario,
            conditions,
            packets=effort.packets,
            replications=effort.replications,
        )
    assert effort.most_packets is not None  # whoever states the one states the others
    assert effort.replications is not None
    closeness = Closeness(effort.half_width, effort.most_packets, effort.replications)
    return measured_closely(request.scenario, conditions, closeness, engine=engine)


def side_by_side(cores: int, requests: Sequence[Request]) -> Iterator[Measured]:
    """Yield what is measured of each connection, by one process for each core.

    Threads of one process would wait for each other where replications are short: Python runs one.
    """
    if cores == 1 or len(requests) < cores:
        engine = Packet(threads=cores)
        for request in requests:
            yield measured(request, engine)
        return
    Packet().compile()  # once, for all that are forked
    pool = ProcessPoolExecutor(cores, get_context("fork"))
    try:
        yield from pool.map(_measured_alone, requests)
    finally:
        pool.shutdown(cancel_futures=True)


def _measured_alone(request: Request) -> Measured:
    return measured(request, Packet(threads=1))


def complete(plan: Path, code: Path, table: Path, progress: Progress, each: Each) -> None:
    """Write the table of all that a plan asks for, each connection once.

    Args:
        plan: a list of requests, as JSON.
        code: which code measures; a table of other code is not gone on with.
        table: of measurements.
        progress: called with how many are measured, and of how many: at once, then after each.
        each: what measures connections, and yields their rows in order.

    """
    partial = table.with_suffix(".partial.csv")
    kept = Kept(table.with_suffix(".code.json"), code.read_text(encoding="utf-8"))
    known = kept.read(table, partial)
    requests = map(Request.of, json.loads(plan.read_text(encoding="utf-8")))
    asked = {request.key: request for request in requests}
    rows = {key: known[key] for key in asked if key in known}
    progress(len(rows), len(asked))
    saved = time.monotonic()
    for row in each([asked[key] for key in asked if key not in rows]):
        rows[row.key] = row
        progress(len(rows), len(asked))
        if time.monotonic() - saved > SAVED_EVERY_S:
            kept.write(rows.values(), partial)
            saved = time.monotonic()
    kept.write((rows[key] for key in asked), table)
    partial.unlink(missing_ok=True)


if __name__ == "__main__":
    complete(
        *map(Path, sys.argv[2:]),
        progress=lambda done, total: print(f"{done} of {total}", flush=True),
        each=partial(side_by_side, int(sys.argv[1])),
    )
