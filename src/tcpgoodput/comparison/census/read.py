"""Evaluate a random sample of connections; settings define how the results are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census import advice, summary
from tcpgoodput.comparison.census import tree as trees
from tcpgoodput.comparison.census.design import COUNTS
from tcpgoodput.comparison.census.evidence import (
    Evidence,
    read_evidence,
    sizes,
    split_halves,
    unanswered_note,
)
from tcpgoodput.comparison.census.quantities import QUANTITIES
from tcpgoodput.comparison.census.record import verified_path
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.comparison.families import families_of
from tcpgoodput.models import MODELS
from tcpgoodput.storage import csv_text

if TYPE_CHECKING:
    from tcpgoodput.comparison.schema import Family
    from tcpgoodput.style import Style


def to_read(space: Space, named: Sequence[Family], style: Style) -> dict[str, Any]:
    """Return the settings with which a random sample is evaluated and shown.

    Returns:
        A dict that can be written as JSON: `name`, `title`, `families` (models by family),
        `labels` (by family), `impairments`, `half_width` and `style`.

    """
    chosen = space.census.models or MODELS.names()
    members = {
        family: [model for model in models if model in chosen]
        for family, models in families_of(named, chosen).items()
    }
    families = {family: models for family, models in members.items() if models}
    labels = {family.models[0]: family.label for family in named}
    return {
        "name": space.name,
        "title": space.census.title,
        "families": families,
        "labels": {family: labels.get(family) for family in families},
        "impairments": list(space.census.impairments),
        "half_width": space.census.precision.half_width,
        "style": style.palette.model_dump(mode="json"),
    }


def findings(looks: Mapping[str, Any], table: Path) -> dict[str, str]:
    """Return all tables that are computed from one random sample, as CSV by name.

    Args:
        looks: settings for the evaluation of the sample; see `to_read`.
        table: file with the measurements and predictions of the sample.

    Raises:
        ConfigurationError: the table is recorded, but was changed afterwards.

    """
    measured = read_evidence(verified_path(table), looks["families"])
    if note := unanswered_note(table, looks["families"]):
        print(note)
    evidence = measured.with_narrow_intervals()
    training, validation = split_halves(evidence)
    tree = trees.grow(evidence, training)
    impairments = looks["impairments"]
    half_width = measured.drawn["half_width"]
    counted = {
        "points": measured.points,
        "drawn": len(measured.drawn),
        "unresolved": int(half_width.isna().sum()),
        "close": len(evidence.connections),
        "typical_half_width_%": per_cent(typical(half_width.dropna())),
        "typical_close_half_width_%": per_cent(typical(evidence.connections["half_width"])),
        "typical_packets": int(measured.connections["packets"].median()),
        "as_narrow_as_requested": int((half_width <= looks["half_width"]).sum()),
        "fitted_connections": int(training.sum()),
        "validation_connections": int(validation.sum()),
    }
    tables: dict[str, tuple[list[str], Iterable[dict[str, Any]]]] = {
        COUNTS: (list(counted), [counted]),
        "left_out": (summary.LEFT_OUT_COLUMNS, summary.left_out_of(measured, impairments)),
        "ranges": (summary.RANGE_COLUMNS, summary.ranges_of(measured.drawn)),
        "errors": (summary.ERROR_COLUMNS, summary.errors_of(evidence, impairments)),
        "calibration": (summary.CALIBRATION_COLUMNS, summary.calibration_of(evidence)),
        "statuses": (summary.STATUS_COLUMNS, summary.statuses_of(measured, impairments)),
        "in_domain": (summary.DOMAIN_COLUMNS, summary.domains_of(evidence, impairments)),
        "importance": (IMPORTANCE_COLUMNS, importance_of(evidence)),
        "tree": (trees.TREE_COLUMNS, trees.tree_rows(tree, evidence, validation)),
        "advice": (
            advice.COLUMNS,
            advice.advice_rows(tree, measured, split_halves(measured)[1], impairments),
        ),
        "pairs": (summary.PAIR_COLUMNS, summary.pairs_of(evidence, validation)),
    }
    return {name: csv_text(columns, rows) for name, (columns, rows) in tables.items()}


IMPORTANCE_COLUMNS = [
    *("family", "quantity", "importance", "standard_deviation", "explained", "answers")
]

FEWEST, MOST = 400, 8000
"""FEWEST: smallest number of a model family's predictions in domain, in each half of the sample,
for which a random forest is fitted. MOST: largest number of predictions that a forest uses from
each half. Both are chosen by hand."""

TREES, LEAF, SHUFFLES = 60, 10, 3


def importance_of(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield the importance of each quantity for the errors of each family of models.

    A random forest learns the size of a family's error from all quantities, on one half of the
    connections. On the other half the values of one quantity at a time are shuffled. The resulting
    loss of explained variance is the importance of that quantity. It is 0 if the error does not
    depend on the quantity. Only families with enough predictions in domain have rows.
    """
    from sklearn.inspection import permutation_importance

    training, validation = split_halves(evidence)
    values = evidence.connections[list(QUANTITIES)]
    for family in evidence.errors:
        in_domain = evidence.statuses[family].isin(IN_DOMAIN) & evidence.errors[family].notna()
        fitted, tested = (
            np.flatnonzero(in_domain & half)[:MOST] for half in (training, validation)
        )
        if min(len(fitted), len(tested)) < FEWEST:
            continue
        of = pd.Series(sizes(evidence.errors[family]))
        forest = Forest(TREES, min_samples_leaf=LEAF, max_features=0.5, n_jobs=1, random_state=0)
        forest.fit(values.iloc[fitted], of.iloc[fitted])
        explained = forest.score(values.iloc[tested], of.iloc[tested])
        found = permutation_importance(
            forest, values.iloc[tested], of.iloc[tested], n_repeats=SHUFFLES, random_state=0
        )
        for quantity, mean, deviation in zip(
            QUANTITIES, found.importances_mean, found.importances_std, strict=True
        ):
            yield {
                "family": family,
                "quantity": quantity,
                "importance": float(mean),
                "standard_deviation": float(deviation),
                "explained": explained,
                "answers": int(in_domain.sum()),
            }


class Forest(RandomForestRegressor):  # type: ignore[misc]
    """Scikit-learn's random forest, but with sequential prediction.

    Its predictions are bit-identical to scikit-learn's, whose parallel prediction costs as much
    time as the predictions themselves.
    """

    def predict(self, rows: Any) -> NDArray[np.float64]:
        """Return the mean of the predictions of the forest's trees for each row."""
        values = np.ascontiguousarray(rows, dtype=np.float32)
        total = np.zeros(len(values))
        for tree in self.estimators_:
            total += tree.tree_.predict(values)[:, 0]
        return total / len(self.estimators_)
