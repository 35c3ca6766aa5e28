"""What a run shows: one line of progress, short messages, the end of a failed job's log.

Snakemake hands every event to the handler that the profile names (`logger: [tcpgoodput]`). On a
terminal the line stays in place; elsewhere each finished job is a line. `--verbose` brings
Snakemake's own messages back, `--quiet` leaves failures and the last words.
"""

from __future__ import annotations

import logging
import re
import shutil
import signal
import sys
import textwrap
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from tcpgoodput.configuration.problems import nearest
from tcpgoodput.workflow.pace import Pace, recorded

LOG_LINES = 15
WIDEST = 80
"""Characters in a line of prose, and in any where there is no terminal."""

CHATTER = (
    "Assuming unrestricted",
    "WorkflowError:\nAt least one job did not complete successfully",
    "Building DAG",
    "RuleException:\nCalledProcessError in file",
    "Complete log",
    "Elapsed time",
    "Execute ",
    "Exiting because a job execution failed",
    "Reasons:",
    "Select jobs",
    "Touching output file",
    "Shutting down, this might take some time",
    "Trying to restart",
    "Using profile",
    "Using shell",
    "Using workflow specific profile",
    "host:",
)
"""How those of Snakemake's messages begin that tell a reader of progress nothing."""

BY_SLURM = ("slurmstepd", "srun: error")
"""How the lines begin in which Slurm says that it ended a job: out of memory, over its time."""

NO_RULE = re.compile(r"^No rule to produce (.*) \(if you use", re.MULTILINE)
LISTED = (
    ": `snakemake --summary` lists every file that is made, `snakemake "
    "--list-rules` every rule; a run with a name has its files in runs/NAME/"
)

COMMANDS = ("explore", "test")
"""Of `./reproduce`, which are no targets."""

TARGETS = (
    *("all", "archive", "census", "claims", "crate", "explorer", "links", "overview", "record"),
    *("record_census", "referees", "report", "site", "warm"),
)
"""What is asked for by name."""

FOLDERS = ("figures", "paper", "results", "runs")
"""Where files are made."""

STOPPING = "Terminating processes on user request"

LAST_WORDS = "last_words"
"""The attribute of a record that even a quiet run shows."""


FULL_BYTES = 1 << 20
"""Of room on a disk, below which it is called full."""


def hint_for(target: str) -> str:
    """Return the target that a misspelt one is most like, as the end of a sentence."""
    folder, slash, rest = target.partition("/")
    if not slash:
        meant = nearest(target, [*COMMANDS, *TARGETS])
        return next((meant.replace(c, f"./reproduce {c}") for c in COMMANDS if c in meant), meant)
    meant = nearest(folder, FOLDERS) if folder not in FOLDERS else ""
    return meant.replace("?", f"/{rest}?")


def full_disk(folder: str | Path) -> str:
    """Return that there is no room where a folder is; nothing where there is some."""
    with suppress(OSError):
        if shutil.disk_usage(folder).free < FULL_BYTES:
            return f"The disk is full: there is no room in {folder}/."
    return ""


def width() -> int:
    """Return how many characters a line of prose has."""
    return min(WIDEST, shutil.get_terminal_size().columns)


def in_words(seconds: float) -> str:
    """Return a duration as a person says it."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
    )


def about(seconds: float) -> str:
    """Return what is left of a duration, no closer than it can be known."""
    if seconds < 50:
        return f"{max(5, 5 * round(seconds / 5))} s"
    return f"{max(1, round(seconds / 60))} min"


def cut(text: str, width: int) -> str:
    """Return a text in one line that fits a width."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def stopped(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say in a line that somebody has stopped the run; show any other error as Python does."""
    if issubclass(kind, KeyboardInterrupt):
        print("Stopped. The same command goes on from here.", file=sys.stderr, flush=True)
    else:
        sys.__excepthook__(kind, error, trace)


