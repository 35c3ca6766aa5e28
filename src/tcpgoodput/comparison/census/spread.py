"""Errors of models over a census, by impairment and by status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.space import JOINED, UNIMPAIRED
from tcpgoodput.comparison.errors import BOUNDS, bias, per_cent, share_within, typical
from tcpgoodput.comparison.families import STATUSES

Record = dict[str, Any]

EVERY, PAIRS = "all", "two at once"
"""Names of the groups of all connections, and of those with two impairments."""

QUANTILES = (0.05, 0.25, 0.50, 0.75, 0.95)

ERROR_COLUMNS = [
    "family",
    "happening",
    "standing",
    "connections",
    "answers",
    "typical_%",
    "bias_%",
    "above_%",
    *(f"q{100 * q:02.0f}_%" for q in QUANTILES),
    *(f"within_{100 * b:g}_%" for b in BOUNDS),
]

CALIBRATION_COLUMNS = ["model", "status", "answers", "bound_%", "share", "share_low", "share_high"]

STANDINGS = {"in domain": IN_DOMAIN, "native": ("native",), "outside": ("out-of-domain",)}
"""Statuses of the predictions that a row of the table summarises, by the row's `standing`."""


def groups_of(happenings: pd.Series, impairments: Sequence[str]) -> dict[str, pd.Series]:
    """Return a mask of the connections in each group of the tables.

    Args:
        happenings: the group of each connection, by impairments; see `space.Happening`.
        impairments: the impairments of the census.

    """
    alone = {name: happenings == name for name in (UNIMPAIRED, *impairments)}
    every = pd.Series(True, index=happenings.index)
    return {EVERY: every, **alone, PAIRS: happenings.str.contains(JOINED, regex=False)}


def errors_of(evidence: Evidence, impairments: Sequence[str]) -> Iterator[Record]:
    """Yield the distribution of each family's errors in each group of connections."""
    groups = groups_of(evidence.connections["happening"], impairments)
    for family in evidence.errors:
        for group, inside in groups.items():
            for standing, statuses in STANDINGS.items():
                wanted = inside & evidence.statuses[family].isin(statuses)
                errors = evidence.errors.loc[wanted, family].dropna()
                if errors.empty:
                    continue
                quantiles = np.quantile(errors, QUANTILES)
                yield {
                    "family": family,
                    "happening": group,
                    "standing": standing,
                    "connections": int(inside.sum()),
                    "answers": len(errors),
                    "typical_%": per_cent(typical(errors)),
                    "bias_%": per_cent(bias(errors)),
                    "above_%": per_cent(float((errors > 0).mean())),
                    **{
                        f"q{100 * q:02.0f}_%": per_cent(value)
                        for q, value in zip(QUANTILES, quantiles, strict=True)
                    },
                    **{f"within_{100 * b:g}_%": 100 * share_within(errors, b) for b in BOUNDS},
                }


def calibration_of(evidence: Evidence) -> Iterator[Record]:
    """Yield, for each model and status, the share of predictions with errors below each bound."""
    for model in evidence.of_models:
        for status in STATUSES:
            wanted = evidence.statuses_of_models[model] == status
            errors = evidence.of_models.loc[wanted, model].dropna().abs()
            if errors.empty:
                continue
            for bound in BOUNDS:
                held = int((errors <= bound).sum())
                interval = binomtest(held, len(errors)).proportion_ci(method="wilson")
                yield {
                    "model": model,
                    "status": status,
                    "answers": len(errors),
                    "bound_%": 100 * bound,
                    "share": held / len(errors),
                    "share_low": interval.low,
                    "share_high": interval.high,
                }
