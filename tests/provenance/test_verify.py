"""`tcpgoodput verify` detects every change of result files that a manifest lists."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import re
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.cli.app import run
from tcpgoodput.project import publish as make
from tcpgoodput.project.manifest import REFERENCE, read_csv, read_manifest
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.project.verify import ABSOLUTE, RELATIVE, differences, tolerance_of
from tests.folders import ROOT

VERSION = version("tcpgoodput")
CSV, PDF = "results/mathis/line.csv", "figures/mathis/line.pdf"
TEXT = "series,x,y\nlow,1,0.123456789012\nhigh,2,1e-07\n"
BOOK, PART = "results/mathis/mathis.ipynb", "results/mathis/claims.tex"
CELLS = [
    {"cell_type": "markdown", "source": "Words."},
    {"outputs": [{"output_type": "stream", "text": ["goodput  1.25 Mbit/s\n", "off by -3e-16\n"]}]},
    {"outputs": [{"data": {"text/plain": "       x\n0  2.500", "text/html": "<b>2.5</b>"}}]},
    {"outputs": [{"data": {"image/png": "iVBO", "text/plain": ["<Figure>"]}}]},
]
NOTEBOOK = json.dumps({"cells": CELLS, "metadata": {}})
LATEX = "a share of 9.9\\,\\%\n\\textit{reproduced}\n"
TEXTS = {CSV: TEXT, PDF: "%PDF", BOOK: NOTEBOOK, PART: LATEX}
UNCHANGED = "Unchanged since the run: all numbers agree to a relative difference of 1e-09"
OWN_MANIFEST = "the run's own manifest: not with the reference results"


class Tree:
    """A folder with results of each kind and their manifest, which tests change and verify."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.capsys = root, capsys
        self.manifest = root / "results/manifest.json"
        for name, content in TEXTS.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding="utf-8")
        self.make()

    def make(self, **changes: object) -> None:
        """Write the manifest of the folder's files, as a run of the workflow does."""
        written = {"code": "1", "files": [CSV, BOOK, PART]}
        made = {"publish": written, "draw": {"code": "2", "files": [PDF]}}
        results = self.manifest.parent
        request = {"configuration": DEFAULT_PATH, "changes": changes}
        with contextlib.chdir(ROOT), pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(json.dumps(made)))
            make.work(argparse.Namespace(root=self.root, results=results, **request))

    def changed(self, old: str, new: str, file: str = CSV) -> None:
        """Replace a text in the original content of a file, and write the file."""
        assert old in TEXTS[file]
        (self.root / file).write_text(TEXTS[file].replace(old, new), encoding="utf-8")

    def verify(self, *options: str) -> int:
        """Run `tcpgoodput verify` on the manifest, and return the exit status."""
        return run(["verify", str(self.manifest), "--folder", str(self.root), *options])

    def printed(self) -> str:
        """Return what was printed to standard output since the last call."""
        return self.capsys.readouterr().out


@pytest.fixture
def tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Tree:
    return Tree(tmp_path, capsys)


def test_unchanged_files_are_identical(tree: Tree) -> None:
    assert tree.verify() == 0
    message = tree.printed()
    head = f"Compared with {tree.manifest}, version {VERSION}, {OWN_MANIFEST}.\n4 of 4 files"
    assert message.startswith(head)
    assert UNCHANGED in message


def test_a_manifest_made_again_has_the_same_bytes(tree: Tree) -> None:
    names = ("manifest.json", "manifest.parquet", "datapackage.json")
    files = [tree.manifest.with_name(name) for name in names]
    before = [file.read_bytes() for file in files]
    tree.make()
    assert [file.read_bytes() for file in files] == before


def test_a_setting_of_the_report_is_no_other_configuration(tree: Tree) -> None:
    before = read_manifest(tree.manifest).origin
    tree.make(sentences="must-hold", referee_points="quick")
    assert read_manifest(tree.manifest).origin == before
    tree.make(equations="printed")
    assert read_manifest(tree.manifest).origin.configuration != before.configuration


def test_files_that_were_made_after_the_run_are_named(tree: Tree) -> None:
    tree.changed("2,1e-07", "2,2e-07")
    made = tree.manifest.stat().st_mtime
    for later, named in ((60, True), (-60, False)):
        os.utime(tree.root / CSV, (made + later, made + later))
        assert tree.verify() == 1
        message = tree.printed()
        assert (f"after the last complete run: {CSV}. ./reproduce" in message) == named


