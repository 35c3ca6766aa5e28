"""Answers in processes of their own: one for each question, ended when nobody waits for it.

They are forked from a process that has loaded and compiled everything (`warmed`), within
milliseconds. Whatever a question sets off, a slow model or a simulation without an end, ends with
its process; nothing of it stays behind.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tcpgoodput.explorer.answering import answers
from tcpgoodput.explorer.sweeping import points
from tcpgoodput.models.own import add_own
from tcpgoodput.project.configuration import DEFAULT_PATH
from tcpgoodput.scenario import Scenario

Record = dict[str, Any]

CONTEXT = multiprocessing.get_context("forkserver")
DEAF, WARMED = "tcpgoodput.explorer.deaf", "tcpgoodput.explorer.warmed"

LONGEST_S = 30.0
"""That a question may take."""

LOOK_S = 0.02
"""How often it is looked whether somebody still wants to know."""


@dataclass(frozen=True)
class Question:
    """What a page wants to know: all about a scenario, or about a key of it along some values."""

    scenario: Scenario
    key: str | None = None
    values: tuple[Any, ...] = ()
    model_files: tuple[Path, ...] = ()
    """With models of one's own."""

    def answered(self) -> Iterator[Record]:
        """Yield the answer, record by record."""
        add_own(DEFAULT_PATH, self.model_files)
        if self.key is None:
            yield from answers(self.scenario)
        else:
            yield from points(self.scenario, self.key, self.values)


def prepare() -> None:
    """Load and compile all that answers need, unless it is done already."""
    CONTEXT.set_forkserver_preload([DEAF, WARMED])
    forkserver.ensure_running()


def told(question: Question, is_wanted: Callable[[], bool]) -> Iterator[Record]:
    """Yield the answer to a question as long as somebody wants it, and why it ends.

    The last record is of the kind `end`; `stopped`: something else was asked meanwhile; or
    `problem`: it took too long, or broke off.
    """
    prepare()
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_tell, args=(theirs, question), daemon=True)
    process.start()  # the first time when everything is loaded
    theirs.close()
    until = time.monotonic() + LONGEST_S
    try:
        while True:
            while not ours.poll(LOOK_S):
                if not is_wanted():
                    yield {"kind": "stopped"}
                    return
                if time.monotonic() > until:
                    yield {"kind": "problem", "message": f"given up after {LONGEST_S:g} s"}
                    return
            yield ours.recv()
    except EOFError:
        process.join()
        broke_off = {"kind": "problem", "message": "the answer broke off; the terminal says why"}
        yield broke_off if process.exitcode else {"kind": "end"}
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()


def _tell(connection: Connection, question: Question) -> None:
    """Answer a question, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started the server
    for record in question.answered():
        connection.send(record)
