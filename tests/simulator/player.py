"""Run the packet scripts on changed copies of the package, each copy in a separate process.

python -m tests.simulator.player < FOLDERS

A packet script is a connection with the expected events at its sender. Each input line names the
folder of a copy. Each output line is JSON with the exit status and the output. Libraries are loaded
once and processes are forked, because loading takes five times as long as the scripts.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import tempfile
import traceback
from pathlib import Path

SCRIPTS, HYSTART = "tests.simulator.scripts", "tests.simulator.hystart"
CONFORMANCE = "tests.conformance.driver"

LONGEST_S = 12
"""Limit of CPU time in seconds for all scripts on one copy. On the unchanged code they take two
seconds; if a rule of the sender is broken, they may never end."""


def play() -> str:
    """Run all packet scripts until one fails; return the failure, or an empty text.

    If all scripts pass, also compare HyStart++ with its second implementation, and run the
    sequences of the conformance tests.
    """
    scripts = importlib.import_module(SCRIPTS)
    for file in scripts.FILES:
        script, expected = scripts.written(file)
        actual = scripts.played(script, expected[-1].time_s)
        same = len(actual) == len(expected)
        if not (same and all(a.agrees(b) for a, b in zip(expected, actual, strict=True))):
            return f"{file.relative_to(scripts.FOLDER)} tells another story"
    hystart = importlib.import_module(HYSTART)
    with tempfile.TemporaryDirectory() as folder:
        if message := hystart.differing(Path(folder) / "delay.csv"):
            return str(message)
    outcomes = importlib.import_module(CONFORMANCE).outcomes()
    return ", ".join(outcomes.loc[outcomes["conformance"] == "differs", "sequence"])


def forget() -> None:
    """Remove the package and test modules that import it from sys.modules.

    So a changed copy of the package can be imported next.
    """
    for name in [*sys.modules]:
        if (
            name in (SCRIPTS, HYSTART, CONFORMANCE, "tests.scenarios")
            or name.partition(".")[0] == "tcpgoodput"
        ):
            del sys.modules[name]


def play_apart(folder: str) -> tuple[int, str]:
    """Run the scripts on the copy in a folder, in a separate process; return status and output."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
        sys.path.insert(0, folder)
        try:
            message = play()
        except BaseException:
            message = traceback.format_exc()
        os.write(writer, message.encode())
        os._exit(1 if message else 0)
    os.close(writer)
    with open(reader, encoding="utf-8") as answer:
        message = answer.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), message


if __name__ == "__main__":
    sys.dont_write_bytecode = True  # another copy must not use this copy's bytecode
    importlib.import_module(SCRIPTS)
    importlib.import_module(HYSTART)
    importlib.import_module(CONFORMANCE)
    forget()
    for line in sys.stdin:
        print(json.dumps(play_apart(line.rstrip("\n"))), flush=True)
