"""Number of connections for which some family is in domain, and errors in and out of domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.spread import groups_of
from tcpgoodput.comparison.errors import per_cent, typical

COLUMNS = [
    "happening",
    "connections",
    "in_domain",
    "native",
    "both",
    "typical_home_%",
    "typical_away_%",
    "away_nearer",
    "away_clearly_nearer",
    "one_away_nearer_%",
]


def domains_of(evidence: Evidence, impairments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield, for each group, how often a family is in domain, and how often others are nearer.

    `both` counts connections with predictions in domain and predictions out of domain. The median
    errors are over these connections. A prediction out of domain is nearer if its error is smaller
    than that of every family in domain. It is clearly nearer if the difference exceeds the
    half-width of the interval. The smallest of several errors can be small by chance. So
    `one_away_nearer_%` is the probability that one random family out of domain is nearer.
    """
    known = evidence.errors.notna()
    home = evidence.statuses.isin(IN_DOMAIN) & known
    away = ~evidence.statuses.isin(IN_DOMAIN) & known
    native = (evidence.statuses == "native") & known
    size = evidence.errors.abs()
    gain = size.where(home).min(axis=1) - size.where(away).min(axis=1)
    nearer = size.where(away).lt(size.where(home).min(axis=1), axis=0)
    share = nearer.sum(axis=1) / away.sum(axis=1)
    both = home.any(axis=1) & away.any(axis=1)
    for group, inside in groups_of(evidence.connections["happening"], impairments).items():
        if not inside.any():
            continue
        here = inside & both
        yield {
            "happening": group,
            "connections": int(inside.sum()),
            "in_domain": int(home[inside].any(axis=1).sum()),
            "native": int(native[inside].any(axis=1).sum()),
            "both": int(here.sum()),
            "typical_home_%": per_cent(typical(_every(size.where(home)[here]))),
            "typical_away_%": per_cent(typical(_every(size.where(away)[here]))),
            "away_nearer": int((gain[here] > 0).sum()),
            "away_clearly_nearer": int((gain > evidence.connections["half_width"])[here].sum()),
            "one_away_nearer_%": 100 * float(share[here].mean()),
        }


def _every(table: pd.DataFrame) -> pd.Series:
    return table.stack().dropna()
