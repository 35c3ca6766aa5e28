"""Damage files of a finished tiny run; the same command must restore all and use none.

python -m tests.campaigns.corruptions [--count N] [--longest SECONDS] [--record]

Files of every stage have bits flipped, are truncated, emptied or swapped with another of their
kind, several at a time. Half of them keep their modification time, as after a disk fault. Then the
documented command runs. It must report each damaged file that a job has written, and afterwards
every file must be the same as before.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tcpgoodput.project.manifest import sha256_of
from tests.campaigns.outcomes import Outcome, record, told
from tests.campaigns.tiny_run import RUN, TinyRun, normalised, timed

ASKED = 200

AT_A_TIME = 50
"""Files that are damaged before one run, which makes them all again."""

FOLDERS = ("results", "figures", "paper")

NOTES = ("results/plan/written.sha256", "results/plan/identity.txt")
"""By which damage is seen. They are damaged by themselves: no promise is made of two faults that
cover each other."""

NOTES_EVERY = 3
"""Runs of which one is of the notes."""

LATEX = "results/report/latex"
"""What LaTeX leaves, with its times and places: it need not be the same, only do no harm."""

STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("LaTeX's own", (f"{LATEX}/*",)),
    ("notes", NOTES),
    ("stamps", ("results/measurements/**/*.code.json",)),
    ("requests", ("results/plan/**/*.json",)),
    ("measurements", ("results/measurements/**/*", "results/census/*/measured/*")),
    (
        "answers",
        ("results/*/answers/*", "results/comparison/scenarios/*", "results/comparison/maps/*",
         "results/census/*/answered/*", "results/census/*/*.parquet", "results/explorer.json"),
    ),
    ("pictures", ("figures/**/*",)),
    (
        "notebooks",
        ("results/**/*.ipynb", "results/*/*.json", "results/claims.json", "results/referees.json"),
    ),
    ("parts of the report", ("results/**/*.tex", "results/**/*.bib", "paper/**/*")),
    ("kept", ("results/manifest.*", "results/datapackage.json", "results/*.html")),
    ("published numbers", ("results/**/*.csv",)),
)  # fmt: skip
"""Of files, by patterns; a file is of the first stage that has it."""

UNLIKE = ("LaTeX's own", "notes", "stamps")
"""Stages whose files need not be what they were: they say what may be used of others, and nothing
else of a run is made of them."""

Damage = Callable[[bytes, Random], bytes]


def flipped(content: bytes, draw: Random) -> bytes:
    """Return content with one bit flipped."""
    place = draw.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << draw.randrange(8)]) + content[place + 1 :]


def cut(content: bytes, draw: Random) -> bytes:
    """Return content without its end."""
    return content[: draw.randrange(1, len(content))] if len(content) > 1 else b""


def emptied(content: bytes, draw: Random) -> bytes:
    """Return nothing."""
    return b""


DAMAGES: dict[str, Damage] = {"flipped": flipped, "cut": cut, "emptied": emptied}

SWAPPED = "swapped"


@dataclass(frozen=True)
class Fault:
    """A file that was damaged."""

    name: str
    stage: str
    kind: str


class Damaged:
    """A finished tiny run, as it was, and what becomes of it."""

    def __init__(self, run: TinyRun, draw: Random) -> None:
        self.run, self.draw = run, draw
        self.root = run.folder / RUN
        self.manifest = run.manifest
        self.stages = stages_of(self.root)
        self.expected = {name: self.digest(name) for name in self.stages}

    def damage(self, count: int) -> list[Fault]:
        """Damage files of random stages, so many or one less; return which."""
        by_stage: dict[str, list[str]] = {}
        for name, stage in self.stages.items():
            if stage != "notes":
                by_stage.setdefault(stage, []).append(name)
        chosen: set[str] = set()
        while len(chosen) < count:
            chosen.add(self.draw.choice(by_stage[self.draw.choice(sorted(by_stage))]))
        faults = []
        for name in sorted(chosen):
            alike = [other for other in by_stage[self.stages[name]] if _alike(other, name)]
            kind = self.draw.choice([*DAMAGES, *([SWAPPED] if alike else [])])
            if kind == SWAPPED:
                content = (self.root / self.draw.choice(alike)).read_bytes()
            else:
                content = DAMAGES[kind]((self.root / name).read_bytes(), self.draw)
            faults += self.put(name, kind, content)
        return faults

    def damage_notes(self) -> list[Fault]:
        """Damage what damage is seen by."""
        faults = []
        for name in NOTES:
            kind = self.draw.choice(list(DAMAGES))
            content = DAMAGES[kind]((self.root / name).read_bytes(), self.draw)
            faults += self.put(name, kind, content)
        return faults

    def put(self, name: str, kind: str, content: bytes) -> list[Fault]:
        """Write content, half of the times unseen; return no fault where it was the same."""
        path = self.root / name
        stat = path.stat()
        if path.read_bytes() == content:
            return []
        path.write_bytes(content)
        if self.draw.random() < 0.5:
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        return [Fault(name, self.stages[name], kind)]

    def wrong_after(self, faults: list[Fault]) -> list[str]:
        """Run the command; return what is wrong with files, one entry for each."""
        listed = (self.root / NOTES[0]).read_text(encoding="utf-8", errors="replace")
        status, said = self.run.finish()
        if status:
            return [f"{fault}: exit status {status}: {said[-1500:]}" for fault in faults]
        wrong = [
            f"{fault}: was not told"
            for fault in faults
            if fault.stage != "notes"
            and f"  {RUN / fault.name}\n" in listed
            and f"{RUN / fault.name} is not what its job wrote" not in said
        ]
        spoiled = [name for name in self.stages if self.digest(name) != self.expected[name]]
        wrong += [f"{name} is not what it was, after {faults}" for name in spoiled]
        if self.run.manifest != self.manifest:
            wrong.append(f"another manifest, after {faults}")
        return wrong

    def digest(self, name: str) -> str:
        """Return a file's digest, a notebook's without times and places."""
        path = self.root / name
        if not path.is_file() or self.stages[name] in UNLIKE:
            return ""
        if path.suffix == ".ipynb":
            return hashlib.sha256(normalised(path).encode()).hexdigest()
        return sha256_of(path)


def stages_of(root: Path) -> dict[str, str]:
    """Return the stage of each file of a run."""
    found: dict[str, str] = {}
    for stage, patterns in STAGES:
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                if path.is_file():
                    found.setdefault(str(path.relative_to(root)), stage)
    return found


def _alike(other: str, name: str) -> bool:
    return other != name and Path(other).suffix == Path(name).suffix


def campaign(count: int, longest_s: float, seed: int) -> Outcome:
    """Damage until there were enough, or no time is left."""
    draw = Random(seed)
    started = time.perf_counter()
    faults: list[Fault] = []
    wrong: list[str] = []
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        run = TinyRun(Path(folder) / "project")
        print(f"{timed(run):.0f} s undamaged", flush=True)
        damaged = Damaged(run, draw)
        while len(faults) < count and time.perf_counter() - started < longest_s:
            runs += 1
            of_notes = runs % NOTES_EVERY == 0
            new = damaged.damage_notes() if of_notes else damaged.damage(AT_A_TIME)
            found = damaged.wrong_after(new)
            faults += new
            wrong += found
            for one in found:
                print(one, flush=True)
            print(f"{len(faults)} files, {runs} runs, {len(wrong)} wrong", flush=True)
            if found:
                damaged = Damaged(run, draw)
    kinds = Counter(fault.kind for fault in faults)
    stages = Counter(fault.stage for fault in faults)
    return Outcome(
        "A file of a run that was damaged is told and made again, and never used",
        "files",
        ASKED,
        len(faults),
        len(wrong),
        time.perf_counter() - started,
        note=f"{_counted(kinds)}; {_counted(stages)}; up to {AT_A_TIME} at a time, {runs} runs of "
        f"the same command, after each of which the manifest and all files but {', '.join(UNLIKE)} "
        "are what they were",
    )


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description="Damage files of the tiny run.")
    parser.add_argument("--count", type=int, default=ASKED)
    parser.add_argument("--longest", type=float, default=3600.0, help="seconds, about")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write data/trust/corruptions.csv")
    arguments = parser.parse_args()
    outcome = campaign(arguments.count, arguments.longest, arguments.seed)
    print(told(outcome))
    if arguments.record:
        print(record("corruptions", [outcome]))


if __name__ == "__main__":
    main()
