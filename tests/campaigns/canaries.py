"""Try to run code, or to read and write files, by the content of configuration files.

python -m tests.campaigns.canaries [--record]

Each attempt, called a canary, would create a file or show the content of a secret file. The command
`tcpgoodput check` checks the configuration. If it accepts the canary as a harmless text, a whole
run of the workflow uses this text in notebooks, figures and LaTeX.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.campaigns.tiny_run import RUN, TinyRun

ASKED = 40

SECRET = "the-content-of-a-file-that-nobody-named"

MOST_BYTES, LONGEST_S = 2 * 2**30, 20
"""Limits of one `tcpgoodput check`: address space in bytes, and CPU time in seconds."""

SCENARIO, FIGURES = "config/test/scenarios/lossy.yaml", "config/test/figures/mathis.yaml"
CLAIMS, CENSUS = "config/test/claims/mathis.yaml", "config/test/census/tiny.yaml"
COMPARISON, SETTINGS = "config/test/comparison.yaml", "config/test/config.yaml"
STYLE = "config/style.yaml"


@dataclass(frozen=True)
class Canary:
    """A dangerous text in a configuration file, which must not be executed or read as a path.

    The text `old` in the file is replaced by `new`.
    """

    name: str
    file: str
    old: str
    new: str
    """Replacement for `old`. FIRED and SECRET stand for paths: a file to create, a file to read."""
    beside: tuple[tuple[str, str], ...] = ()
    """Additional files: path and content. Content `-> TARGET` makes a symbolic link."""


TITLE = "title: Independent loss"
"""Line of the tiny configuration's first scenario that a canary replaces."""

CAPTION = "caption: One tooth of the window at a loss of 1 %."
STATEMENT = 'statement: "Throughput falls with loss."'

TAGS = [
    "!!python/object/apply:os.system ['touch FIRED']",
    "!!python/object/new:os.system ['touch FIRED']",
    "!!python/object/apply:subprocess.check_output [[touch, FIRED]]",
    '!!python/object/apply:builtins.eval [\'open("FIRED", "w")\']',
    "!!python/name:os.system",
    "!!python/module:antigravity",
    "!!python/object:os._wrap_close {}",
    "!include SECRET",
    "!ENV ${HOME}",
]

TEXTS = {
    "shell substitution": "$(touch FIRED)",
    "backticks": "`touch FIRED`",
    "shell quotes": "'; touch FIRED; '",
    "shell pipe": "| touch FIRED",
    "f-string": "{__import__('os').system('touch FIRED')}",
    "format string": "{0.__class__.__mro__}",
    "per cent format": "%(secret)s %n %s",
    "jinja expression": "{{ cycler.__init__.__globals__.os.system('touch FIRED') }}",
    "jinja block": "{% import os %}{{ os.system('touch FIRED') }}",
    "the report's own delimiters": "<< cycler.__init__.__globals__.os.system('touch FIRED') >>",
    "the report's own block": "<% set x = cycler.__init__.__globals__.os.system('touch FIRED') %>",
    "LaTeX write18": r"\immediate\write18{touch FIRED}",
    "LaTeX input": r"\input{SECRET}",
    "LaTeX pipe": r'\input{|"touch FIRED"}',
    "LaTeX openout": r"\newwrite\f\immediate\openout\f=FIRED\immediate\write\f{x}",
    "LaTeX carets": "^^5cimmediate^^5cwrite18{touch FIRED}",
    "LaTeX catcode": r"\catcode`\@=0 @immediate@write18{touch FIRED}",
    "LaTeX end of argument": r"}\immediate\write18{touch FIRED}{",
    "LaTeX csname": r"\csname immediate\endcsname\csname write18\endcsname{touch FIRED}",
    "LaTeX verb": r"\verbatiminput{SECRET}",
    "Python end of string": '"""); __import__("os").system("touch FIRED"); ("""',
    "HTML script": "<script>fetch('file://SECRET')</script>",
    "HTML attribute": "\"><img src=x onerror=alert('FIRED')>",
    "a spreadsheet's formula": "=cmd|'/C touch FIRED'!A0",
}
"""Texts that a shell, YAML, a template or LaTeX could execute or expand, by description."""

MATHS = {
    "mathtext write18": r"$\write18{touch FIRED}$",
    "mathtext input": r"$\input{SECRET}$",
    "mathtext def": r"$\def\x{\x}\x$",
    "mathtext deep": "$" + r"\sqrt{" * 500 + "x" + "}" * 500 + "$",
    "mathtext href": r"$\href{SECRET}{x}$",
}

EXPRESSIONS = [
    "= __import__('os').system('touch FIRED')",
    "= open('FIRED', 'w')",
    "= (lambda: 0).__class__",
    "= p.__class__.__mro__",
    "= [x for x in (1, 2)]",
    "= 'a' * 10**10",
    "= 9**9**9**9",
    "= 2 ** 10000000000",
]


def quoted(text: str) -> str:
    """Return a text in YAML's single quotes."""
    return "'" + text.replace("'", "''") + "'"


