"""The space of a random sample (census), which maps points of the unit cube to connections."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pydantic

from tcpgoodput.comparison.census.schema import Census, Law
from tcpgoodput.configuration.validation import validation_messages
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.expressions import evaluate, resolved

UNIMPAIRED = "nothing"
"""Name of the group of connections that have no impairment."""

JOINED = " and "
"""Separator in the name of a group with two impairments: `delay_spikes and late_handoffs`."""

KNOWN = ("rate_pps", "rtt_s", "product_packets")
"""Names that the conditions in a census file may use in addition to drawn quantities."""


class Missed(Exception):
    """A point of the design violates a condition, so it gives no connection."""


class Impossible(ValueError):
    """A point of the design gives no valid scenario; the message names the key and the reason."""


@dataclass(frozen=True)
class ImpairmentGroup:
    """A group of connections with the same impairments: none, one, or a pair."""

    name: str
    share: float
    draw: Mapping[str, Law]
    set: Mapping[str, Any]


@dataclass(frozen=True)
class Connection:
    """A random connection that a census has drawn."""

    number: int
    """Number of the point of the design from which the connection was made."""
    impairments: str
    """Name of the connection's `ImpairmentGroup`: `nothing`, or the names of its impairments."""
    scenario: Scenario


@dataclass(frozen=True)
class Space:
    """All connections that a random sample can draw, as a function of a point of the unit cube."""

    name: str
    census: Census

    @cached_property
    def impairment_groups(self) -> list[ImpairmentGroup]:
        """The groups of connections by impairment, each with its share of all connections."""
        census, parts = self.census, self.census.impairments
        pairs = [
            (one, two)
            for one, two in itertools.combinations(parts, 2)
            if not _clash(parts[one].set, parts[two].set)
        ]
        twice = census.pairs if pairs else 0.0
        once = 1 - twice - census.unimpaired if parts else 0.0
        found = [ImpairmentGroup(UNIMPAIRED, 1 - twice - once, {}, {})]
        found += [
            ImpairmentGroup(name, once / len(parts), part.draw, part.set)
            for name, part in parts.items()
        ]
        for one, two in pairs:
            draw, changes = parts[one].draw | parts[two].draw, parts[one].set | parts[two].set
            found.append(ImpairmentGroup(one + JOINED + two, twice / len(pairs), draw, changes))
        return [group for group in found if group.share > 0]

    @property
    def retransmits(self) -> bool:
        """Whether every connection has a link that retransmits (`arq`)."""
        return describes_retransmission(self.census.scenario)

    @property
    def dimensions(self) -> int:
        """The number of coordinates of a point: one for the group, and one for each drawn value."""
        return 1 + len(self.census.draw) + max(len(h.draw) for h in self.impairment_groups)

    @property
    def size(self) -> float:
        """The number of different connections; infinite if a distribution is continuous."""
        base = _size(self.census.draw.values())
        return sum(base * _size(h.draw.values()) for h in self.impairment_groups)

    def connection(self, number: int, coordinates: Sequence[float]) -> Connection:
        """Return the connection at a point of the unit cube, which has a number in the design.

        A point that violates a condition raises `Missed`, and one that gives no valid scenario
        `Impossible`.
        """
        census = self.census
        group = self._group_at(coordinates[0])
        laws = {**census.draw, **group.draw}
        drawn = {n: law.at(u) for (n, law), u in zip(laws.items(), coordinates[1:], strict=False)}
        names = {n: value for n, value in drawn.items() if "." not in n and not _is_several(value)}
        keys = {name: value for name, value in drawn.items() if "." in name}
        for several in filter(_is_several, drawn.values()):
            keys |= several
        data = copy.deepcopy(census.scenario)
        for key, value in [*resolved({**census.set, **group.set}, names).items(), *keys.items()]:
            _put(data, key, value)
        data |= {"id": f"{self.name}-{number}".replace("_", "-"), "title": group.name}
        try:
            scenario = Scenario.model_validate(data)
        except pydantic.ValidationError as error:
            reasons = "; ".join(validation_messages(Scenario, data, error))
            raise Impossible(f"point {number} ({group.name}): {reasons}") from None
        self._meets(scenario, names)
        return Connection(number, group.name, scenario)

    def _group_at(self, u: float) -> ImpairmentGroup:
        for group in self.impairment_groups:
            u -= group.share
            if u < 0:
                return group
        return self.impairment_groups[-1]

    def _meets(self, scenario: Scenario, drawn: Mapping[str, float]) -> None:
        if not self.census.conditions:
            return
        product = scenario.rate_pps * scenario.propagation_rtt_s
        known = dict(
            zip(KNOWN, (scenario.rate_pps, scenario.propagation_rtt_s, product), strict=True)
        )
        for condition in self.census.conditions:
            if evaluate(condition, drawn | known) < 0:
                raise Missed(condition)


def describes_retransmission(scenario: Mapping[str, Any]) -> bool:
    """Return whether the keys that all connections of a sample have describe ARQ."""
    return scenario.get("arq") is not None


def _is_several(value: Any) -> bool:
    """Whether a drawn value is a mapping that sets several keys of the scenario."""
    return isinstance(value, Mapping)


def _size(laws: Iterable[Law]) -> float:
    product = 1.0
    for law in laws:
        product *= law.size
    return product


def _clash(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two impairments set the same scenario key, or one's key contains the other's."""
    return any(a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.") for a in one for b in other)


def _put(data: dict[str, Any], key: str, value: Any) -> None:
    *parents, last = key.split(".")
    for parent in parents:
        data = data.setdefault(parent, {})
    data[last] = value
