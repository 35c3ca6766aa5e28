"""Observation of other processes."""

from __future__ import annotations

from pathlib import Path


def is_running(process: int) -> bool:
    """Tell whether a process has not ended yet.

    One that has ended stays listed until its parent asks for its status. Who inherits orphans does
    not always ask: the first process of a container may be one that knows of no children.
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    state = stat.rpartition(")")[2].split()[0]  # behind the name, which may hold anything
    return state != "Z"