def canaries() -> Iterator[Canary]:
    """Yield all canaries: each dangerous text in each kind of file and key."""
    for number, tag in enumerate(TAGS):
        yield Canary(f"tag {number}", SCENARIO, TITLE, f"title: {tag}")
    for file, old in (
        (FIGURES, CAPTION),
        (CLAIMS, STATEMENT),
        (SETTINGS, "precision: draft"),
        (COMPARISON, "held: heldout.yaml"),
        (CENSUS, "title: A few connections"),
        (STYLE, "font_size_pt: 9"),
    ):
        yield Canary(f"tag in {file}", file, old, f"{old.partition(':')[0]}: {TAGS[0]}")
    yield Canary("yte", SETTINGS, "precision: draft", "__use_yte__: true\n?open('FIRED', 'w'): 1")
    yield Canary("yte value", SETTINGS, "run: test", "__use_yte__: true\nrun: ?open('FIRED','w')")
    for name, text in (TEXTS | MATHS).items():
        yield Canary(f"{name} in a title", SCENARIO, TITLE, f"title: {quoted(text)}")
        yield Canary(f"{name} in a caption", FIGURES, CAPTION, f"caption: {quoted(text)}")
        yield Canary(f"{name} in a claim", CLAIMS, STATEMENT, f"statement: {quoted(text)}")
    for name in ("shell substitution", "shell quotes", "backticks"):
        text = quoted(TEXTS[name])
        yield Canary(f"{name} in an id", SCENARIO, "id: lossy", f"id: {text}")
        yield Canary(f"{name} in a run's name", SETTINGS, "run: test", f"run: {text}")
        yield Canary(f"{name} in a source", SETTINGS, "[mathis, ", f"[{text}, ")
        yield Canary(f"{name} in a figure's name", FIGURES, "  tooth:", f"  {text}:")
    for number, text in enumerate(EXPRESSIONS):
        old, new = 'set: {loss.probability: "= p"}', f'set: {{loss.probability: "{text}"}}'
        yield Canary(f"expression {number} of a sweep", FIGURES, old, new)
        new = f'path.forward_delay_s: "{text}"'
        yield Canary(f"expression {number} of a census", CENSUS, _CENSUS_DELAY, new)
    yield Canary("a curve that is code", FIGURES, "mathis.window_sawtooth", "os.system")
    yield Canary("a model that is code", FIGURES, "{model: pftk}", "{model: os.system}")
    yield Canary("options of a curve", FIGURES, "{teeth: 1}", "{__class__: 1, teeth: 1}")
    for name, goal in (("traversal", "../../../SECRET"), ("absolute path", "SECRET")):
        capacity = f"{TITLE}\ncapacity: {{process: trace, file: '{goal}'}}"
        yield Canary(f"{name} to a trace", SCENARIO, TITLE, capacity)
        yield Canary(f"{name} to a style", SETTINGS, "style: ../style.yaml", f"style: '{goal}'")
        yield Canary(f"{name} in a run's name", SETTINGS, "run: test", f"run: '{goal}'")
    link = (("config/test/scenarios/link.csv", "->SECRET"),)
    trace = f"{TITLE}\ncapacity: {{process: trace, file: link.csv}}"
    yield Canary("a link to a secret", SCENARIO, TITLE, trace, link)
    device = (("config/test/scenarios/zero.csv", "->/dev/zero"),)
    endless = f"{TITLE}\ncapacity: {{process: trace, file: zero.csv}}"
    yield Canary("a link to an endless file", SCENARIO, TITLE, endless, device)
    laughs = ["a0: &a0 [x]"]
    laughs += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    yield Canary("a billion laughs", SCENARIO, TITLE, "\n".join([TITLE, *laughs]))
    yield Canary("a merge of laughs", SCENARIO, TITLE, f"{TITLE}\n<<: *a0")
    deep = f"{TITLE}\nx: {'[' * 100_000}{']' * 100_000}"
    yield Canary("a hundred thousand brackets", SCENARIO, TITLE, deep)
    code = "open('FIRED', 'w')\n"
    for place in ("conftest.py", "tcpgoodput.py", "yaml.py", "sitecustomize.py", "usercustomize.py",
                  "config/test/models.py", "config/test/evil.py", "numpy.py"):  # fmt: skip
        yield Canary(f"{place} that nobody named", SCENARIO, TITLE, TITLE, ((place, code),))


_CENSUS_DELAY = 'path.forward_delay_s: "= rtt / 2"'


def laid(canary: Canary, root: Path, fired: Path, secret: Path) -> bytes:
    """Write a canary (a dangerous text) into its file, and return the file's previous content.

    Args:
        canary: the dangerous text, its file, and the text that it replaces.
        root: folder of the project's copy.
        fired: path of the file that the text would create if it were executed.
        secret: path of the file that the text would read.

    """
    path = root / canary.file
    good = path.read_bytes()
    text = good.decode()
    assert canary.old in text, f"{canary.name}: {canary.old!r} is not in {canary.file}"
    new = _real(canary.new, fired, secret)
    path.write_text(text.replace(canary.old, new, 1), encoding="utf-8")
    for name, content in canary.beside:
        content = _real(content, fired, secret)
        if content.startswith("->"):
            (root / name).symlink_to(content[2:])
        else:
            (root / name).write_text(content, encoding="utf-8")
    return good


