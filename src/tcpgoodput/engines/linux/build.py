"""Compile the path's emulator, once for each version of its source."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tcpgoodput.engines.base import Unavailable

SOURCE = Path(__file__).with_name("emulator.c")


def compiler() -> str | None:
    """Return the system's C compiler, if it has one."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@cache
def emulator() -> Path:
    """Return the compiled emulator, which is kept in the user's cache.

    Raises:
        Unavailable: it does not compile.

    """
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    program = _cache() / f"emulator-{digest}"
    if program.is_file():
        return program
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        made = Path(folder, "emulator")
        command = [str(compiler()), "-O2", "-pthread", "-o", str(made), str(SOURCE), "-lm"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            said = (run.stderr.splitlines() or ["the compiler says nothing"])[0]
            raise Unavailable(f"the path's emulator does not compile: {said}")
        made.replace(program)
    return program


def _cache() -> Path:
    """Return a folder of one's own to keep programs in."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "tcpgoodput")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (only asks whether it can be)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="tcpgoodput-"))
    probe.close()
    return folder
