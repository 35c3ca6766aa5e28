"""Lists that commands print fit into terminals of any width."""

from __future__ import annotations

import pytest

from tcpgoodput.cli.listing import Column, Group, listed

COLUMNS = [
    Column("model"),
    Column("goodput,\nkbit/s", numbers=True),
    Column("status"),
    Column("", prose=True),
]
ROWS = [
    ("delay_spikes.lossy", "188.661", "out-of-domain", "of a window of 1.63 packets few arrive"),
    ("mathis", "3475.2", "native", ""),
    ("handoffs", "", "undefined", "has no notion of independent loss and delay spikes"),
]


def test_a_row_that_fits_is_one_line() -> None:
    assert listed(COLUMNS, [Group("", ROWS[1:2])], 80) == [
        "model   goodput,  status",
        "          kbit/s",
        "──────  ────────  ──────",
        "mathis    3475.2  native",
    ]


def test_sentences_are_wrapped_before_cells_move_to_the_next_line() -> None:
    assert listed(COLUMNS, [Group("", ROWS[:1])], 80)[3:] == [
        "delay_spikes.lossy   188.661  out-of-domain  of a window of 1.63 packets few",
        f"{'':45}arrive",
    ]


def test_cells_that_do_not_fit_move_to_the_next_line() -> None:
    assert listed(COLUMNS, [Group("", ROWS)], 50)[3:] == [
        "delay_spikes.lossy   188.661  out-of-domain",
        "  of a window of 1.63 packets few arrive",
        "mathis                3475.2  native",
        "handoffs                      undefined",
        "  has no notion of independent loss and delay",
        "    spikes",
    ]


def test_a_narrow_terminal_gets_a_list() -> None:
    assert listed(COLUMNS, [Group("", ROWS[:2])], 24) == [
        "delay_spikes.lossy",
        "  goodput, kbit/s:",
        "    188.661",
        "  status: out-of-domain,",
        "    of a window of 1.63",
        "    packets few arrive",
        "mathis",
        "  goodput, kbit/s:",
        "    3475.2",
        "  status: native",
    ]


@pytest.mark.parametrize("width", [1, 20, 30, 40, 60, 80, 100, 160])
def test_no_line_is_too_long_and_no_word_is_lost(width: int) -> None:
    lines = listed(COLUMNS, [Group("", ROWS)], width)
    assert max(len(line) for line in lines) <= max(width, 20)
    words = " ".join(lines).split()
    assert {"188.661", "3475.2", "native", "notion", "spikes"} <= set(words)


def test_groups_have_headings_and_the_same_columns() -> None:
    groups = [Group("near", ROWS[1:2]), Group("far", ROWS[:1]), Group("without", text="handoffs")]
    lines = listed(
        COLUMNS[:3], [Group(g.heading, [r[:3] for r in g.rows], g.text) for g in groups], 80
    )
    assert lines[3:] == [
        "near",
        "mathis                3475.2  native",
        "far",
        "delay_spikes.lossy   188.661  out-of-domain",
        "without",
        "  handoffs",
    ]


def test_groups_without_rows_have_no_head() -> None:
    assert listed(COLUMNS, [Group("without", text="handoffs")], 80) == [
        "without",
        "  handoffs",
    ]
