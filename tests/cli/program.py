"""The program `tcpgoodput` in tests: commands in this process, or in one of their own."""

from __future__ import annotations

import io
import json
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from tcpgoodput.cli.app import run
from tests.folders import ROOT

MAIN = "from tcpgoodput.cli import main; main()"
PROGRAM = [sys.executable, "-c", MAIN]
CATCH_SIGINT = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""If the tests run in the background of a shell, their child processes ignore Ctrl-C (SIGINT)."""
INTERRUPTIBLE = [sys.executable, "-c", CATCH_SIGINT + MAIN]


class Done(NamedTuple):
    """Exit status, output and messages of a command."""

    returncode: int
    stdout: str
    stderr: str


def tcpgoodput(*arguments: str, cwd: Path = ROOT, text: str = "") -> Done:
    """Run a command in this process, which saves the time to load the package; return the result.

    `text` is what the command reads from standard input.
    """
    output, messages = io.StringIO(), io.StringIO()
    with (
        mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")),
        redirect_stdout(output),
        redirect_stderr(messages),
        chdir(cwd),
    ):
        status = run(arguments)
    return Done(status, output.getvalue(), messages.getvalue())


def answer(*arguments: str, text: str = "") -> Any:
    """Run a command; return its parsed JSON output."""
    done = tcpgoodput(*arguments, "--json", text=text)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
