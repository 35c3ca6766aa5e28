"""Run the packet scripts on changed copies of the package, each copy in a separate process.

python -m tests.simulator.player < FOLDERS

A packet script is a connection with the expected events at its sender. Each input line names the
folder of a copy. Each output line is JSON with the exit status, the failed check, and what it
reports. Libraries are loaded once and processes are forked, because loading takes five times as
long as the scripts.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import tcpgoodput

SCRIPTS, HYSTART = "tests.simulator.scripts", "tests.simulator.hystart"
CONFORMANCE = "tests.conformance.driver"

LONGEST_S = 12
"""Limit of CPU time in seconds for all scripts on one copy. On the unchanged code they take two
seconds; if a rule of the sender is broken, they may never end."""


def play(first: Sequence[str]) -> tuple[str, str]:
    """Run all checks until one fails, beginning with those of the given names.

    The checks are the packet scripts, a comparison of HyStart++ with its second implementation, and
    the sequences of the conformance tests.

    Returns:
        The failed check's name and what it reports; two empty texts if no check fails.

    """
    scripts = importlib.import_module(SCRIPTS)
    checks: dict[str, Callable[[], str]] = {
        str(file.relative_to(scripts.FOLDER)): partial(of_script, scripts, file)
        for file in scripts.FILES
    }
    checks |= {HYSTART: of_hystart, CONFORMANCE: of_conformance}
    for name in (*first, *(name for name in checks if name not in first)):
        try:
            message = checks[name]()
        except (ImportError, SyntaxError):  # not a broken rule, but a copy that is no program
            raise
        except Exception:
            message = traceback.format_exc()
        if message:
            return name, message
    return "", ""


def of_script(scripts: Any, file: Path) -> str:
    """Return how a script differs from the events of the simulated connection, or an empty text."""
    script, expected = scripts.written(file)
    actual = scripts.played(script, expected[-1].time_s)
    same = len(actual) == len(expected)
    if same and all(a.agrees(b) for a, b in zip(expected, actual, strict=True)):
        return ""
    return f"{file.relative_to(scripts.FOLDER)} tells another story"


def of_hystart() -> str:
    """Return how HyStart++ differs from its second implementation, or an empty text."""
    with tempfile.TemporaryDirectory() as folder:
        differing = importlib.import_module(HYSTART).differing(Path(folder) / "delay.csv")
    return str(differing or "")


def of_conformance() -> str:
    """Return the sequences of the conformance tests that differ, or an empty text."""
    outcomes = importlib.import_module(CONFORMANCE).outcomes()
    return ", ".join(outcomes.loc[outcomes["conformance"] == "differs", "sequence"])


def forget() -> None:
    """Remove the modules that depend on the simulator from sys.modules.

    So a changed copy of the simulator can be imported next. The vocabulary of scenarios stays,
    because loading it takes longer than the rest, and no copy changes it.
    """
    for name in [*sys.modules]:
        package, _, module = name.partition(".")
        if name in (SCRIPTS, HYSTART, CONFORMANCE, "tests.scenarios") or (
            package == "tcpgoodput" and module and not module.startswith("scenario")
        ):
            del sys.modules[name]


def play_apart(folder: str, first: Sequence[str]) -> tuple[int, str, str]:
    """Run the checks on the copy in a folder in a separate process, beginning with `first`.

    Returns:
        The exit status (0 if all pass), the name of the failed check, and what it reports.

    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
        tcpgoodput.__path__ = [os.path.join(folder, "tcpgoodput")]
        try:
            found = play(first)
        except BaseException:
            found = "", traceback.format_exc()
        os.write(writer, json.dumps(found).encode())
        os._exit(1 if found[1] else 0)
    os.close(writer)
    with open(reader, encoding="utf-8") as answer:
        name, message = json.loads(answer.read() or '["", ""]')
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), name, message


if __name__ == "__main__":
    sys.dont_write_bytecode = True  # another copy must not use this copy's bytecode
    importlib.import_module(SCRIPTS)
    importlib.import_module(HYSTART)
    importlib.import_module(CONFORMANCE)
    forget()
    failed: list[str] = []
    for line in sys.stdin:
        status, name, message = play_apart(line.rstrip("\n"), failed)
        if name:  # changes of one module follow each other, and often fail the same checks
            # The check of HyStart++ takes longer than all others together.
            failed = [name, *(other for other in failed if other not in (name, HYSTART))]
        print(json.dumps((status, name, message)), flush=True)