def test_missing_and_extra_files_are_reported(tree: Tree) -> None:
    (tree.root / PDF).rename(tree.root / PDF.replace("line", "other"))
    assert tree.verify("--bytes") == 1
    message = tree.printed()
    assert f"missing  {PDF}\n" in message
    assert "extra    figures/mathis/other.pdf\n" in message
    assert message.endswith("3 of 4 files identical, 1 missing, 1 extra\n")
    assert tree.verify() == 1
    assert "Changed since the run" in tree.printed()


def test_extra_files_are_named_or_counted_by_folder(tree: Tree) -> None:
    others = [PDF.replace("line", f"other{k}") for k in range(6)]
    removed_study = "results/gone/answers/fig01.csv"
    own = ["results/mathis/notes.txt", "results/site/index.csv", "figures/mathis/.hidden.pdf"]
    for path in (*others[:2], *own):
        (tree.root / path).parent.mkdir(parents=True, exist_ok=True)
        (tree.root / path).write_text("x", encoding="utf-8")
    assert tree.verify() == 0
    assert tree.verify("--bytes") == 1
    named = f"Extra files, which the manifest does not list: {others[0]}, {others[1]}.\n"
    assert named in tree.printed()
    for path in (*others[2:], removed_study):
        (tree.root / path).parent.mkdir(parents=True, exist_ok=True)
        (tree.root / path).write_text("x", encoding="utf-8")
    assert tree.verify() == 0
    message = tree.printed()
    counted = "1 in figures/mathis/, 1 in results/gone/answers/ (--bytes lists all)"
    assert f"{others[4]}, and {counted}.\n" in message


def test_a_changed_ninth_digit_is_reported_with_its_tolerance(tree: Tree) -> None:
    tree.changed("0.123456789012", "0.123456789512")
    assert tree.verify() == 1
    message = tree.printed()
    assert "y: 1 of 2 numbers, by 4.1e-09 at most in row 1: 0.123456789512" in message
    assert "equal within 1e-08" in message
    assert tree.verify("--json") == 1
    content = json.loads(tree.printed())
    (finding,) = content["findings"]
    assert finding["relative"] == pytest.approx(4.05e-9, rel=1e-3)
    assert not content["reproduced"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (CSV, "0.123456789012", "0.1234567890119"),
        (CSV, "1e-07", "1.00000000001e-07"),
        (BOOK, "off by -3e-16", "off by 0"),
        (BOOK, "       x\\n0  2.500", "  x\\n0 2.5000000001"),
        (BOOK, "<b>", "<i>"),
        (BOOK, "Words.", "Other words."),
        (BOOK, '"metadata": {}', '"metadata": {"language_info": {}}'),
        (CSV, "low", '"low"'),
        (PDF, "%PDF", "%PDF-1.5"),
        (PDF, "%PDF", "%PDG"),
    ],
)
def test_rounding_and_bytes_alone_are_reproduced(tree: Tree, file: str, old: str, new: str) -> None:
    tree.changed(old, new, file)
    assert tree.verify() == 0
    message = tree.printed()
    assert UNCHANGED in message
    assert file not in message
    assert "3 of 4 files identical, 1 different in" in message
    assert tree.verify("--bytes") == 1
    assert re.search(rf"^(bytes   |digits  ) {file}", tree.printed(), re.MULTILINE)
    assert tree.verify("--json") == 0
    assert json.loads(tree.printed())["reproduced"]


@pytest.mark.parametrize(
    ("file", "old", "new", "result"),
    [
        (CSV, "1e-07", "1.00001e-07", "y: 1 of 2 numbers, by 1e-05 at most in row 2"),
        (CSV, "low", "lower", "series: 1 of 2 cells, the first in row 1: 'lower', not 'low'"),
        (CSV, "\n", ",0\n", "0: is new"),
        (CSV, "high,2,1e-07\n", "", "y: has 1 rows, not 2"),
        (CSV, "1e-07", "nan", "y: 1 of 2 cells"),
        (BOOK, "1.25", "1.26", "cell 2: 1 of 4 numbers, by 0.0079 at most in row 2: 1.26, not"),
        (BOOK, "Mbit/s", "kbit/s", "cell 2: 1 of 4 cells, the first in row 3: 'kbit/s off by'"),
        (BOOK, "2.500", "2.501", "cell 3: 1 of 3 numbers"),
        (BOOK, "<Figure>", "", "cell 4: is missing"),
        (PART, "9.9", "9.8", "line 1: 1 of 3 numbers, by 0.01 at most in row 2: 9.8, not 9.9"),
        (PART, "reproduced", "contradicted", "line 2: 1 of 1 cells"),
        (BOOK, "{", "", "it cannot be read any more"),
    ],
)
def test_a_different_number_or_word_is_not_reproduced(
    tree: Tree, file: str, old: str, new: str, result: str
) -> None:
    tree.changed(old, new, file)
    assert tree.verify() == 1
    message = tree.printed()
    assert f"differs  {file}" in message
    assert result in message
    assert ("equal within" in message) == (" numbers" in result)  # words have no tolerance
    assert "Changed since the run" in message


