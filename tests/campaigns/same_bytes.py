"""Run the tiny configuration under other circumstances, and compare all output files byte by byte.

python -m tests.campaigns.same_bytes [--only NAME]... [--record]

Number of cores, order of jobs, path, time zone, locale, umask, Python's hash seed and user vary.
So do the user's settings of Python, plots and TeX, and files in the project's folder. The bytes of
the output files must be the same, except for times and paths that Jupyter writes into notebooks. An
additional scenario must not change the simulated measurements of other scenarios.
"""

from __future__ import annotations

import argparse
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tcpgoodput.storage import read_rows
from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.campaigns.tiny_run import COMMAND, RUN, TinyRun, timed
from tests.folders import ODD

ASKED = 19

STANDARD_MODULES = ("numbers", "queue", "random", "statistics", "types")


@dataclass(frozen=True)
class Circumstances:
    """Circumstances in which a run differs from the first run, such as user and time zone."""

    name: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "again"
    umask: int = 0o022
    user: int | str | None = None
    """Name of a user, or a number that is no user's."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Contents of further files, by their paths in the project's folder."""
    before: tuple[str, ...] = ()
    """A command that runs the workflow: the workflow's own command follows it."""


VARIATIONS = [
    Circumstances(
        "one core, path, time zone, locale, umask and hash seed at once",
        ("--cores", "1"),
        {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "LANG": "C", "PYTHONHASHSEED": "7"},
        f"once {ODD}",
        0o027,
    ),
    Circumstances("one core", ("--cores", "1")),
    Circumstances("four cores", ("--cores", "4")),
    Circumstances("another order of jobs", ("--scheduler", "ilp", "--cores", "3")),
    Circumstances("another path", folder=ODD),
    Circumstances("another time zone", environment={"TZ": "Pacific/Chatham"}),
    Circumstances("another locale", environment={"LC_ALL": "C", "LANG": "C", "LANGUAGE": "de"}),
    Circumstances("another umask", umask=0o077),
    Circumstances("another hash seed", environment={"PYTHONHASHSEED": "4242"}),
    Circumstances("another user", user="nobody"),
    Circumstances("a user number without a user", user=12345),
    Circumstances(
        "a file matplotlibrc",
        files={"matplotlibrc": "text.usetex: True\nsavefig.bbox: tight\naxes.facecolor: red\n"},
    ),
    Circumstances(
        "files named like standard modules",
        files={f"{name}.py": "raise ImportError('the wrong one')\n" for name in STANDARD_MODULES},
    ),
    Circumstances(
        "settings of Python and plots",
        environment={
            "PYTHONSTARTUP": "startup.py",
            "PYTHONWARNINGS": "ignore",
            "PYTHONOPTIMIZE": "2",
            "MPLBACKEND": "svg",
            "MATPLOTLIBRC": "own.rc",
            "NUMBA_DISABLE_JIT": "1",
            "JUPYTER_CONFIG_DIR": "jupyter",
        },
        files={
            "startup.py": "import matplotlib; matplotlib.rcParams['lines.linewidth'] = 9\n",
            "own.rc": "lines.linewidth: 9\n",
            "jupyter/jupyter_config.json": '{"InteractiveShell": {"colors": "Linux"}}\n',
        },
    ),
    Circumstances(
        "settings of TeX",
        environment={"HOME": "home", "TEXINPUTS": "home:", "BSTINPUTS": "home:"},
        files={
            "home/.latexmkrc": "$pdf_mode = 0;\n",
            "home/article.cls": "\\errmessage{the wrong class}\n",
        },
    ),
    Circumstances("a long temporary folder", environment={"TMPDIR": "a" * 100}),
    Circumstances("no environment variables", before=("env", "-i")),
    Circumstances("256 open files", before=("sh", "-c", 'ulimit -n 256 && exec "$@"', "sh")),
    Circumstances(
        "results behind a link",
        before=("sh", "-c", 'mkdir kept && ln -s kept runs && exec "$@"', "sh"),
    ),
]

ADDED = "config/test/scenarios/added.yaml"


def run_under(circumstances: Circumstances, folder: Path) -> TinyRun:
    """Run the tiny configuration from scratch under given circumstances, in a copy in `folder`.

    Raises:
        RuntimeError: the run failed.

    """
    run = TinyRun(folder / circumstances.folder)
    environment = {**os.environ, **circumstances.environment}
    for name in ("HOME", "TEXINPUTS", "BSTINPUTS", "TMPDIR"):
        if name in circumstances.environment:
            environment[name] = str(run.folder / environment[name])
    if "TMPDIR" in circumstances.environment:
        Path(environment["TMPDIR"]).mkdir()
    for name, content in circumstances.files.items():
        (run.folder / name).parent.mkdir(exist_ok=True)
        (run.folder / name).write_text(content, encoding="utf-8")
    user = circumstances.user
    if user is not None:
        number = user if isinstance(user, int) else pwd.getpwnam(user).pw_uid
        home = folder / "home"  # users such as `nobody` may have no home directory
        home.mkdir()
        environment["HOME"] = str(home)
        for name in ("USER", "LOGNAME"):  # of root; a container may set neither
            environment.pop(name, None)
        for path in [home, run.folder, *run.folder.rglob("*")]:
            os.chown(path, number, number, follow_symlinks=False)
    ended = subprocess.run(
        [*circumstances.before, *COMMAND, *circumstances.arguments],
        cwd=run.folder,
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        umask=circumstances.umask,
        user=number if user is not None else None,
        group=number if user is not None else None,
    )
    if ended.returncode:
        raise RuntimeError((ended.stdout + ended.stderr)[-3000:])
    return run


