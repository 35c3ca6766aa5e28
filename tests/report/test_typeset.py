"""LaTeX typesets the report in a folder of any name, such as one with special characters."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tcpgoodput.report.typeset import BUILD, DIGESTS, typeset
from tests.folders import ODD

pytestmark = pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not on PATH")

PAPER = r"""
\documentclass{article}
\begin{document}
\input{../results/said} \cite{someone}
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""


def laid_out(folder: Path) -> Path:
    """Write the files of a short report to a folder, and return the folder."""
    (folder / "paper").mkdir(parents=True)
    (folder / "results").mkdir()
    (folder / "paper/report.tex").write_text(PAPER)
    (folder / "paper/references.bib").write_text("@misc{someone, title = {A title}}\n")
    (folder / "results/said.tex").write_text("As was said.\n")
    (folder / "CITATION.cff").write_text("date-released: 2026-01-01\n")
    return folder


def test_the_report_is_built_in_a_folder_of_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(laid_out(tmp_path / ODD))
    typeset(Path("paper/report.pdf"))
    assert Path("paper/report.pdf").stat().st_size > 1000
    assert "A title" in (Path("paper") / BUILD / "report.bbl").read_text()
    assert "undefined" not in (Path("paper") / BUILD / "report.log").read_text(errors="replace")
    assert {path.name for path in Path("paper").iterdir()} == {
        "report.tex",
        "references.bib",
        "report.pdf",
    }


@pytest.mark.parametrize("damaged", ["report.bbl", "report.pdf", DIGESTS])
def test_damaged_auxiliary_files_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: str
) -> None:
    monkeypatch.chdir(laid_out(tmp_path))
    pdf, auxiliary = Path("paper/report.pdf"), Path("paper") / BUILD / damaged
    typeset(pdf)
    first, left = pdf.read_bytes(), auxiliary.read_bytes()
    typeset(pdf)
    assert pdf.read_bytes() == first
    auxiliary.write_bytes(left.replace(b"title", b"tittle")[:-10])
    typeset(pdf)
    assert pdf.read_bytes() == first


def test_settings_of_the_user_do_not_reach_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(laid_out(tmp_path / "plain"))
    typeset(Path("paper/report.pdf"))
    expected = Path("paper/report.pdf").read_bytes()
    monkeypatch.chdir(laid_out(tmp_path / "changed"))
    home = tmp_path / "home"
    (home / "texmf/tex/latex").mkdir(parents=True)
    (home / ".latexmkrc").write_text("$pdf_mode = 0; $out_dir = 'elsewhere';\n")
    # An article class of the user's own, in each place where TeX looks for one.
    for folder in (home, home / "texmf/tex/latex"):
        (folder / "article.cls").write_text("\\errmessage{the wrong class}\n")
    (home / "plain.bst").write_text("no style\n")
    monkeypatch.setenv("HOME", str(home))
    for name in ("TEXINPUTS", "BIBINPUTS", "BSTINPUTS"):
        monkeypatch.setenv(name, f"{home}:")
    monkeypatch.setenv("max_print_line", "10")
    typeset(Path("paper/report.pdf"))
    assert Path("paper/report.pdf").read_bytes() == expected
