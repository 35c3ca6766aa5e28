"""The project as one file, from which `./reproduce` works without a clone.

python -m tcpgoodput.keeping.archive ARCHIVE
"""

from __future__ import annotations

import argparse
import calendar
import gzip
import io
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path

import yaml

from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.storage.files import write_bytes

IGNORED = Path(".gitignore")
OF_GIT = (".git",)


@dataclass(frozen=True)
class Member:
    """A file of the archive."""

    name: str
    content: bytes
    is_executable: bool


def work(arguments: argparse.Namespace) -> None:
    """Write the archive of the project in this folder."""
    write_bytes(arguments.archive, archive(Path()))


def archive(root: Path) -> bytes:
    """Return the archive of a project's folder: the same files give the same bytes.

    Of a clone it is the last commit; elsewhere, all files that are not made by a run.
    """
    members = sorted(_committed(root) or _unpacked(root), key=lambda member: member.name)
    released = next(m for m in members if m.name == "CITATION.cff").content
    date = str(yaml.load(released, Loader=yaml.BaseLoader)["date-released"])
    epoch = calendar.timegm(time.strptime(date, "%Y-%m-%d"))
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=buffer, mode="wb", mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for member in members:
            info = tarfile.TarInfo(f"tcpgoodput-{version('tcpgoodput')}/{member.name}")
            info.size, info.mtime = len(member.content), epoch
            info.mode = 0o755 if member.is_executable else 0o644
            tar.addfile(info, io.BytesIO(member.content))
    return buffer.getvalue()


def _committed(root: Path) -> list[Member]:
    """Return the files of the last commit; none where this is no clone, or there is no git."""
    if not (root / ".git").exists():
        return []
    try:
        packed = subprocess.run(
            ["git", "archive", "--format=tar", "HEAD"], cwd=root, capture_output=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        files = [info for info in tar if info.isfile()]
        contents = [tar.extractfile(info) for info in files]
        return [
            Member(info.name, content.read(), bool(info.mode & 0o100))
            for info, content in zip(files, contents, strict=True)
            if content is not None
        ]


def _unpacked(root: Path) -> Iterator[Member]:
    """Yield the files that no run and no tool has made."""
    lines = (root / IGNORED).read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    waiting = [root]
    while waiting:
        for path in waiting.pop().iterdir():
            name = path.relative_to(root).as_posix()
            if name in OF_GIT or _is_ignored(name, path.is_dir(), patterns):
                continue
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)
            elif path.is_file():
                yield Member(name, path.read_bytes(), bool(path.stat().st_mode & 0o100))


def _is_ignored(name: str, is_folder: bool, patterns: list[str]) -> bool:
    """Tell whether the last pattern that matches says so, as git does."""
    ignored = False
    for pattern in patterns:
        plain = pattern.removeprefix("!")
        of_folders, inside = plain.endswith("/"), plain.rstrip("/")
        matched = inside[1:] if inside.startswith("/") else inside
        tested = name if inside.startswith("/") else name.rpartition("/")[2]
        if fnmatchcase(tested, matched) and (is_folder or not of_folders):
            ignored = not pattern.startswith("!")
    return ignored


if __name__ == "__main__":
    sys.exit(run_job(job_parser(__spec__.name, "archive"), work))
