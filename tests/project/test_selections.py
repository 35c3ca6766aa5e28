"""`tcpgoodput check paper/numbers.yaml` finds tables, columns and keys that do not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.cli.app import run
from tcpgoodput.project import selections
from tcpgoodput.report import derived, numbers
from tests.folders import ROOT

OWN = """\
groups:
  - table: errata
    take: count
    numbers:
      Printed: {where: {evidence: our assumption}}
  - table: heldout/samples
    where: {sample: held-out}
    numbers:
      Typical: {take: median_%, digits: 2}
      Least: {take: min, of: median_%, once: [group]}
"""


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_numbers_of_the_project_are_valid(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "paper/numbers.yaml"]) == 0
    assert "numbers of the report, no errors" in capsys.readouterr().out


def test_valid_numbers_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "numbers.yaml").write_text(OWN, encoding="utf-8")
    assert run(["check", str(tmp_path / "numbers.yaml")]) == 0
    assert "3 numbers of the report" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "place", "suggested"),
    [
        ("heldout/samples", "heldout/sampels", "6: groups[1].table", "heldout/samples"),
        ("evidence:", "evidenc:", "5: groups[0].numbers.Printed.where.evidenc", "evidence"),
        ("sample:", "sampel:", "7: groups[1].where.sampel", "sample"),
        ("take: median_%", "take: medain_%", "9: groups[1].numbers.Typical.take", "median_%"),
        ("take: count", "take: coutn", "3: groups[0].take", "count"),
        ("of: median_%", "of: meadian_%", "10: groups[1].numbers.Least.of", "median_%"),
        ("[group]", "[groups]", "10: groups[1].numbers.Least.once[0]", "group"),
        ("digits:", "digit:", "9: groups[1].numbers.Typical.digit", "digits"),
    ],
)
def test_an_unknown_name_has_its_place_and_the_nearest_names(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    place: str,
    suggested: str,
) -> None:
    assert old in OWN
    file = tmp_path / "numbers.yaml"
    file.write_text(OWN.replace(old, new), encoding="utf-8")
    assert run(["check", str(file)]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith(f"{file}:{place}: ")
    assert f"did you mean {suggested}" in message


def test_the_words_are_those_of_the_report() -> None:
    assert set(selections.STATISTICS) == numbers.STATISTICS.keys()
    assert set(selections.DERIVED) == derived.tables(Path(), {}).keys()
