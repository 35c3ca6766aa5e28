"""Importance of each quantity for a family's errors, by a random forest.

The forest learns the size of an error from all quantities on one half of the connections. On the
other half the values of one quantity at a time are shuffled. The loss of explained variance is the
importance of that quantity; it is 0 if the error does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence, sizes, split_halves
from tcpgoodput.comparison.census.quantities import QUANTITIES

COLUMNS = ["family", "quantity", "importance", "standard_deviation", "explained", "answers"]

FEWEST, MOST = 400, 8000
"""Smallest number of a family's predictions in domain in each half, and the largest number that is
used. With fewer than `FEWEST`, no forest is fitted."""

TREES, LEAF, SHUFFLES = 60, 10, 3


def importance_of(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield the importance of each quantity for each family with enough predictions in domain."""
    from sklearn.inspection import permutation_importance

    grown, judged = split_halves(evidence)
    values = evidence.connections[list(QUANTITIES)]
    for family in evidence.errors:
        home = evidence.statuses[family].isin(IN_DOMAIN) & evidence.errors[family].notna()
        learnt, tested = (np.flatnonzero(home & half)[:MOST] for half in (grown, judged))
        if min(len(learnt), len(tested)) < FEWEST:
            continue
        of = pd.Series(sizes(evidence.errors[family]))
        forest = Forest(TREES, min_samples_leaf=LEAF, max_features=0.5, n_jobs=1, random_state=0)
        forest.fit(values.iloc[learnt], of.iloc[learnt])
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
                "answers": int(home.sum()),
            }


class Forest(RandomForestRegressor):  # type: ignore[misc]
    """Scikit-learn's forest with sequential prediction.

    Its predictions are bit-identical to scikit-learn's, whose parallel prediction costs as much
    time as the predictions themselves.
    """

    def predict(self, rows: Any) -> NDArray[np.float64]:
        """Return the mean of the trees' predictions for each row."""
        values = np.ascontiguousarray(rows, dtype=np.float32)
        total = np.zeros(len(values))
        for tree in self.estimators_:
            total += tree.tree_.predict(values)[:, 0]
        return total / len(self.estimators_)
