"""Change the code of models and simulator at one place; find the changes that no test detects.

python -m tests.campaigns.mutants [--count N] [--seed K] [--longest SECONDS] [--tool COMMAND]
    [--again] [--record]

The tool is cosmic-ray 8.7.0, in an environment of its own (`uv tool install cosmic-ray==8.7.0`). It
lists possible changes, and applies them to a copy of the project. The same number of places in the
code is drawn at random in each package, and then one possible change for each place. So a place
with eleven possible changes, such as a sum, counts as much as a place with one. Some changes are
left out: bit operations on floats, which raise an exception that the first test would detect;
identity in place of comparison; changes of annotations; and invalid Python.

A mutant is a changed copy of the code. First, the tests named after the changed module are run on
the mutant; for the simulator, these are the tests in `SCRIPTS`, without compilation by numba. If
they pass, all tests of the package are run, with compiled code. A mutant survives if these pass.
Every mutant has a row in `mutants.csv`, from which a further call continues if code and seed are
the same. `survivors.csv` has a verdict on each survivor by a person who read the change. If a
missing test was added later, `--again` tests the survivor again.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from random import Random
from typing import Any

from tcpgoodput.storage import csv_text, read_rows, write_text
from tests.campaigns.bounded import children_s
from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.folders import ROOT

FILE = Path(__file__).with_suffix(".csv")
READ = FILE.with_name("survivors.csv")
"""File with a verdict on each surviving mutant, by a person who read the change."""

PACKAGES = ("models", "simulator")

ASKED = 100
"""Planned number of mutants in each of the `PACKAGES`."""

TOOL, SEED = "cosmic-ray", 1

LEFT_OUT = re.compile(
    r"_(Add|Sub|Mul|Div|FloorDiv|Mod|Pow)_(RShift|LShift|BitOr|BitAnd|BitXor)$"
    r"|_(Eq|NotEq|Lt|LtE|Gt|GtE)_(Is|IsNot)$|_(Is|IsNot)_(Eq|NotEq|Lt|LtE|Gt|GtE)$"
)
"""Pattern of the names of the tool's mutation operators that are not used."""

COPIED = ("src", "tests", "config", "data", "docs", "paper", "workflow", "notebooks",
          "pyproject.toml", "Snakefile", "README.md", "CITATION.cff")  # fmt: skip

PYTEST = ("-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider")

OF_MODELS = {
    "literature": ("literature", "pftk", "cardwell", "extremes"),
    "reductions": ("reductions", "root"),
    "timeout_probability": ("pftk", "packet_trains"),
    "links": ("every_scenario",),
}
"""Test files (test_NAME.py) of modules or folders without a test file of their own name."""

OF_THE_OTHERS = ("base", "discovery", "outside")

SCRIPTS = tuple(
    f"tests/simulator/test_{name}.py"
    for name in ("scripts", "ladder", "delayed_ack", "late_packets", "ack_traces")
)

SAMPLES = "tests/campaigns/test_samples.py"

WIDER = {
    "models": ("tests/models", "tests/comparison/test_overview.py"),
    "simulator": (
        "tests/simulator/test_simulation.py",
        f"{SAMPLES}::test_fast_loops_equal_the_full_simulation",
        "tests/simulator",
        "tests/engines/test_packet.py",
        "--ignore=tests/simulator/test_mutations.py",
    ),
}

LONGEST_S, LONGEST_WIDER_S, MOST_BYTES = 40, 240, 8 * 2**30
"""Limits of a mutant's tests: CPU time (s) of the tests of its module and of all tests of its
package, and address space (bytes). The limits of CPU time are at least three times the CPU time on
unchanged code."""

CLOSED = "a gap, closed"
"""Verdict in `survivors.csv` on a mutant that survived, but is detected by a test added later."""

HARMLESS = ("equivalent", "speed alone")
"""Verdicts in `survivors.csv` on mutants that change no result."""

KILLED, TIMED_OUT, SURVIVED = "killed", "timed out", "survived"


