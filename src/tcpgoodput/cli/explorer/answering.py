"""Answers for the explorer's page: goodputs of a scenario, sweeps, and the window over time.

An answer consists of records, which are sent to the page as lines of JSON. With the same seed, the
final measurement equals that of `tcpgoodput compare` to the last digit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.answers import Conditions, Precision, Undefined
from tcpgoodput.api.simulate import traced
from tcpgoodput.api.sweep import sweep
from tcpgoodput.cli.explorer import my_link
from tcpgoodput.comparison.answers import prediction_records, with_errors
from tcpgoodput.comparison.census.expected import Advice, advice_for, notes, rows
from tcpgoodput.comparison.compare import legend, nearest, readable_rows
from tcpgoodput.comparison.requests import ablations
from tcpgoodput.configuration import ConfigurationError, refused
from tcpgoodput.configuration.units import hint_of_point, number_in_its_unit
from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.closeness import successive_measurements
from tcpgoodput.engines.packet import Packet
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import stated
from tcpgoodput.scenario.controls import every, unit_of
from tcpgoodput.scenario.files import ScenarioRequest

EVENTS_SHOWN = 8
"""Approximate number of loss events that a plot of the window over time covers; chosen by hand."""

ROUND_TRIPS_SHOWN = 60
"""Smallest time that a plot of the window covers, in round trips. It was chosen by hand, so that
slow start is visible."""

MOST_EVENTS = 20_000
"""Largest number of sender events (ACKs and timeouts) that a plot of the window covers; chosen by
hand."""

BINS, MOST_MARKS = 500, 400
"""BINS: number of intervals into which the time of a plot of the window is divided. Of each
interval, only the first, smallest, largest and last window are drawn. MOST_MARKS: largest number of
marks of each kind (lost packets, retransmissions, timeouts). Both were chosen by hand."""


def window_of(scenario: Scenario, seed: int, simulation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the window of a connection over time from its first packet on, and its marks.

    The plotted time follows from the number of loss events of the measurement. Marks are the times
    in seconds of lost packets, of retransmissions of lost packets (`repeat`) and of others
    (`needless repeat`), and of timeouts. `is_inflated` says whether duplicate ACKs enlarge the
    window during a recovery.
    """
    total_s = simulation["measured_s"] * simulation["replications"]
    event_s = total_s / max(simulation["loss_events"] or 0, simulation["handoffs"] or 0, 1)
    until_s = max(EVENTS_SHOWN * event_s, ROUND_TRIPS_SHOWN * scenario.propagation_rtt_s)
    window, events = traced(scenario, seed, min(until_s, total_s), MOST_EVENTS)
    tcp = scenario.tcp
    times, packets = _thinned(window["time_s"].to_numpy(), window["window_packets"].to_numpy())
    return {
        "kind": "window",
        "time_s": [float(f"{time:.6g}") for time in times],
        "window_packets": [float(f"{size:.4g}") for size in packets],
        "marks": {name: _spread(found) for name, found in _marks(events).items()},
        "is_inflated": tcp.variant in ("reno", "newreno") and not tcp.is_todays,
    }


