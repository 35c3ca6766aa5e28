"""The last words of a run: where everything is, what took long, what to look at, what is next."""

from __future__ import annotations

import csv
import json
import re
import textwrap
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from tcpgoodput.claims.schema import MEASURED
from tcpgoodput.storage.tables import read_rows
from tcpgoodput.workflow.console import LAST_WORDS, full_disk, in_words, width
from tcpgoodput.workflow.plan import Plan

LONGEST = 3
NAMED = 4
"""How many of many things are named."""

OF_ALL = {"measure", "answer", "publish", "draw"}
"""Rules of which a whole run looks at every file that is configured."""

SHOWN = {LAST_WORDS: True}
"""What marks the record of the last words."""


def finished(plan: Plan, workflow: Any) -> str:
    """Return the last words of a run that made all that was asked for."""
    jobs = took(plan)
    asked = [str(file) for file in workflow.dag.targetfiles]
    whole = any(rule.name == "all" for rule in workflow.dag.targetrules)
    lines = [f"Done: {_count(len(jobs), 'job')} in {in_words(time.time() - plan.began)}."]
    if jobs:
        longest = (f"{name} {in_words(seconds)}" for name, seconds in jobs[:LONGEST])
        lines.append(f"Longest: {', '.join(longest)}.")
    lines += [""] + (places(plan) if whole or not asked else _places(asked))
    flagged = [*flags(plan), *unconfigured(plan, workflow)] if whole else []
    if flagged:
        lines += ["", "To look at:", *(_item(text) for text in flagged)]
    return "\n".join([*lines, "", *_next(plan, whole)])


def failed(plan: Plan) -> str:
    """Return the last words of a run that was stopped or in which a job failed."""
    lines = [
        full_disk(plan.run.results),
        f"Not finished, after {in_words(time.time() - plan.began)}. What was made is kept: the "
        "same command goes on from there.",
        f"Whole logs are in {plan.run.logs}/.",
    ]
    return "\n".join(_filled(line) for line in lines if line)


def took(plan: Plan) -> list[tuple[str, float]]:
    """Return the jobs of this run with their seconds, the longest first."""
    folder = Path(plan.run.logs) / "benchmarks"
    found = []
    for file in folder.rglob("*.tsv"):
        if file.stat().st_mtime >= plan.began:
            with open(file, encoding="utf-8", newline="") as table:
                seconds = float(next(csv.DictReader(table, delimiter="\t"))["s"])
            found.append((str(file.relative_to(folder).with_suffix("")), seconds))
    return sorted(found, key=lambda job: -job[1])


def places(plan: Plan) -> list[str]:
    """Return where the report, the figures and the results are, a line each."""
    run = plan.run
    pictures = sum(len(plan.pictures(study)) for study in plan.studies) // 2
    lines = [f"  figures  {run.figures}/: {_count(pictures, 'figure')} of the studies, PDF and PNG"]
    lines.append(f"  results  {run.results}/: numbers as CSV, executed notebooks")
    if Path(run.report).is_file() and plan.typesetter:
        lines.insert(0, f"  report   {run.report}{_pages(plan)}")
    lines += [f"  explorer {page}: all of it, for a browser" for page in plan.explorer]
    site = Path(run.results) / "site" / "index.html"
    if site.is_file():
        lines.append(f"  site     {site}: the documentation, for a browser")
    claims = Path(run.results) / "claims.csv"
    if claims.is_file():
        lines.append(f"  claims   {claims}: {_told(_rows(claims))}")
    return lines


def _told(rows: list[dict[str, str]]) -> str:
    """Return how many verdicts of each kind there are, of measurements and of models apart."""
    parts = {"measured": MEASURED, "models": ("model",)}
    told = []
    for name, kinds in parts.items():
        verdicts = Counter(row["verdict"] for row in rows if row["evidence"] in kinds)
        counts = (f"{count} {verdict}" for verdict, count in verdicts.most_common())
        if verdicts:
            told.append(f"{name}: {', '.join(counts)}")
    return "; ".join(told)


