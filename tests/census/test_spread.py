"""Tables of the models' errors, statuses and domains on a sample of connections.

The values are checked by counting.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

from tcpgoodput.comparison.census import read
from tcpgoodput.comparison.census.evidence import EVERY, PAIRS
from tcpgoodput.comparison.census.quantities import INFINITE
from tcpgoodput.comparison.census.read import Forest
from tests.census.evidences import COUNT, evidence


def test_rows_have_each_error_with_its_group_and_status() -> None:
    known = evidence()
    known.errors.loc[:99, "one"] = np.nan
    known.statuses.loc[:, "other"] = "reduced"
    known.connections.loc[:4, "impairments"] = "loss and spikes"
    rows = known.rows()
    assert rows["family"].value_counts().to_dict() == {"one": COUNT - 100, "other": COUNT}
    assert set(rows.loc[rows["family"] == "other", "status"]) == {"reduced"}
    assert set(rows.loc[rows["impairments"] == "loss and spikes", "group"]) == {PAIRS}
    own = rows[rows["family"] == "other"].set_index("point")["log_error"]
    assert (own == known.errors["other"]).all()
    assert list(known.rows("model")["model"].unique()) == ["one", "other"]


def test_a_family_out_of_domain_is_nearer_only_if_nearer_than_all_in_domain() -> None:
    known = evidence()
    known.statuses["one"] = "out-of-domain"
    known.errors.loc[:99, "other"] = np.nan
    # If the measured goodput is uncertain by ±50 %, the model with the smaller error is unknown.
    known.connections.loc[100:599, "half_width"] = 0.5
    (row, *_) = read.domains_of(known).to_dict("records")
    nearer = known.connections["loss"].loc[100:] <= 0.3
    assert row["in_domain"] == row["native"] == row["both"] == COUNT - 100
    assert row["out_of_domain_nearer_%"] == pytest.approx(100 * nearer.mean())
    assert row["out_of_domain_clearly_nearer"] == nearer.loc[600:].sum()


def test_wide_intervals_are_counted_as_left_out() -> None:
    known = evidence()
    known.drawn.loc[:4, "half_width"] = [0.06, np.nan, 0.05, 1.0, 0.0]
    rows = read.left_out_of(known).set_index("group")
    assert rows.loc[EVERY].to_dict() == {"drawn": COUNT, "left_out": 3}
    assert rows["left_out"].drop(EVERY).sum() == 3


def test_a_range_leaves_out_endless_values() -> None:
    connections = evidence().connections
    connections["window"] = np.where(connections["point"] < 10, INFINITE, connections["point"])
    ranges = read.ranges_of(connections).set_index("quantity")
    assert ranges.loc["window"].tolist() == [10.0, COUNT - 1.0, True]
    assert not ranges.at["loss", "endless"]


def test_counts_tell_how_precisely_goodputs_are_measured() -> None:
    known = evidence()
    known.drawn.loc[:9, "half_width"] = np.nan
    (row,) = read.counts_of(known, 0.03).to_dict("records")
    assert (row["drawn"], row["unresolved"]) == (COUNT, 10)
    assert row["as_narrow_as_requested"] == row["close"] == COUNT - 10
    assert row["median_half_width_%"] == pytest.approx(2)


def test_predictions_equal_those_of_the_librarys_forest() -> None:
    random = np.random.default_rng(3)
    rows = pd.DataFrame(random.random((500, 4)), columns=list("abcd"))
    wanted = rows["a"] * rows["b"] + random.normal(0, 0.1, 500)
    settings = {"min_samples_leaf": 5, "max_features": 0.5, "random_state": 0}
    ours = Forest(20, **settings).fit(rows[:250], wanted[:250])
    theirs = RandomForestRegressor(20, **settings).fit(rows[:250], wanted[:250])
    assert (ours.predict(rows[250:]) == theirs.predict(rows[250:])).all()
    assert ours.score(rows[250:], wanted[250:]) == theirs.score(rows[250:], wanted[250:])


def test_a_sample_without_narrow_intervals_has_all_columns_and_no_medians() -> None:
    known = evidence()
    for table in (known.connections, known.drawn):
        table["half_width"] = 0.2
    (row,) = read.counts_of(known, 0.03).to_dict("records")
    assert (row["close"], row["median_half_width_%"]) == (0, pytest.approx(20))
    assert math.isnan(row["median_close_half_width_%"])
    domains = read.domains_of(known.with_narrow_intervals())
    assert (list(domains), len(domains)) == (read.DOMAIN_COLUMNS, 0)
