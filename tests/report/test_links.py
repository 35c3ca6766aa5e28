"""Tables of models' errors by kind of link: models are compared on the same connections."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.quantities import INFINITE
from tcpgoodput.comparison.errors import errors_by
from tcpgoodput.comparison.link_errors import Link, link_errors, read_links
from tcpgoodput.report.errors import SIMULATION, recorded_answers, recorded_tex
from tcpgoodput.report.latex import interval_cell

LINK = Link(
    name="bursts",
    label="bursts",
    impairments=["bursts"],
    measure="events",
    model="pftk",
    others=["mathis"],
)


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
    alone, paired = link_errors(evidence(), [LINK]).to_dict("records")
    assert (alone["n"], alone["median_%"]) == (2, pytest.approx(20))
    assert paired["n"] == 1
    assert paired["median_%"] == pytest.approx(30)
    assert paired["other_median_%"] == pytest.approx(40)


def test_the_nearer_model_is_counted_for_each_connection() -> None:
    known = evidence()
    known.connections["impairments"] = "bursts"
    known.statuses.loc[:, ["pftk", "mathis"]] = "native"
    known.errors["pftk"] = [0.1, -0.2, 0.3, 0.5]
    known.errors["mathis"] = [0.2, 0.3, -0.1, -0.5]
    known.errors.loc[3, "mathis"] += 1e-12
    _, found = link_errors(known, [LINK]).to_dict("records")
    # On the last connection the errors differ by rounding, so it does not count.
    assert (found["different"], found["nearer_%"]) == (3, pytest.approx(200 / 3))
    centre = (2 / 3 + 1.96**2 / 6) / (1 + 1.96**2 / 3)  # centre of Wilson's interval
    middle = (found["nearer_low_%"] + found["nearer_high_%"]) / 2
    assert middle == pytest.approx(100 * centre, rel=1e-4)
    known.errors["mathis"] = -known.errors["pftk"]
    _, alike = link_errors(known, [LINK]).to_dict("records")
    assert math.isnan(alike["nearer_%"])


def test_limited_by_selects_connections_of_a_row() -> None:
    known = evidence()
    known.connections["room"] = [0.5, 1.0, 1.5, 0.5]
    known.connections["window"] = 2.0
    rows = {
        limit: link_errors(known, [LINK.model_copy(update={"limited_by": limit})]).iloc[0]
        for limit in (None, "window", "buffer")
    }
    assert [row["of_connections"] for row in rows.values()] == [3, 2, 1]
    assert [row["n"] for row in rows.values()] == [2, 2, 0]
    # The second connection has neither a receiver window nor a limit of its buffer.
    known.connections["window"] = [2.0, INFINITE, 2.0, 2.0]
    window = LINK.model_copy(update={"limited_by": "window"})
    assert link_errors(known, [window]).iloc[0]["of_connections"] == 1


def test_the_rows_of_the_paper_are_valid() -> None:
    request = read_links()
    assert len({link.name for link in request.links}) == len(request.links)
    assert all(link.model not in link.others for link in request.links)


def test_a_median_over_few_links_has_no_interval() -> None:
    rows = pd.DataFrame({"link": list("aabbccddeeff"), "log_error": np.linspace(0.1, 0.32, 12)})
    (all_links,) = errors_by(rows, cluster="link").to_dict("records")
    assert interval_cell(all_links).startswith("$21$ [$1")
    (few,) = errors_by(rows[rows["link"] < "f"], cluster="link").to_dict("records")
    assert interval_cell(few) == "$19$"


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
