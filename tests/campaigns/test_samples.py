"""A short run of each campaign finds no failure; the complete campaigns are run separately."""

from __future__ import annotations

import pytest

from tcpgoodput.storage import read_rows
from tests.campaigns import mutants, outcomes, short_ways
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


def test_records_have_the_columns_of_an_outcome() -> None:
    for file in outcomes.FOLDER.glob("*.csv"):
        rows = read_rows(file)
        assert list(rows[0]) == outcomes.COLUMNS
        assert all(int(row["failures"]) <= int(row["trials"]) for row in rows)
