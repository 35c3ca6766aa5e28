"""Short names of scenarios are distinct."""

from __future__ import annotations

from tcpgoodput.comparison.families import short_names


def test_a_head_is_enough_where_it_is_the_only_one() -> None:
    names = short_names(["s01-a", "s02-b", "s02-c", "plain", "s01-a"])
    assert names == {"s01-a": "s01", "s02-b": "s02-b", "s02-c": "s02-c", "plain": "plain"}
