"""Workers for the explorer's server: each answers one request at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Empty, LifoQueue

from tcpgoodput.cli.explorer.worker import POLL_S, Record, Request, Worker

MOST_WORKERS = 4
"""Largest number of simultaneous answers; further requests wait."""

MOST_REQUESTS = 200
"""Number of requests after which a worker is replaced, which frees its memory."""

PROCESSES = threading.Lock()
"""Lock that a thread holds while it starts or ends a process.

`multiprocessing` does not allow several threads to do this at the same time: `Process.start` reads
the exit status of every ended child, and another thread that waits for it could not read it again.
"""


class Pool:
    """Pool of workers; it replaces those that hang, have ended or had `MOST_REQUESTS` requests."""

    def __init__(self, model_files: Sequence[Path] = ()) -> None:
        """Create an empty pool; workers are started on demand.

        Args:
            model_files: files with the user's own models.

        """
        self._model_files = tuple(model_files)
        self._workers: set[Worker] = set()
        self._is_closed = False
        # None means a worker that is not started yet. A LIFO queue gives started workers first.
        self._free: LifoQueue[Worker | None] = LifoQueue()
        for _ in range(MOST_WORKERS):
            self._free.put(None)

    def prepare(self) -> None:
        """Start the first worker; this loads and compiles everything that later workers need."""
        self._free.put(self._free.get() or self._started())

    def records(self, request: Request, is_wanted: Callable[[], bool]) -> Iterator[Record]:
        """Yield the records of the answer to a request; see `Worker.records`.

        The request waits for a free worker if necessary. The answer ends early if `is_wanted`
        returns False.
        """
        while True:
            try:
                worker = self._free.get(timeout=POLL_S)
                break
            except Empty:
                if not is_wanted():
                    yield {"kind": "stopped"}
                    return
        try:
            worker = worker or self._started()
            if worker is None:
                yield {"kind": "problem", "message": "no process could be started to answer"}
            else:
                yield from worker.records(request, is_wanted)
        finally:
            self._free.put(self._ready(worker))

    def close(self) -> None:
        """End all workers, and start no more."""
        with PROCESSES:
            self._is_closed = True
            for worker in self._workers:
                worker.end()

    def _started(self) -> Worker | None:
        """Return a new worker, or None if none can be started."""
        with PROCESSES:
            if self._is_closed:
                return None
            try:
                worker = Worker(self._model_files)
            except (EOFError, OSError):
                return None
            self._workers.add(worker)
            return worker

    def _ready(self, worker: Worker | None) -> Worker | None:
        """Return a worker that can take the next request: the same one, or its replacement."""
        if worker is None or (worker.is_idle() and worker.requests < MOST_REQUESTS):
            return worker
        with PROCESSES:
            worker.end()
            self._workers.discard(worker)
        return self._started()
