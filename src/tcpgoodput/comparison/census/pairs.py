"""Errors of each pair of families, over the connections that both predict."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pandas as pd

from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.spread import EVERY
from tcpgoodput.comparison.errors import per_cent, share_within, typical

CONSTANT, VARYING = "constant", "varying"

COLUMNS = ["family", "beside", "capacity", "connections", "typical_%", "within_10_%", "nearer"]


def pairs_of(evidence: Evidence, judged: pd.Series) -> Iterator[dict[str, Any]]:
    """Yield the errors of each pair of families, for constant and varying capacity.

    Args:
        evidence: the connections, with the errors of the families.
        judged: mask of the connections to use.

    """
    constant = evidence.connections["capacity_change"] == 0
    capacities = {EVERY: constant | ~constant, CONSTANT: constant, VARYING: ~constant}
    size = evidence.errors.abs()
    for family, other in permutations(size.columns, 2):
        both = judged & size[family].notna() & size[other].notna()
        for capacity, inside in capacities.items():
            here = both & inside
            if not here.any():
                continue
            found = size.loc[here, family]
            yield {
                "family": family,
                "beside": other,
                "capacity": capacity,
                "connections": int(here.sum()),
                "typical_%": per_cent(typical(found)),
                "within_10_%": 100 * share_within(found, 0.1),
                "nearer": int((found < size.loc[here, other]).sum()),
            }
