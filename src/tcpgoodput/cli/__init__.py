"""The command line; here, how it ends: with a status and a line to read, never a traceback."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TextIO

FAILED = 1
INTERRUPTED = 128 + signal.SIGINT
NOBODY_READS = 128 + signal.SIGPIPE
"""What a shell calls the end of a tool whose reader has had enough."""


def main() -> None:
    """Run the command line, and end with its status.

    0: done; 1: something failed; 2: bad input; 130: interrupted; 141: the output's reader is gone.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            # What a terminal's alphabet lacks is shown as `?`.
            stream.reconfigure(errors="replace")
        # A second of imports, in which somebody may lose patience, too.
        from tcpgoodput.cli.app import run

        status = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = _end(INTERRUPTED, "interrupted")
    except BrokenPipeError:
        status = _end(NOBODY_READS)
    except OSError as error:
        place = error.filename or "output"
        status = _end(FAILED, f"{place}: {error.strerror or error}")
    sys.exit(status)


def _end(status: int, message: str = "") -> int:
    """Say why, and give up what is still to be written: it would only fail again."""
    try:
        if message:
            print(f"tcpgoodput: {message}", file=sys.stderr, flush=True)
    except OSError:
        _abandon(sys.stderr)
    _abandon(sys.stdout)
    return status


def _abandon(stream: TextIO) -> None:
    with suppress(OSError, ValueError):  # a stream without a file has nothing left to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
