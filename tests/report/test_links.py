"""Tables of models' errors by kind of link: models are compared on the same connections."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.configuration import read, validated
from tcpgoodput.report.links import (
    FILE,
    SIMULATION,
    Link,
    LinksFile,
    Nearer,
    _rows,
    recorded_answers,
    recorded_tex,
)
from tcpgoodput.report.spread import Errors

LINK = Link(
    name="bursts",
    label="bursts",
    impairments=["bursts"],
    measure="events",
    model="pftk",
    others=["mathis"],
)
TWO = math.log(2)


def evidence() -> Evidence:
    """Return four synthetic connections with the errors of three models.

    Three connections have bursts. On two of these PFTK is in domain, on one also Mathis.
    """
    connections = pd.DataFrame(
        {
            "point": [0, 1, 2, 3],
            "impairments": ["bursts", "bursts", "bursts", "spikes"],
            "half_width": 0.01,
            "capacity_change": [0.0, 0.0, 1.0, 0.0],
            "product": [5.0, 20.0, 100.0, 20.0],
            "ack_every": [1.0, 1.0, 2.0, 2.0],
        }
    )
    errors = pd.DataFrame(
        {
            "pftk": [0.1, -0.3, 0.5, 0.7],
            "mathis": [0.2, 0.4, 0.6, 0.8],
            "variable_capacity.fluid": [0.0, 0.0, 0.05, 0.0],
        }
    )
    statuses = pd.DataFrame(
        {
            "pftk": ["native", "reduced", "out-of-domain", "native"],
            "mathis": ["out-of-domain", "native", "native", "native"],
            "variable_capacity.fluid": "native",
        }
    )
    return Evidence(connections, errors, statuses, errors, statuses, connections)


def test_two_models_are_compared_only_if_both_are_in_domain() -> None:
    alone, paired = _rows(evidence(), [LINK])
    assert (alone.own.count, alone.own.median) == (2, pytest.approx(0.2))
    assert paired.own.count == 1
    assert paired.own.median == pytest.approx(0.3)
    assert paired.others is not None
    assert paired.others.median == pytest.approx(0.4)
    assert paired.record()["other_median_%"] == pytest.approx(40)


def test_the_nearer_model_is_counted_for_each_connection() -> None:
    nearer = Nearer.of(pd.Series([0.1, -0.2, 0.3, 0.5]), pd.Series([0.2, 0.3, -0.1, -0.5]))
    # On the last connection both errors are equally large, so it does not count.
    assert nearer.share == pytest.approx(2 / 3)
    centre = (2 / 3 + 1.96**2 / 6) / (1 + 1.96**2 / 3)  # centre of Wilson's interval
    assert (nearer.low + nearer.high) / 2 == pytest.approx(centre, rel=1e-4)
    assert math.isnan(Nearer.of(pd.Series([0.1]), pd.Series([-0.1])).share)


def test_limited_by_selects_connections_of_a_row() -> None:
    known = evidence()
    known.connections["room"] = [0.5, 1.0, 1.5, 0.5]
    rows = {
        limit: next(_rows(known, [LINK.model_copy(update={"limited_by": limit})]))
        for limit in (None, "window", "buffer")
    }
    assert [row.of_connections for row in rows.values()] == [3, 2, 1]
    assert [row.own.count for row in rows.values()] == [2, 2, 0]


def test_few_errors_have_a_median_and_no_finite_interval() -> None:
    assert Errors.of([]).count == 0
    assert math.isnan(Errors.of([]).median)
    assert Errors.of([0.1, -0.2]).high == math.inf
    many = Errors.of(np.linspace(-1, 1, 201))
    assert many.low < many.median < many.high < many.ninety


def test_the_rows_of_the_paper_are_valid() -> None:
    request = validated(LinksFile, read(FILE))
    assert len({link.name for link in request.links}) == len(request.links)
    assert all(link.model not in link.others for link in request.links)


def test_a_median_over_few_links_has_no_interval() -> None:
    links = pd.Series(list("aabbccddeeff"))
    errors = pd.Series(np.linspace(0.1, 0.32, 12))
    assert Errors.clustered(errors, links).cell.startswith("$21$ [$1")
    few = links < "f"
    found = Errors.clustered(errors[few], links[few])
    assert found.cell == "$19$"
    assert math.isnan(found.low)


def test_a_row_of_recorded_links_is_a_link_and_the_last_rows_are_all_links() -> None:
    answers = pd.DataFrame(
        {
            "link": ["evdo", "evdo", "nr", "nr", "nr"],
            "buffer_packets": [4, 4, 4, 9, 4],
            "buffer_bdp": [0.1, 0.5, 1.0, 4.0, 1.0],
            "variant": "sack",
            "model": "variable_capacity.fluid",
            "view": ["recorded", "recorded", "recorded", "recorded", "another"],
            "drive": ["", "", "", "", "c"],
            "status": "native",
            "goodput_bps": [1.1, 1.1, 1.2, 1.2, 2.0],
            "simulated_bps": 1.0,
        }
    )
    text = recorded_tex(answers)
    # Both connections of the first link have four packets of buffer, so they count as one.
    assert "3G (EVDO) & 1 & --- & --- & $9.5$ & --- & --- & ---" in text
    assert "5G & 2 & --- & --- & $18$ & $69$ & --- & ---" in text
    # The rows of single buffers are about all links.
    assert "buffer of 0.5 BDP & 1 & --- & --- & $9.5$ & --- & --- & ---" in text
    assert "buffer of 4 BDP & 1 & --- & --- & $18$ & --- & --- & ---" in text
    assert "all & 3 & --- & --- & $18$ & --- & --- & ---" in text


def test_a_simulation_of_the_first_half_is_judged_on_the_connections_of_the_fluid() -> None:
    answers = recorded_answers()
    fluid, simulated = (answers[answers["view"] == view] for view in ("recorded", SIMULATION))
    connections = ["link", "buffer_bdp", "variant"]
    fluid = fluid[fluid["status"] == "native"]
    assert simulated[connections].merge(fluid[connections]).drop_duplicates().shape[0] == len(
        simulated
    )
    pairs = simulated.merge(fluid, on=connections)
    assert (pairs["simulated_bps_x"] == pairs["simulated_bps_y"]).all()