@dataclass(frozen=True)
class Mutant:
    """A change of the code, and the outcome of the tests."""

    package: str
    module: str
    """Path of the changed module within the package `tcpgoodput`."""
    line: int
    operator: str
    occurrence: int
    old: str = ""
    new: str = ""
    """The line of code after the change, without indentation; empty if the line is removed."""
    outcome: str = ""
    by: str = ""
    """Name of the last group of tests that was run on the mutant, which detected it if any did."""
    again: str = ""
    """Outcome of the test of a surviving mutant after tests were added; empty if not repeated."""
    took_s: float = 0.0

    @property
    def key(self) -> tuple[str, str, int]:
        """Key that identifies the change: module, kind of change, its number in the module."""
        return self.module, self.operator, self.occurrence

    @property
    def alive(self) -> bool:
        """Whether the mutant survives: all tests pass, also those added since the first run."""
        return (self.again or self.outcome).startswith(SURVIVED)


COLUMNS = [field.name for field in fields(Mutant)]


def recorded() -> list[Mutant]:
    """Return the mutants that earlier calls recorded in `mutants.csv`."""
    if not FILE.is_file():
        return []
    numbers = {"line": int, "occurrence": int, "took_s": float}
    return [
        Mutant(**{name: numbers.get(name, str)(value) for name, value in row.items()})
        for row in read_rows(FILE)
    ]


def drawn(items: Sequence[dict[str, Any]], package: str, seed: int) -> Iterator[Mutant]:
    """Yield a random mutant for each place in a package's code, the places in random order.

    `items` are all changes of the code that the tool can make.
    """
    places: dict[tuple[Any, ...], list[Mutant]] = {}
    for item in items:
        module = item["module_path"].partition("tcpgoodput/")[2]
        operator = item["operator_name"].removeprefix("core/")
        if module.startswith(f"{package}/") and not LEFT_OUT.search(operator):
            place = (module, *item["start_pos"], *item["end_pos"])
            mutant = Mutant(package, module, item["start_pos"][0], operator, item["occurrence"])
            places.setdefault(place, []).append(mutant)
    draw = Random(f"{seed}/{package}")
    for place in draw.sample(sorted(places), len(places)):
        yield draw.choice(sorted(places[place], key=lambda mutant: mutant.key))


def changes(old: str, new: str) -> bool:
    """Return whether two texts of a module differ in more than annotations and layout.

    Return False if one of them is not valid Python.
    """
    try:
        return _meaning(old) != _meaning(new)
    except SyntaxError:
        return False


