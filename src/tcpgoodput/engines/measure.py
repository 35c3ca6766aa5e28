"""Measure connections with the packet simulator, but for what a table holds already."""

from __future__ import annotations

import json
import os
import signal
import threading
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
from tcpgoodput.jobs import digests_of
from tcpgoodput.storage.files import as_lines

Progress = Callable[[int, int], None]
Each = Callable[[Sequence[Request]], Iterable[Measured]]

MEASURING = ("tcpgoodput.engines.packet", "tcpgoodput.engines.closeness")
"""The modules whose code, with all that they import, decides what is measured."""

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
    begin = partial(_end_with, os.getpid())
    pool = ProcessPoolExecutor(cores, get_context("fork"), initializer=begin)
    try:
        yield from pool.map(_measured_alone, requests)
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with(parent: int) -> None:
    """Have this process end when its parent does, however that ends."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _measured_alone(request: Request) -> Measured:
    return measured(request, Packet(threads=1))


def complete(
    asked: Iterable[Request], table: Path | None, progress: Progress, each: Each
) -> list[Measured]:
    """Measure connections, each once, and write the table of them.

    Args:
        asked: the connections.
        table: of measurements. Rows of an earlier run stand where the same code has measured the
            same connections under the same setting, and the table is as it was written; None: no
            file is read or written.
        progress: called with how many are measured, and of how many: at once, then after each.
        each: what measures connections, and yields their rows in order.

    """
    by_key = {request.key: request for request in asked}
    kept = unfinished = None
    known: dict[str, Measured] = {}
    if table is not None:
        unfinished = table.with_suffix(".partial.csv")
        kept = Kept(table.with_suffix(".code.json"), as_lines(digests_of(*MEASURING)))
        known = kept.read(table, unfinished)
    rows = {key: known[key] for key in by_key if key in known}
    progress(len(rows), len(by_key))
    saved = time.monotonic()
    for row in each([by_key[key] for key in by_key if key not in rows]):
        rows[row.key] = row
        progress(len(rows), len(by_key))
        if kept and unfinished and time.monotonic() - saved > SAVED_EVERY_S:
            kept.write(rows.values(), unfinished)
            saved = time.monotonic()
    found = [rows[key] for key in by_key]
    if kept and unfinished and table:
        kept.write(found, table)
        unfinished.unlink(missing_ok=True)
    return found
