"""The command line; here, how it ends: with a status and a line to read, never a traceback."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

FAILED = 1
INTERRUPTED = 128 + signal.SIGINT
NOBODY_READS = 128 + signal.SIGPIPE
"""What a shell calls the end of a tool whose reader has had enough."""


def main() -> None:
    """Run the command line, and end with its status.

    0: done; 1: something failed; 2: bad input; 130: interrupted; 141: the output's reader is gone.
    """
    if sys.stderr is None:  # closed by who started this
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  (as long as the process lives)
    try:
        # A second of imports, in which somebody may lose patience, too.
        from tcpgoodput.cli.app import run

        # An answer is written when it is complete: half of one helps nobody.
        answer = io.StringIO()
        with redirect_stdout(answer):
            status = run(sys.argv[1:])
        _write(answer.getvalue())
    except KeyboardInterrupt:
        # Threads that simulate would be waited for.
        os._exit(_end(INTERRUPTED, "interrupted"))
    except BrokenPipeError:
        status = _end(NOBODY_READS)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        status = _end(FAILED, f"{place}{error.strerror or error}")
    sys.exit(status)


def _write(text: str) -> None:
    if not text:
        return
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    # What the terminal's alphabet lacks is shown as `?`.
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, errors="replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def _end(status: int, message: str = "") -> int:
    """Say why, and give up what is still to be written: it would only fail again."""
    with suppress(OSError):
        if message:
            print(f"tcpgoodput: {message}", file=sys.stderr, flush=True)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status
