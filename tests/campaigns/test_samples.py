"""A short run of each campaign finds no failure; the complete campaigns are run separately."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tcpgoodput.storage import read_rows
from tests.campaigns import mutants, outcomes, short_ways
from tests.campaigns.bounded import TooLong, bounded
from tests.folders import ROOT


def test_the_tests_of_the_mutation_campaign_exist() -> None:
    named = [*mutants.SCRIPTS, *(name for names in mutants.WIDER.values() for name in names)]
    for name in named:
        path, _, test = name.removeprefix("--ignore=").partition("::")
        assert (ROOT / path).exists()
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")


def test_fast_loops_equal_the_full_simulation() -> None:
    counts, parted = short_ways.part(1_000_001, 120)
    assert parted == []
    assert counts["connections"] + counts["left"] == 120
    assert counts["packets"] > 0


@pytest.mark.parametrize("number", [10_013_794, 10_054_372])
def test_ring_has_room_for_packets_in_flight_twice(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sender may resend hundreds of packets that are late but not lost.

    Both transmissions of a packet are then in flight, and the simulator's ring buffers of packets
    in flight must have room for them.
    """
    monkeypatch.setattr(short_ways, "LONGEST_STRETCH_S", float("inf"))
    parted, sent, _ = short_ways.difference(number)
    assert parted is None
    assert sent > 10_000


def test_a_differing_simulation_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    real = short_ways.state
    seen = []

    def spoiled(simulation: object) -> dict[str, bytes]:
        seen.append(simulation)
        found = real(simulation)  # type: ignore[arg-type]
        return {**found, "sender": b""} if len(seen) == 2 else found

    monkeypatch.setattr(short_ways, "state", spoiled)
    assert str(short_ways.difference(1)[0]).endswith("sender")


def test_a_call_beyond_its_time_limit_is_stopped() -> None:
    with pytest.raises(TooLong):
        bounded(_for_ever, seconds=1)


def _for_ever() -> None:
    while True:
        pass


TOOL = """#!/bin/sh
case $3 in
    core/Root) sed -i 's/math.sqrt(/math.cbrt(/' "$2" ;;
    core/Nothing) sed -i 's/-> float:/-> int:/' "$2" ;;
esac
"""


@pytest.mark.weekly  # the campaign's own machinery, which copies the project
def test_a_changed_module_fails_its_own_tests(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(TOOL, encoding="utf-8")
    tool.chmod(0o755)
    stage = mutants.Stage(tmp_path / "stage", str(tool))
    module = "models/mathis/square_root.py"
    text = (ROOT / "src" / "tcpgoodput" / module).read_text(encoding="utf-8")
    line = text[: text.index("math.sqrt(")].count("\n") + 1
    found = stage.tried(mutants.Mutant("models", module, line, "Root", 0))
    assert found is not None
    assert (found.outcome, found.by) == (mutants.KILLED, "its own")
    assert found.new == found.old.replace("sqrt", "cbrt", 1) != found.old
    assert stage.tried(mutants.Mutant("models", module, line, "Nothing", 0)) is None
    assert (stage.folder / "src" / "tcpgoodput" / module).read_text(encoding="utf-8") == text


def test_changed_annotations_and_invalid_python_are_not_mutants() -> None:
    old = "def f(a: int | None) -> int | None:\n    b: int | None = a\n    return b\n"
    assert not mutants.changes(old, old.replace("|", "+"))
    assert not mutants.changes(old, old.replace("a: int", "** a"))
    assert mutants.changes(old, old.replace("= a", "= -a"))


def test_each_place_is_changed_at_most_once() -> None:
    items = [
        {
            "module_path": f"src/tcpgoodput/{package}/a.py",
            "operator_name": f"core/ReplaceBinaryOperator_Add_{other}",
            "occurrence": column,
            "start_pos": [7, column],
            "end_pos": [7, column + 1],
        }
        for package in mutants.PACKAGES
        for column in range(20)
        for other in ("Sub", "Mul", "BitOr")
    ]
    found = list(mutants.drawn(items, "models", 1))
    assert sorted(mutant.occurrence for mutant in found) == list(range(20))
    assert {mutant.operator[-3:] for mutant in found} == {"Sub", "Mul"}
    assert {mutant.package for mutant in found} == {"models"}
    assert found == list(mutants.drawn(items[::-1], "models", 1))


def test_every_survivor_is_explained_and_the_record_counts_all() -> None:
    done = mutants.recorded()
    alive = [mutant.key for mutant in done if mutant.outcome == mutants.SURVIVED]
    read = read_rows(mutants.READ)
    assert sorted(map(mutants.key_of, read)) == sorted(alive)
    assert all(row["why"] for row in read)
    for row in read_rows(outcomes.FOLDER / "mutants.csv"):
        own = [mutant for mutant in done if f"in {mutant.package}/ " in row["guarantee"]]
        survived = [mutant for mutant in own if mutant.alive]
        assert (int(row["trials"]), int(row["failures"])) == (len(own), len(survived))
        read_of = {mutants.key_of(r): r["verdict"] for r in read}
        assert all(read_of[mutant.key] in mutants.HARMLESS for mutant in survived)


def test_the_tests_that_close_a_gap_exist() -> None:
    files = list((ROOT / "tests").rglob("test_*.py"))
    there = {file.stem for file in files}
    for file in files:
        there |= set(re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8")))
    reasons = [row["why"] for row in read_rows(mutants.READ)]
    named = set(re.findall(r"test_\w+", " ".join(reasons)))
    assert named
    assert named <= there, named - there


def test_a_further_session_adds_to_the_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(outcomes, "FOLDER", tmp_path)
    for done, failed, note in ((36, 0, "3 runs"), (40, 1, "4 runs"), (24, 0, "")):
        found = outcomes.Outcome("It holds", "kills", 100, done, failed, 10.04, note=note)
        path = outcomes.record("kills", [found], further=True)
    (row,) = read_rows(path)
    assert (row["trials"], row["failures"], row["duration_s"], row["planned"]) == (
        "100",
        "1",
        "30",
        "100",
    )
    counts = [
        int(session.split()[0])
        for session in row["note"].removeprefix(outcomes.SESSIONS).split(". ")
    ]
    assert counts == [36, 40, 24]
    other = outcomes.Outcome("It holds not", "kills", 100, 1, 0, 1.0)
    with pytest.raises(ValueError, match="another guarantee"):
        outcomes.record("kills", [other], further=True)
    outcomes.record("kills", [other])
    assert [row["trials"] for row in read_rows(path)] == ["1"]


def test_records_have_the_columns_of_an_outcome() -> None:
    for file in outcomes.FOLDER.glob("*.csv"):
        rows = read_rows(file)
        assert list(rows[0]) == outcomes.COLUMNS
        assert all(int(row["failures"]) <= int(row["trials"]) for row in rows)
