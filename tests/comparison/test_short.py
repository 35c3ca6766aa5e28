"""Scenarios have short names for figures, such as `s01`; no two scenarios have the same one."""

from __future__ import annotations

from tcpgoodput.comparison.families import short_names


def test_an_id_is_shortened_to_its_unique_prefix() -> None:
    names = short_names(["s01-a", "s02-b", "s02-c", "plain", "s01-a"])
    assert names == {"s01-a": "s01", "s02-b": "s02-b", "s02-c": "s02-c", "plain": "plain"}
