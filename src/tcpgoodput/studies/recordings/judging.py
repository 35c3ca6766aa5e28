"""Predictions for the second half of a recording, fitted on its first half.

A level is what is known of the link. The first half of the recording is the past, the second half
is today. The level is the mean rate of the past, today's mean rate, the trace of the past, this
trace scaled linearly to today's mean rate, or today's trace itself.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.answers import Conditions, Prediction
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.types import Undefined
from tcpgoodput.studies.recordings.campaign import (
    Campaign,
    Link,
    Sender,
    facts_in,
    places_s,
    scenario_over,
    sent_by,
)
from tcpgoodput.studies.recordings.measuring import labels, one_pass
from tcpgoodput.studies.recordings.views import Missing, buffer_packets, views_of

Row = dict[str, Any]
Content = Mapping[str, Any]

HINDSIGHT = "hindsight"
"""Name of the view with the rates of the second half of the recording, over which the goodput is
predicted. A view is a description of a link for a model."""

ANOTHER = "another"
"""Name of the view (a description of a link for a model) that has the rates of another recording of
the same technology. The rates are scaled to the mean rate of the first half of the link's
recording."""

VIEW_OF_SOURCE = {
    "delay_spikes": ("spikes",),
    "variable_capacity": ("ar1", "recorded", HINDSIGHT, ANOTHER),
    "handoffs": ("handoffs",),
}
"""For each study, the names of the views (descriptions of a link) that its models use. All other
models use the view `mean`, which has the link's mean rate."""

OTHERS = ("mean",)


def answers(campaign: Campaign, link: Link, links: Sequence[Link], scratch: Path) -> Iterator[Row]:
    """Yield each model's predictions for its views of the link, each buffer and each sender.

    A view is a description of the link for a model. Only senders that follow the RFCs are used.
    Predictions without a goodput are left out.
    """
    views: dict[tuple[str, str], dict[str, Any]] = {
        (name, ""): scenario_over(campaign, half, scratch / f"{link.name}-{name}")
        for name, half in (("recorded", link.first.recording), (HINDSIGHT, link.second))
    }
    for other in links:
        if other is not link and other.recorded.technology == link.recorded.technology:
            stem, mean_bps = scratch / f"{link.name}-{other.name}", link.first.recording.mean_bps
            views[ANOTHER, other.name] = scenario_over(campaign, other.whole, stem, mean_bps)
    for content in views.values():
        content.pop("delay", None)  # leave out the recorded delay, because no model includes it
    for view in views_of(link.first, "first half"):
        if not isinstance(view, Missing):
            views[view.name, ""] = dict(view.content)
    for share in campaign.buffers:
        packets = buffer_packets(link.whole.mean_bps, campaign.round_trip_s, share)
        for sender in (s for s in campaign.senders if s.stack is None):
            for (view, drive), content in views.items():
                place = labels(link, sender, share, packets) | {"view": view, "drive": drive}
                del place["stack"]  # every sender here is one of the RFCs
                for found in _predictions(sent_by(sender, packets, content), view):
                    yield {**place, **_row(found), "reason": found.reason or ""}


def _predictions(scenario: Scenario, view: str) -> Iterator[Prediction]:
    """Yield the predictions that have a goodput, of the models that use this view of the link."""
    for model in MODELS.values():
        own = VIEW_OF_SOURCE.get(model.source, OTHERS)
        if view in (CONSTANT, *own) or (view == TRACE and "recorded" in own):
            found = predict(model, scenario, Conditions(precision="draft"))
            if found.goodput_bps is not None:
                yield found


def _row(found: Prediction) -> Row:
    assert found.goodput_bps is not None  # _predictions yields no others
    goodput = round(found.goodput_bps)
    return {"model": found.name, "status": found.status, "goodput_bps": goodput}


MEAN_OF_PAST, MEAN_OF_TODAY = "mean-of-past", "mean-of-today"
TRACE_OF_PAST, SCALED_TRACE, THIS_TRACE = "trace-of-past", "scaled-trace", "this-trace"

TRACE, CONSTANT = "trace", "constant"
"""Names of the views (descriptions of a link) that have its rate over time, and a constant rate."""