class LogHandler(LogHandlerBase):
    """Shows the run's events on standard error, and a dry run's on standard output."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = False  # Snakemake's own, for what is passed on as it is
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Look at where the messages go, and see to it that Ctrl-C is one of them at any time."""
        sys.excepthook = stopped
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupted)
        settings = self.common_settings
        stream = sys.stdout if settings.stdout else sys.stderr
        self._console = Console(
            file=stream,
            width=None if stream.isatty() else width(),
            highlight=False,
            soft_wrap=True,
            no_color=settings.nocolor or None,
        )
        self._quiet = bool(settings.quiet)
        self._live: Live | None = None
        self._pace = Pace({}, {})
        self._began = time.monotonic()
        self._running: dict[int, float] = {}
        """When each job that runs began, by its number."""
        self._told: dict[int, tuple[str, str]] = {}
        """Each job's rule and message, of which Snakemake tells after its start."""
        self._done = self._total = 0
        self._failed: set[int] = set()
        self._failed_logs: set[str] = set()
        self._stopped = False
        """By Ctrl-C: what does not end well from then on has not failed."""

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record, or keep what it says for the line of progress."""
        try:
            self._show(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Take the line of progress away."""
        self._stop()
        super().close()

    def _show(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_ERROR:
            self._job_failed(record)
        elif event == LogEvent.GROUP_ERROR:
            self._group_failed(record)
        elif self.common_settings.verbose:
            if event != LogEvent.DEBUG_DAG or self.common_settings.debug_dag:
                self._print(self.format(record))
        elif self.common_settings.dryrun:
            self._planned(event, record)
        elif event == LogEvent.RUN_INFO:
            self._start(record.stats)
        elif event == LogEvent.JOB_INFO:
            self._told[record.jobid] = (record.rule_name, record.rule_msg or record.rule_name)
            self._refresh()
        elif event == LogEvent.JOB_STARTED:
            for job in record.jobs:
                self._running[job] = time.monotonic()
        elif event == LogEvent.JOB_FINISHED:
            self._finished(record.job_id)
        elif event == LogEvent.PROGRESS:
            self._done, self._total = record.done, record.total
            self._refresh()
        elif event in (None, LogEvent.ERROR):
            self._message(record)

    def _message(self, record: logging.LogRecord) -> None:
        """Show a message that is no event of a job."""
        text = record.getMessage() if record.msg else ""
        self._stopped = self._stopped or text.startswith(STOPPING)
        last_words = getattr(record, LAST_WORDS, False)
        important = last_words or record.levelno >= logging.WARNING
        if not text or text.startswith(CHATTER) or (self._quiet and not important):
            return
        if last_words:
            self._stop()
        if missing := NO_RULE.search(text):
            text = f"nothing makes {missing[1]}{hint_for(missing[1]) or LISTED}"
        self._print(text, "red" if record.levelno >= logging.ERROR else "")

    def _planned(self, event: LogEvent | None, record: logging.LogRecord) -> None:
        """Show a line of what would be done, and why."""
        if event == LogEvent.JOB_INFO and not self._quiet:
            self._print(record.rule_msg or record.rule_name)
            why = f"{record.rule_name}: {record.reason}"
            # A list of many files is cut on a terminal, and whole where it can be searched.
            self._print("    " + (cut(why, self._width - 4) if self._console.is_terminal else why))
        elif event == LogEvent.RUN_INFO and not self._total:  # Snakemake says it again at the end
            self._total = record.stats["total"]
            self._print(record.getMessage())
        elif event in (None, LogEvent.ERROR):
            self._message(record)

    @property
    def _width(self) -> int:
        return self._console.width

    def _interrupted(self, signum: int, frame: FrameType | None) -> None:
        """Stop at a Ctrl-C, once: a second one would break off the clearing up with a traceback."""
        self._stopped = True  # jobs have had it too; none that ends by it has failed
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.default_int_handler(signum, frame)

    # ------------------------------------------------------------ the line of progress

    def _start(self, jobs: dict[str, int]) -> None:
        self._total = jobs["total"]
        counts = {rule: count for rule, count in jobs.items() if rule != "total"}
        self._pace = Pace(counts, recorded())
        self._began = time.monotonic()
        if self._console.is_terminal and not self._quiet:
            self._live = Live(
                console=self._console,
                get_renderable=self._line,
                refresh_per_second=4,
                transient=True,
            )
            self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _refresh(self) -> None:
        if self._live is not None:
            self._live.refresh()

    def _finished(self, job: int) -> None:
        began = self._running.pop(job, time.monotonic())
        rule, message = self._told.get(job, ("", ""))
        self._pace.finished(rule)
        if self._quiet or self._live is not None or rule == "all":
            return
        took = in_words(time.monotonic() - began)
        done = f"{self._done + 1} of {self._total}"
        self._print(cut(f"{done}, {took}: {message}{self._left()}", self._width))

    def _left(self) -> str:
        left_s = self._pace.left_s(time.monotonic() - self._began)
        return "" if left_s is None else f" (about {about(left_s)} left)"

    def _line(self) -> Text:
        """Return the line: done of all, how long it takes, what runs now."""
        now = ", ".join(self._told[job][1] for job in self._running if job in self._told)
        head = f"{self._done} of {self._total} jobs done{self._left()}: "
        elapsed_s = time.monotonic() - self._began
        elapsed = f"{elapsed_s:.0f} s" if elapsed_s < 60 else in_words(elapsed_s)
        text = Text(f"{elapsed}, {head}{now}", no_wrap=True, overflow="ellipsis")
        text.truncate(self._width - 1, overflow="ellipsis")
        return text

    # ------------------------------------------------------------ failures

    def _job_failed(self, record: Any) -> None:
        """Show which job failed, and how its log ends."""
        if record.jobid in self._failed or self._stopped:  # Snakemake tells it again at the end
            return
        self._failed.add(record.jobid)
        self._running.pop(record.jobid, None)
        _, message = self._told.get(record.jobid, ("", record.rule_name))
        self._print(f"Failed: {message} ({record.rule_name})", "red")
        for log in record.log:
            lines = last_lines(log)
            self._print(f"  {log} ends with:" if lines else f"  {log} is empty")
            for line in lines:
                self._print(textwrap.indent(line, "    "))
            if told := full_disk(Path(log).parent):
                self._print(f"  {told}", "red")

    def _group_failed(self, record: Any) -> None:
        """Show why a cluster ended jobs that it ran together; their own logs do not know."""
        for log in set(record.aux_logs) - self._failed_logs:
            self._failed_logs.add(log)
            for line in lines_of_slurm(log):
                self._print(line, "red")

    def _print(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)


def lines_of_slurm(path: str) -> list[str]:
    """Return what Slurm itself has written into a job's log, each line once, where there is one."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return list(dict.fromkeys(line for line in text.splitlines() if line.startswith(BY_SLURM)))


def last_lines(path: str, count: int = LOG_LINES) -> list[str]:
    """Return the last lines of a log, nothing where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in deque(file, count)]
    except OSError:
        return []
