"""Tables about a random sample: ranges of quantities, and errors by impairment and status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import NARROW, Evidence
from tcpgoodput.comparison.census.quantities import INFINITE, QUANTITIES
from tcpgoodput.comparison.census.space import JOINED, UNIMPAIRED
from tcpgoodput.comparison.errors import BOUNDS, bias, per_cent, share_within, typical
from tcpgoodput.comparison.families import STATUSES

LEFT_OUT_COLUMNS = ["impairments", "drawn", "left_out"]

RANGE_COLUMNS = ["quantity", "lowest", "highest", "endless"]


def left_out_of(evidence: Evidence, impairments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield, for each group of connections, how many there are and how many are left out.

    Connections with a wide confidence interval of the goodput are left out of other tables.
    """
    close = evidence.drawn["half_width"] <= NARROW
    for group, inside in groups_of(evidence.drawn["impairments"], impairments).items():
        yield {
            "impairments": group,
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
        finite = values[values < INFINITE]
        yield {
            "quantity": name,
            "lowest": float(finite.min()),
            "highest": float(finite.max()),
            "endless": bool((values >= INFINITE).any()),
        }


Record = dict[str, Any]

EVERY, PAIRS = "all", "two at once"
"""Names of the groups of all connections, and of those with two impairments."""

QUANTILES = (0.05, 0.25, 0.50, 0.75, 0.95)

ERROR_COLUMNS = [
    *("family", "impairments", "standing", "connections", "answers", "typical_%", "bias_%"),
    "above_%",
    *(f"q{100 * q:02.0f}_%" for q in QUANTILES),
    *(f"within_{100 * b:g}_%" for b in BOUNDS),
]

CALIBRATION_COLUMNS = ["model", "status", "answers", "bound_%", "share", "share_low", "share_high"]

STANDINGS = {"in domain": IN_DOMAIN, "native": ("native",), "outside": ("out-of-domain",)}
"""Statuses of the predictions that a row of errors summarises, by the row's value of `standing`."""


def groups_of(group_names: pd.Series, impairments: Sequence[str]) -> dict[str, pd.Series]:
    """Return the groups of connections that the tables summarise, each as a mask of connections.

    The groups are all connections, those without impairment, those with one impairment alone (a
    group for each impairment), and those with a pair of impairments.

    Args:
        group_names: the impairments of each connection as a name; see `space.ImpairmentGroup`.
        impairments: the single impairments that get a group of their own.

    """
    alone = {name: group_names == name for name in (UNIMPAIRED, *impairments)}
    every = pd.Series(True, index=group_names.index)
    return {EVERY: every, **alone, PAIRS: group_names.str.contains(JOINED, regex=False)}


def errors_of(evidence: Evidence, impairments: Sequence[str]) -> Iterator[Record]:
    """Yield the distribution of each model family's errors in each group of connections."""
    groups = groups_of(evidence.connections["impairments"], impairments)
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
                    "impairments": group,
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
    """Yield, for each model and status, the share of errors within each bound of `BOUNDS`."""
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


CLOSELY, IMPAIRED, MEASURED = "measured closely", "impaired", "measured"
"""Values of the column `connections`: connections whose goodput has a narrow interval, such
connections with an impairment, and all connections with a goodput."""

MODELS, FAMILIES = "models", "families"

STATUS_COLUMNS = [
    *("connections", "impairments", "of", "status", "answers", "typical_%"),
    *(f"within_{100 * b:g}_%" for b in BOUNDS),
]


def statuses_of(measured: Evidence, impairments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the errors of predictions by status: of all models together, and of all families.

    For connections with a narrow interval there are also rows for each impairment.
    """
    group_names = measured.connections["impairments"]
    groups = groups_of(group_names, impairments)
    parts = {(CLOSELY, group): measured.close & inside for group, inside in groups.items()}
    parts[IMPAIRED, EVERY] = measured.close & (group_names != UNIMPAIRED)
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
                    "impairments": group,
                    "of": of,
                    "status": status,
                    "answers": len(found),
                    "typical_%": per_cent(typical(found)),
                    **{f"within_{100 * b:g}_%": 100 * share_within(found, b) for b in BOUNDS},
                }


DOMAIN_COLUMNS = [
    *("impairments", "connections", "in_domain", "native", "both", "typical_error_in_domain_%"),
    *(
        "typical_error_out_of_domain_%",
        "out_of_domain_nearer",
        "out_of_domain_clearly_nearer",
        "one_out_of_domain_nearer_%",
    ),
]


def domains_of(evidence: Evidence, impairments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield, for each group, the errors of model families in their domain and out of their domain.

    `in_domain` counts the connections with at least one prediction in domain, `native` those with a
    native prediction. `both` counts the connections that have a prediction in domain and one out of
    domain; all further columns use only such connections. `typical_error_in_domain_%` is the median
    error of predictions in domain, `typical_error_out_of_domain_%` that of predictions out of
    domain. `out_of_domain_nearer` counts the connections on which the smallest error is that of a
    prediction out of domain; `out_of_domain_clearly_nearer` requires a difference above the
    simulation's half-width.

    The smallest of several errors can be small by chance. `one_out_of_domain_nearer_%` avoids this:
    it is the probability that a randomly chosen family out of domain has a smaller error than every
    family in domain.
    """
    known = evidence.errors.notna()
    in_domain = evidence.statuses.isin(IN_DOMAIN) & known
    out_of_domain = ~evidence.statuses.isin(IN_DOMAIN) & known
    native = (evidence.statuses == "native") & known
    size = evidence.errors.abs()
    gain = size.where(in_domain).min(axis=1) - size.where(out_of_domain).min(axis=1)
    nearer = size.where(out_of_domain).lt(size.where(in_domain).min(axis=1), axis=0)
    share = nearer.sum(axis=1) / out_of_domain.sum(axis=1)
    both = in_domain.any(axis=1) & out_of_domain.any(axis=1)
    for group, inside in groups_of(evidence.connections["impairments"], impairments).items():
        if not inside.any():
            continue
        here = inside & both
        yield {
            "impairments": group,
            "connections": int(inside.sum()),
            "in_domain": int(in_domain[inside].any(axis=1).sum()),
            "native": int(native[inside].any(axis=1).sum()),
            "both": int(here.sum()),
            "typical_error_in_domain_%": per_cent(typical(_every(size.where(in_domain)[here]))),
            "typical_error_out_of_domain_%": per_cent(
                typical(_every(size.where(out_of_domain)[here]))
            ),
            "out_of_domain_nearer": int((gain[here] > 0).sum()),
            "out_of_domain_clearly_nearer": int(
                (gain > evidence.connections["half_width"])[here].sum()
            ),
            "one_out_of_domain_nearer_%": 100 * float(share[here].mean()),
        }


def _every(table: pd.DataFrame) -> pd.Series:
    return table.stack().dropna()


CONSTANT, VARYING = "constant", "varying"

PAIR_COLUMNS = ["family", "other", "capacity", "connections", "typical_%", "within_10_%", "nearer"]


def pairs_of(evidence: Evidence, validation: pd.Series) -> Iterator[dict[str, Any]]:
    """Yield the errors of each model family, compared with each other model family.

    The column `nearer` counts the connections on which the first family has the smaller error.
    There are rows for constant capacity, for varying capacity, and for both.

    Args:
        evidence: the connections, with the errors of each family.
        validation: whether each connection belongs to the validation half; others are left out.

    """
    constant = evidence.connections["capacity_change"] == 0
    capacities = {EVERY: constant | ~constant, CONSTANT: constant, VARYING: ~constant}
    size = evidence.errors.abs()
    for family, other in permutations(size.columns, 2):
        both = validation & size[family].notna() & size[other].notna()
        for capacity, inside in capacities.items():
            here = both & inside
            if not here.any():
                continue
            found = size.loc[here, family]
            yield {
                "family": family,
                "other": other,
                "capacity": capacity,
                "connections": int(here.sum()),
                "typical_%": per_cent(typical(found)),
                "within_10_%": 100 * share_within(found, 0.1),
                "nearer": int((found < size.loc[here, other]).sum()),
            }