SIMULATION = "simulation"
"""Value of the column `model` in rows with a simulated goodput."""


def predictions_at_levels(campaign: Campaign, link: Link, scratch: Path) -> Iterator[Row]:
    """Yield predictions for the second half of a recording, for each level, buffer and sender.

    The models of a constant rate have one view of a constant link. At the levels with a trace, each
    model has the views of its study; those of the scaled trace have rates that are scaled, too. The
    simulation has the trace, or the constant rate. The table `measured.csv` has the goodputs that
    are simulated over both halves themselves, so these are left out.
    """
    seen = dict(views_at_levels(campaign, link, scratch))
    past, today_bps = link.first.recording, link.second.mean_bps
    stem = scratch / f"{link.name}-{SCALED_TRACE}"
    traces = [  # the scaled trace of the past from each start, with its recorded delays
        scenario_over(campaign, past.from_place(place_s), Path(f"{stem}-{start}"), today_bps)
        for start, place_s in enumerate(places_s(campaign, past))
    ]
    for share in campaign.buffers:
        packets = buffer_packets(link.whole.mean_bps, campaign.round_trip_s, share)
        for sender in campaign.senders:
            place = labels(link, sender, share, packets)
            for (level, view), content in seen.items():
                for found in _predictions(sent_by(sender, packets, content), view):
                    yield {**place, "level": level, "view": view, **_row(found)}
            for level, contents in (
                (MEAN_OF_PAST, [seen[MEAN_OF_PAST, CONSTANT]]),
                (MEAN_OF_TODAY, [seen[MEAN_OF_TODAY, CONSTANT]]),
                (SCALED_TRACE, traces),
            ):
                view = TRACE if level == SCALED_TRACE else CONSTANT
                try:
                    goodput = _simulated_bps(campaign, link, sender, packets, contents)
                except Undefined:  # the simulator has no goodput, so there is no prediction
                    continue
                row = {"model": SIMULATION, "status": "measured", "goodput_bps": goodput}
                yield {**place, "level": level, "view": view, **row}


def views_at_levels(
    campaign: Campaign, link: Link, scratch: Path
) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Yield each description of the link as the keys of a scenario, with its level and view.

    Recorded delays are left out, because no model includes them.
    """
    past, today = link.first.recording, link.second
    facts = facts_in(campaign, today)
    for level, recording, mean_bps in (
        (TRACE_OF_PAST, past, past.mean_bps),
        (SCALED_TRACE, past, today.mean_bps),
        (THIS_TRACE, today, today.mean_bps),
    ):
        content = scenario_over(campaign, recording, scratch / f"{link.name}-{level}", mean_bps)
        content.pop("delay", None)
        yield (level, TRACE), content
        of_part = (facts, "second half") if recording is today else (link.first, "first half")
        for view in views_of(*of_part):
            if isinstance(view, Missing):
                continue
            rates = scaled(view.content, mean_bps / recording.mean_bps)
            yield (level, view.name), rates
            if view.name == "mean" and level != SCALED_TRACE:
                yield (MEAN_OF_PAST if recording is past else MEAN_OF_TODAY, CONSTANT), rates


def scaled(content: Content, factor: float) -> dict[str, Any]:
    """Return the keys of a scenario with all rates multiplied by a factor.

    The buffer, in packets, is not changed.
    """
    found = copy.deepcopy(dict(content))
    found["path"]["rate_bps"] *= factor
    for name in ("min_bps", "max_bps"):
        if name in found.get("capacity", {}):
            found["capacity"][name] *= factor
    return found


def _simulated_bps(
    campaign: Campaign, link: Link, sender: Sender, packets: int, contents: list[dict[str, Any]]
) -> int:
    """Return the mean goodput over descriptions of the link, as long as the first half."""
    length_s = link.first.recording.length_s
    scenarios = [sent_by(sender, packets, content) for content in contents]
    counts = [one_pass(scenario, campaign.warm_up_s, length_s) for scenario in scenarios]
    bits = 8 * scenarios[0].tcp.mss_bytes
    return round(float(np.mean([bits * one.delivered / length_s for one in counts])))
