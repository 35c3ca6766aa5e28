"""LaTeX wherever the project lies: the folder's name is no business of TeX's or the shell's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tcpgoodput.report.typeset import BUILD, typeset
from tests.folders import ODD

PAPER = r"""
\documentclass{article}
\begin{document}
\input{../results/said} \cite{someone}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""


@pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not on PATH")
def test_report_and_its_bibliography_are_built_in_a_folder_of_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ODD
    (folder / "paper").mkdir(parents=True)
    (folder / "results").mkdir()
    monkeypatch.chdir(folder)
    Path("paper/report.tex").write_text(PAPER)
    Path("paper/references.bib").write_text("@misc{someone, title = {A title}}\n")
    Path("results/said.tex").write_text("As was said.\n")
    Path("CITATION.cff").write_text("date-released: 2026-01-01\n")
    typeset(Path("paper/report.pdf"))
    assert Path("paper/report.pdf").stat().st_size > 1000
    assert "A title" in (BUILD / "report.bbl").read_text()
    assert "undefined" not in (BUILD / "report.log").read_text(errors="replace")
    assert {path.name for path in Path("paper").iterdir()} == {
        "report.tex",
        "references.bib",
        "report.pdf",
    }
