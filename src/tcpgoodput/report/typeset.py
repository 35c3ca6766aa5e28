"""Typeset the report with latexmk or tectonic, to the same bytes wherever it is built.

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
from tcpgoodput.report.sentences import MUST_HOLD, unfounded
from tcpgoodput.storage import digest_of_file, write_text

LOG_LINES = 25
SOURCES = Path("paper")
BUILD = Path("../results/report/latex")
"""Seen from the report's folder, and named so: LaTeX need not understand what lies above it."""
LEFT = "left.txt"
"""In that folder: the digests of what a run has left there."""


def release_epoch() -> str:
    """Return the release date of CITATION.cff as seconds since 1970: the date that PDFs carry."""
    match = re.search(r"^date-released: *[\"']?([0-9-]+)", Path("CITATION.cff").read_text(), re.M)
    if match is None:
        raise ValueError("CITATION.cff has no date-released")
    date = datetime.datetime.fromisoformat(match[1]).replace(tzinfo=datetime.UTC)
    return str(int(date.timestamp()))


def bring_sources(folder: Path) -> None:
    """Copy the report's own files to where a run typesets them."""
    for source in SOURCES.rglob("*"):
        if source.suffix in (".tex", ".bib"):
            target = folder / source.relative_to(SOURCES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def typeset(pdf: Path) -> None:
    """Build `pdf` from the .tex file beside it, which a run of its own is brought first.

    The auxiliary files stay in `BUILD`: with them a small change takes one pass, not three. Where
    they are not as a run has left them, or break one, it starts without them.

    Raises:
        ConfigurationError: the text quotes what no run has made, and must not.
        RuntimeError: LaTeX failed; the message ends with the log's own complaint.

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
    write_text(build / LEFT, _contents(build))


def refuse_unfounded(parts: Path) -> None:
    """Refuse a text that must hold and quotes a number or a sentence that is not there.

    Raises:
        ConfigurationError: it does; every place is named.

    """
    standing, macros = parts / "standing.tex", parts / "macros.tex"
    if standing.is_file() and MUST_HOLD in (said := standing.read_text(encoding="utf-8")):
        texts = sorted(SOURCES.rglob("*.tex"))
        texts = [file for file in texts if file.parent.name != "tables"]  # templates
        if problems := unfounded(texts, macros.read_text(encoding="utf-8"), said):
            raise ConfigurationError(problems)


def _is_as_left(build: Path) -> bool:
    """Tell whether auxiliary files are those of the last run that came to its end."""
    try:
        return (build / LEFT).read_text(encoding="utf-8") == _contents(build)
    except (OSError, UnicodeDecodeError):
        return False


def _contents(build: Path) -> str:
    """Return a line for each auxiliary file, with the digest of its content."""
    files = sorted(path for path in build.rglob("*") if path.is_file() and path.name != LEFT)
    return "".join(f"{digest_of_file(path)} {path.relative_to(build)}\n" for path in files)


def _run_latex(source: Path) -> Path:
    """Typeset `source` into `BUILD`, print the warnings, and return the PDF's path."""
    environment = {**os.environ, "FORCE_SOURCE_DATE": "1", "TZ": "UTC"}
    environment.setdefault("SOURCE_DATE_EPOCH", release_epoch())
    folder = source.parent / BUILD
    folder.mkdir(parents=True, exist_ok=True)
    if latexmk := shutil.which("latexmk"):
        # Of itself it hands on full paths, in which a quote or a dollar sign means something to the
        # shell and to TeX. Ours are relative, BibTeX's to the folder that latexmk starts it in.
        bibtex = f"env BIBINPUTS={os.path.relpath(source.parent, folder)}: BSTINPUTS= bibtex %O %S"
        command = [latexmk, "-pdf", "-interaction=nonstopmode", "-halt-on-error"]
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
        raise RuntimeError(f"{command[0]} failed:\n{_what_went_wrong(complaint)}")
    print(_warnings(complaint))
    return built


def _what_went_wrong(log: str) -> str:
    """Return the log from its first error on, or its end."""
    lines = log.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("!")), -LOG_LINES)
    return "\n".join(lines[first:][:LOG_LINES])


def _warnings(log: str) -> str:
    return "\n".join(
        line for line in log.splitlines() if "Warning" in line or line.startswith("Overfull")
    )


def work(arguments: argparse.Namespace) -> None:
    """Typeset, or end with what LaTeX complains of."""
    try:
        typeset(arguments.pdf)
    except RuntimeError as error:
        sys.exit(str(error))


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(job_parser("tcpgoodput.report.typeset", "pdf"), work)


if __name__ == "__main__":
    sys.exit(main())
