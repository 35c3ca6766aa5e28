"""Predictions of models for the second half of a recording, fitted on its first half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.recordings.campaign import Campaign, Link, Sender, scenario_over, sent_by
from tcpgoodput.studies.recordings.views import Missing, buffer_packets, views_of

Row = dict[str, Any]

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

    Args:
        campaign: the settings of the measurements: senders and buffers.
        link: the link.
        links: all links, from which other recordings of the same technology are taken.
        scratch: a folder for temporary trace files.

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
            for view_and_drive, content in views.items():
                scenario = sent_by(sender, packets, content)
                yield from _answered(link, sender, share, packets, view_and_drive, scenario)


def _answered(
    link: Link,
    sender: Sender,
    share: float,
    packets: int,
    view_and_drive: tuple[str, str],
    scenario: Scenario,
) -> Iterator[Row]:
    view, drive = view_and_drive
    for model in MODELS.values():
        if view not in VIEW_OF_SOURCE.get(model.source, OTHERS):
            continue
        found = predict(model, scenario, Conditions(precision="draft"))
        if found.status == "undefined":
            continue
        assert found.goodput_pps is not None
        yield {
            "link": link.name,
            "buffer_bdp": share,
            "buffer_packets": packets,
            "variant": sender.variant,
            "view": view,
            "drive": drive,
            "model": model.name,
            "status": found.status,
            "goodput_bps": round(found.goodput_pps * 8 * scenario.tcp.mss_bytes),
            "reason": found.reason or "",
        }