def unlike(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Return the files that differ between two runs, or that only one run has.

    Args:
        one: digest of each output file of a run, by the file's name.
        other: the same for another run.

    """
    return sorted(name for name in one | other if one.get(name) != other.get(name))


def changed_by_another(run: TinyRun) -> tuple[int, list[str]]:
    """Add a scenario and run again.

    Return the number of measurements before, and the keys of those that changed. If the run fails,
    its messages replace the keys.
    """
    before = _measured(run)
    text = (run.folder / "config/test/scenarios/lossy.yaml").read_text(encoding="utf-8")
    added = text.replace("id: lossy", "id: added").replace("0.01}", "0.013}")
    (run.folder / ADDED).write_text(added, encoding="utf-8")
    status, message = run.finish()
    (run.folder / ADDED).unlink()
    if status:
        return len(before), [message[-2000:]]
    after = _measured(run)
    assert len(after) > len(before), "the added scenario is not measured"
    return len(before), [key for key, row in before.items() if after.get(key) != row]


def _measured(run: TinyRun) -> dict[str, str]:
    """Return each measurement of a run, without its computing time, as text by its unique key."""
    rows = [
        row
        for file in sorted((run.folder / RUN / "results").rglob("measurements/**/*.csv"))
        for row in read_rows(file)
    ]
    return {row["key"]: str({**row, "wall_s": ""}) for row in rows}


def campaign(only: list[str]) -> list[Outcome]:
    """Run as usual, then under each of `VARIATIONS` or those in `only`; compare all outputs."""
    started = time.perf_counter()
    unlike_first: list[str] = []
    broken: list[str] = []
    done: list[str] = []
    not_here: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        first = TinyRun(folder / "first")
        print(f"{timed(first):.0f} s for the first run", flush=True)
        expected = first.contents()
        for circumstances in VARIATIONS:
            if only and circumstances.name not in only:
                continue
            shutil.rmtree(folder / circumstances.folder, ignore_errors=True)
            try:
                run = run_under(circumstances, folder)
                differing = unlike(expected, run.contents())
            except RuntimeError as error:
                done.append(circumstances.name)
                broken.append(circumstances.name)
                print(f"{circumstances.name}: no run to its end: {error}", flush=True)
                continue
            except PermissionError as error:  # for example, Python's folder is unreadable
                not_here.append(f"{circumstances.name} ({error.strerror})")
                print(f"{circumstances.name}: cannot be had here, {error}", flush=True)
                continue
            done.append(circumstances.name)
            if differing:
                unlike_first.append(circumstances.name)
            print(f"{circumstances.name}: {differing or 'the same'}", flush=True)
        varied_s = time.perf_counter() - started
        measured, others = changed_by_another(first)
        print(f"of {measured} measurements changed by an added scenario: {others}")
    notebooks = sum(name.endswith(".ipynb") for name in expected)
    return [
        Outcome(
            "The same configuration gives the same bytes under other circumstances",
            "runs",
            ASKED,
            len(done),
            len(unlike_first) + len(broken),
            varied_s,
            note=f"{', '.join(done)}; {len(expected)} files each, PDFs and {notebooks} notebooks "
            "among them"
            + (f"; other bytes under {', '.join(unlike_first)}" if unlike_first else "")
            + (
                f"; no run to its end, so that no bytes were compared, under {', '.join(broken)}"
                if broken
                else ""
            )
            + (f"; cannot be had here: {', '.join(not_here)}" if not_here else ""),
        ),
        Outcome(
            "A further scenario changes no measurement of the others",
            "measurements",
            measured,
            measured,
            len(others),
            time.perf_counter() - started - varied_s,
        ),
    ]


def main() -> int:
    """Run the campaign with the command line's arguments, print its results, return the status."""
    names = [circumstances.name for circumstances in VARIATIONS]
    parser = argparse.ArgumentParser(description="Run the tiny configuration in other ways.")
    parser.add_argument("--only", action="append", choices=names, default=[])
    parser.add_argument("--record", action="store_true", help="write data/trust/same_bytes.csv")
    arguments = parser.parse_args()
    outcomes = campaign(arguments.only)
    for outcome in outcomes:
        print(outcome_line(outcome))
    if arguments.record:
        print(record("same_bytes", outcomes))
    return int(any(outcome.failures for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
