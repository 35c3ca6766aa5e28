"""Worker processes that answer one request after another, and the server's pool of them.

Workers are forked within milliseconds from a process that has loaded and compiled everything (see
`preload`). A running simulation does not receive messages. Therefore the server kills a worker that
does not stop on request.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, LifoQueue, SimpleQueue
from typing import Any

from tcpgoodput.cli.explorer.answering import answers, points
from tcpgoodput.models.outside import add_own
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.scenario import Scenario

Record = dict[str, Any]

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tcpgoodput.cli.explorer.preload"])

LONGEST_S = 30.0
"""Longest time in seconds that the server waits for a worker to answer one request; chosen by
hand. The time in which the server itself is stopped does not count."""

POLL_S = 0.02
"""Interval in seconds at which the server checks whether a request is still wanted; chosen by
hand."""

GRACE_S = 0.1
"""Time in seconds within which a worker must stop after the stop message, or it is killed; chosen
by hand."""

STOP = None
"""Message to a worker: end the current answer after its next record."""

DONE = None
"""Message of a worker: the answer has ended, and the worker is ready for the next request."""


@dataclass(frozen=True)
class Request:
    """Request of a page: all models' goodputs for a scenario, or for several values of one key."""

    scenario: Scenario
    key: str | None = None
    values: tuple[Any, ...] = ()

    def records(self) -> Iterator[Record]:
        """Yield the records of the answer to this request, in the worker process."""
        if self.key is None:
            yield from answers(self.scenario)
        else:
            yield from points(self.scenario, self.key, self.values)


class Worker:
    """One worker process, used by one thread of the server at a time."""

    def __init__(self, model_files: Sequence[Path]) -> None:
        """Start the process; the first start waits until models and simulator are compiled.

        Raises:
            EOFError: the process from which workers are forked has ended, for example by Ctrl-C.
            OSError: the system cannot start another process.

        """
        self.requests = 0
        self._is_busy = False
        self._connection, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=_serve, args=(theirs, model_files), daemon=True)
        with theirs:
            self._process.start()

    def records(self, request: Request, is_wanted: Callable[[], bool]) -> Iterator[Record]:
        """Yield the answer to a request, and finally a record with the reason for its end.

        The kind of the last record is `end`, `stopped` (the answer is no longer wanted) or
        `problem` (the answer took too long, or the process ended).
        """
        waited_s = 0.0
        self._is_busy = True
        self.requests += 1
        try:
            self._connection.send(request)
            while True:
                while not self._connection.poll(POLL_S):
                    if not is_wanted():
                        yield {"kind": "stopped"}
                        return
                    waited_s += POLL_S
                    if waited_s > LONGEST_S:
                        yield {"kind": "problem", "message": f"given up after {LONGEST_S:g} s"}
                        return
                record = self._connection.recv()
                if record is DONE:
                    break
                yield record
        except (EOFError, OSError):
            yield {"kind": "problem", "message": "the answer broke off; the terminal says why"}
            return
        self._is_busy = False
        yield {"kind": "end"}

    def is_idle(self) -> bool:
        """Return whether the worker is idle.

        A busy worker is first asked to end its answer, and has `GRACE_S` seconds to do so. The
        result is also False if the process of a busy worker has ended.
        """
        try:
            if self._is_busy:
                self._connection.send(STOP)
            end_s = time.monotonic() + GRACE_S
            while self._is_busy and self._connection.poll(max(end_s - time.monotonic(), 0)):
                self._is_busy = self._connection.recv() is not DONE
        except (EOFError, OSError):
            return False
        return not self._is_busy

    def end(self) -> None:
        """Kill the process. A thread that waits for its answer receives an end of file."""
        self._process.kill()
        self._process.join()


def _serve(connection: Connection, model_files: Sequence[Path]) -> None:
    """In a worker process, receive requests and send answers until the server ends."""
    inbox: SimpleQueue[Request | None] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, inbox), daemon=True).start()
    add_own(DEFAULT_PATH, model_files)
    while True:
        request = inbox.get()
        if request is STOP:  # ignore a stop message that arrived after the answer's end
            continue
        for record in request.records():
            connection.send(record)
            if not inbox.empty():
                break
        connection.send(DONE)


def _receive(connection: Connection, inbox: SimpleQueue[Request | None]) -> None:
    with suppress(EOFError, OSError):
        while True:
            inbox.put(connection.recv())
    os._exit(0)  # the server has ended: end at once, even during an answer


MOST_WORKERS = 4
"""Largest number of worker processes and thus of simultaneous answers; further requests wait until
an answer ends. Chosen by hand."""

MOST_REQUESTS = 200
"""Number of requests after which a worker is replaced, which frees its memory; chosen by hand."""

PROCESSES = threading.Lock()
"""Lock that a thread holds while it starts or ends a process.

`multiprocessing` does not allow several threads to do this at the same time: `Process.start` reads
the exit status of every ended child. A status can be read only once, so another thread that waits
for the same child would not get it.
"""


class Pool:
    """Pool of worker processes.

    It replaces a worker that hangs, has ended or has answered `MOST_REQUESTS` requests.
    """

    def __init__(self, model_files: Sequence[Path] = ()) -> None:
        """Create an empty pool; workers are started on demand."""
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
        """End all workers, and start no more workers."""
        with PROCESSES:
            self._is_closed = True
            for worker in self._workers:
                worker.end()

    def _started(self) -> Worker | None:
        """Return a new worker, or None if the system cannot start one."""
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
        """Return a worker for the next request; None means that it must still be started."""
        if worker is None or (worker.is_idle() and worker.requests < MOST_REQUESTS):
            return worker
        with PROCESSES:
            worker.end()
            self._workers.discard(worker)
        return self._started()
