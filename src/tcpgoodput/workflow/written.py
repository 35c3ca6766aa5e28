"""What jobs have written, by its digest: a file that changes afterwards is made again, never used.

`results/plan/written.sha256` has a line for each file that a run's jobs have made, as `sha256sum`
writes it. Before a run looks at what there is to do, it holds every file against its line. What
differs is set aside in the folder of logs (somebody may have changed it by hand), and the job that
makes it runs again, with all that reads it.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

from tcpgoodput.keeping.digest import sha256_of
from tcpgoodput.project.run import Run
from tcpgoodput.storage.files import write_text

AT_WORK = "#"
"""In place of a digest: a job is at work on the file. `sha256sum -c` passes over such a line."""

LINE = re.compile(rf"(?P<digest>[0-9a-f]{{64}}|{AT_WORK})  (?P<file>[^\0]+)$")


class Written:
    """The digests of what a run's jobs have written."""

    def __init__(self, run: Run) -> None:
        """Know where the digests of a run are."""
        self._file = Path(run.plan, "written.sha256")
        self._aside = Path(run.logs, "set_aside")
        self._folders = (Path(run.results), Path(run.figures), Path(run.paper))

    def changed(self) -> list[str]:
        """Return the files that are there, and not as their jobs have written them."""
        return [
            file
            for file, digest in self._digests().items()
            if Path(file).is_file() and sha256_of(Path(file)) != digest
        ]

    def set_aside(self, files: Iterable[str]) -> dict[str, Path]:
        """Move files away and forget them; return where each is now."""
        kept = {file: self._aside / file for file in files}
        for file, place in kept.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, place)
        self.tidy()
        return kept

    def tidy(self) -> None:
        """Leave one line for each file that is there."""
        there = {file: digest for file, digest in self._digests().items() if Path(file).is_file()}
        text = "".join(_line(digest, file) for file, digest in there.items())
        if self._file.is_file() and self._file.read_bytes() != text.encode():
            write_text(self._file, text)

    def begun(self, files: Iterable[str]) -> None:
        """Note that a job is at work on files: what is there of them is nobody's."""
        self._add(_line(AT_WORK, file) for file in files if self._is_ours(file))

    def ended(self, files: Iterable[str]) -> None:
        """Note what a job that has ended well has written."""
        there = (file for file in files if self._is_ours(file) and Path(file).is_file())
        self._add(_line(sha256_of(Path(file)), file) for file in there)

    def _add(self, lines: Iterable[str]) -> None:
        """Add lines; on a full disk a file keeps its last one, and is made again if it differs."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as listed:
                listed.write("".join(lines))

    def _is_ours(self, file: str) -> bool:
        """Tell whether a file is this run's; caches are everybody's."""
        return any(Path(file).is_relative_to(folder) for folder in self._folders)

    def _digests(self) -> dict[str, str]:
        """Return the last digest of each file; what is no line, as after a full disk, is none."""
        if not self._file.is_file():
            return {}
        lines = self._file.read_text(encoding="utf-8", errors="replace").splitlines()
        last = {match["file"]: match["digest"] for line in lines if (match := LINE.match(line))}
        return {file: digest for file, digest in last.items() if digest != AT_WORK}


def _line(digest: str, file: str) -> str:
    return f"{digest}  {file}\n"


class Guarding(logging.Filter):
    """Follows a run by what Snakemake says of it: before it looks at files, at jobs' begin and end.

    A run that only tells what it would do says what it would set aside.
    """

    def __init__(self, written: Written, workflow: Any, logger: logging.Logger) -> None:
        super().__init__()
        self._written, self._workflow, self._logger = written, workflow, logger
        self._only_tells = workflow.output_settings.dryrun
        self._outputs: dict[int, list[str]] = {}
        """Of the jobs that are at work, by their number."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass."""
        event = getattr(record, "event", None)
        if event == LogEvent.WORKFLOW_STARTED:
            self._look()
        elif not self._only_tells:
            self._follow(event, record)
        return True

    def finished(self) -> None:
        """Note what jobs have written whose end a quiet run has not told, and tidy up."""
        for number in list(self._outputs):
            self._written.ended(self._outputs.pop(number))
        with suppress(OSError):
            self._written.tidy()

    def _look(self) -> None:
        changed = self._written.changed()
        done = dict.fromkeys(changed, "it would be set aside, and made again")
        if changed and not self._only_tells:
            for file, place in self._set_aside(changed).items():
                done[file] = f"set aside as {place}, and made again"
        for file in changed:
            self._logger.warning(f"{file} is not what its job wrote: {done[file]}.")
        made = {file for file in changed if self._is_made(file)}
        self._workflow.dag_settings.forcerun = {*self._workflow.dag_settings.forcerun, *made}

    def _set_aside(self, changed: list[str]) -> dict[str, Path]:
        """Set files aside; end the process where one cannot be."""
        try:
            return self._written.set_aside(changed)
        except OSError as error:
            told = f"it is not what its job wrote, and cannot be set aside: {error.strerror}"
            print(f"{error.filename}: {told}", file=sys.stderr, flush=True)
            os._exit(2)

    def _is_made(self, file: str) -> bool:
        """Tell whether a rule makes a file; one of an earlier configuration is nobody's now."""
        return any(rule.is_producer(file) for rule in self._workflow.rules)

    def _follow(self, event: LogEvent | None, record: Any) -> None:
        if event == LogEvent.JOB_INFO:
            dag = self._workflow.dag
            job = next(job for job in dag.jobs if dag.jobid(job) == record.jobid)
            self._outputs[record.jobid] = list(map(str, job.output))
            self._written.begun(self._outputs[record.jobid])
        elif event == LogEvent.JOB_FINISHED:
            self._written.ended(self._outputs.pop(record.job_id, ()))
