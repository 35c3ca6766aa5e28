"""Errors of models that know, or do not know, that a link retransmits; by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import Chunk, Space, drawn
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.read import retransmission_errors
from tests.census.spaces import SMALL, space

ERROR = 0.3
SENDERS = {"variable_capacity.closed_form": "newreno", "cubic": "cubic"}


def links() -> Space:
    """Return a sample whose links repeat frames until nearly all arrive, and have large windows."""
    tcp = {"variant": "newreno", "mss_bytes": 1000, "header_bytes": 0}
    path = {**SMALL["scenario"]["path"], "rate_bps": 1e6, "buffer_packets": 200}
    turnaround = {"law": "choice", "values": [0, 0.002]}
    order = {"law": "choice", "values": ["in-order", "as-it-comes"]}
    return space(
        scenario={"tcp": tcp, "path": path, "arq": {"error": ERROR, "attempts": 60}},
        draw={"rtt": SMALL["draw"]["rtt"], "arq.turnaround_s": turnaround, "arq.delivery": order},
    )


def test_a_model_without_knowledge_of_a_full_link_is_off_by_its_mean_attempts() -> None:
    own = links()
    rate_pps = 1e6 / 8000
    connections = list(drawn(own, Chunk(0, 64)))
    table = pd.DataFrame(
        {
            "point": [c.number for c in connections],
            "impairments": [c.impairments for c in connections],
            "goodput_pps": rate_pps * (1 - ERROR),
        }
    )
    empty = pd.DataFrame()
    evidence = Evidence(table, empty, empty, empty, empty, table)
    rows = retransmission_errors(own, evidence, SENDERS, Conditions())
    alone = [c.number for c in connections if c.impairments == "nothing"]
    assert set(rows["model"]) == {"variable_capacity.closed_form"}  # no sender is CUBIC
    assert rows["point"].tolist() == [number for number in alone for _ in range(2)]
    wide = rows.pivot(index="point", columns="knows", values="log_error")
    # R-WIN smooths the transition to the full link: (1 + 4**-4)**(1/4) is 1.001.
    assert wide["link"].tolist() == pytest.approx([0] * len(wide), abs=0.001)
    assert wide["frames"].tolist() == pytest.approx([-math.log(1 - ERROR)] * len(wide))
    of_point = rows.groupby("point")["status"]
    assert (of_point.nunique() == 1).all()
    scenarios = {c.number: c.scenario for c in connections}
    for row in rows.itertuples():
        arq = scenarios[row.point].arq
        assert arq is not None
        assert row.delivery == (arq.delivery if arq.turnaround_s else "stop-and-wait")


def test_a_sample_without_connections_has_all_columns() -> None:
    empty = pd.DataFrame()
    none = pd.DataFrame(columns=["point", "impairments", "goodput_pps"])
    evidence = Evidence(none, empty, empty, empty, empty, none)
    rows = retransmission_errors(links(), evidence, SENDERS, Conditions())
    assert rows.empty
    assert {"point", "model", "delivery", "knows", "status", "log_error"} == set(rows)
