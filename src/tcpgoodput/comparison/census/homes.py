"""Who is at home, connection by connection, and whether one who is not comes nearer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.spread import groups_of
from tcpgoodput.comparison.errors import per_cent, typical

COLUMNS = [
    "happening",
    "connections",
    "at_home",
    "native",
    "both",
    "typical_home_%",
    "typical_away_%",
    "away_nearer",
    "away_clearly_nearer",
]


def homes_of(evidence: Evidence, impairments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield in how many connections of each group a family is at home, and who is nearer.

    `both` counts those where families at home and others answer; the errors are theirs. An answer
    from away is nearer if it is so to all at home, and clearly so by more than the half-width.
    """
    known = evidence.errors.notna()
    home = evidence.statuses.isin(AT_HOME) & known
    away = ~evidence.statuses.isin(AT_HOME) & known
    native = (evidence.statuses == "native") & known
    size = evidence.errors.abs()
    gain = size.where(home).min(axis=1) - size.where(away).min(axis=1)
    both = home.any(axis=1) & away.any(axis=1)
    for group, inside in groups_of(evidence.connections["happening"], impairments).items():
        if not inside.any():
            continue
        here = inside & both
        yield {
            "happening": group,
            "connections": int(inside.sum()),
            "at_home": int(home[inside].any(axis=1).sum()),
            "native": int(native[inside].any(axis=1).sum()),
            "both": int(here.sum()),
            "typical_home_%": per_cent(typical(_every(size.where(home)[here]))),
            "typical_away_%": per_cent(typical(_every(size.where(away)[here]))),
            "away_nearer": int((gain[here] > 0).sum()),
            "away_clearly_nearer": int((gain > evidence.connections["half_width"])[here].sum()),
        }


def _every(table: pd.DataFrame) -> pd.Series:
    return table.stack().dropna()
