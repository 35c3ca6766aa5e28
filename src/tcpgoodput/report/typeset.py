"""Typeset the report with latexmk or tectonic, to the same bytes wherever it is built.

python -m tcpgoodput.report.typeset paper/report.pdf
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

LOG_LINES = 25
BUILD = Path("results/report/latex")


def release_epoch() -> str:
    """Return the release date of CITATION.cff as seconds since 1970: the date that PDFs carry."""
    match = re.search(r"^date-released: *[\"']?([0-9-]+)", Path("CITATION.cff").read_text(), re.M)
    if match is None:
        raise ValueError("CITATION.cff has no date-released")
    date = datetime.datetime.fromisoformat(match[1]).replace(tzinfo=datetime.UTC)
    return str(int(date.timestamp()))


def typeset(pdf: Path) -> None:
    """Build `pdf` from the .tex file beside it, leaving nothing else there.

    The auxiliary files stay in `BUILD`: with them a small change takes one pass, not three. Where
    they break a run, as after a run that was cut off, it starts again without them.

    Raises:
        RuntimeError: LaTeX failed; the message ends with the log's own complaint.

    """
    kept = BUILD.exists()
    try:
        built = _run_latex(pdf.with_suffix(".tex"), BUILD.resolve())
    except RuntimeError:
        shutil.rmtree(BUILD)
        if not kept:
            raise
        built = _run_latex(pdf.with_suffix(".tex"), BUILD.resolve())
    temporary = pdf.with_name(f".{pdf.name}")
    shutil.copyfile(built, temporary)
    temporary.replace(pdf)


def _run_latex(source: Path, folder: Path) -> Path:
    """Typeset `source` into a folder, print the warnings, and return the PDF's path."""
    environment = {**os.environ, "FORCE_SOURCE_DATE": "1", "TZ": "UTC"}
    environment.setdefault("SOURCE_DATE_EPOCH", release_epoch())
    folder.mkdir(parents=True, exist_ok=True)
    if latexmk := shutil.which("latexmk"):
        # Of itself it hands on full paths, in which a quote or a dollar sign means something to the
        # shell and to TeX. Ours are relative, BibTeX's to the folder that latexmk starts it in.
        beside = os.path.relpath(folder, source.parent)
        bibtex = f"env BIBINPUTS={os.path.relpath(source.parent, folder)}: BSTINPUTS= bibtex %O %S"
        command = [latexmk, "-pdf", "-interaction=nonstopmode", "-halt-on-error"]
        command += ["-e", f"$normalize_names = 0; $bibtex = '{bibtex}'"]
        command += [f"-outdir={beside}", source.name]
    elif tectonic := shutil.which("tectonic"):
        command = [tectonic, "--outdir", str(folder), "--keep-logs", source.name]
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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tcpgoodput.report.typeset paper/report.pdf")
    try:
        typeset(Path(sys.argv[1]))
    except RuntimeError as error:
        sys.exit(str(error))