def test_a_damaged_table_is_reported(tree: Tree) -> None:
    (tree.root / CSV).write_bytes(b"a,b\n\xff\n")
    assert tree.verify() == 1
    assert "cannot be read any more" in tree.printed()


def test_without_manifest_parquet_only_bytes_are_compared(tree: Tree) -> None:
    tree.manifest.with_suffix(".parquet").unlink()
    tree.changed("low", "lower")
    assert tree.verify() == 1
    assert "manifest.parquet, not at hand" in tree.printed()


def test_cells_of_another_manifest_are_refused(tree: Tree) -> None:
    tree.manifest.with_suffix(".parquet").write_bytes(b"PAR1")
    tree.changed("low", "lower")
    assert tree.verify() == 2
    assert "is not the one that the manifest names" in tree.capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        (r"^", "%", "not a manifest of version 1"),
        (r'"manifest": 1', '"manifest": 2', "manifest: is not a manifest of version 1"),
        (r"figures/mathis", "../mathis", "not the path of a file within a run"),
        (r"figures/mathis", "/mathis", "not the path of a file within a run"),
    ],
)
def test_an_invalid_manifest_is_refused(tree: Tree, old: str, new: str, result: str) -> None:
    text = tree.manifest.read_text(encoding="utf-8")
    tree.manifest.write_text(re.sub(old, new, text, count=1), encoding="utf-8")
    assert tree.verify() == 2
    message = tree.capsys.readouterr().err
    assert result in message
    assert message.count("\n") == 1


def test_a_missing_manifest_or_folder_is_refused(tree: Tree) -> None:
    assert run(["verify", str(tree.root / "nothing.json")]) == 2
    assert run(["verify", str(tree.root)]) == 2
    assert run(["verify", str(tree.manifest), "--folder", str(tree.root / "nowhere")]) == 2
    assert tree.capsys.readouterr().err.count("\n") == 3


