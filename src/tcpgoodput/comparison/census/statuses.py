"""Errors of predictions by status, over several parts of a census."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.space import UNIMPAIRED
from tcpgoodput.comparison.census.spread import EVERY, groups_of
from tcpgoodput.comparison.errors import BOUNDS, per_cent, share_within, typical
from tcpgoodput.comparison.families import STATUSES

CLOSELY, IMPAIRED, MEASURED = "measured closely", "impaired", "measured"
"""Parts of a census: precisely measured connections, those of them with an impairment, and all
connections with a goodput."""

MODELS, FAMILIES = "models", "families"

COLUMNS = [
    "connections",
    "happening",
    "of",
    "status",
    "answers",
    "typical_%",
    *(f"within_{100 * b:g}_%" for b in BOUNDS),
]


def statuses_of(measured: Evidence, impairments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the errors of predictions by status, pooled over all models and over all families.

    Rows over precisely measured connections are also given for each impairment.
    """
    happening = measured.connections["happening"]
    groups = groups_of(happening, impairments)
    parts = {(CLOSELY, group): measured.close & inside for group, inside in groups.items()}
    parts[IMPAIRED, EVERY] = measured.close & (happening != UNIMPAIRED)
    parts[MEASURED, EVERY] = groups[EVERY]
    pooled = {
        MODELS: (measured.of_models, measured.statuses_of_models),
        FAMILIES: (measured.errors, measured.statuses),
    }
    for (part, group), inside in parts.items():
        for of, (errors, statuses) in pooled.items():
            for status in STATUSES:
                own = [errors.loc[inside & (statuses[c] == status), c] for c in errors]
                found = pd.concat(own).dropna()
                if found.empty:
                    continue
                yield {
                    "connections": part,
                    "happening": group,
                    "of": of,
                    "status": status,
                    "answers": len(found),
                    "typical_%": per_cent(typical(found)),
                    **{f"within_{100 * b:g}_%": 100 * share_within(found, b) for b in BOUNDS},
                }
