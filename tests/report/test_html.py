"""The report as HTML: its source, its links, and its conversion if LaTeXML is installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tcpgoodput.report import html

REPORT = r"""
\documentclass{article}
\begin{document}
\section{One}
With $x^2$, as \texttt{results/study/known.csv} and \texttt{results/study/unknown.csv} say.
\bibliographystyle{plain}
\copyentries{../results/report/models}{\jobname-models}
\bibliography{references,\jobname-models}
\end{document}
"""


def laid_out(folder: Path) -> Path:
    """Write the files of a project with a short report; return the folder of its results."""
    for name in ("paper", "results/study", "results/report/latex"):
        (folder / name).mkdir(parents=True)
    (folder / "paper/report.tex").write_text(REPORT, encoding="utf-8")
    (folder / "results/study/known.csv").write_text("a\n1\n", encoding="utf-8")
    cited = r"\begin{thebibliography}{1}\bibitem{a} A title.\end{thebibliography}"
    (folder / "results/report/latex/report.bbl").write_text(cited, encoding="utf-8")
    return folder / "results"


def test_the_web_page_uses_the_bibliography_of_the_pdf(tmp_path: Path) -> None:
    results = laid_out(tmp_path)
    source = html.source_for_html(REPORT, results / "report/latex/report.bbl", tmp_path / "paper")
    assert r"\input{../results/report/latex/report.bbl}" in source
    assert "copyentries" not in source
    assert "bibliographystyle" not in source
    assert source.index(r"\def\file") < source.index(r"\begin{document}")


def test_only_existing_files_are_linked(tmp_path: Path) -> None:
    results = laid_out(tmp_path)
    text = "<p>results/study/known.csv, File: results/study/known.csv.</p> results/study/no.csv;"
    page = html.linked(text, results)
    link = '<a href="../study/known.csv">results/study/known.csv</a>'
    assert page == f"<p>{link}, File: {link}.</p> results/study/no.csv;"


def test_missing_latexml_is_reported_with_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="apt-get install latexml"):
        html.html(tmp_path / "results/html/index.html")


@pytest.mark.skipif(not shutil.which("latexml"), reason="latexml is not on PATH")
def test_a_report_becomes_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    laid_out(tmp_path)
    html.html(Path("results/html/index.html"))
    page = Path("results/html/index.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert 'href="../study/known.csv"' in page
    assert "A title." in page


@pytest.mark.parametrize(("tool", "ending"), [(None, "png"), ("/usr/bin/pdftocairo", "svg")])
def test_pictures_are_svg_if_poppler_is_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str | None, ending: str
) -> None:
    made: list[list[str]] = []
    monkeypatch.setattr(shutil, "which", lambda _: tool)
    monkeypatch.setattr(html, "run", lambda command, folder: made.append(command))
    text = '<graphics graphic="../figures/study/fig01.pdf"/><graphics graphic="drawn.png"/>'
    shown = html.with_pictures(text, tmp_path / "paper", tmp_path / "made")
    assert re.findall(r'graphic="[^"]*\.(\w+)"', shown) == [ending, "png"]
    assert len(made) == (ending == "svg")
