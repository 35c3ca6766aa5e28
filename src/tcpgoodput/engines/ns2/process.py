"""The program `ns`: check that it is ns-2, run a script, and parse its output."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tcpgoodput.engines.base import Unavailable


@dataclass(frozen=True)
class Printed:
    """Numbers that a run of ns-2 prints about its measured time, in the order of printing."""

    measured_s: float
    acknowledged: int
    sent: int
    retransmitted: int
    timeouts: int
    cuts: int
    """Number of window reductions: one for each timeout and for each fast retransmit."""
    crossed: int
    """Number of packets sent since the start of the run."""


NAMES = tuple(Printed.__dataclass_fields__)


def read(text: str) -> Printed:
    """Return the numbers that a run of ns-2 prints about its measured time.

    Raises:
        Unavailable: lines are missing or invalid.

    """
    lines = text.splitlines()
    if lines == ["unfinished"]:
        raise Unavailable("ns-2: the transfer has not ended in the time that it was given")
    words = [line.split(" ") for line in lines]
    if [word[0] for word in words] != list(NAMES) or any(len(word) != 2 for word in words):
        line = next(
            (a for a, name in zip(lines, NAMES, strict=False) if a.split(" ")[0] != name),
            lines[-1] if lines else "",
        )
        raise Unavailable(f"ns-2 printed {len(lines)} lines, not {len(NAMES)}; see {line!r}")
    try:
        measured_s, *counts = float(words[0][1]), *(int(word) for _, word in words[1:])
    except ValueError as error:
        raise Unavailable(f"ns-2 printed what is no number: {error}") from None
    if not (math.isfinite(measured_s) and measured_s > 0) or min(counts) < 0:
        raise Unavailable(f"ns-2 printed a number out of range: {', '.join(lines)}")
    printed = Printed(measured_s, *counts)
    if not printed.retransmitted <= printed.sent <= printed.crossed:
        raise Unavailable(f"ns-2's counts contradict each other: {', '.join(lines)}")
    return printed


VERSION = "2.35"
INSTALL = "apt-get install ns2"
IDENTITY = "puts [ns-version]; exit 0\n"
IDENTITY_WITHIN_S = 30.0


def missing() -> str | None:
    """Return how to install ns-2.35 if it is missing, or None if it is installed."""
    program = shutil.which("ns")
    if program is None:
        return f"ns-2 is not installed: {INSTALL}"
    return _stranger(program)


@functools.cache
def _stranger(program: str) -> str | None:
    """Return a description of the program `ns` if it is not ns-2.35, else None."""
    try:
        answer = run(IDENTITY, IDENTITY_WITHIN_S).strip()
    except Unavailable:
        answer = "not ns-2"
    if answer == VERSION:
        return None
    first_line = answer.splitlines()[0][:80] if answer else "silent"
    return f"{program} is {first_line}, not ns-2.35: {INSTALL}, and have it first on PATH"


def run(script: str, within_s: float) -> str:
    """Run a Tcl script with ns-2 in a temporary folder, and return its output.

    Args:
        script: the text of the script.
        within_s: time limit of the run in seconds.

    Raises:
        Unavailable: ns-2 cannot be started, fails, prints warnings, or takes too long.

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
