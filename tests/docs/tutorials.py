"""Tutorials as programs: write their files, run their commands, compare the output.

If the first line of a YAML or Python block is a comment with a file's name, the block is this file,
or text to add `at the end of` this file. In a `console` block a line that begins with `$` is a
command, and the lines after the command are its output. In this output, `...` means any characters,
and any lines if it is alone on a line.

    python -m tests.docs.tutorials PAGE...

updates the output of commands in pages if it differs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from tests.folders import ROOT, copy_with_caches

PAGES = ROOT / "docs" / "tutorials"
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (?P<added>at the end of )?(?P<name>[\w./-]+\.\w+)\n")
COMMAND = re.compile(r"^\$ (?P<command>.*\n)(?P<output>(?:^(?!\$ ).*\n)*)", re.MULTILINE)
SLURM = "tests/cluster/slurm"
LONGEST_S = 300


@dataclass(frozen=True)
class Step:
    """A command of a page, its shown and printed output, and where the page shows the output.

    `start` and `end` are the positions (in characters) of the shown output in the page.
    """

    command: str
    shown: str
    start: int
    end: int
    printed: str


def steps(text: str, folder: Path, *, environment: Mapping[str, str]) -> Iterator[Step]:
    """Write a page's files and run its commands in a folder; yield a step for each command."""
    for block in BLOCK.finditer(text):
        if block["kind"] in ("yaml", "python") and (named := FILE.match(block["text"])):
            path = folder / named["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            if named["added"]:
                with path.open("a", encoding="utf-8") as file:
                    file.write(block["text"][named.end() :])
            else:
                path.write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "console":
            for found in COMMAND.finditer(block["text"]):
                printed = run(found["command"], folder, environment)
                start, end = (block.start("text") + found.span("output")[k] for k in (0, 1))
                yield Step(found["command"].strip(), found["output"], start, end, printed)


def run(command: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Run a shell command; return its output and error messages, whatever the exit status."""
    # Write the output to a file: with a pipe, a daemon that the command starts would keep it open.
    with TemporaryFile("w+", encoding="utf-8") as output:
        subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=dict(environment),
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=LONGEST_S,
        )
        output.seek(0)
        return "".join(f"{line.rstrip()}\n" for line in output)


def matches(shown: str, printed: str) -> bool:
    """Return whether the printed output of a command matches the output that its page shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(pattern, printed) is not None


def surroundings() -> dict[str, str]:
    """Return environment variables with this Python's programs on PATH and lines of 88 columns."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "88", "NO_COLOR": "1"}


def project(folder: Path) -> Path:
    """Copy the project to a folder, mark its caches of compiled code as filled; return the path."""
    (folder / SLURM).parent.mkdir(parents=True)
    copy_with_caches(folder, SLURM, "docs/examples")
    return folder


def refreshed(text: str, folder: Path) -> str:
    """Run the commands of a page in a folder; return the page's text with their current output."""
    done = list(steps(text, folder, environment=surroundings()))
    for step in reversed(done):
        if not matches(step.shown, step.printed):
            text = text[: step.start] + step.printed + text[step.end :]
    return text


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        with TemporaryDirectory() as work:
            old = page.read_text(encoding="utf-8")
            page.write_text(refreshed(old, project(Path(work, "project"))), encoding="utf-8")
