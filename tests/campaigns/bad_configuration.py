"""Check thousands of configuration files with a known error each, and verify every message.

python -m tests.campaigns.bad_configuration [--count N] [--seed K] [--record]

The project's checker runs in this process, which detects every attempt to write, to start a program
or to open a connection. A sample of the files is also checked by the command `tcpgoodput check`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tcpgoodput.cli.app import BAD_INPUT, run
from tcpgoodput.configuration.problems import REPORT_CHARACTERS
from tcpgoodput.configuration.strict_yaml import read
from tcpgoodput.project.settings import KINDS
from tests.campaigns import bad_files
from tests.campaigns.bad_files import Bad, Site
from tests.campaigns.bounded import children_s
from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.folders import ROOT

ASKED, ASKED_CLASSES, ASKED_COMMANDS = 2000, 25, 40

LONGEST_S = 2.0
"""Largest allowed CPU time of the check of one file, in seconds; chosen by hand."""

TINY = "config/test"

GOOD = {
    "scenario": [
        f"{TINY}/scenarios/lossy.yaml",
        *(
            f"config/scenarios/{name}.yaml"
            for name in ("s14b-handoff-batch-late", "s11c-spikes-markov", "s15e-shadowing")
        ),
    ],
    "figures": [f"{TINY}/figures/mathis.yaml", f"{TINY}/figures/packet_trains.yaml"],
    "claims": [f"{TINY}/claims/mathis.yaml"],
    "printed": [f"{TINY}/printed/mathis.yaml"],
    "settings": [f"{TINY}/config.yaml"],
    "comparison": [f"{TINY}/comparison.yaml"],
    "census": [f"{TINY}/census/tiny.yaml"],
    "style": ["config/style.yaml"],
}
"""Valid configuration files, by kind; each bad file is a changed copy of one of them."""

SCENARIOS_SHARE = 0.5

FORBIDDEN = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.system"}
FORBIDDEN |= {"os.chmod", "os.truncate", "os.exec", "os.posix_spawn", "os.fork"}
FORBIDDEN |= {"subprocess.Popen", "socket.connect", "socket.bind", "shutil.rmtree"}


class Watch:
    """Recorder of forbidden actions (writes, new processes, connections) by Python's audit hook."""

    def __init__(self) -> None:
        self.seen: list[str] | None = None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.seen is None:
            return
        if event == "open":
            path, mode, flags = arguments
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
            if writes and path != os.devnull:
                self.seen.append(f"open {path} {mode}")
        elif event in FORBIDDEN:
            self.seen.append(f"{event} {arguments}")

    @contextlib.contextmanager
    def over(self) -> Iterator[list[str]]:
        """Yield a list that collects the forbidden actions while the `with` block runs."""
        self.seen = []
        try:
            yield self.seen
        finally:
            self.seen = None


def bad_files_of(draw: Random, kind: str, data: dict[str, Any]) -> Iterator[Bad]:
    """Yield copies of a valid file, each with one error at a random key.

    Args:
        draw: generator of random numbers.
        kind: kind of the file, such as `scenario`.
        data: content of the valid file.

    """
    found = bad_files.sites(KINDS[kind], data)
    for site in draw.sample(found.fields, min(4, len(found.fields))):
        yield from _at(draw, site, data)
    for key, names in draw.sample(found.parts, 1):
        yield from bad_files.spoiled_parts(draw, key, names, data)
    plain = [s.key for s in found.fields if not isinstance(_value(data, s.key), dict | list)]
    for bad in bad_files.spoiled_text(draw, data, plain):
        if draw.random() < 0.25:
            yield bad
    for site in found.fields:
        if draw.random() < 0.25:
            yield from bad_files.dangling(draw, site, data)
    if kind == "scenario":
        yield from bad_files.contradictions(draw, data)
        yield from bad_files.bad_names(draw, data)


def _at(draw: Random, site: Site, data: dict[str, Any]) -> Iterator[Bad]:
    yield from bad_files.spoiled_values(draw, site, data)
    yield from bad_files.spoiled_keys(draw, site, data)


def _value(data: Any, key: bad_files.Key) -> Any:
    for step in key:
        data = data[step]
    return data


def drawn(seed: int, count: int) -> Iterator[tuple[str, str, Bad]]:
    """Yield `count` random bad files: kind, path of the valid file to replace, and bad file."""
    given, number = 0, 0
    kinds = [kind for kind in GOOD if kind != "scenario"]
    while given < count:
        draw = Random(f"{seed}/{number}")
        number += 1
        kind = "scenario" if draw.random() < SCENARIOS_SHARE else draw.choice(kinds)
        path = draw.choice(GOOD[kind])
        for bad in bad_files_of(draw, kind, read(ROOT / path).data):
            if given < count:
                given += 1
                yield kind, path, bad