def _marks(events: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the times in seconds of the events to mark in a plot, by kind; see `window_of`."""
    time_s, what = events["time_s"].to_numpy(), events["event"]
    packet = events["packet"].to_numpy(dtype=float, na_value=np.nan)
    gone = (what.isin(("send", "resend")) & events["lost"]).to_numpy()
    resent = (what == "resend").to_numpy()
    needed = np.isin(packet, packet[gone])
    return {
        "lost": time_s[gone],
        "repeat": time_s[resent & needed],
        "needless repeat": time_s[resent & ~needed],
        "timeout": time_s[(what == "timeout").to_numpy()],
    }


def _spread(times: np.ndarray) -> list[float]:
    """Return at most `MOST_MARKS` of the given times: all, or every n-th one from the first on."""
    step = -(-times.size // MOST_MARKS)
    return [float(f"{time:.6g}") for time in times[:: max(step, 1)]]


def _thinned(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Thin out a line: keep the first, smallest, largest and last point of each time interval."""
    if times.size <= 4 * BINS:
        return times, values
    edges = np.linspace(times[0], times[-1], BINS + 1)[1:-1]
    kept: set[int] = set()
    for part in np.split(np.arange(times.size), np.searchsorted(times, edges)):
        if part.size:
            own = values[part]
            kept |= {part[0], part[own.argmin()], part[own.argmax()], part[-1]}
    chosen = np.array(sorted(kept))
    return times[chosen], values[chosen]


Record = dict[str, Any]

CONDITIONS = Conditions()
FIRST_LOOK = Conditions(precision="draft")

PAUSE_S = 0.15
"""Pause in seconds before the slower measurements of a scenario. While the user moves a slider, the
next request of the page ends the answer during this pause. Chosen by hand."""


def described(request: ScenarioRequest) -> Record:
    """Return a scenario as the page shows it: values of all keys, YAML, warnings, texts of a form.

    The YAML contains only keys that were set, no defaults. Warnings are about values that look like
    mistakes. The form is "My link"; `link` is None if the scenario is another one.
    """
    is_my_link = request.scenario.id == my_link.NAME
    return {
        "kind": "scenario",
        "heading": _heading(request),
        "values": request.scenario.model_dump(mode="json"),
        "yaml": stated(request.scenario),
        "warnings": [str(suspect) for suspect in request.suspects],
        "link": my_link.texts_of(request.scenario) if is_my_link else None,
    }


def _heading(request: ScenarioRequest) -> str:
    """Return id and title of a scenario; after a change the changed keys, as the title may lie.

    Changes of keys that the form "My link" shows are left out.
    """
    is_mine = request.scenario.id == my_link.NAME
    changes = [change.partition("=") for change in request.changes]
    shown = [
        f"{key} = {value}" if "{" not in value else key
        for key, _, value in changes
        if not (is_mine and my_link.has_key(key))
    ]
    if not shown:
        return request.scenario.title if is_mine else request.heading
    return f"Changed from {my_link.TITLE if is_mine else request.scenario.id}: {', '.join(shown)}"


def answers(scenario: Scenario) -> Iterator[Record]:
    """Yield the records of the answer for a scenario, which the page shows as they arrive.

    The predictions come first, then a rough measurement and the window over time. Then follow rough
    measurements, each without one of the impairments, and measurements of the whole scenario with
    increasing precision.
    """
    records = prediction_records(scenario, CONDITIONS)
    advice = advice_for(scenario, records)
    yield {**_answer(scenario, records, advice, None, "it is being measured"), "kind": "models"}
    try:
        first = Packet().measure(scenario, FIRST_LOOK)
    except Undefined as undefined:
        yield _answer(scenario, records, advice, None, str(undefined))
        return
    yield _answer(scenario, records, advice, first, first.reason)
    yield window_of(scenario, CONDITIONS.seed, first.record(scenario))
    time.sleep(PAUSE_S)
    yield {"kind": "without", "rows": list(_without(scenario))}
    for measured in successive_measurements(scenario, CONDITIONS):
        yield _answer(scenario, records, advice, measured, measured.reason)


def _answer(
    scenario: Scenario,
    records: list[Record],
    advice: Advice,
    measured: Measurement | None,
    reason: str | None,
) -> Record:
    simulation = measured.record(scenario) if measured else None
    return printed(with_errors(records, {"simulation": simulation, "reason": reason}), advice)


def printed(found: Record, advice: Advice) -> Record:
    """Return a comparison as a record for the page.

    The record has the content of `tcpgoodput compare --json`, and the rows and notes that
    `tcpgoodput compare` prints.
    """
    return {
        "kind": "answer",
        **found,
        "rows": readable_rows(found),
        "legend": legend(found["models"]),
        "nearest_text": nearest(found["nearest"], bool(found["simulation"])),
        "advice": advice.record(),
        "advice_text": {"rows": rows(advice), "notes": notes(advice)},
    }


def _without(scenario: Scenario) -> Iterator[Record]:
    """Yield rough measurements of a scenario, each without one of its impairments."""
    for name, ablation in ablations(scenario).items():
        row: Record = {"without": name, "goodput_bps": None, "ci95_bps": None}
        try:
            record = Packet().measure(ablation, FIRST_LOOK).record(ablation)
            row |= {key: record[key] for key in ("goodput_bps", "ci95_bps")}
        except Undefined as undefined:
            row["reason"] = str(undefined)
        yield row


OWN = {"key": "", "from": "", "to": "", "points": "9", "scale": "log"}
"""Settings of a sweep in a URL, with their defaults."""

MOST_POINTS = 41

PRECISIONS: tuple[Precision, ...] = ("draft", "paper")

POINT_COLUMNS = ("series", "origin", "y", "y_low", "y_high", "status", "reason")
"""Columns of a sweep that the page receives, with y in bits per second."""


def values_of(own: Mapping[str, str]) -> list[Any]:
    """Return the values of the key that a sweep varies.

    The values are all options of a key with a fixed choice, both values of a flag, or else a grid
    between two numbers.

    Raises:
        ConfigurationError: the URL does not define valid values; the message says why.

    """
    found = [control for control in every() if control["key"] == own["key"]]
    kinds = {control["kind"] for control in found}
    if "choice" in kinds:
        return list(dict.fromkeys(option for c in found for option in c["options"]))
    if "flag" in kinds:
        return [False, True]
    if not kinds & {"number", "whole"}:
        raise refused("key", "", f"{own['key']!r} is not a key that a sweep can follow")
    low, high, points = (_number(own, name) for name in ("from", "to", "points"))
    if not low < high or points != int(points) or not 2 <= points <= MOST_POINTS:
        raise refused("from", "", f"needs from below to, and 2 to {MOST_POINTS} points")
    if own["scale"] == "log" and low <= 0:
        raise refused("from", "", "must be above 0 on a logarithmic scale")
    spaced = np.geomspace if own["scale"] == "log" else np.linspace
    grid = [float(f"{value:.6g}") for value in spaced(low, high, int(points))]
    if "whole" in kinds:
        grid = list(dict.fromkeys(float(round(value)) for value in grid))
    return grid


def points(scenario: Scenario, key: str, values: Sequence[Any]) -> Iterator[Record]:
    """Yield records of a sweep: predictions and a measurement at each value of a key.

    A first round over all values measures roughly, a second one precisely. If a value makes the
    scenario invalid, its record has a problem and no rows.
    """
    yield head(key, values)
    for precision in PRECISIONS:
        for value in values:
            yield point(scenario, key, value, precision)


def point(scenario: Scenario, key: str, value: Any, precision: Precision) -> Record:
    """Return the record of one value of a swept key: rows, or a problem if it is not valid."""
    found: Record = {"kind": "point", "x": value, "rows": [], "problem": None}
    try:
        rows = sweep(scenario, {key: [value]}, precision=precision)
    except ConfigurationError as error:
        return {**found, "problem": str(error)}
    return {**found, "rows": plain(rows)}


def head(key: str, values: Sequence[Any]) -> Record:
    """Return the first record of a sweep: the swept key, its unit and its values."""
    unit = unit_of(key)
    return {"kind": "sweep", "key": key, "unit": "" if unit == "1" else unit, "values": [*values]}


def plain(rows: pd.DataFrame) -> list[Record]:
    """Return the rows of a sweep as dicts with the columns for the page; NaN becomes None."""
    shown = rows[[*POINT_COLUMNS]]
    return shown.astype(object).where(shown.notna(), None).to_dict("records")


def _number(own: Mapping[str, str], name: str) -> float:
    try:
        text = own[name]
        value = float(number_in_its_unit(own["key"].rpartition(".")[2], text) or text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise refused(name, "", f"must be a number, is {own[name]!r}{hint_of_point(own[name])}")
    return value
