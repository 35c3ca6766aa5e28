"""Measure connections, and reuse the rows of a table that the same code measured before.

An interrupted run or a disk fault can leave a table that is readable but has a truncated number. So
a file next to the tables contains the digests of the tables. The digest of a new table is written
before the table. The file of digests also keeps the digest of the previous table, because a run may
be killed between the two writes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import Target, measured_closely
from tcpgoodput.engines.measurements import Request, Setting, measurements_csv, read_measurements
from tcpgoodput.engines.packet import Packet
from tcpgoodput.jobs import digests_of
from tcpgoodput.storage import as_json, as_lines, write_text


class Kept:
    """Access to tables of measurements, and to the file with their digests."""

    def __init__(self, note: Path, code: str) -> None:
        """Read the file of digests.

        Args:
            note: the file with a digest of the code, and digests of the tables that the code wrote.
            code: a description of the current code; tables of other code are not reused.

        """
        self._note = note
        self._code = _digest(code.encode())
        self._digests: dict[str, list[str]] = {}
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            content = json.loads(note.read_bytes())
            if content["code"] == self._code:
                self._digests = dict(content["written"])

    def read(self, *tables: Path) -> dict[str, Measurement]:
        """Return the rows of the tables by measurement key; later tables take precedence.

        Tables whose digest is not recorded, because they are damaged or made by other code, are
        ignored.
        """
        return read_measurements(*filter(self._is_whole, tables))

    def write(self, rows: Iterable[Measurement], table: Path) -> None:
        """Write the digest of a table, and then the table."""
        text = measurements_csv(rows)
        before = self._digests.get(table.name, [])[-1:]
        self._digests[table.name] = [*before, _digest(text.encode())]
        write_text(self._note, as_json({"code": self._code, "written": self._digests}))
        write_text(table, text)

    def _is_whole(self, table: Path) -> bool:
        noted = self._digests.get(table.name, ())
        return table.is_file() and _digest(table.read_bytes()) in noted


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


Progress = Callable[[int, int], None]
Each = Callable[[Sequence[Request]], Iterable[Measurement]]

MEASURING = ("tcpgoodput.engines.packet", "tcpgoodput.engines.closeness")
"""Modules that determine the measurements, together with all modules that they import."""

SAVED_EVERY_S = 5.0
"""Smallest time in seconds between two writes of the table with the measurements made so far.
Chosen by hand."""


def measured(request: Request, engine: Packet | None = None) -> Measurement:
    """Measure a connection with the packet simulator (by default on all cores); return the row.

    If the connection cannot be measured, the row contains only a reason.
    """
    place = {"key": request.key, "engine": request.engine, "setting": str(request.setting)}
    scenario, setting, engine = request.scenario, request.setting, engine or Packet()
    assert isinstance(setting, Setting)
    conditions = Conditions(precision=setting.precision, seed=setting.seed)
    packets, count = setting.packets, setting.replications
    try:
        if setting.half_width is None:
            found = engine.measure(scenario, conditions, packets=packets, replications=count)
        else:
            assert setting.most_packets is not None  # a target half-width requires both limits
            assert count is not None
            target = Target(setting.half_width, setting.most_packets, count)
            found = measured_closely(scenario, conditions, target, engine=engine)
        return replace(found, **place)
    except Undefined as undefined:
        return Measurement(**place, reason=str(undefined))


def side_by_side(cores: int, requests: Sequence[Request]) -> Iterator[Measurement]:
    """Yield the measurement of each requested connection in order, with one process for each core.

    Threads of one process would wait for each other if replications are short, because Python
    executes only one thread at a time. With one core, or with fewer connections than cores, this
    process measures the connections one after the other, and runs replications in threads.
    """
    if cores == 1 or len(requests) < cores:
        engine = Packet(threads=cores)
        for request in requests:
            yield measured(request, engine)
        return
    Packet().compile()  # compile once, before the processes are forked
    begin = partial(_end_with, os.getpid())
    pool = ProcessPoolExecutor(cores, get_context("fork"), initializer=begin)
    alone = partial(measured, engine=Packet(threads=1))
    try:
        yield from pool.map(alone, requests)
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with(parent: int) -> None:
    """Start a thread that kills this process soon after its parent process has ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def complete(
    requests: Iterable[Request], table: Path | None, progress: Progress, each: Each
) -> list[Measurement]:
    """Measure connections, each once; write their table, and return its rows in request order.

    Args:
        requests: the connections to measure.
        table: the table of measurements. Its rows are reused if the same code measured the same
            connection under the same setting, and if the table is intact. None: no file is used.
        progress: function that is called with the numbers of measured and of all connections, at
            the start and after each measurement.
        each: function that measures the requested connections and yields a row for each.

    """
    by_key = {request.key: request for request in requests}
    kept: Kept | None = None
    rows: dict[str, Measurement] = {}
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
        if kept and time.monotonic() - saved > SAVED_EVERY_S:
            kept.write(rows.values(), unfinished)
            saved = time.monotonic()
    found = [rows[key] for key in by_key]
    if kept and table:
        kept.write(found, table)
        unfinished.unlink(missing_ok=True)
    return found
