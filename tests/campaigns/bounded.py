"""Call of a function in a separate process with a limit of CPU time."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


class TooLong(Exception):
    """The process reached its limit of CPU time."""


def bounded(function: Callable[..., Any], *arguments: Any, seconds: int) -> Any:
    """Call a function with `arguments` in a separate process, and return its result.

    Raises:
        TooLong: the function needs more than `seconds` of CPU time.

    """
    forked = multiprocessing.get_context("fork")
    ours, theirs = forked.Pipe()
    process = forked.Process(target=_answer, args=(theirs, seconds, function, arguments))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        raise TooLong(f"nothing within {seconds} s") from None
    finally:
        process.join()
        ours.close()


def _answer(
    answer: Connection, seconds: int, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    answer.send(function(*arguments))


def children_s() -> float:
    """Return the total CPU time of this process's ended child processes in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
