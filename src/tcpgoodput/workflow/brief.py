"""Fork brief jobs from one process that has loaded their libraries.

python -m tcpgoodput.workflow.brief

A picture takes less time to draw than matplotlib to import, most models less to answer than numpy
and numba, and a run has hundreds of both. So one process beside Snakemake's imports what brief jobs
need, and a child of it does each: what `python -m MODULE ARGUMENTS...` would, with the folder,
environment and output of who asks, which is `forked.py`. As long as there is nobody to ask, and on
a cluster's nodes, that runs the module itself.

The process ends with Snakemake's, and a child with who asked for it, however these end.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tcpgoodput.workflow.forked import SOCKET
from tcpgoodput.workflow.shell import SINGLE_THREADED

LOADED = (
    "tcpgoodput.studies.answer",
    "tcpgoodput.drawing.figure",
    "tcpgoodput.drawing.comparison",
    "tcpgoodput.drawing.census",
)
"""What brief jobs run."""

LIBRARIES = ("numba", "scipy.special")
"""What they import only where a model needs it."""

FEWEST = 12
"""Brief jobs of a run that repay the loading."""

MOST_BYTES = 1 << 20
"""Read of a request at once."""


def worth_it(commands: Iterable[str | None]) -> bool:
    """Tell whether so many of a run's commands are brief that loading pays."""
    return sum((command or "").startswith("brief ") for command in commands) >= FEWEST


def start() -> None:
    """Start the process beside this one, which is Snakemake's."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,  # its end is the end of this process
        env={**os.environ, **SINGLE_THREADED},
    )
    assert process.stdin is not None
    atexit.register(process.stdin.close)


@dataclass(frozen=True)
class Child:
    """A job at work, and the connection to who asked for it."""

    pid: int
    ended: int
    """A descriptor, readable once it has."""
    asked: socket.socket


class Server:
    """Forks a child for each request, tells how it ended, and ends those that nobody waits for."""

    def __init__(self, listening: socket.socket) -> None:
        """Listen, and look at standard input."""
        self._listening = listening
        self._events = selectors.DefaultSelector()
        self._events.register(listening, selectors.EVENT_READ)
        self._events.register(sys.stdin, selectors.EVENT_READ)
        self._children: set[Child] = set()

    def serve(self) -> None:
        """Serve until standard input is closed."""
        while True:
            for key, _ in self._events.select():
                if key.fileobj is sys.stdin:
                    for child in self._children:
                        os.kill(child.pid, signal.SIGKILL)
                    return
                if key.fileobj is self._listening:
                    self._begin(self._listening.accept()[0])
                elif key.data in self._children:
                    if key.fileobj is key.data.asked:
                        os.kill(key.data.pid, signal.SIGKILL)
                    self._end(key.data)

    def _begin(self, asked: socket.socket) -> None:
        request, descriptors = received(asked)
        if len(descriptors) == 2:  # else it was ended before it had said what it wants
            pid = os.fork()
            if pid == 0:
                become(request, *descriptors)
            child = Child(pid, os.pidfd_open(pid), asked)
            self._children.add(child)
            for source in (child.ended, child.asked):
                self._events.register(source, selectors.EVENT_READ, child)
        else:
            asked.close()
        for descriptor in descriptors:
            os.close(descriptor)

    def _end(self, child: Child) -> None:
        self._children.remove(child)
        for source in (child.ended, child.asked):
            self._events.unregister(source)
        status = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        with contextlib.suppress(OSError):  # who asked may be gone
            child.asked.sendall(str(status).encode())
        child.asked.close()
        os.close(child.ended)


def received(asked: socket.socket) -> tuple[bytes, list[int]]:
    """Return a request, and the descriptors of its output and its errors."""
    request, descriptors = b"", []
    while not request.endswith(b"\n"):
        part, passed, _, _ = socket.recv_fds(asked, MOST_BYTES, 2)
        descriptors += passed
        request += part
        if not part:
            break
    return request, descriptors


def become(request: bytes, output: int, error: int) -> NoReturn:
    """Do what is asked in this process, a child, and end it."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(output, sys.stdout.fileno())
        os.dup2(error, sys.stderr.fileno())
        told = json.loads(request)
        os.chdir(told["folder"])
        os.environ.clear()
        os.environ.update(told["environment"])
        module, *sys.argv[1:] = told["arguments"]
        sys.modules.pop(module, None)  # loaded with what it imports, now run
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = exit_status(end)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def exit_status(end: SystemExit) -> int:
    """Return the status that Python would end with; what is not a number is told."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def listening(path: Path) -> socket.socket:
    """Return a socket that only this user's processes can ask."""
    path.unlink(missing_ok=True)
    found = socket.socket(socket.AF_UNIX)
    found.bind(str(path))
    path.chmod(0o600)
    found.listen(128)
    return found


def main() -> None:
    """Load, then serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C ends the children and Snakemake
    for name in (*LOADED, *LIBRARIES):
        importlib.import_module(name)
    from tcpgoodput.drawing import theme  # with matplotlib, which Snakemake does without

    theme.rehearse()
    try:
        found = listening(Path(SOCKET))
    except OSError as error:  # a file system without sockets: every job runs by itself
        print(f"brief jobs are not forked: {error}", file=sys.stderr)
        return
    gc.freeze()  # no child looks for garbage in what all have loaded, nor copies it by looking
    Server(found).serve()
    gc.unfreeze()  # or libraries of this process tell that they have not been tidied away


if __name__ == "__main__":
    main()
