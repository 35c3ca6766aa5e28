"""Typeset the report as PDF with latexmk or tectonic; every machine makes the same bytes.

python -m tcpgoodput.report.typeset paper/report.pdf
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.report.sentences import MUST_HOLD, unsupported_sentences
from tcpgoodput.storage import digest_of_file, write_text

LOG_LINES = 25
SOURCES = Path("paper")
BUILD = Path("../results/report/latex")
"""Folder of LaTeX's auxiliary files. It is relative to the report's folder, so that LaTeX never
sees the project's path, which may contain special characters."""
DIGESTS = "left.txt"
"""Name of the file in `BUILD` with digests of LaTeX's auxiliary files after the last run."""
TEX = ("BIB", "BST", "LATEX", "PERL", "TEX", "max_", "openin_", "openout_", "shell_escape")
"""Beginnings of the names of variables that change what TeX, BibTeX and latexmk do."""


def release_epoch() -> str:
    """Return the release date in CITATION.cff in seconds since 1970, which is the PDF's date."""
    match = re.search(r"^date-released: *[\"']?([0-9-]+)", Path("CITATION.cff").read_text(), re.M)
    if match is None:
        raise ValueError("CITATION.cff has no date-released")
    date = datetime.datetime.fromisoformat(match[1]).replace(tzinfo=datetime.UTC)
    return str(int(date.timestamp()))


def bring_sources(folder: Path) -> None:
    """Copy the report's own LaTeX and BibTeX files to the folder in which a run typesets it."""
    for source in SOURCES.rglob("[!.]*"):
        if source.suffix in (".tex", ".bib"):
            target = folder / source.relative_to(SOURCES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def typeset(pdf: Path) -> None:
    """Build `pdf` from the .tex file in the same folder.

    If the folder is not `SOURCES`, as in a run with a folder of its own, the sources are first
    copied to it. LaTeX's auxiliary files stay in `BUILD`, so that after a small change LaTeX runs
    once, not three times. If they were changed by anything else since the last run, all are deleted
    first. If LaTeX fails with auxiliary files, it runs again without them; then `RuntimeError` ends
    with the error message in LaTeX's log.
    """
    if pdf.parent != SOURCES:
        bring_sources(pdf.parent)
    refuse_unfounded(pdf.parent.parent / "results" / "report")
    build = pdf.parent / BUILD
    if not _is_as_left(build):
        shutil.rmtree(build, ignore_errors=True)
    kept = build.exists()
    try:
        built = _run_latex(pdf.with_suffix(".tex"))
    except RuntimeError:
        shutil.rmtree(build)
        if not kept:
            raise
        built = _run_latex(pdf.with_suffix(".tex"))
    temporary = pdf.with_name(f".{pdf.name}")
    shutil.copyfile(built, temporary)
    temporary.replace(pdf)
    write_text(build / DIGESTS, _contents(build))


def refuse_unfounded(parts: Path) -> None:
    """Refuse a report that quotes missing numbers, if the run requires a complete one."""
    standing, macros = parts / "standing.tex", parts / "macros.tex"
    if standing.is_file() and MUST_HOLD in (marks := standing.read_text(encoding="utf-8")):
        texts = sorted(SOURCES.rglob("[!.]*.tex"))
        # The folder `tables` contains templates, not text.
        texts = [file for file in texts if file.parent.name != "tables"]
        if problems := unsupported_sentences(texts, macros.read_text(encoding="utf-8"), marks):
            raise ConfigurationError(problems)


def _is_as_left(build: Path) -> bool:
    """Whether LaTeX's auxiliary files are unchanged since LaTeX last succeeded."""
    try:
        return (build / DIGESTS).read_text(encoding="utf-8") == _contents(build)
    except (OSError, UnicodeDecodeError):
        return False


def _contents(build: Path) -> str:
    """Return one line of text for each auxiliary file: its name and the digest of its content."""
    files = sorted(path for path in build.rglob("*") if path.is_file() and path.name != DIGESTS)
    return "".join(f"{digest_of_file(path)} {path.relative_to(build)}\n" for path in files)


def _run_latex(source: Path) -> Path:
    """Typeset `source` in `BUILD`, print the warnings, and return the path of the PDF."""
    # The user's settings of TeX have no effect. TeX looks for further files in the home folder. It
    # takes a `$` in its path for a variable, and may never end.
    environment = {name: os.environ[name] for name in os.environ if not name.startswith(TEX)}
    environment |= {"FORCE_SOURCE_DATE": "1", "TZ": "UTC"}
    environment |= dict.fromkeys(("TEXMFHOME", "TEXMFVAR", "TEXMFCONFIG"), "/nonexistent")
    environment.setdefault("SOURCE_DATE_EPOCH", release_epoch())
    folder = source.parent / BUILD
    folder.mkdir(parents=True, exist_ok=True)
    if latexmk := shutil.which("latexmk"):
        # Absolute paths from latexmk may have quotes or dollar signs, which break shell and TeX.
        # Use relative paths; BibTeX's paths are relative to the folder in which BibTeX runs.
        bibtex = f"env BIBINPUTS={os.path.relpath(source.parent, folder)}: BSTINPUTS= bibtex %O %S"
        command = [latexmk, "-norc", "-pdf", "-interaction=nonstopmode", "-halt-on-error"]
        command += ["-e", f"$normalize_names = 0; $bibtex = '{bibtex}'"]
        command += [f"-outdir={BUILD}", source.name]
    elif tectonic := shutil.which("tectonic"):
        command = [tectonic, "--outdir", str(BUILD), "--keep-logs", source.name]
    else:
        raise RuntimeError("neither latexmk nor tectonic is on PATH")
    run = subprocess.run(
        command,
        cwd=source.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )
    built, log = folder / f"{source.stem}.pdf", folder / f"{source.stem}.log"
    complaint = log.read_text(errors="replace") if log.exists() else run.stdout + run.stderr
    if run.returncode or not built.exists():
        raise RuntimeError(f"{command[0]} failed:\n{_first_error(complaint)}")
    warnings = (
        line for line in complaint.splitlines() if "Warning" in line or line.startswith("Overfull")
    )
    print("\n".join(warnings))
    return built


def _first_error(log: str) -> str:
    """Return the lines of a LaTeX log from the first error on; without an error, the last lines."""
    lines = log.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("!")), -LOG_LINES)
    return "\n".join(lines[first:][:LOG_LINES])


def work(arguments: argparse.Namespace) -> None:
    """Typeset the report, or exit with LaTeX's error message."""
    try:
        typeset(arguments.pdf)
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(run_job(job_parser(__spec__.name, "pdf"), work))