def fault(bad: Bad, path: str, status: int, message: str, took_s: float) -> str | None:
    """Return what is wrong with the checker's report on a bad file; None if nothing is wrong.

    Args:
        bad: the bad file, with what the report must name.
        path: path of the file, which the report must name, too.
        status: the checker's exit status.
        message: the checker's report.
        took_s: CPU time of the check in seconds.

    """
    places = [line for line in message.splitlines() if path in line]
    if status != BAD_INPUT:
        return f"exit status {status}"
    if not places:
        return "the file is not named"
    if "Traceback" in message or len(message) > REPORT_CHARACTERS + 200:
        return "no report in a few lines"
    if bad.key and not any(bad.key in line for line in places):
        return f"the key {bad.key} is not named"
    if bad.line and not any(f"{path}:{bad.line}:" in line for line in places):
        return f"line {bad.line} is not named"
    if bad.words and not any(word in line for line in places for word in bad.words):
        return f"none of {bad.words}"
    if took_s > LONGEST_S:
        return f"took {took_s:.1f} s"
    return None


@dataclass
class Tally:
    """Results of checks: number of files, files by kind of error, faults, longest CPU time."""

    done: int = 0
    classes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    worst_s: float = 0.0


def in_process(seed: int, count: int, watch: Watch) -> Tally:
    """Check `count` bad files in this process; list wrong reports and forbidden actions."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        root = Path(folder)
        _project_in(root)
        for path in (path for paths in GOOD.values() for path in paths):
            assert _checked(path, watch)[0] == 0, f"{path} is to be a good file"
        for kind, path, bad in drawn(seed, count):
            good = Path(path).read_bytes()
            Path(path).write_bytes(bad.content)
            status, message, took_s, seen = _checked(path, watch)
            Path(path).write_bytes(good)
            wrong = fault(bad, path, status, message, took_s) or ", ".join(seen)
            tally.done += 1
            tally.classes[f"{kind}: {bad.spoiled}"] += 1
            tally.worst_s = max(tally.worst_s, took_s)
            if wrong:
                tally.faults.append(f"{kind}, {bad.spoiled}, {bad.key}: {wrong}\n{message[:600]}")
    return tally


def by_command(seed: int, count: int) -> Tally:
    """Check `count` bad files by `tcpgoodput check`; list wrong reports and changed folders."""
    tally = Tally()
    command = Path(sys.executable).with_name("tcpgoodput")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _project_in(root)
        for kind, path, bad in Random(seed).sample(list(drawn(seed, 20 * count)), count):
            good = (root / path).read_bytes()
            (root / path).write_bytes(bad.content)
            before = _tree(root)
            started_s = children_s()
            ended = subprocess.run(
                [command, "check", path], cwd=root, capture_output=True, text=True, check=False
            )
            took_s = children_s() - started_s
            wrong = fault(bad, path, ended.returncode, ended.stderr, took_s)
            if _tree(root) != before:
                wrong = f"{wrong or ''} wrote to its folder"
            (root / path).write_bytes(good)
            tally.done += 1
            tally.worst_s = max(tally.worst_s, took_s)
            if wrong:
                tally.faults.append(f"{kind}, {bad.spoiled}: {wrong}\n{ended.stderr[:600]}")
    return tally


def _project_in(root: Path) -> None:
    for part in ("config", "paper"):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("report.pdf"))


def _checked(path: str, watch: Watch) -> tuple[int, str, float, list[str]]:
    told_to, shown = io.StringIO(), io.StringIO()
    started_s = time.process_time()
    with (
        contextlib.redirect_stderr(told_to),
        contextlib.redirect_stdout(shown),
        watch.over() as seen,
    ):
        try:
            status = run(["check", path])
        except Exception as error:
            status = 1
            print(f"Traceback: {type(error).__name__}: {error}", file=told_to)
    return status, told_to.getvalue(), time.process_time() - started_s, seen


def _tree(root: Path) -> dict[str, tuple[int, int]]:
    return {
        str(file): (file.stat().st_size, file.stat().st_mtime_ns)
        for file in [root, *root.rglob("*")]
    }


def campaign(seed: int, count: int, commands: int) -> list[Outcome]:
    """Check `count` bad files in this process, and `commands` bad files by `tcpgoodput check`."""
    started = time.perf_counter()
    tally = in_process(seed, count, Watch())
    between = time.perf_counter()
    real = by_command(seed, commands)
    for one in (*tally.faults, *real.faults):
        print(one)
    spoiled = {name.partition(": ")[2] for name in tally.classes}
    classes = f"{len(spoiled)} classes ({ASKED_CLASSES} asked) in {len(GOOD)} kinds of files"
    guarantee = (
        "A configuration file with an error is refused: exit status 2, file, line, key, allowed "
        "values, nothing written"
    )
    return [
        Outcome(
            f"{guarantee}; checked in one process",
            "files",
            ASKED,
            tally.done,
            len(tally.faults),
            between - started,
            tally.worst_s,
            "CPU seconds for one file",
            classes,
        ),
        Outcome(
            f"{guarantee}; checked by the command `tcpgoodput check`",
            "files",
            ASKED_COMMANDS,
            real.done,
            len(real.faults),
            time.perf_counter() - between,
            real.worst_s,
            "CPU seconds for one file, with the start of Python",
        ),
    ]


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="Give the checker bad files of known classes.")
    parser.add_argument("--count", type=int, default=2500)
    parser.add_argument("--commands", type=int, default=ASKED_COMMANDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write the outcomes to data/trust/")
    arguments = parser.parse_args()
    outcomes = campaign(arguments.seed, arguments.count, arguments.commands)
    for outcome in outcomes:
        print(outcome_line(outcome))
    if arguments.record:
        print(record("bad_configuration", outcomes))


if __name__ == "__main__":
    main()
