"""The program `ns`: whether it is ns-2, and one run of a script."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from tcpgoodput.engines.base import Unavailable

VERSION = "2.35"
INSTALL = "apt-get install ns2"
IDENTITY = "puts [ns-version]; exit 0\n"
IDENTITY_WITHIN_S = 30.0


def missing() -> str | None:
    """Return that there is no ns-2.35 here and how to get it, or None."""
    program = shutil.which("ns")
    if program is None:
        return f"ns-2 is not installed: {INSTALL}"
    return _stranger(program)


@functools.cache
def _stranger(program: str) -> str | None:
    """Return what a program called `ns` is instead of ns-2.35, or None."""
    try:
        answer = run(IDENTITY, IDENTITY_WITHIN_S).strip()
    except Unavailable:
        answer = "not ns-2"
    if answer == VERSION:
        return None
    said = answer.splitlines()[0][:80] if answer else "silent"
    return f"{program} is {said}, not ns-2.35: {INSTALL}, and have it first on PATH"


def run(script: str, within_s: float) -> str:
    """Run a script in a folder of its own, which is gone afterwards; return what it printed.

    Raises:
        Unavailable: it cannot be started, fails, warns, or takes too long.

    """
    with tempfile.TemporaryDirectory(prefix="tcpgoodput-ns2-") as folder:
        Path(folder, "script.tcl").write_text(script, encoding="utf-8")
        try:
            process = subprocess.Popen(
                ["ns", "script.tcl"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise Unavailable(f"ns-2 cannot be started: {error.strerror}") from None
        try:
            printed, complaint = process.communicate(timeout=within_s)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise Unavailable(f"ns-2 was stopped: no end within {within_s:.3g} s") from None
            raise
    if process.returncode != 0 or complaint:
        first = complaint.strip().splitlines()[0] if complaint.strip() else "it says no more"
        raise Unavailable(f"ns-2 failed (exit status {process.returncode}): {first[:300]}")
    return printed
