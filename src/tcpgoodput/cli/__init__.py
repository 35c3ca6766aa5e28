"""Entry point of the command line: sets the exit status and the message for every outcome."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TextIO, cast

from tcpgoodput.configuration.terminal import VisibleStream, enable_painting, printable

FAILED = 1
INTERRUPTED = 128 + signal.SIGINT
CLOSED_PIPE = 128 + signal.SIGPIPE
"""Exit status if the reader of the output closed the pipe, as shells report it after SIGPIPE."""


def main() -> None:
    """Run the command line, and exit with its status.

    0: success; 1: a failure; 2: invalid input; 130: interrupted; 141: the reader closed the output.
    """
    # Optimised code has neither docstrings, which are the help texts, nor assertions.
    if os.environ.pop("PYTHONOPTIMIZE", "") and sys.flags.optimize:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    os.environ["MPLBACKEND"] = "agg"  # pictures are written to files, so no window is needed
    if sys.stderr is None:  # the parent process closed standard error, so write to the null device
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  (open until the process ends)
    # Messages quote users' files, which may contain commands for the terminal.
    sys.stderr = cast(TextIO, VisibleStream(sys.stderr))
    enable_painting()
    try:
        # Imports take a second. They are inside `try`, so that Ctrl-C has the usual exit status.
        from tcpgoodput.cli.app import run

        # Collect the whole output first, so that an error leaves no partial output.
        answer = io.StringIO()
        with redirect_stdout(answer):
            status = run(sys.argv[1:])
        _write(answer.getvalue())
    except KeyboardInterrupt:
        # `sys.exit` would wait for threads that are still simulating.
        os._exit(_end(INTERRUPTED, "interrupted"))
    except BrokenPipeError:
        status = _end(CLOSED_PIPE)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        status = _end(FAILED, f"{place}{error.strerror or error}")
    sys.exit(status)


def _write(text: str) -> None:
    if not text:
        return
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    text = printable(text, sys.stdout)
    # Replace characters that the terminal's encoding lacks by `?`, because `write` would fail.
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, errors="replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def _end(status: int, message: str = "") -> int:
    """Print a message on standard error, and return the given exit status.

    Afterwards standard output and standard error lead to the null device, because Python flushes
    them when it ends, which might fail.
    """
    with suppress(OSError):
        if message:
            print(f"tcpgoodput: {message}", file=sys.stderr, flush=True)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status
