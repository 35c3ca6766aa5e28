"""What is measured over recorded links, and asked of models: the file `config/links.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from tcpgoodput.configuration import Document, read, refused, validated
from tcpgoodput.recordings.facts import Facts, facts_of
from tcpgoodput.recordings.files import read_recording
from tcpgoodput.recordings.recording import PACKET_BYTES, Recording
from tcpgoodput.recordings.views import HEADER_BYTES, buffer_packets, identifier
from tcpgoodput.recordings.writing import capacity_csv, delay_csv
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.trace import read_capacity_trace
from tcpgoodput.scenario.types import Count, Identifier, Part, Seconds, Text
from tcpgoodput.storage.files import write_text

SILENCE_S = 0.2
"""RTO's smallest value: what is shorter ends in no timeout."""


class Sender(Part):
    """Who sends."""

    variant: Text
    stack: Text | None = None

    @property
    def keys(self) -> dict[str, Any]:
        """The sender as keys of a scenario's `tcp`."""
        return {"variant": self.variant, "stack": self.stack}


class Recorded(Part):
    """One recording, and where it is published."""

    title: Text
    file: Text
    origin: Text
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    delays: Text | None = None


class Campaign(Part):
    """Links, senders and buffers: each with each."""

    round_trip_s: Seconds
    bin_s: Seconds
    buffers: Annotated[list[Annotated[float, Field(gt=0)]], Field(min_length=1)]
    senders: Annotated[list[Sender], Field(min_length=1)]
    starts: Count
    warm_up_s: Seconds
    recordings: dict[Identifier, Recorded]


@dataclass(frozen=True)
class Link:
    """A recording at hand: halves to fit on and to judge on, and what is to be known of them."""

    name: str
    recorded: Recorded
    whole: Recording
    first: Facts
    """Of the half that models know."""
    second: Recording
    """The half that they are judged on."""


@dataclass(frozen=True)
class Case:
    """One connection over the second half of a link."""

    link: Link
    sender: Sender
    share: float
    """The buffer in bandwidth-delay products."""
    scenario: Scenario


def load_campaign(path: Path) -> Campaign:
    """Read and check a campaign."""
    document: Document = read(path)
    return validated(Campaign, document)


def links_of(campaign: Campaign, folder: Path) -> list[Link]:
    """Read the recordings of a campaign.

    Raises:
        ConfigurationError: one is missing, or is another one than the campaign says.

    """
    return [_link(campaign, name, folder) for name in campaign.recordings]


def _link(campaign: Campaign, name: str, folder: Path) -> Link:
    recorded = campaign.recordings[name]
    file = _at_hand(folder, recorded.file, recorded.origin)
    delays = _at_hand(folder, recorded.delays, recorded.origin) if recorded.delays else None
    whole = read_recording(file, delays)
    if whole.sha256 != recorded.sha256:
        raise refused(file, "", f"is not what {recorded.origin} has: its SHA-256 is {whole.sha256}")
    first = facts_of(
        whole.half(0),
        round_trip_s=campaign.round_trip_s,
        silence_s=SILENCE_S,
        bin_s=campaign.bin_s,
    )
    return Link(name, recorded, whole, first, whole.half(1))


def _at_hand(folder: Path, name: str, origin: str) -> Path:
    for file in (folder / name, folder / f"{name}.xz"):
        if file.is_file():
            return file
    raise refused(folder, "", f"has neither {name} nor {name}.xz; they are published at {origin}")


def cases_of(campaign: Campaign, link: Link, scratch: Path) -> Iterator[Case]:
    """Yield a link's connections; what they read goes to a folder that outlives them."""
    content = scenario_over(campaign, link.second, scratch / link.name)
    for share in campaign.buffers:
        packets = buffer_packets(link.whole.mean_bps, campaign.round_trip_s, share)
        for sender in campaign.senders:
            tcp = {**content["tcp"], **sender.keys}
            path = {**content["path"], "buffer_packets": packets}
            scenario = Scenario.model_validate({**content, "tcp": tcp, "path": path})
            yield Case(link, sender, share, scenario)


def scenario_over(campaign: Campaign, recording: Recording, stem: Path) -> dict[str, Any]:
    """Return a scenario whose capacity, and delay if there is one, is a recording's own."""
    capacity = stem.with_suffix(".capacity.csv")
    write_text(capacity, "".join(capacity_csv(recording, campaign.bin_s)))
    peak_bps = float(read_capacity_trace(capacity)[1].max())
    name = identifier(recording.name)
    content: dict[str, Any] = {
        "id": name,
        "title": f"{recording.name}, as it was recorded",
        "tcp": {"mss_bytes": PACKET_BYTES - HEADER_BYTES, "header_bytes": HEADER_BYTES},
        "path": {
            "rate_bps": peak_bps,
            "forward_delay_s": campaign.round_trip_s / 2,
            "backward_delay_s": campaign.round_trip_s / 2,
        },
        "capacity": {"process": "trace", "file": str(capacity)},
    }
    if recording.delays_s is not None:
        delay = stem.with_suffix(".delay.csv")
        write_text(delay, "".join(delay_csv(recording)))
        content["delay"] = {"file": str(delay)}
        # The recorded way takes the place of the one behind the bottleneck; the rest is before it.
        way_s = float(sorted(recording.delays_s)[recording.delays_s.size // 2])
        ways = {"forward_delay_s": campaign.round_trip_s - way_s, "backward_delay_s": way_s}
        content["path"] |= ways
    return content
