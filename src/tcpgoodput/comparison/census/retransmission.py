"""Errors of models on links that retransmit, with and without knowledge of the retransmissions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import Chunk, drawn
from tcpgoodput.comparison.census.evidence import Evidence
from tcpgoodput.comparison.census.space import UNIMPAIRED, Space
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario

STOP_AND_WAIT = "stop-and-wait"
"""Name of the order of delivery of a link without turnaround: its packets leave in order."""

LINK, FRAMES = "link", "frames"
"""What a model knows: the link with its retransmissions, or the rate of its frames alone."""


def retransmission_errors(
    space: Space, evidence: Evidence, senders: Mapping[str, str], conditions: Conditions
) -> pd.DataFrame:
    """Return the errors of models with and without knowledge of the link's retransmissions.

    The connections are those of a random sample whose only impairment is the link. A model without
    this knowledge is evaluated on the same connection without `arq`, on which the link has the rate
    at which it sends frames.

    Args:
        space: a random sample whose links retransmit.
        evidence: its measured connections.
        senders: names of models, each with the sender (`tcp.variant`) of its connections.
        conditions: the equations of the models.

    Returns:
        A row for each connection, model and knowledge with an answer, with the columns `point`,
        `model`, `delivery` (`stop-and-wait`, `in-order` or `as-it-comes`), `knows` (`link` or
        `frames`), `status` (of the model that knows the link, so that it is the same in both rows)
        and `log_error`.

    """
    found = evidence.connections
    alone = found[found["impairments"] == UNIMPAIRED].set_index("point")
    rows: list[dict[str, Any]] = []
    for number, scenario in _scenarios(space, alone.index):
        goodput_pps = float(alone.at[number, "goodput_pps"])
        models = [model for model, variant in senders.items() if variant == scenario.tcp.variant]
        rows += _rows(scenario, goodput_pps, number, models, conditions)
    return pd.DataFrame(rows)


def _scenarios(space: Space, points: pd.Index) -> Iterator[tuple[int, Scenario]]:
    """Yield the connections of some points, with the points' numbers."""
    wanted = set(points)
    for connection in drawn(space, Chunk(0, max(wanted, default=-1) + 1)):
        if connection.number in wanted:
            yield connection.number, connection.scenario


def _rows(
    scenario: Scenario,
    goodput_pps: float,
    number: int,
    models: Sequence[str],
    conditions: Conditions,
) -> Iterator[dict[str, Any]]:
    """Yield the errors of all models on one connection."""
    arq = scenario.arq
    assert arq is not None  # the sample's links retransmit
    delivery = arq.delivery if arq.turnaround_s > 0 else STOP_AND_WAIT
    known = {LINK: scenario, FRAMES: scenario.model_copy(update={"arq": None})}
    for model in models:
        answers = {name: predict(MODELS[model], one, conditions) for name, one in known.items()}
        for name, answer in answers.items():
            if answer.goodput_pps and answers[LINK].goodput_pps:
                yield {
                    "point": number,
                    "model": model,
                    "delivery": delivery,
                    "knows": name,
                    "status": answers[LINK].status,
                    "log_error": math.log(answer.goodput_pps / goodput_pps),
                }
