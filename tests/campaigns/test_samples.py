"""A short sample of each campaign; the long ones are for whoever has the patience."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tcpgoodput.configuration.strict_yaml import parse
from tests.campaigns import bad_configuration, canaries, extremes, formulas, outcomes, short_ways
from tests.campaigns.bad_files import Bad, written
from tests.campaigns.bounded import TooLong, bounded
from tests.campaigns.tiny_run import TinyRun
from tests.folders import ROOT


@pytest.fixture(scope="module")
def watch() -> bad_configuration.Watch:
    return bad_configuration.Watch()


def test_bad_files_are_refused(watch: bad_configuration.Watch) -> None:
    tally = bad_configuration.in_process(2, 120, watch)
    assert tally.faults == []
    assert len({name.partition(": ")[2] for name in tally.classes}) > 15


def test_bad_files_are_refused_by_the_command() -> None:
    assert bad_configuration.by_command(2, 2).faults == []


def test_what_a_check_writes_is_seen(watch: bad_configuration.Watch, tmp_path: Path) -> None:
    with watch.over() as seen:
        (tmp_path / "here").touch()
        (tmp_path / "there").mkdir()
    assert [event.partition(" ")[0] for event in seen] == ["open", "os.mkdir"]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("a.yaml:3: tcp.mss: is 0 but must be greater than 0", None),
        ("a.yaml:4: tcp.mss: is 0 but must be greater than 0", "line 3 is not named"),
        ("a.yaml:3: is 0 but must be greater than 0", "the key mss is not named"),
        ("a.yaml:3: tcp.mss: is wrong", "none of ('greater than',)"),
        ("tcp.mss: is 0", "the file is not named"),
    ],
)
def test_a_report_that_leaves_something_out_is_found(said: str, wrong: str | None) -> None:
    bad = Bad("below its bound", b"", "mss", 3, ("greater than",))
    assert bad_configuration.fault(bad, "a.yaml", 2, said, 0.1) == wrong
    assert bad_configuration.fault(bad, "a.yaml", 0, said, 0.1) == "exit status 0"


def test_files_are_written_with_the_lines_that_are_said() -> None:
    data = {"a": {"b": [1, {"c": "x y"}], "d": None}, "e": [[2.5]]}
    text, lines = written(data)
    document = parse(text, "a.yaml")
    assert document.data == data
    for key in (("a",), ("a", "b", 0), ("a", "b", 1, "c"), ("a", "d"), ("e", 0)):
        assert lines[key] == document.line(key), key


def test_canaries_do_nothing(tmp_path: Path) -> None:
    fired, secret = tmp_path / "fired", tmp_path / "secret"
    secret.write_text(f"{canaries.SECRET}\n", encoding="utf-8")
    run = TinyRun(tmp_path / "project")
    for canary in list(canaries.canaries())[::45]:
        assert canaries.faults_of_check(canary, run, fired, secret)[1] == "", canary.name


def test_every_canary_has_its_place() -> None:
    for canary in canaries.canaries():
        assert canary.old in (ROOT / canary.file).read_text(encoding="utf-8"), canary.name


def test_strange_scenarios_end_in_numbers_or_reasons() -> None:
    assert extremes.campaign(7, 5).failed == 0


def test_closed_forms_meet_their_formulas() -> None:
    assert [outcome.failed for outcome in formulas.campaign(30, 20, 2)] == [0, 0, 0]


def test_short_ways_are_the_long_one() -> None:
    counts, parted = short_ways.part(1_000_001, 120)
    assert parted == []
    assert counts["connections"] == 120
    assert counts["packets"] > 100_000


def test_a_simulation_that_differs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = short_ways.state
    seen = []

    def spoiled(simulation: object) -> dict[str, bytes]:
        seen.append(simulation)
        found = real(simulation)  # type: ignore[arg-type]
        return {**found, "sender": b""} if len(seen) == 2 else found

    monkeypatch.setattr(short_ways, "state", spoiled)
    assert str(short_ways.difference(1)[0]).endswith("sender")


def test_what_takes_too_long_is_ended() -> None:
    with pytest.raises(TooLong):
        bounded(_for_ever, seconds=1)


def _for_ever() -> None:
    while True:
        pass


def test_records_have_the_columns_of_an_outcome() -> None:
    for file in outcomes.FOLDER.glob("*.csv"):
        with file.open(newline="", encoding="utf-8") as table:
            rows = list(csv.DictReader(table))
        assert list(rows[0]) == outcomes.COLUMNS
        assert all(int(row["failed"]) <= int(row["done"]) for row in rows)
