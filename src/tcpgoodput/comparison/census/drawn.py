"""Ranges of the drawn quantities, and connections that could not be measured precisely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tcpgoodput.comparison.census.evidence import CLOSE, Evidence
from tcpgoodput.comparison.census.quantities import ENDLESS, QUANTITIES
from tcpgoodput.comparison.census.spread import groups_of

LEFT_OUT_COLUMNS = ["happening", "drawn", "left_out"]

RANGE_COLUMNS = ["quantity", "lowest", "highest", "endless"]


def left_out_of(evidence: Evidence, impairments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield, for each group, the numbers of all connections and of imprecisely measured ones."""
    close = evidence.drawn["half_width"] <= CLOSE
    for group, inside in groups_of(evidence.drawn["happening"], impairments).items():
        yield {
            "happening": group,
            "drawn": int(inside.sum()),
            "left_out": int((inside & ~close).sum()),
        }


def ranges_of(connections: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the range of each quantity's finite values, and whether it also has infinite ones.

    Args:
        connections: a table with a column for each quantity.

    """
    for name in QUANTITIES:
        values = connections[name]
        finite = values[values < ENDLESS]
        yield {
            "quantity": name,
            "lowest": float(finite.min()),
            "highest": float(finite.max()),
            "endless": bool((values >= ENDLESS).any()),
        }


def is_outside(ranges: pd.DataFrame, values: Mapping[str, float]) -> bool:
    """Whether any quantity of a connection is outside its range.

    Args:
        ranges: a row for each quantity; see `ranges_of`.
        values: the value of each quantity; see `quantities.quantities_of`.

    """
    for quantity, lowest, highest, endless in ranges[RANGE_COLUMNS].itertuples(index=False):
        value = values[quantity]
        known = endless if value >= ENDLESS else lowest <= value <= highest
        if not known:
            return True
    return False
