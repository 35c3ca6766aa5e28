"""Holding the tree: one run at a time, and no lock left behind by one that was killed.

Snakemake's own lock is a list of files: it outlives a run that is killed, and does not tell whose
it is. The one here ends with its process, however that ends; who has it may clear away what an
earlier run has left.
"""

from __future__ import annotations

import datetime
import fcntl
import logging
import os
import shutil
import sys
from pathlib import Path

from snakemake_interface_logger_plugins.common import LogEvent

FOLDER = Path(".snakemake")


class Held(Exception):
    """Another run is at work in the tree; the message says which."""


def hold(folder: Path = FOLDER) -> int | None:
    """Take the tree for this process until its end, and clear away an earlier run's lock.

    Returns:
        The descriptor that holds it; None on a file system that knows no such locks, where
        Snakemake's own lock stays as it is.

    Raises:
        Held: another process has it.

    """
    folder.mkdir(exist_ok=True)
    held = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(held, 200).decode(errors="replace").strip() or "another process"
        os.close(held)
        raise Held(
            f"another run is at work in this folder ({holder}): wait for it, or end it first"
        ) from None
    except OSError:
        os.close(held)
        return None
    started = datetime.datetime.now().strftime("%H:%M")
    os.ftruncate(held, 0)
    os.write(held, f"process {os.getpid()}, since {started}\n".encode())
    shutil.rmtree(folder / "locks", ignore_errors=True)
    return held


class Holding(logging.Filter):
    """Takes the tree at the first word of a run, which Snakemake says before it looks at its lock.

    Whoever looks at the plan only (`--dag`, `--summary`, `--report`) never says it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.held: int | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass; end the process where the tree is somebody else's."""
        if getattr(record, "event", None) == LogEvent.WORKFLOW_STARTED and self.held is None:
            try:
                self.held = hold()
            except Held as held:
                print(held, file=sys.stderr, flush=True)
                os._exit(2)
        return True
