"""The campaign of measurements over recorded links, as `config/links.yaml` defines it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from tcpgoodput.configuration import ConfigurationError, Problem, read, validated
from tcpgoodput.configuration.packed_text import lines_of
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.trace import read_capacity_trace
from tcpgoodput.scenario.types import Count, Identifier, Part, Seconds, Text
from tcpgoodput.storage import write_text
from tcpgoodput.studies.recordings.columns import TableColumns
from tcpgoodput.studies.recordings.facts import Facts, facts_of
from tcpgoodput.studies.recordings.files import read_recording
from tcpgoodput.studies.recordings.recording import PACKET_BYTES, Recording
from tcpgoodput.studies.recordings.views import (
    HEADER_BYTES,
    buffer_packets,
    capacity_csv,
    delay_csv,
    identifier,
)

SILENCE_S = 0.2
"""Shortest gap without packets that counts as a silence, in seconds. It equals the smallest
retransmission timeout of ns-2.35 and Linux, so a shorter gap causes no timeout."""


Checksum = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Sender(Part):
    """The sender of a connection: its TCP variant, and the kernel it imitates (`tcp.stack`)."""

    variant: Text
    stack: Text | None = None

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of a scenario's `tcp` that describe the sender."""
        return {"variant": self.variant, "stack": self.stack}


class Recorded(Part):
    """One recording of a link: its files, their checksums, and where they are published."""

    title: Text
    technology: Identifier
    """Name of the radio technology. Models also predict the goodput over a recording from other
    recordings of the same technology."""
    file: Text
    origin: Text
    sha256: Checksum
    delays: Text | None = None
    delays_sha256: Checksum | None = None
    rate_column: Text | None = None
    rate_unit: Text | None = None

    @property
    def files(self) -> dict[str, str]:
        """The files of the recording, each with the checksum of its decompressed text."""
        files = {self.file: self.sha256}
        if self.delays and self.delays_sha256:
            files[self.delays] = self.delays_sha256
        return files

    @model_validator(mode="after")
    def _delays_are_known(self) -> Self:
        if (self.delays is None) != (self.delays_sha256 is None):
            raise ValueError("delays needs delays_sha256, and delays_sha256 delays")
        return self


class Campaign(Part):
    """The measurements over recorded links: all combinations of links, senders and buffers."""

    round_trip_s: Seconds
    bin_s: Seconds
    buffers: Annotated[list[Annotated[float, Field(gt=0)]], Field(min_length=1)]
    senders: Annotated[list[Sender], Field(min_length=1)]
    starts: Count
    warm_up_s: Seconds
    recordings: dict[Identifier, Recorded]


@dataclass(frozen=True)
class Link:
    """An available recording, split into a first half for fitting and a second for validation."""

    name: str
    recorded: Recorded
    whole: Recording
    first: Facts
    """Statistics of the first half of the recording, on which models are fitted."""
    second: Recording
    """The second half of the recording, on which models are validated."""


@dataclass(frozen=True)
class Case:
    """A connection (link, sender, buffer) that is simulated over each half of a recording."""

    link: Link
    sender: Sender
    share: float
    """Size of the buffer in bandwidth-delay products at the link's mean rate."""
    packets: int
    """Size of the buffer in packets."""
    scenarios: tuple[Scenario, ...]
    """One scenario for each start within the second half of the recording; its capacity trace
    begins at this start."""
    earlier: tuple[Scenario, ...]
    """One scenario for each start within the first half. The goodput simulated over the first half
    serves as a prediction for the second half, made from the data on which models are fitted."""

    @property
    def scenario(self) -> Scenario:
        """The scenario that starts at the beginning of the recording's second half."""
        return self.scenarios[0]


def load_campaign(path: Path) -> Campaign:
    """Read and check the file that defines a campaign."""
    return validated(Campaign, read(path))