def test_a_named_run_is_compared_in_its_own_folder(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tree.manifest.read_text(encoding="utf-8")
    tree.manifest.write_text(text.replace('"run": null', '"run": "draft"'), encoding="utf-8")
    monkeypatch.chdir(tree.root)
    assert run(["verify"]) == 2
    (tree.root / "runs/draft").mkdir(parents=True)
    assert run(["verify"]) == 1
    assert "0 of 4 files identical, 4 missing" in tree.printed()


# ------------------------------------------------------------ the manifest of the reference results


@pytest.fixture
def released(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Return a folder whose results equal the reference results; make it the current folder."""
    reference = tree.root / REFERENCE
    reference.parent.mkdir(parents=True)
    for suffix in (".json", ".parquet"):
        file = tree.manifest.with_suffix(suffix)
        reference.with_suffix(suffix).write_bytes(file.read_bytes())
    monkeypatch.chdir(tree.root)
    return tree


def reread(tree: Tree, **origin: object) -> None:
    """Write the manifest of the current files, with some entries of its `origin` replaced."""
    tree.make()
    content = json.loads(tree.manifest.read_text(encoding="utf-8"))
    content["origin"] |= origin
    tree.manifest.write_text(json.dumps(content), encoding="utf-8")


def test_verify_compares_with_the_released_results_by_default(released: Tree) -> None:
    assert run(["verify"]) == 0
    message = released.printed()
    assert f"Compared with {REFERENCE}, version {VERSION}.\n" in message
    assert "Results reproduced: all numbers agree" in message
    released.changed("low", "lower")
    reread(released)  # the new manifest lists the changed result
    assert run(["verify", "results/manifest.json"]) == 0
    message = released.printed()
    assert f"Compared with results/manifest.json, version {VERSION}, {OWN_MANIFEST}." in message
    assert "reproduced" not in message
    assert UNCHANGED in message
    assert run(["verify"]) == 1
    message = released.printed()
    assert OWN_MANIFEST not in message
    assert "Not reproduced" in message
    assert "series: 1 of 2 cells, the first in row 1: 'lower', not 'low'" in message
    assert "another" not in message


@pytest.mark.parametrize(
    ("origin", "result"),
    [
        ({"version": "7.0"}, f"version (7.0, not {VERSION})"),
        ({"precision": "draft", "configuration": "0" * 64}, "precision (draft, not paper), config"),
        ({"modules": {}}, "code"),
        ({"packages": {"numpy": "0"}}, "packages ("),
    ],
)
def test_another_origin_is_announced_in_one_line(
    released: Tree, origin: dict[str, object], result: str
) -> None:
    reread(released, **origin)
    assert run(["verify"]) == 0
    message = released.printed().splitlines()
    assert message[1].startswith(f"This run has another {result}")
    assert len(message) == 4
    assert run(["verify", "--json"]) == 0
    content = json.loads(released.printed())
    assert content["manifest"] == REFERENCE.as_posix()
    assert ", ".join(content["other"]).startswith(result)


def test_another_processor_is_named(released: Tree) -> None:
    content = json.loads(released.manifest.read_text(encoding="utf-8"))
    text = json.dumps(content | {"processor": "riscv64"})
    released.manifest.write_text(text, encoding="utf-8")
    assert run(["verify"]) == 0
    message = released.printed()
    assert f"This run has another processor (riscv64, not {content['processor']}).\n" in message
    # Manifests of earlier releases do not name the processor.
    reference = released.root / REFERENCE
    del content["processor"]
    reference.write_text(json.dumps(content), encoding="utf-8")
    assert run(["verify"]) == 0
    assert "another" not in released.printed()


def test_a_file_of_a_missing_rule_is_skipped(released: Tree) -> None:
    content = json.loads(released.manifest.read_text(encoding="utf-8"))
    content["files"] = [file for file in content["files"] if file["rule"] != "draw"]
    released.manifest.write_text(json.dumps(content), encoding="utf-8")
    (released.root / PDF).unlink()
    assert run(["verify"]) == 0
    message = released.printed()
    assert f"skipped  {PDF}: this run has no rule `draw`\n" in message
    assert "3 of 4 files identical, 1 skipped\n" in message


def test_missing_files_of_an_unfinished_run_are_counted(released: Tree) -> None:
    (released.root / PDF).unlink()
    released.manifest.unlink()
    assert run(["verify"]) == 1
    message = released.printed()
    assert "missing  1 files: no run is finished, results/manifest.json" in message
    assert PDF not in message


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=1e-9, max_value=1e9)


@given(numbers=st.lists(NUMBERS, min_size=1), data=st.data())
def test_the_reported_tolerance_is_the_smallest_power_of_ten(
    numbers: list[float], data: st.DataObject
) -> None:
    factors = data.draw(
        st.lists(
            st.floats(min_value=-1e-3, max_value=1e-3),
            min_size=len(numbers),
            max_size=len(numbers),
        )
    )
    moved = [number * (1 + factor) for number, factor in zip(numbers, factors, strict=True)]
    found = list(differences({"y": [*map(repr, numbers)]}, {"y": [*map(repr, moved)]}))
    errors = [
        abs(a - b) / max(a, b) if abs(a - b) > ABSOLUTE else 0.0
        for a, b in zip(numbers, moved, strict=True)
    ]
    if numbers == moved:
        assert found == []
        return
    (difference,) = found
    assert difference.relative == max(errors)
    assert difference.is_rounding == (max(errors) <= RELATIVE)
    tolerance = tolerance_of(max(errors))
    assert max(errors) <= tolerance * (1 + 1e-12)
    assert max(errors) > tolerance / 10 * (1 - 1e-12) or max(errors) == 0


@given(st.lists(st.lists(st.text('ab,"\n1.', max_size=4), min_size=2, max_size=2), max_size=4))
def test_read_csv_returns_the_written_cells(rows: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["a", "b"], *rows])
        assert read_csv(path) == {
            "a": [row[0] for row in rows],
            "b": [row[1] for row in rows],
        }
