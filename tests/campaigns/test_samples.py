"""A short run of each campaign finds no failure; the complete campaigns are run separately."""

from __future__ import annotations

import csv
import platform
from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.configuration.strict_yaml import parse
from tcpgoodput.project.manifest import Manifest
from tcpgoodput.project.verify import Finding
from tcpgoodput.storage import read_rows
from tests.campaigns import (
    bad_configuration,
    canaries,
    enumerations,
    extremes,
    formulas,
    full_disk,
    mutants,
    outcomes,
    releases,
    short_ways,
)
from tests.campaigns.bad_files import Bad, written
from tests.campaigns.bounded import TooLong, bounded
from tests.campaigns.tiny_run import TinyRun
from tests.folders import ROOT


@pytest.fixture(scope="module")
def watch() -> bad_configuration.Watch:
    return bad_configuration.Watch()


@pytest.fixture
def no_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the campaigns' time limits, which a slow machine would exceed."""
    monkeypatch.setattr(bad_configuration, "LONGEST_S", float("inf"))


def test_the_tests_of_the_mutation_campaign_exist() -> None:
    named = [*mutants.SCRIPTS, *(name for names in mutants.WIDER.values() for name in names)]
    for name in named:
        path, _, test = name.removeprefix("--ignore=").partition("::")
        assert (ROOT / path).exists()
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_time_limit")
def test_bad_files_are_refused(watch: bad_configuration.Watch) -> None:
    tally = bad_configuration.in_process(2, 120, watch)
    assert tally.faults == []
    assert len({name.partition(": ")[2] for name in tally.classes}) > 15


@pytest.mark.usefixtures("no_time_limit")
def test_bad_files_are_refused_by_the_command() -> None:
    assert bad_configuration.by_command(2, 2).faults == []


def test_watch_records_opened_files_and_made_folders(
    watch: bad_configuration.Watch, tmp_path: Path
) -> None:
    with watch.over() as seen:
        (tmp_path / "here").touch()
        (tmp_path / "there").mkdir()
    assert [event.partition(" ")[0] for event in seen] == ["open", "os.mkdir"]


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("a.yaml:3: tcp.mss: is 0 but must be greater than 0", None),
        ("a.yaml:4: tcp.mss: is 0 but must be greater than 0", "line 3 is not named"),
        ("a.yaml:3: is 0 but must be greater than 0", "the key mss is not named"),
        ("a.yaml:3: tcp.mss: is wrong", "none of ('greater than',)"),
        ("tcp.mss: is 0", "the file is not named"),
    ],
)
def test_incomplete_message_is_a_fault(message: str, wrong: str | None) -> None:
    bad = Bad("below its bound", b"", "mss", 3, ("greater than",))
    assert bad_configuration.fault(bad, "a.yaml", 2, message, 0.1) == wrong
    assert bad_configuration.fault(bad, "a.yaml", 0, message, 0.1) == "exit status 0"


def test_written_reports_the_line_of_each_key() -> None:
    data = {"a": {"b": [1, {"c": "x y"}], "d": None}, "e": [[2.5]]}
    text, lines = written(data)
    document = parse(text, "a.yaml")
    assert document.data == data
    for key in (("a",), ("a", "b", 0), ("a", "b", 1, "c"), ("a", "d"), ("e", 0)):
        assert lines[key] == document.line(key), key


def test_canaries_are_never_executed(tmp_path: Path) -> None:
    fired, secret = tmp_path / "fired", tmp_path / "secret"
    secret.write_text(f"{canaries.SECRET}\n", encoding="utf-8")
    run = TinyRun(tmp_path / "project")
    for canary in list(canaries.canaries())[::45]:
        assert canaries.faults_of_check(canary, run, fired, secret)[1] == "", canary.name


def test_every_canary_replaces_text_of_an_existing_file() -> None:
    for canary in canaries.canaries():
        assert canary.old in (ROOT / canary.file).read_text(encoding="utf-8"), canary.name


def test_strange_scenarios_end_in_numbers_or_reasons() -> None:
    assert extremes.campaign(7, 5).failures == 0


def test_closed_forms_equal_their_formulas() -> None:
    assert [outcome.failures for outcome in formulas.campaign(30, 20, 2)] == [0, 0, 0]


def test_chain_models_equal_the_enumeration_of_all_paths() -> None:
    assert enumerations.campaign(3, 5).failures == 0


def test_a_table_differs_only_beyond_its_last_digits() -> None:
    kinds = ("missing", "extra", "differs", "digits", "bytes")
    found = {kind for kind in kinds if releases.is_other(Finding("a.csv", kind))}
    assert found == {"missing", "extra", "differs"}


def test_other_releases_are_listed_with_those_of_the_lock() -> None:
    zeros = "0" * 64
    origin = {"version": "0.1.0", "run": None, "precision": "paper", "equations": "corrected"}
    origin |= {"seed": 1, "configuration": zeros, "code": {}, "modules": {}}
    manifest = Manifest.model_validate(
        {
            "origin": {**origin, "packages": {"numpy": "1.0", "Scikit_Learn": "2.0"}},
            "python": platform.python_version(),
            "cells": zeros,
            "files": [],
        }
    )
    assert releases.other(manifest, {"numpy": "1.0", "scikit-learn": "2.0"}) == []
    result = releases.other(manifest, {"numpy": "1.1"})
    assert result == ["numpy 1.1 for 1.0", "scikit-learn none for 2.0"]
    assert releases.here()["numpy"] == np.__version__


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


def test_a_full_disk_without_a_clear_message_is_a_fault() -> None:
    result = "OSError: [Errno 28] No space left on device: 'runs/test/results/a.csv'"
    assert full_disk.fault(1, result) is None
    assert full_disk.fault(1, "The disk is full: there is no room in runs/test/logs/.") is None
    assert "nothing is named" in str(full_disk.fault(1, result.partition(": 'runs")[0]))
    assert "not told" in str(full_disk.fault(1, "Failed: Drawing (draw)"))


TOOL = """#!/bin/sh
case $3 in
    core/Root) sed -i 's/math.sqrt(/math.cbrt(/' "$2" ;;
    core/Nothing) sed -i 's/-> float:/-> int:/' "$2" ;;
esac
"""


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
        with file.open(newline="", encoding="utf-8") as table:
            rows = list(csv.DictReader(table))
        assert list(rows[0]) == outcomes.COLUMNS
        assert all(int(row["failures"]) <= int(row["trials"]) for row in rows)