def _meaning(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.dump(tree)


class Stage:
    """A copy of the project, in which one module at a time is changed."""

    def __init__(self, folder: Path, tool: str) -> None:
        self.folder = folder / "project"
        self.tool = tool
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder / "src"),
            "NUMBA_CACHE_DIR": str(folder / "compiled"),
        }
        for part in COPIED:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, self.folder / part)
            else:
                shutil.copy2(ROOT / part, self.folder / part)

    def items(self) -> list[dict[str, Any]]:
        """Return all changes that the tool can make in `PACKAGES`, in the tool's format."""
        settings = self.folder / "mutants.toml"
        paths = ", ".join(f'"src/tcpgoodput/{package}"' for package in PACKAGES)
        write_text(
            settings,
            f'[cosmic-ray]\nmodule-path = [{paths}]\ntimeout = 1.0\ntest-command = ""\n'
            'excluded-modules = []\n[cosmic-ray.distributor]\nname = "local"\n',
        )
        self._ask("init", "mutants.toml", "mutants.sqlite")
        lines = self._ask("dump", "mutants.sqlite").splitlines()
        return [json.loads(line)[0]["mutations"][0] for line in lines]

    def _ask(self, *words: str) -> str:
        answer = subprocess.run(
            [self.tool, *words], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return answer.stdout

    def tried(self, mutant: Mutant) -> Mutant | None:
        """Test a mutant; return it with the outcome.

        Return None if the change is invalid Python, or changes only annotations.
        """
        path = f"src/tcpgoodput/{mutant.module}"
        file, old = self.folder / path, (ROOT / path).read_text(encoding="utf-8")
        before_s = children_s()
        try:
            self._ask("apply", path, f"core/{mutant.operator}", str(mutant.occurrence))
            new = file.read_text(encoding="utf-8")
            if not changes(old, new):
                return None
            outcome, by = self._met(mutant)
        finally:
            # Restore the time stamp as well, because Numba finds compiled code by the time stamp.
            shutil.copy2(ROOT / path, file)
        lines, others = old.splitlines(), new.splitlines()
        texts = [text[mutant.line - 1].strip() for text in (lines, others)]
        if len(lines) != len(others):  # the change removes a decorator, so it has no new line
            texts[1] = ""
        took_s = round(children_s() - before_s, 1)
        return replace(mutant, old=texts[0], new=texts[1], outcome=outcome, by=by, took_s=took_s)

    def _met(self, mutant: Mutant) -> tuple[str, str]:
        for by, tests, longest_s, interpreted in meetings(mutant):
            status = self.run(tests, longest_s, interpreted)
            if status in (-signal.SIGXCPU, -signal.SIGKILL):
                return TIMED_OUT, by
            if status:
                return KILLED, by
        return SURVIVED, by

    def run(self, tests: Sequence[str], longest_s: int, interpreted: bool, **more: str) -> int:
        """Run tests on the copy of the project, and return pytest's exit status.

        Args:
            tests: pytest's arguments, such as test files.
            longest_s: limit of CPU time in seconds.
            interpreted: run without compilation by numba.
            more: additional environment variables.

        Raises:
            RuntimeError: pytest finds no such tests.

        """

        def bounded() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (longest_s, longest_s))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))

        ended = subprocess.run(
            [sys.executable, "-m", "pytest", *PYTEST, *tests],
            cwd=self.folder,
            env={
                **self.environment,
                "NUMBA_DISABLE_JIT": str(int(interpreted)),
                "PYTHONDONTWRITEBYTECODE": "1",
                **more,
            },
            preexec_fn=bounded,
            capture_output=True,
            text=True,
        )
        if ended.returncode in (4, 5):
            raise RuntimeError(ended.stdout + ended.stderr)
        return ended.returncode

    def hold(self) -> None:
        """Check that all tests used here pass on the unchanged code.

        Raises:
            RuntimeError: a test fails on unchanged code, so that it would fail on any mutant.

        """
        for tests, interpreted in ((SCRIPTS, True), *((WIDER[name], False) for name in PACKAGES)):
            if self.run(tests, LONGEST_WIDER_S, interpreted, PYTHONDONTWRITEBYTECODE=""):
                raise RuntimeError(f"{tests} fail on the code as it is")


def meetings(mutant: Mutant) -> Iterator[tuple[str, Sequence[str], int, bool]]:
    """Yield the groups of tests to run on a mutant, in their order.

    Each group has a name, pytest's arguments, the limit of CPU time in seconds, and whether the
    code is interpreted rather than compiled.
    """
    if mutant.package == "simulator":
        yield "scripts", SCRIPTS, LONGEST_S, True
        yield "the package's", WIDER["simulator"], LONGEST_WIDER_S, False
        return
    named = own_tests(mutant.module)
    yield "its own", named, 2 * LONGEST_S, False
    rest = [f"--ignore={test}" for test in named]
    yield "the package's", (*WIDER["models"], *rest), LONGEST_WIDER_S, False


def own_tests(module: str) -> list[str]:
    """Return the test files named after a module of the package `models`, or after its folder.

    If there are none, return the test files test_NAME.py with the names in `OF_THE_OTHERS`.
    """
    parts = Path(module).with_suffix("").parts[1:]
    names = [name for part in parts for name in OF_MODELS.get(part, (f"{part}*",))]
    files = _tests(names) or _tests(OF_THE_OTHERS)
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def _tests(names: Sequence[str]) -> set[Path]:
    return {file for name in names for file in ROOT.glob(f"tests/models/test_{name}.py")}


