"""The last words of a run: where everything is, what took long, what to look at, what is next."""

from __future__ import annotations

import csv
import json
import re
import textwrap
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from tcpgoodput.census.extents import RECORDED, record_of
from tcpgoodput.census.looks import to_read
from tcpgoodput.claims.schema import PARTS
from tcpgoodput.project.run import Run
from tcpgoodput.report.sentences import included, unfounded
from tcpgoodput.storage.tables import read_rows
from tcpgoodput.workflow import doubts
from tcpgoodput.workflow.console import LAST_WORDS, full_disk, in_words, width
from tcpgoodput.workflow.news import items_of, news, note, noted
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
    for heading, items in _lists(plan, workflow) if whole else ():
        lines += ["", heading, *(_item(text) for text in items)]
    return "\n".join([*lines, "", *_next(plan, whole)])


def _lists(plan: Plan, workflow: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of the last words that have items, each under its heading."""
    every = {
        "Since the run before:": [*since_last(plan)],
        "The report's text, written for the shipped configuration:": [*unfounded_text(plan)],
        "To look at:": [*flags(plan), *unconfigured(plan, workflow)],
    }
    yield from ((heading, items) for heading, items in every.items() if items)


def since_last(plan: Plan) -> Iterator[str]:
    """Yield what is new, changed and gone since the run before, and note what there is now.

    A run with a name that has none before it is held against the run of the tree itself.
    """
    results, now = Path(plan.run.results), items_of(plan.configuration)
    before = noted(results)
    if before is None:
        before = noted(Path(Run(None).results))
    for what, names in news(before, now).items() if before is not None else ():
        if names:
            yield f"{what}: {_some(names)}"
    note(results, now)


def unfounded_text(plan: Plan) -> Iterator[str]:
    """Yield how much of the report's text no longer holds, or has no number in this run."""
    results = Path(plan.run.results)
    table = results / "fallen_sentences.csv"
    rows = _rows(table)
    refuted = {row["sentence"] for row in rows if row["refuted_by"]}
    missing = {row["sentence"] for row in rows if row["missing"]} - refuted
    if refuted:
        told = _count(len(refuted), "sentence")
        yield f"{told} not borne out by the numbers of this run: {_some(sorted(refuted))}"
    if missing:
        told = _count(len(missing), "sentence")
        yield f"{told} about what is not in this run: {_some(sorted(missing))}"
    if refuted or missing:
        yield f"they are marked in the report where they stand in it; {table} says why"
    places = _missing_numbers(plan)
    listed = _listed(plan, "missing_numbers.txt", places)
    if places:
        told = _count(len(places), "number")
        yield f"{told} of the text not in this run, printed as such; {listed} lists them"


def _listed(plan: Plan, name: str, lines: Sequence[str]) -> Path:
    """Write a file of lines among the logs, or remove it where there are none; return its path."""
    listed = Path(plan.run.logs) / name
    listed.unlink(missing_ok=True)
    if lines:
        listed.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return listed


def _missing_numbers(plan: Plan) -> list[str]:
    """Return each place of the typeset text that quotes a number which this run has not made."""
    text = Path(plan.run.paper) / "report.tex"
    if not (text.is_file() and Path(plan.run.report).is_file()):
        return []
    parts = Path(plan.run.results) / "report"
    macros, standing = (
        (parts / name).read_text(encoding="utf-8") for name in ("macros.tex", "standing.tex")
    )
    found = unfounded(included(text), macros, standing)
    return [f"{p.file}:{p.line}: {p.key}" for p in found if not p.key.startswith(r"\holds")]


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
    """Return where the report, the figures and the results are, with the verdicts of claims."""
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
        lines.append(f"  claims   {claims}, verdicts:")
        lines += [f"           {line}" for line in _verdicts(_rows(claims))]
    return lines


def _verdicts(rows: list[dict[str, str]]) -> Iterator[str]:
    """Yield how many verdicts of each kind there are, of measurements and of models apart."""
    for part, kinds in PARTS.items():
        verdicts = Counter(row["verdict"] for row in rows if row["evidence"] in kinds)
        if verdicts:
            counts = (f"{count} {verdict}" for verdict, count in verdicts.most_common())
            yield f"{part.lower()}: {', '.join(counts)}"


def flags(plan: Plan) -> Iterator[str]:
    """Yield what a reader should know of the results before using them."""
    results = Path(plan.run.results)
    if plan.typesetter is None:
        yield "no report: neither latexmk nor tectonic is on PATH (./reproduce installs LaTeX)"
    waiting = [row for row in _rows(results / "inventory.csv") if row["waiting_for"]]
    if waiting:
        names = _some([f"{row['source']}/{row['figure']}" for row in waiting])
        yield f"nothing is recorded in data/ of what ns-2 or Linux should show in {names}"
    doubtful: dict[str, list[str]] = {}
    measured = 0
    for file in map(Path, plan.measured):
        rows = _rows(file)
        measured += len(rows)
        doubtful[file.stem] = [kind for row in rows if (kind := doubts.doubt_of(row))]
    if kinds := [kind for found in doubtful.values() for kind in found]:
        most = sorted(doubtful, key=lambda name: -len(doubtful[name]))
        names = _some([f"{name} ({len(doubtful[name])})" for name in most if doubtful[name]])
        yield (
            f"{len(kinds)} of {measured} simulated points are less certain than the precision "
            f"asks for: {doubts.in_words(kinds)}; the column `reason` of {results}/measurements/ "
            f"says why: {names}"
        )
    yield from _left_out(plan)
    if broken := failures(map(Path, plan.comparison.answered)):
        name, reason = min(broken.items())
        yield f"models that failed, which is a defect: {_some(sorted(broken))}; {name}: {reason}"
    if plan.configuration.settings.equations == "printed":
        yield "the sources' misprints are left in (equations: printed)"


def _left_out(plan: Plan) -> Iterator[str]:
    """Yield which models the kept tables of censuses know nothing of."""
    from tcpgoodput.census.evidence import told_of_unanswered  # slow to load, and asked once

    configuration = plan.configuration
    for name, files in plan.censuses.items():
        if files.read == RECORDED:
            space = configuration.censuses[name]
            families = to_read(space, configuration.families, configuration.style)["families"]
            if told := told_of_unanswered(record_of(name), families):
                yield told


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
    listed = _listed(plan, "unconfigured.txt", left)
    if left:
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
