"""What is known of a connection: copies of its scenario in which some inputs are not measured.

An input is a quantity that a prediction needs, such as the round trip. One who does not measure an
input assumes something: no receiver window, the timeout of RFC 6298, the link's nominal rate. The
functions in `INPUTS` make these assumptions. A level is a set of inputs that are not measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import (
    RECORDED,
    Chunk,
    Connection,
    Space,
    drawn,
    known_extent,
)
from tcpgoodput.comparison.census.schema import Precision
from tcpgoodput.configuration import ConfigurationError, Document, Problem, read, validated
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.engines.closeness import Target
from tcpgoodput.engines.measurements import Request, extended_request
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.models.delay_spikes.laws import mean_excess
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.loss import GilbertElliott
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.types import BitsPerSecond, Count, Identifier, Part, Seconds, Text
from tcpgoodput.storage import as_published

InputName = Literal["loss-events", "mean-rate", "rate-over-time", "timeout", "window", "round-trip"]

RecordedLevel = Literal[
    "mean-of-past", "mean-of-today", "trace-of-past", "scaled-trace", "this-trace"
]
"""Levels of knowledge on recorded links, as in `data/links/inputs.csv`."""

Changes = dict[str, Any]


class Level(Part):
    """What is known of a connection."""

    label: Text = Field(description="what is known, for pictures")
    unknown: list[InputName] = Field(description="inputs that are not measured but assumed")


class Judge(Part):
    """The random connections that ns-2 or Linux also measures.

    They are the first connections in the second half of a random sample that the engine can
    measure, within the limits below.
    """

    sample: Identifier = Field(description="random sample from which the connections are")
    connections: Count = Field(description="number of connections")
    packets: Count | None = Field(
        None, description="ns-2 only: packets per connection, about; default: as for a figure"
    )
    runs: Count | None = Field(None, description="number of runs; default: the engine's own")
    longest_s: Seconds | None = Field(
        None, description="Linux only: connections that need a longer run are left out"
    )
    fastest_bps: BitsPerSecond | None = Field(
        None, description="paths with a higher rate are left out"
    )


class InputsFile(Part):
    """Content of `config/inputs.yaml`."""

    sample: Identifier = Field(description="random sample whose measured goodputs are predicted")
    connections: Annotated[Count, Field(ge=8)] = Field(
        description="number of points of the sample: the first ones of each half; the first half "
        "chooses formulas and constants, the second half judges"
    )
    simulated: Count = Field(
        description="number of points in the second half that are also simulated at each level, at "
        "most half of `connections`"
    )
    precision: Precision = Field(description="precision of these simulations")
    judges: dict[Literal["ns2", "linux"], Judge] = Field(
        default_factory=dict, description="random connections that ns-2 and Linux also measure"
    )
    misjudged: Annotated[float, Field(gt=0, lt=1)] = Field(
        0.2, description="relative error of a round trip that is estimated, in both directions"
    )
    rto_min_s: Seconds = Field(
        1.0, description="smallest timeout that is assumed if it is not known; RFC 6298 says 1 s"
    )
    levels: Annotated[dict[Identifier, Level], Field(min_length=2)] = Field(
        description="levels of knowledge on random connections; each knows more than the previous "
        "one"
    )
    recorded: dict[RecordedLevel, Text] = Field(
        default_factory=dict,
        description="levels of knowledge on recorded links, with their labels",
    )


@dataclass(frozen=True)
class Assumed:
    """What is assumed for inputs that are not measured; `InputsFile` has these keys, too."""

    misjudged: float
    """Relative error of an estimated round trip, in both directions."""
    rto_min_s: float = 1.0
    """Smallest timeout in seconds."""


Assumptions = Assumed | InputsFile


def _loss_events(scenario: Scenario, assumed: Assumptions) -> list[Changes]:
    """Count lost packets, not loss events: as if each of them were lost independently.

    A hand-off that loses d packets becomes d hand-offs that lose one packet each, at equal
    distances. A late hand-off loses no packet, so it is not seen.
    """
    changes: Changes = {}
    loss, handoffs = scenario.loss, scenario.handoffs
    if isinstance(loss, GilbertElliott) and loss.impairment:
        independent = {"process": "bernoulli", "probability": loss.bad_share, "place": loss.place}
        changes["loss"] = independent
    if handoffs is not None and handoffs.fate == "late":
        changes["handoffs"] = None
    elif handoffs is not None and handoffs.packets > 1:
        changes["handoffs.interval_s"] = handoffs.interval_s / handoffs.packets
        changes["handoffs.packets"] = 1
    return [changes]


def _rate_over_time(scenario: Scenario, assumed: Assumptions) -> list[Changes]:
    """Assume that the link always has its mean rate; a delay spike is a time without rate."""
    if scenario.capacity is None and scenario.spikes is None:
        return [{}]
    rate_bps = mean_capacity_bps(scenario)
    if spikes := scenario.spikes:
        sends_s = float(mean_excess(spikes.interval, spikes.duration.mean_s))
        rate_bps *= sends_s / spikes.interval.mean_s
    # The mean rate's last digits depend on the processor, and the seed depends on them: round.
    return [{"capacity": None, "spikes": None, "path.rate_bps": as_published(rate_bps)}]


def _timeout(scenario: Scenario, assumed: Assumptions) -> list[Changes]:
    """Assume the smallest timeout of RFC 6298, which is computed."""
    rto = scenario.tcp.rto
    most_s = max(rto.max_s, assumed.rto_min_s)
    changes: Changes = {"tcp.rto.min_s": assumed.rto_min_s, "tcp.rto.fixed_s": None}
    return [changes | ({"tcp.rto.max_s": most_s} if most_s > rto.max_s else {})]


def _round_trip(scenario: Scenario, assumed: Assumptions) -> list[Changes]:
    """Estimate the round trip, too large or too small."""
    path = scenario.path
    return [
        {
            "path.forward_delay_s": factor * path.forward_delay_s,
            "path.backward_delay_s": factor * path.backward_delay_s,
        }
        for factor in (1 + assumed.misjudged, 1 - assumed.misjudged)
    ]


INPUTS: dict[InputName, Callable[[Scenario, Assumptions], list[Changes]]] = {
    "loss-events": _loss_events,
    "mean-rate": lambda *_: [{"capacity": None, "spikes": None}],
    "rate-over-time": _rate_over_time,
    "timeout": _timeout,
    "window": lambda *_: [{"tcp.max_window_packets": None}],
    "round-trip": _round_trip,
}
"""For each input, a function that returns what is assumed if it is not measured: changes of the
scenario. If an assumption can err in two directions, there are two changes. They are made in this
order: without the mean rate, the rate over time is not known either."""

MEANINGS: dict[InputName, str] = {
    "loss-events": "lost packets counted instead of loss events",
    "mean-rate": "nominal rate instead of the mean rate",
    "rate-over-time": "mean rate instead of the rate over time",
    "timeout": "smallest timeout assumed (RFC 6298: 1 s)",
    "window": "unlimited receiver window assumed",
    "round-trip": "round trip estimated",
}
"""What is assumed without each input, in words."""

WITHOUT = "without-"
"""Prefix of the name of a case in which all inputs but one are known; the input follows."""


def without(
    scenario: Scenario, unknown: Iterable[InputName], assumed: Assumptions
) -> list[Scenario]:
    """Return a scenario as one sees it who does not measure some inputs.

    There are two scenarios if an assumption can err in two directions. If nothing is unknown, it is
    the scenario itself. Assumptions that make an invalid scenario raise `ValueError`.

    Example:
        >>> import tcpgoodput
        >>> link = tcpgoodput.load("config/scenarios/s02-independent-1e-2.yaml")
        >>> file = load_inputs(Path("config/inputs.yaml"), load_censuses(Path("config/census")))
        >>> [one.propagation_rtt_s for one in without(link, ["round-trip"], file.settings)]
        [0.12, 0.08]

    """
    wanted = set(unknown)
    found = [scenario]
    for name, changes_for in INPUTS.items():
        if name in wanted:
            found = [
                override(one, changes) for one in found for changes in changes_for(one, assumed)
            ]
    return found


@dataclass(frozen=True)
class View:
    """A connection as it is seen with some knowledge."""

    case: str
    """Name of the level, or `WITHOUT` and the name of the only input that is not measured."""
    direction: int
    """Number, from 0, of the direction in which the assumption errs."""
    scenario: Scenario


def views(scenario: Scenario, settings: InputsFile) -> Iterator[View]:
    """Yield a connection as seen at each level and without each input, if that is valid."""
    cases: dict[str, Sequence[InputName]] = {
        name: level.unknown for name, level in settings.levels.items()
    }
    cases |= {f"{WITHOUT}{name}": [name] for name in INPUTS}
    for case, unknown in cases.items():
        try:
            found = without(scenario, unknown, settings)
        except ValueError:
            continue
        for direction, one in enumerate(found):
            yield View(case, direction, one)


@dataclass(frozen=True)
class Inputs:
    """The content of the inputs' file, and the connections on which errors are measured."""

    settings: InputsFile
    space: Space
    """The random sample."""
    spaces: Mapping[str, Space]
    """All random samples of the configuration, by name."""

    def half(self, number: int, count: int) -> list[Connection]:
        """Return the first connections of a half of the random sample; see `half_of`."""
        return list(half_of(self.space, number, count))

    @property
    def choosing(self) -> list[Connection]:
        """The random connections on which formulas and constants are chosen."""
        return self.half(0, self.settings.connections // 2)

    @property
    def judging(self) -> list[Connection]:
        """The random connections on which predictions are judged."""
        return self.half(1, self.settings.connections // 2)

    @property
    def simulated(self) -> list[Connection]:
        """The random connections that are also simulated at each level."""
        return self.half(1, min(self.settings.simulated, self.settings.connections // 2))

    @property
    def samples(self) -> list[str]:
        """The names of the random samples from which connections are, each once."""
        judges = self.settings.judges.values()
        return list(dict.fromkeys([self.settings.sample, *(judge.sample for judge in judges)]))

    @cached_property
    def judged(self) -> dict[str, list[Connection]]:
        """The random connections that ns-2 and Linux also measure, by the engine's name."""
        found = {}
        for engine, judge in self.settings.judges.items():
            space = self.spaces[judge.sample]
            half = half_of(space, 1, space.census.points)
            measurable = (one for one in half if _is_measurable(one.scenario, engine, judge))
            found[engine] = list(islice(measurable, judge.connections))
        return found

    def requests(self, conditions: Conditions) -> list[Request]:
        """Return the requests for all simulations with less knowledge, each once."""
        every = (
            self.request(view.scenario, conditions)
            for one in chain(self.simulated, *self.judged.values())
            for view in views(one.scenario, self.settings)
        )
        return list({request.key: request for request in every}.values())

    def request(self, scenario: Scenario, conditions: Conditions) -> Request:
        """Return the request for the simulation of a connection as it is seen."""
        precision = self.settings.precision
        target = Target(precision.half_width, precision.most_packets, precision.replications)
        # Another seed than that of the measured goodputs, so that both have independent errors.
        other = replace(conditions, seed=conditions.seed + 1)
        return extended_request(scenario, other, target)


def half_of(space: Space, number: int, count: int) -> Iterator[Connection]:
    """Yield the first connections of half 0, which chooses, or 1, which judges, of a random sample.

    `count` is the number of points in the design, at most half of all.
    """
    is_whole = known_extent(space.name) == RECORDED
    points = space.census.points if is_whole else min(space.census.sample, space.census.points)
    middle = points // 2
    first, end = ((0, middle), (middle, points))[number]
    return drawn(space, Chunk(first, min(count, end - first)))


def _is_measurable(scenario: Scenario, engine: str, judge: Judge) -> bool:
    """Return whether ns-2 or Linux measures a random connection."""
    if judge.fastest_bps is not None and scenario.path.rate_bps > judge.fastest_bps:
        return False
    if REFEREES[engine].refusal(scenario) is not None:
        return False
    if judge.longest_s is None:
        return True
    plan = REFEREES[engine].plan(scenario, Conditions())
    return plan.warm_up_s + plan.measured_s <= judge.longest_s


def load_inputs(path: Path, censuses: Mapping[str, Space]) -> Inputs:
    """Read and check the file of the inputs, given the random samples of the configuration."""
    document = read(path)
    settings = validated(InputsFile, document)
    if problems := [*_wrong(document, settings, censuses)]:
        raise ConfigurationError(problems)
    return Inputs(settings, censuses[settings.sample], censuses)


def _wrong(
    document: Document, settings: InputsFile, censuses: Mapping[str, Space]
) -> Iterator[Problem]:
    """Yield the contradictions between keys, and what the random samples do not have."""
    most = settings.connections // 2
    if settings.simulated > most:
        message = f"is {settings.simulated}, but must be at most {most}, half of `connections`"
        yield document.problem(("simulated",), message)
    users: dict[tuple[str, ...], InputsFile | Judge] = {(): settings}
    users |= {("judges", name): judge for name, judge in settings.judges.items()}
    for at, user in users.items():
        if user.sample not in censuses:
            known = alternatives(user.sample, list(censuses)) if censuses else ""
            message = f"no random sample is called {user.sample!r}{known}"
            yield document.problem((*at, "sample"), message)
            continue
        points = censuses[user.sample].census.points // (2 if at else 1)  # one half judges
        if user.connections > points:
            where = f"{'half of ' * bool(at)}the random sample {user.sample} has {points} points"
            yield document.problem((*at, "connections"), f"is {user.connections}, but {where}")
    for name, level in settings.levels.items():
        if twice := [one for one, count in Counter(level.unknown).items() if count > 1]:
            message = f"lists {' and '.join(twice)} twice"
            yield document.problem(("levels", name, "unknown"), message)
    rule = "each level must know more than the previous one: "
    for (before, less), (name, more) in pairwise(settings.levels.items()):
        at = ("levels", name, "unknown")
        if added := sorted(set(more.unknown) - set(less.unknown)):
            known = f"{' and '.join(added)} {'is' if len(added) == 1 else 'are'} known at the level"
            message = f"{known} {before}; {rule}remove {' and '.join(added)} here"
            yield document.problem(at, message)
        elif set(more.unknown) == set(less.unknown):
            message = f"is what is not known at the level {before}, too; {rule}remove an input here"
            yield document.problem(at, message)
