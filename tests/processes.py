"""Check whether other processes still run."""

from __future__ import annotations

from pathlib import Path


def is_running(process: int) -> bool:
    """Return whether the process with a given id has not ended yet.

    An ended process (zombie) stays listed until its parent reads its exit status. The parent of
    orphans, such as the first process of a container, may never read it.
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    state = stat.rpartition(")")[2].split()[0]  # after the program's name, which may contain )
    return state != "Z"
