"""What a page is told of a scenario: at once what there is, then ever more closely.

Everything is a record that goes to the page as one line of JSON. The last measurement is that of
`tcpgoodput compare`, with the same seed: the same number to the last digit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.cli.compare import advice, told
from tcpgoodput.cli.predictions import legend
from tcpgoodput.cli.reading import Asked
from tcpgoodput.comparison.answers import judged, said
from tcpgoodput.engines.base import Measurement, Report
from tcpgoodput.engines.closeness import ever_closer
from tcpgoodput.engines.packet import Packet
from tcpgoodput.explorer.relief import relieved
from tcpgoodput.explorer.window import window_of
from tcpgoodput.scenario import Scenario

Record = dict[str, Any]

CONDITIONS = Conditions()
FIRST_LOOK = Conditions(precision="draft")

LONGEST_S = 30.0
"""After which no more is simulated for one question."""

PAUSE_S = 0.15
"""In which nothing must have changed for a closer look to begin: it would be in the way."""


class Stopped(Exception):
    """The page has asked something else, or has had its share of time."""


@dataclass
class Patience:
    """How long a question may take, and whether somebody still wants to know."""

    is_wanted: Callable[[], bool]
    until: float = field(default_factory=lambda: time.monotonic() + LONGEST_S)

    @property
    def report(self) -> Report:
        """What a measurement calls after each of its replications."""
        return lambda done, total: self.check()

    def check(self) -> None:
        """Go on, or not.

        Raises:
            Stopped: nobody waits any more, or time is up.

        """
        if not self.is_wanted() or time.monotonic() > self.until:
            raise Stopped

    def pause(self) -> None:
        """Wait whether something else is asked.

        Raises:
            Stopped: it was.

        """
        time.sleep(PAUSE_S)
        self.check()


def described(asked: Asked) -> Record:
    """Return a scenario as the page shows it: every key's value, its YAML, what looks like a slip.

    The YAML has what is stated and no default, so that it is the same scenario.
    """
    stated = asked.scenario.model_dump(mode="json", exclude_unset=True)
    return {
        "kind": "scenario",
        "heading": asked.heading,
        "values": asked.scenario.model_dump(mode="json"),
        "yaml": yaml.safe_dump(stated, sort_keys=False, allow_unicode=True),
        "warnings": [str(suspect) for suspect in asked.suspects],
    }


def answers(scenario: Scenario, patience: Patience) -> Iterator[Record]:
    """Yield what all models say beside what is measured, first roughly, then ever more closely.

    Raises:
        Stopped: see `Patience`.

    """
    records = said(scenario, CONDITIONS)
    yield {**_answer(records, None, "it is being measured"), "kind": "models"}
    try:
        first = Packet().measure(scenario, FIRST_LOOK, report=patience.report)
    except Undefined as undefined:
        yield _answer(records, None, str(undefined))
        return
    yield _answer(records, first, first.reason)
    yield window_of(scenario, CONDITIONS.seed, first.record())
    patience.pause()
    yield {"kind": "without", "rows": list(_without(scenario, patience))}
    for measured in ever_closer(scenario, CONDITIONS, report=patience.report):
        yield _answer(records, measured, measured.reason)


def _answer(records: list[Record], measured: Measurement | None, reason: str | None) -> Record:
    simulation = measured.record() if measured else None
    return printed(judged(records, {"simulation": simulation, "reason": reason}))


def printed(found: Record) -> Record:
    """Return a comparison as `compare --json` has it, with what `compare` prints of it."""
    return {
        "kind": "answer",
        **found,
        "rows": told(found),
        "legend": legend(found["models"]),
        "advice": advice(found),
    }


def _without(scenario: Scenario, patience: Patience) -> Iterator[Record]:
    """Yield what is measured, roughly, where one impairment of a scenario is taken away."""
    for name, relief in relieved(scenario).items():
        row: Record = {"without": name, "goodput_bps": None, "ci95_bps": None}
        try:
            record = Packet().measure(relief, FIRST_LOOK, report=patience.report).record()
            row |= {key: record[key] for key in ("goodput_bps", "ci95_bps")}
        except Undefined as undefined:
            row["reason"] = str(undefined)
        yield row
