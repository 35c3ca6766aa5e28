"""Senders stepped ACK by ACK, compared with Tables I to III of the packet-train study.

The expected rows are those of the study, in which `4..` means a window between 4 and 5.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.ack_trace import Step, ack_trace, recovery_rounds, steps
from tests.scenarios import scenario

TABLES = Path(__file__).parent / "tables"
FIRST_BURST = [15, 16, 17, 18]
BOTH_BURSTS = [*FIRST_BURST, 29, 30, 31]
FIVE = [15, 16, 17, 18, 19]


def of_the_time(variant: str, **tcp: object) -> Scenario:
    plain = {
        "ca_increment": "floor",
        "recovery": "slow-but-steady",
        "partial_window_deflation": "ssthresh",
        "limited_transmit": False,
    }
    return scenario(id=variant, tcp={"variant": variant, **plain, **tcp})


def story_of(variant: str, lost: list[int], rows: int, **tcp: object) -> list[Step]:
    settings = of_the_time(variant, **tcp).tcp
    return steps(settings, acknowledged=14, window=8, lost=lost, rows=rows)


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


@pytest.mark.parametrize(
    ("table", "variant", "lost"),
    [("table1", "newreno", BOTH_BURSTS), ("table2", "tahoe", FIVE), ("table3", "newreno", FIVE)],
)
def test_ack_traces_equal_the_studys_tables(table: str, variant: str, lost: list[int]) -> None:
    with (TABLES / f"{table}.csv").open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file))
    story = story_of(variant, lost, len(printed))
    assert len(story) == len(printed)
    for row, step in zip(printed, story, strict=True):
        assert (row["caused_by"] or None) == (step.caused_by and str(step.caused_by))
        assert not row["ack"] or int(row["ack"]) == step.ack
        assert numbers(row["sent"]) == list(step.sent)
        assert numbers(row["lost"]) == list(step.lost)
        if step.ssthresh is not None:
            assert step.ssthresh == int(row["ssthresh"])
        else:
            assert row["ssthresh"] == ""
        if row["cwnd"].endswith(".."):
            whole = int(row["cwnd"].rstrip("."))
            assert whole < step.cwnd < whole + 1
        else:
            assert step.cwnd == pytest.approx(float(row["cwnd"]), abs=1e-9)


def test_the_table_ends_with_a_timeout_not_a_fast_retransmit() -> None:
    story = story_of("newreno", BOTH_BURSTS, 18)
    assert [step.event for step in story].count("timeout") == 1
    assert story[-1].event == "timeout"
    assert [step.duplicates for step in story[15:17]] == [1, 2]


def test_the_ack_of_packet_22_is_the_full_ack() -> None:
    story = story_of("newreno", FIVE, 9)
    assert [step.event for step in story[4:]] == ["partial ack"] * 4 + ["full ack"]


def test_the_reciprocal_increment_fails_table_one() -> None:
    story = story_of("newreno", BOTH_BURSTS, 13, ca_increment="reciprocal")
    assert story[-1].ack == 26
    # With the increment 1/cwnd per ACK, cwnd is 4, 4.25, 4.485, 4.708, 4.921.
    assert story[-1].cwnd == pytest.approx(4.920638, abs=1e-6)
    assert story[-1].sent == (30,)


@pytest.mark.parametrize("variant", ["tahoe", "newreno"])
def test_tables_two_and_three_do_not_depend_on_the_increment(variant: str) -> None:
    by_floor, by_reciprocal = (
        [step.sent for step in story_of(variant, FIVE, 9, ca_increment=increment)]
        for increment in ("floor", "reciprocal")
    )
    assert by_floor == by_reciprocal


def test_the_receiver_lacks_fourteen_packets_with_tahoe_and_five_with_newreno() -> None:
    senders = {name: of_the_time(name) for name in ("tahoe", "newreno")}
    rounds = recovery_rounds(senders, lost=FIVE).set_index(["variant", "round"])
    assert rounds.loc[("tahoe", 5), "lacking_so_far_packets"] == 14
    assert rounds.loc[("newreno", 5), "lacking_so_far_packets"] == 5
    tahoe = rounds.loc["tahoe"]["lacking"].tolist()
    assert tahoe == ["15", "16 17", "18 19", "23 24 25 26", "27 28 29 30 31"]
    assert rounds.loc["newreno"]["lacking"].tolist() == ["15", "16", "17", "18", "19"]


def test_tahoe_ignores_duplicate_acks_of_its_own_retransmissions() -> None:
    """Tahoe resends packets 20 to 22 needlessly, and must ignore the three duplicate ACKs."""
    story = story_of("tahoe", FIVE, 12)
    duplicates = [step for step in story[9:] if step.event == "duplicate ack"]
    assert [step.duplicates for step in duplicates] == [1, 2, 3]
    assert all(step.sent == () and step.cwnd == 4.5 for step in duplicates)


def test_sack_repairs_the_window_in_little_more_than_a_round_trip() -> None:
    rounds = recovery_rounds({"sack": of_the_time("sack")}, lost=FIVE, rounds=2)
    assert rounds["sent"].tolist() == ["15 16 17 18", "19 23 24 25"]


def test_a_trace_begins_at_the_requested_row() -> None:
    frame = ack_trace(of_the_time("newreno"), lost=FIVE, rows=9, first_row=4)
    assert frame["row"].tolist() == list(range(4, 10))
    assert frame.loc[0, "sent"] == "15"


@pytest.mark.parametrize("variant", ["oldtahoe", "tahoe", "reno", "newreno", "sack"])
def test_every_sender_delivers_everything_after_any_loss(variant: str) -> None:
    """If some packets are lost once each, the receiver finally has all packets."""
    for lost in ([15], FIVE, [15, 17, 19, 21], [22], list(range(15, 23)), [21, 22, 23, 24]):
        story = story_of(variant, lost, 150)
        assert story[-1].ack > 60, (variant, lost)
