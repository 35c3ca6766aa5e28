"""The name of a variation (a changed copy of a scenario) is found at the end of a scenario's id."""

from __future__ import annotations

import pytest

from tcpgoodput.comparison.table import variation_of

VARIATIONS = ("b2", "linux", "linux-b2")


@pytest.mark.parametrize("variation", ["", *VARIATIONS])
def test_an_id_belongs_to_the_longest_matching_variation(variation: str) -> None:
    scenario = "-".join(filter(None, ("s01", variation)))
    assert variation_of(scenario, VARIATIONS) == variation
    assert variation_of(scenario, reversed(VARIATIONS)) == variation