def _real(text: str, fired: Path, secret: Path) -> str:
    return text.replace("FIRED", str(fired)).replace("SECRET", str(secret))


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))


def faults_of_check(canary: Canary, run: TinyRun, fired: Path, secret: Path) -> tuple[bool, str]:
    """Run the checker on a dangerous text; return whether it accepts the text, and the fault or "".

    A fault is that the text was executed (which creates the file `fired`), that the file `secret`
    was read, or that the checker's exit status is neither 0 (accepted) nor 2 (refused).
    """
    good = laid(canary, run.folder, fired, secret)
    command = Path(sys.executable).with_name("tcpgoodput")
    request = [canary.file] if canary.file != COMPARISON else [SETTINGS]
    wrong, passed = "", False
    try:
        ended = subprocess.run(
            [command, "check", *request],
            cwd=run.folder,
            capture_output=True,
            text=True,
            errors="replace",
            preexec_fn=_bounded,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        passed = ended.returncode == 0
        if ended.returncode not in (0, 2):
            wrong = f"exit status {ended.returncode}: {ended.stderr[-300:]}"
        if SECRET in ended.stdout + ended.stderr:
            wrong = "it was read"
    finally:
        (run.folder / canary.file).write_bytes(good)
        for name, _ in canary.beside:
            (run.folder / name).unlink()
    return passed, wrong or _fired(fired)


def _fired(fired: Path) -> str:
    if not fired.exists():
        return ""
    fired.unlink()
    return "it fired"


def in_a_run(texts: list[str], run: TinyRun, fired: Path, secret: Path) -> str:
    """Run the whole workflow with dangerous texts in a figure's caption; return the fault or "".

    Args:
        texts: dangerous texts that the checker accepts.
        run: copy of the project.
        fired: file that a text creates if it is executed.
        secret: file whose content must not be in any output.

    """
    file = run.folder / FIGURES
    good = file.read_text(encoding="utf-8")
    caption = quoted(_real(" ".join(texts), fired, secret)[:1900])
    file.write_text(good.replace(CAPTION, f"caption: {caption}"), encoding="utf-8")
    try:
        status, message = run.finish()
    finally:
        file.write_text(good, encoding="utf-8")
    read = [
        str(path)
        for path in (run.folder / RUN).rglob("*")
        if path.suffix in (".tex", ".csv", ".ipynb", ".html", ".aux")
        and SECRET in path.read_text(encoding="utf-8", errors="replace")
    ]
    if status:
        return f"the run failed: {message[-1500:]}"
    return f"it was read: {read}" if read else _fired(fired)


def campaign(whole_runs: bool) -> list[Outcome]:
    """Check that no dangerous text is executed by the checker or, if `whole_runs`, in a run."""
    started = time.perf_counter()
    faults: list[str] = []
    passing: list[str] = []
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        fired, secret = Path(folder) / "fired", Path(folder) / "secret"
        secret.write_text(f"{SECRET}\n", encoding="utf-8")
        run = TinyRun(Path(folder) / "project")
        for canary in canaries():
            passed, wrong = faults_of_check(canary, run, fired, secret)
            done += 1
            if wrong:
                faults.append(f"{canary.name}: {wrong}")
                print(faults[-1], flush=True)
            for text in TEXTS.values():
                if passed and canary.new == f"caption: {quoted(text)}":
                    passing.append(text)
            print(f"\r{done} canaries", end="", flush=True)
        checked_s = time.perf_counter() - started
        outcomes = [
            Outcome(
                "The configuration is only data: no command in it is executed, and no file named "
                "in it is read unless a key asks for a file",
                "harmful texts given to the checker",
                ASKED,
                done,
                len(faults),
                checked_s,
                note=f"{len(TAGS)} tags, {len(TEXTS) + len(MATHS)} texts at three places, "
                f"{len(EXPRESSIONS)} expressions at two, paths, links, expanding aliases, modules "
                f"in the same folder; limits: {LONGEST_S} CPU seconds and 2 GiB each",
            )
        ]
        if whole_runs:
            wrong = in_a_run(passing, run, fired, secret)
            print(wrong)
            outcomes.append(
                Outcome(
                    "A text that looks like code is typeset and drawn as plain text",
                    "texts in captions of a complete run",
                    len(TEXTS),
                    len(passing),
                    len(passing) if wrong else 0,
                    time.perf_counter() - started - checked_s,
                    note="through notebooks, figures, tables and LaTeX",
                )
            )
    return outcomes


def main() -> None:
    """Run the campaign with the command line's arguments, and print its results."""
    parser = argparse.ArgumentParser(description="Try to have configuration run code.")
    parser.add_argument("--no-runs", action="store_true", help="ask the checker alone")
    parser.add_argument("--record", action="store_true", help="write data/trust/canaries.csv")
    arguments = parser.parse_args()
    outcomes = campaign(not arguments.no_runs)
    for outcome in outcomes:
        print(outcome_line(outcome))
    if arguments.record:
        print(record("canaries", outcomes))


if __name__ == "__main__":
    main()
