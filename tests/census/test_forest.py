"""The project's random forest predicts exactly the same as scikit-learn's."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from tcpgoodput.comparison.census.read import Forest


def test_predictions_equal_those_of_the_librarys_forest() -> None:
    random = np.random.default_rng(3)
    rows = pd.DataFrame(random.random((500, 4)), columns=list("abcd"))
    wanted = rows["a"] * rows["b"] + random.normal(0, 0.1, 500)
    settings = {"min_samples_leaf": 5, "max_features": 0.5, "random_state": 0}
    ours = Forest(20, **settings).fit(rows[:250], wanted[:250])
    theirs = RandomForestRegressor(20, **settings).fit(rows[:250], wanted[:250])
    assert (ours.predict(rows[250:]) == theirs.predict(rows[250:])).all()
    assert ours.score(rows[250:], wanted[250:]) == theirs.score(rows[250:], wanted[250:])
