"""Folders of a run: the project itself, or a folder of its own below `runs/`."""

from __future__ import annotations

import fcntl
import os
import platform
import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tcpgoodput.configuration import ConfigurationError, Problem, read, refused
from tcpgoodput.configuration.problems import alternatives, nearest
from tcpgoodput.project.settings import DEFAULT_PATH, Settings


@dataclass(frozen=True)
class Run:
    """The folders of one run; every run has the same layout."""

    name: str | None
    """Name of the run; None for a run whose results are in the project's own folders."""

    @property
    def root(self) -> str:
        """The folder that contains all other folders of the run."""
        return f"runs/{self.name}" if self.name else "."

    @property
    def results(self) -> str:
        """The folder of tables, executed notebooks and the report's generated parts."""
        return self._folder("results")

    @property
    def figures(self) -> str:
        """The folder of the run's pictures."""
        return self._folder("figures")

    @property
    def paper(self) -> str:
        """The folder of the run's report."""
        return self._folder("paper")

    @property
    def logs(self) -> str:
        """The folder of logs and benchmarks of jobs."""
        return self._folder("logs")

    @property
    def report(self) -> str:
        """The typeset report, a PDF file."""
        return f"{self.paper}/report.pdf"

    def _folder(self, name: str) -> str:
        return f"{self.root}/{name}" if self.name else name


LOCKS = Path(".cache/runs")
"""Folder with a file for each run; a workflow at work holds a lock on the file of its run."""

CLOCK_S = 2.0
"""Difference between the clocks of a file server and of this machine that does no harm."""


def claim(run: Run) -> IO[str] | None:
    """Lock a run until the returned file is closed, or the process ends.

    The lock also excludes processes in other containers and on other hosts, if the file system that
    they share has locks. Snakemake's own locks remain after a killed process; these do not. None is
    returned if the file system has no locks, or the file cannot be written.

    Raises:
        ConfigurationError: another workflow is at work on this run.

    """
    path = LOCKS / (run.name or "main")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        message = f"another workflow makes it, {file.read()}; wait until that has ended, or make"
        raise refused(f"{run.results}/", "", f"{message} another run: --config run=NAME") from None
    except OSError:
        return None
    file.truncate(0)
    # The process number is that of the container, if there is one.
    since = time.strftime("%H:%M on %Y-%m-%d")
    print(f"since {since} by process {os.getpid()} on {platform.node()}", end="", file=file)
    file.flush()
    return file


def refuse_files_of_the_future(*folders: str) -> None:
    """Check that no file in some folders was changed later than now.

    Snakemake refuses results that are older than their inputs. The report's PDF is no input.
    """
    now = time.time()
    files = (path for folder in folders for path in sorted(Path(folder).rglob("*")))
    problems = [
        Problem(
            str(path),
            0,
            "",
            f"was changed in the future ({time.strftime('%Y-%m-%d %H:%M', time.localtime(late))}): "
            f"set this machine's clock, or run: touch {shlex.quote(str(path))}",
        )
        for path in files
        if path.is_file()
        and path.suffix != ".pdf"
        and (late := path.stat().st_mtime) > now + CLOCK_S
    ]
    if problems:
        raise ConfigurationError(problems)


def check_targets(
    targets: Iterable[str],
    rules: Collection[str],
    files: Collection[str],
    is_made: Callable[[str], bool],
) -> None:
    """Refuse the name of a file that no rule makes, or of a rule that does not exist.

    Similar ones among `files`, the paths of files that rules make, are suggested.
    """
    problems = []
    for target in dict.fromkeys(targets):
        if target not in rules and not is_made(os.path.relpath(target)):
            hint = _hint_for(target, rules, files)
            problems.append(Problem(target, 0, "", f"no rule has this name or makes it{hint}"))
    if problems:
        raise ConfigurationError(problems)


def _hint_for(target: str, rules: Collection[str], files: Collection[str]) -> str:
    """Return the end of a message about a name that is neither a rule nor a file of a rule."""
    folder, _, name = target.rpartition("/")
    within = [file for file in files if file.startswith(f"{target.rstrip('/')}/")]
    if within:
        return f"; it is a folder: name a file in it, such as {min(within)}"
    names = {file.removeprefix(f"{folder}/"): file for file in files}
    beside = [name for name, file in names.items() if file == f"{folder}/{name}"]
    alike = nearest(name, beside) if folder else ""
    if alike:
        return f"{alike[:-1]} (in {folder}/)?"
    way_on = "; `snakemake --summary` lists all files, `snakemake --list-rules` all rules"
    return nearest(target, [*files, *rules]) or way_on


def given_by(config: Mapping[str, Any], files: Sequence[str | Path]) -> tuple[Path, dict[str, Any]]:
    """Return the settings file of a workflow run, and the settings changed on the command line.

    Raises:
        ConfigurationError: a key is unknown or has no value.

    """
    changes = dict(config)
    path = changes.pop("configuration", files[-1] if files else DEFAULT_PATH)
    if not isinstance(path, str | Path) or not str(path).strip():
        raise refused("--config", "configuration", "needs a file: configuration=FILE")
    stated = read(Path(path)).data if files else {}
    changes = {k: v for k, v in changes.items() if k not in stated or stated[k] != v}
    known = ["configuration", *Settings.model_fields]
    for key, value in changes.items():
        if key not in known:
            message = f"unknown key{alternatives(key, known)}"
            raise refused("--config", key, message)
        if value is None:
            raise refused("--config", key, f"needs a value: {key}=VALUE")
    return Path(path), changes