def key_of(row: Mapping[str, str]) -> tuple[str, str, int]:
    """Return the `Mutant.key` of a row of `survivors.csv`."""
    return row["module"], row["operator"], int(row["occurrence"])


def keep(mutants: Sequence[Mutant]) -> None:
    """Write all mutants to `mutants.csv`."""
    write_text(FILE, csv_text(COLUMNS, [asdict(mutant) for mutant in mutants]))


def outcome(package: str, mutants: Sequence[Mutant], seed: int) -> Outcome:
    """Return the numbers of detected and surviving mutants of a package, for its results table."""
    own = [mutant for mutant in mutants if mutant.package == package]
    counts = Counter(mutant.outcome for mutant in own)
    alive = [mutant for mutant in own if mutant.alive]
    early = sum(mutant.outcome == KILLED and mutant.by != "the package's" for mutant in own)
    first = "the packet scripts, interpreted" if package == "simulator" else "their module's tests"
    read = Counter(
        row["verdict"] for row in read_rows(READ) if row["module"].startswith(f"{package}/")
    )
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in sorted(read.items()))
    return Outcome(
        f"A change of the code in {package}/ fails a test",
        "mutants",
        ASKED,
        len(own),
        len(alive),
        sum(mutant.took_s for mutant in own),
        note=f"cosmic-ray 8.7.0, seed {seed}; {counts[KILLED]} killed, {early} of them by {first}, "
        f"the others by their package's; {counts[TIMED_OUT]} did not end; {counts[SURVIVED]} "
        f"survived, {len(alive)} after tests were added; reasons in "
        f"tests/campaigns/survivors.csv: {verdicts}",
    )


def campaign(stage: Stage, count: int, seed: int, longest_s: float) -> None:
    """Test mutants that are not in `mutants.csv` yet, of all packages in turn, and add them.

    Stop if each package has `count` mutants, or after `longest_s` seconds.
    """
    started, done = time.perf_counter(), recorded()
    items = stage.items()
    queues = {package: drawn(items, package, seed) for package in PACKAGES}
    known = {mutant.key for mutant in done}
    for mutant in (m for both in zip(*queues.values(), strict=False) for m in both):
        enough = all(sum(m.package == package for m in done) >= count for package in PACKAGES)
        if enough or time.perf_counter() - started > longest_s:
            return
        if mutant.key in known or sum(m.package == mutant.package for m in done) >= count:
            continue
        if found := stage.tried(mutant):
            done.append(found)
            keep(done)
            print(_line(found), flush=True)


def once_more(stage: Stage) -> None:
    """Test the mutants with the verdict `CLOSED` again, and write their outcomes."""
    done = recorded()
    closed = {key_of(row) for row in read_rows(READ) if row["verdict"] == CLOSED}
    for place, mutant in enumerate(done):
        if mutant.key in closed and (found := stage.tried(mutant)):
            done[place] = replace(mutant, again=f"{found.outcome} by {found.by}")
            keep(done)
            print(_line(done[place]), flush=True)


def _line(mutant: Mutant) -> str:
    became = mutant.again or f"{mutant.outcome} by {mutant.by}"
    return f"{became}: {mutant.module}:{mutant.line}: {mutant.old} -> {mutant.new}"


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="See whether the tests notice changed code.")
    parser.add_argument("--count", type=int, default=ASKED, help="of each package")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--longest", type=float, default=3600.0, help="seconds, about")
    parser.add_argument("--tool", default=TOOL, help="the command cosmic-ray")
    parser.add_argument("--again", action="store_true", help="ask what a new test should kill")
    parser.add_argument("--record", action="store_true", help="write data/trust/mutants.csv")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder), arguments.tool)
        stage.hold()
        if arguments.again:
            once_more(stage)
        else:
            campaign(stage, arguments.count, arguments.seed, arguments.longest)
    outcomes = [outcome(package, recorded(), arguments.seed) for package in PACKAGES]
    for one in outcomes:
        print(outcome_line(one))
    if arguments.record:
        print(record("mutants", outcomes))


if __name__ == "__main__":
    main()
