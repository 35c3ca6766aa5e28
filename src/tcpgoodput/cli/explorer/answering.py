"""What a page is told of a scenario: at once what there is, then ever more closely.

Everything is a record that goes to the page as one line of JSON. The last measurement is that of
`tcpgoodput compare`, with the same seed: the same number to the last digit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.cli.explorer.window import window_of
from tcpgoodput.comparison.ablation import ablations
from tcpgoodput.comparison.answers import judged, said
from tcpgoodput.comparison.census.expected import Advice, advice_for, heading, lines, notes
from tcpgoodput.comparison.told import legend, nearest, told
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import ever_closer
from tcpgoodput.engines.packet import Packet
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.asked import Asked
from tcpgoodput.scenario.show import stated

Record = dict[str, Any]

CONDITIONS = Conditions()
FIRST_LOOK = Conditions(precision="draft")

PAUSE_S = 0.15
"""In which nothing must have changed for a closer look to begin: it would be in the way."""


def described(asked: Asked) -> Record:
    """Return a scenario as the page shows it: every key's value, its YAML, what looks like a slip.

    The YAML has what is stated and no default, so that it is the same scenario.
    """
    return {
        "kind": "scenario",
        "heading": asked.heading,
        "values": asked.scenario.model_dump(mode="json"),
        "yaml": stated(asked.scenario),
        "warnings": [str(suspect) for suspect in asked.suspects],
    }


def answers(scenario: Scenario) -> Iterator[Record]:
    """Yield what all models say beside what is measured, first roughly, then ever more closely."""
    records = said(scenario, CONDITIONS)
    advice = advice_for(scenario, records)
    yield {**_answer(records, advice, None, "it is being measured"), "kind": "models"}
    try:
        first = Packet().measure(scenario, FIRST_LOOK)
    except Undefined as undefined:
        yield _answer(records, advice, None, str(undefined))
        return
    yield _answer(records, advice, first, first.reason)
    yield window_of(scenario, CONDITIONS.seed, first.record())
    time.sleep(PAUSE_S)
    yield {"kind": "without", "rows": list(_without(scenario))}
    for measured in ever_closer(scenario, CONDITIONS):
        yield _answer(records, advice, measured, measured.reason)


def _answer(
    records: list[Record], advice: Advice, measured: Measurement | None, reason: str | None
) -> Record:
    simulation = measured.record() if measured else None
    return printed(judged(records, {"simulation": simulation, "reason": reason}), advice)


def printed(found: Record, advice: Advice) -> Record:
    """Return a comparison as `compare --json` has it, with what `compare` prints of it."""
    return {
        "kind": "answer",
        **found,
        "rows": told(found),
        "legend": legend(found["models"]),
        "nearest_text": nearest(found),
        "advice": advice.record(),
        "advice_text": {
            "heading": heading(advice),
            "models": lines(advice),
            "notes": notes(advice),
        },
    }


def _without(scenario: Scenario) -> Iterator[Record]:
    """Yield what is measured, roughly, where one impairment of a scenario is taken away."""
    for name, ablation in ablations(scenario).items():
        row: Record = {"without": name, "goodput_bps": None, "ci95_bps": None}
        try:
            record = Packet().measure(ablation, FIRST_LOOK).record()
            row |= {key: record[key] for key in ("goodput_bps", "ci95_bps")}
        except Undefined as undefined:
            row["reason"] = str(undefined)
        yield row