def links_of(campaign: Campaign, folder: Path) -> list[Link]:
    """Read the recordings of a campaign.

    Raises:
        ConfigurationError: files in the folder are missing or differ from the files that the
            campaign names; the message says where to find each file.

    """
    problems = []
    for recorded in campaign.recordings.values():
        for name, sha256 in recorded.files.items():
            file, digest = at_hand(folder, name), hashlib.sha256()
            if file is None:
                message = f"is not there, nor {name}.xz; it is published at {recorded.origin}"
                problems.append(Problem(str(folder / name), 0, "", message))
                continue
            for _ in lines_of(file, digest):
                pass
            if digest.hexdigest() != sha256:
                message = f"is not what {recorded.origin} has: its SHA-256 is {digest.hexdigest()}"
                problems.append(Problem(str(file), 0, "", message))
    if problems:
        raise ConfigurationError(problems)
    return [_link(campaign, name, folder) for name in campaign.recordings]


def _link(campaign: Campaign, name: str, folder: Path) -> Link:
    recorded = campaign.recordings[name]
    file, delays = (
        at_hand(folder, part) if part else None for part in (recorded.file, recorded.delays)
    )
    assert file is not None  # `links_of` has checked that all files exist
    columns = TableColumns(rate_column=recorded.rate_column, rate_unit=recorded.rate_unit)
    whole = read_recording(file, delays, columns)
    return Link(name, recorded, whole, facts_in(campaign, whole.half(0)), whole.half(1))


def facts_in(campaign: Campaign, recording: Recording) -> Facts:
    """Return the statistics of a recording with the campaign's bins and round trip."""
    return facts_of(
        recording, silence_s=SILENCE_S, round_trip_s=campaign.round_trip_s, bin_s=campaign.bin_s
    )


def at_hand(folder: Path, name: str) -> Path | None:
    """Return a recording's file in a folder, plain or packed by xz; None if it is not there."""
    return next((f for f in (folder / name, folder / f"{name}.xz") if f.is_file()), None)


def cases_of(campaign: Campaign, link: Link, scratch: Path) -> Iterator[Case]:
    """Yield a link's connections, one for each buffer and sender.

    Their scenarios read trace files in the folder `scratch`, so use them only while it exists.
    """
    first, second = (
        [
            scenario_over(campaign, half.from_place(place_s), scratch / f"{name}-{start}")
            for start, place_s in enumerate(places_s(campaign, half))
        ]
        for name, half in ((f"{link.name}-1", link.first.recording), (link.name, link.second))
    )
    for share in campaign.buffers:
        packets = buffer_packets(link.whole.mean_bps, campaign.round_trip_s, share)
        for sender in campaign.senders:
            scenarios = tuple(sent_by(sender, packets, content) for content in second)
            earlier = tuple(sent_by(sender, packets, content) for content in first)
            yield Case(link, sender, share, packets, scenarios, earlier)


def places_s(campaign: Campaign, recording: Recording) -> list[float]:
    """Return evenly spaced starts of connections in a recording, in seconds, at edges of bins.

    Bins are the time intervals over which rates are averaged.
    """
    apart = recording.length_s / campaign.starts / campaign.bin_s
    return [campaign.bin_s * round(start * apart) for start in range(campaign.starts)]


def sent_by(sender: Sender, buffered: int, content: Mapping[str, Any]) -> Scenario:
    """Return a scenario with the given sender and with a buffer of `buffered` packets."""
    tcp = {**content["tcp"], **sender.keys}
    path = {**content["path"], "buffer_packets": buffered}
    return Scenario.model_validate({**content, "tcp": tcp, "path": path})


def scenario_over(
    campaign: Campaign, recording: Recording, stem: Path, mean_bps: float | None = None
) -> dict[str, Any]:
    """Return the keys of a scenario whose capacity, and delay if recorded, follows a recording.

    Rates are scaled to the mean rate `mean_bps`, by default that of the recording. `stem` is the
    path of the files to write, without their extensions.
    """
    capacity = stem.with_suffix(".capacity.csv")
    edges_s, rates_bps = recording.rates(campaign.bin_s)
    rates_bps = rates_bps * ((mean_bps or recording.mean_bps) / recording.mean_bps)
    write_text(capacity, "".join(capacity_csv(edges_s, rates_bps)))
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
        # Recorded delays replace the delay after the bottleneck (`backward_delay_s`). Choose the
        # delay before the bottleneck so that at the median recorded delay the RTT is as configured.
        way_s = float(sorted(recording.delays_s)[recording.delays_s.size // 2])
        ways = {"forward_delay_s": campaign.round_trip_s - way_s, "backward_delay_s": way_s}
        content["path"] |= ways
    return content
