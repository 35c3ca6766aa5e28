"""Processes of other tests' programs: whether they run, and which processes they started."""

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


def descendants(process: int) -> list[int]:
    """Return the ids of a process's child processes, their children, and so on."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text(encoding="ascii").split()):
            found += [child, *descendants(child)]
    return found


def forked_workers(server: int) -> set[int]:
    """Return the grandchildren of a server's process, which are forked with all code loaded."""
    found = set()
    for process in descendants(server):
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
        parent = next(line for line in status.splitlines() if line.startswith("PPid:"))
        if int(parent.split()[1]) != server:
            found.add(process)
    return found
