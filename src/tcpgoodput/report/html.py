"""Make the report's HTML from its LaTeX source, by LaTeXML: MathML, pictures, links to tables.

python -m tcpgoodput.report.html results/html/index.html

The PDF must exist, because the page uses its bibliography.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.storage import write_text

PAPER, STYLE = Path("paper"), "web.css"
MISSING = "latexml is not on PATH: Debian has it (apt-get install latexml), others at dlmf.nist.gov"
BEGIN = r"\begin{document}"
BIBLIOGRAPHY = re.compile(r"\\bibliography\{[^}]*\}")
LEFT_OUT = re.compile(r"\\(?:bibliographystyle|copyentries)(?:\{[^}]*\})+")
PICTURE = re.compile(r'graphic="([^"]*)\.pdf"')
CANDIDATES = re.compile(r' candidates="[^"]*"')
PUBLISHED = re.compile(r"(?<=[>\s])results/([\w/]+\.(?:csv|ipynb))(?=[<,;.])")


def html(page: Path) -> None:
    """Write the report as a web page, in a folder of the results that is deleted first."""
    if shutil.which("latexml") is None:
        raise RuntimeError(MISSING)
    results = page.parent.parent
    folder, cited = results.parent / PAPER, results / "report" / "latex" / "report.bbl"
    if not cited.is_file():
        raise RuntimeError(f"{cited} is not there: make the PDF first, by latexmk")
    source = source_for_html((folder / "report.tex").read_text(encoding="utf-8"), cited, folder)
    document = results / "report" / "html" / "report.xml"
    document.parent.mkdir(parents=True, exist_ok=True)
    target = os.path.relpath(document.parent, folder)
    command = ["latexml", "--quiet", f"--log={target}/latexml.log", f"--dest={target}/report.xml"]
    run([*command, "-"], folder, source)
    text = document.read_text(encoding="utf-8")
    write_text(document, with_pictures(CANDIDATES.sub("", text), folder, document.parent))
    shutil.rmtree(page.parent, ignore_errors=True)
    page.parent.mkdir(parents=True)
    post = ["latexmlpost", "--quiet", "--format=html5", "--pmml", f"--css={STYLE}"]
    post += [f"--log={document.parent}/latexmlpost.log", f"--sourcedirectory={folder}"]
    post += [f"--dest={page}", str(document)]
    run(post, Path())
    (page.parent / "LaTeXML.cache").unlink(missing_ok=True)
    write_text(page, linked(page.read_text(encoding="utf-8"), results))


def with_pictures(text: str, folder: Path, target: Path) -> str:
    """Return a document with PDF pictures replaced by pictures that browsers can show.

    Poppler converts the PDF pictures to SVG, in the folder `target`. Without Poppler, the existing
    PNG pictures are used. Names of pictures are relative to the report's folder.
    """
    has_poppler = shutil.which("pdftocairo") is not None

    def shown(match: re.Match[str]) -> str:
        name = match[1]
        if not has_poppler:
            return f'graphic="{name}.png"'
        picture = target / (name.strip("./").replace("/", "-") + ".svg")
        run(["pdftocairo", "-svg", f"{name}.pdf", os.path.relpath(picture, folder)], folder)
        return f'graphic="{os.path.relpath(picture, folder)}"'

    return PICTURE.sub(shown, text)


def source_for_html(report: str, cited: Path, folder: Path) -> str:
    """Return the report's LaTeX source with BibTeX's bibliography, without PDF-only parts."""
    included = rf"\\input{{{os.path.relpath(cited, folder)}}}"
    # The links to files of the run are made afterwards, because they are relative to the page.
    text = report.replace(BEGIN, rf"\def\file#1{{\code{{#1}}}}{BEGIN}", 1)
    return BIBLIOGRAPHY.sub(included, LEFT_OUT.sub("", text))


def linked(text: str, results: Path) -> str:
    """Return a web page in which each path of an existing table or notebook becomes a link."""

    def link(match: re.Match[str]) -> str:
        name = match[1]
        if not (results / name).is_file():
            return match[0]
        return f'<a href="../{name}">results/{name}</a>'

    return PUBLISHED.sub(link, text)


def run(command: list[str], folder: Path, given: str | None = None) -> None:
    """Run a command in a folder, and print its messages; raise `RuntimeError` if it failed."""
    done = subprocess.run(
        command, cwd=folder, input=given, capture_output=True, text=True, errors="replace"
    )
    complaint = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{complaint[-2000:]}")
    print(complaint, end="")


def work(arguments: argparse.Namespace) -> None:
    """Write the report's web page, or exit with an error message."""
    try:
        html(arguments.page)
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(run_job(job_parser(__spec__.name, "page"), work))