def flags(plan: Plan) -> Iterator[str]:
    """Yield what a reader should know of the results before using them."""
    results = Path(plan.run.results)
    if plan.typesetter is None:
        yield "no report: neither latexmk nor tectonic is on PATH (./reproduce installs LaTeX)"
    waiting = [row for row in _rows(results / "inventory.csv") if row["waiting_for"]]
    if waiting:
        names = _some([f"{row['source']}/{row['figure']}" for row in waiting])
        yield f"nothing is recorded in data/ of what ns-2 or Linux should show in {names}"
    doubtful: Counter[str] = Counter()
    measured = 0
    for file in map(Path, plan.measured):
        rows = _rows(file)
        measured += len(rows)
        doubtful[file.stem] = sum(bool(row["reason"]) for row in rows)
    if points := doubtful.total():
        names = _some([f"{name} ({count})" for name, count in doubtful.most_common() if count])
        yield (
            f"{points} of {measured} simulated points have an interval wider than the precision "
            f"asks for, or no value; the column `reason` of {results}/measurements/ says why: "
            f"{names}"
        )
    if fallen := {row["sentence"] for row in _rows(results / "fallen_sentences.csv")}:
        yield (
            f"sentences of the report that its numbers do not bear out, marked there: "
            f"{_some(sorted(fallen))}; {results}/fallen_sentences.csv says why"
        )
    if broken := failures(map(Path, plan.comparison.answered)):
        name, reason = min(broken.items())
        yield f"models that failed, which is a defect: {_some(sorted(broken))}; {name}: {reason}"
    if plan.configuration.settings.equations == "printed":
        yield "the sources' misprints are left in (equations: printed)"


def failures(parts: Iterable[Path]) -> dict[str, str]:
    """Return the models that raised an error on a scenario of the comparison, with the first."""
    found: dict[str, str] = {}
    for file in parts:
        if file.is_file():
            content = json.loads(file.read_text(encoding="utf-8"))
            for entry in (*content["rows"], *content["sensitivities"]):
                for model in entry["models"]:
                    if (model["reason"] or "").startswith("failed: "):
                        found.setdefault(model["name"], model["reason"])
    return found


def unconfigured(plan: Plan, workflow: Any) -> Iterator[str]:
    """Yield which files of earlier runs the configuration does not name any more."""
    from snakemake.io import IOFile  # slow to load, and there already where this is asked

    asked = {str(file) for job in workflow.dag.jobs for file in job.output}

    def is_made(path: str) -> bool:
        others = (rule for rule in workflow.rules if rule.name not in OF_ALL)
        return path in asked or any(rule.is_producer(path) for rule in others)

    left = [
        str(path)
        for folder in (plan.run.results, plan.run.figures)
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
        and workflow.persistence.rule(IOFile(str(path)))
        and not is_made(str(path))
    ]
    listed = Path(plan.run.logs) / "unconfigured.txt"
    listed.unlink(missing_ok=True)
    if left:
        listed.write_text("".join(f"{file}\n" for file in left), encoding="utf-8")
        files = _count(len(left), "file")
        yield f"{files} made earlier and not configured any more, so nobody's now: {_some(left)}"
        yield f"to remove them: xargs -d '\\n' rm < {quote(str(listed))}"


def _next(plan: Plan, whole: bool) -> list[str]:
    if plan.given.get("precision") == "draft" and whole:
        return ["Next: the same without precision=draft, at full precision; this draft stays."]
    if whole:
        return ["Next: your own scenario, figure or claim: README.md tells how."]
    return ["Next: the same without the file's name makes the rest."]


def _places(files: list[str]) -> list[str]:
    more = [f"  and {len(files) - NAMED} more"] if len(files) > NAMED else []
    return [f"  {file}" for file in files[:NAMED]] + more


def _pages(plan: Plan) -> str:
    log = Path(plan.run.results) / "report" / "latex" / "report.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    pages = re.search(r"\((\d+) pages?,", text.replace("\n", ""))  # its lines break anywhere
    return f", {pages[1]} pages" if pages else ""


def _rows(file: Path) -> list[dict[str, str]]:
    return read_rows(file) if file.is_file() else []


def _item(text: str) -> str:
    return _filled(text, initial_indent="  - ", subsequent_indent="    ")


def _filled(text: str, **indents: str) -> str:
    """Return a text in lines as wide as the terminal, no name of a file broken."""
    return textwrap.fill(text, width(), break_long_words=False, break_on_hyphens=False, **indents)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
