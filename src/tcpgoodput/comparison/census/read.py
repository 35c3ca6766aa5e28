"""Evaluate a random sample of connections; settings define how the results are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from tcpgoodput.comparison.answers import IN_DOMAIN
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
from tcpgoodput.comparison.families import families_of
from tcpgoodput.models import MODELS

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


def read_sample(looks: Mapping[str, Any], table: Path) -> Evidence:
    """Read the measurements and predictions of a random sample.

    Models of which the table has no predictions are named on the standard output.

    Args:
        looks: settings for the evaluation of the sample; see `to_read`.
        table: file with the measurements and predictions of the sample.

    Raises:
        ConfigurationError: the table is recorded, but was changed afterwards.

    """
    measured = read_evidence(verified_path(table), looks["families"])
    if note := unanswered_note(table, looks["families"]):
        print(note)
    return measured


IMPORTANCE_COLUMNS = [
    *("family", "quantity", "importance", "standard_deviation", "explained", "answers")
]

FEWEST, MOST = 400, 8000
"""FEWEST: smallest number of a model family's predictions in domain, in each half of the sample,
for which a random forest is fitted. MOST: largest number of predictions that a forest uses from
each half. Both are chosen by hand."""

TREES, LEAF, SHUFFLES = 60, 10, 3


def importance_of(evidence: Evidence) -> pd.DataFrame:
    """Return the importance of each quantity for the errors of each family of models.

    A random forest learns the size of a family's error from all quantities, on one half of the
    connections. On the other half the values of one quantity at a time are shuffled. The resulting
    loss of explained variance is the importance of that quantity. It is 0 if the error does not
    depend on the quantity. Only families with enough predictions in domain have rows.
    """
    from sklearn.inspection import permutation_importance

    rows: list[tuple[Any, ...]] = []
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
            explains = (float(mean), float(deviation), explained)
            rows.append((family, quantity, *explains, int(in_domain.sum())))
    return pd.DataFrame(rows, columns=IMPORTANCE_COLUMNS)


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
