"""`tcpgoodput.link`: what measurements tell of a link, and what TCP reaches over it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import prediction_records
from tcpgoodput.comparison.census.expected import Advice, advice_for
from tcpgoodput.comparison.compare import simulated
from tcpgoodput.configuration import refused
from tcpgoodput.configuration.units import with_digits
from tcpgoodput.engines.base import Report, silent
from tcpgoodput.engines.closeness import Target
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.loss import GilbertElliott
from tcpgoodput.scenario.physics import window_limit_pps
from tcpgoodput.studies.measured.files import Guesses, read_measurements
from tcpgoodput.studies.measured.known import (
    WINDOW,
    Known,
    Reading,
    counted_limit,
    largest_of,
    rows_of,
)
from tcpgoodput.studies.measured.scenario import (
    DROPPED,
    RATE_TEST,
    SENDERS,
    Changes,
    Described,
    described,
)
from tcpgoodput.studies.recordings.views import scenario_yaml

RATE = "the rate of the link"

REMOVED: dict[str, Changes] = {
    "packet loss": {"loss": {"process": "none"}},
    "stalls": {"spikes": None},
}
"""Changes of a scenario that take an impairment away, by its name."""

LEAST_GAIN = 1.1
"""Smallest factor by which the goodput grows without a limit that counts as one; chosen by hand."""

SHARED = "Other traffic may have taken a part of the rate: this is what it left."

BLOAT_S = 0.1
"""Smallest delay of a queue that is called bufferbloat: it disturbs a conversation (ITU-T G.114).
Chosen by hand."""

UNEXPLAINED = 25.0
"""Smallest difference of the expected from the measured goodput, in per cent, that the files do not
explain; chosen by hand."""

CLOSE_ENOUGH = Target(half_width=0.03, most_packets=20_000_000, replications=8)
"""Half-width and effort of a simulation. Inputs from measurements are seldom known to 3 %."""

WIDE = 0.05
"""Smallest half-width of a simulated goodput, relative to it, that is said; chosen by hand."""

MOST_PACKETS_BETWEEN = 1_000_000
"""Largest number of packets that the link carries from one bad time or stall to the next with which
it is simulated. A simulation needs some 25 of them, so up to 25 million packets, which take some
seconds. Chosen by hand."""


class _Goodput(NamedTuple):
    """A goodput in bit/s, and the half-width of its interval relative to it (0: no simulation)."""

    bps: float
    half_width: float = 0.0
    is_shortened: bool = False
    """True: bad times and stalls, too rare to simulate, only take away their share of the time."""
    is_simulated: bool = False


def link(
    *files: str | os.PathLike[str],
    rate_bps: float | None = None,
    rtt_s: float | None = None,
    variant: str | None = None,
    guesses: Guesses | None = None,
    simulate: bool = True,
    seed: int = 1,
    report: Report = silent,
) -> MeasuredLink:
    """Say what measurements by other tools tell of a link, and what TCP reaches over it.

    Args:
        *files: outputs of ping, irtt, iperf3, iperf 2, `ss -ti`, nstat, tshark or tcptrace, packet
            captures, Mahimahi files or tables of times and rates, all of one link.
        rate_bps: the rate of the link in bit/s; None: it is measured.
        rtt_s: the round trip without load in seconds; None: it is measured.
        variant: the sender, such as `cubic`; None: that of a transfer, else cubic.
        guesses: what the files do not say, such as the time between echoes without time stamps.
        simulate: whether to simulate the link; without it, the best model's goodput is expected.
        seed: seed of the simulation's random numbers.
        report: function that is called with the numbers of finished and of all simulations, when
            they run: at the first use of a goodput.

    Returns:
        A `MeasuredLink`: `known`, a table of quantities with their intervals and sources; `notes`,
        every guess; `missing`, what no file tells; `contradictions` between sources; `scenario`;
        `costs`, the predictions if an input were different; `expected_bps`, `measured_bps` and
        `answer`, a sentence.

    Raises:
        ConfigurationError: a file is of none of these kinds, invalid or too short, or two files
            contradict each other; the message says what to do.

    Example:
        >>> import tcpgoodput
        >>> found = tcpgoodput.link("docs/examples/ping.txt", rate_bps=2e7, simulate=False)
        >>> found.known["quantity"].tolist()[:2]
        ['rtt_min_s', 'rtt_median_s']
        >>> found.scenario.propagation_rtt_s
        0.0405

    """
    if not files:
        raise TypeError("link needs at least one file")
    paths = [Path(file) for file in files]
    readings = read_measurements(paths, guesses or Guesses(), may_differ=rtt_s is not None)
    found = described(readings, rate_bps, rtt_s, variant)
    conditions = Conditions(precision="draft", seed=seed)
    return MeasuredLink(readings, found, conditions, simulate, report)


@dataclass(frozen=True, repr=False)
class MeasuredLink:
    """What measurements tell of a link, and what TCP reaches over it."""

    readings: Sequence[Reading]
    described: Described
    """The link as a scenario, or what is lacking for one."""
    conditions: Conditions
    is_simulated: bool
    report: Report = silent

    @property
    def known(self) -> pd.DataFrame:
        """A row for each quantity: `quantity`, `value`, `low`, `high`, `source`, `how`, `count`."""
        return pd.DataFrame(rows_of(self.readings), columns=list(Known.__dataclass_fields__))

    @property
    def notes(self) -> list[str]:
        """How the files were interpreted: a line for each guess, with the file's name."""
        return [f"{one.path.name}: {note}" for one in self.readings for note in one.notes]

    @property
    def missing(self) -> dict[str, str]:
        """For each input that no file tells, what is assumed, and how to measure it."""
        return self.described.lacking or self.described.missing

    @property
    def contradictions(self) -> list[str]:
        """Sentences on rates and round trips that do not fit together."""
        return self.described.doubts

    @cached_property
    def scenario(self) -> Scenario:
        """The link as a scenario.

        Raises:
            ConfigurationError: the rate or the round trip is missing.

        """
        return Scenario.model_validate(self._complete.content)

    @property
    def _complete(self) -> Described:
        if lacking := self.described.lacking:
            files = ", ".join(str(one.path) for one in self.readings)
            inputs = [f"{name}: {words}" for name, words in lacking.items()]
            raise refused(files, "", f"without {' and '.join(inputs)}: no scenario")
        return self.described

    @property
    def yaml(self) -> str:
        """The scenario file, with comments that say where each number came from."""
        files = ", ".join(one.path.name for one in self.readings)
        return scenario_yaml(self._complete.view, f"Measured in {files}.")

    @cached_property
    def _goodputs(self) -> dict[str, _Goodput]:
        """The goodput of the link, and of the link with each change, by the change as JSON."""
        link, others = self.scenario, [changes for *_, changes in self._complete.others]
        changed = [{}, *others, *self._removed.values()]
        if self._removed and not self._complete.is_rate_assumed:
            changed.append(self._faster)
        wanted = {_key(changes): changes for changes in changed}
        goodputs = {}
        for key, changes in wanted.items():
            self.report(len(goodputs), len(wanted))
            goodputs[key] = self._goodput(override(link, changes))
        return goodputs

    @property
    def _faster(self) -> Changes:
        """The change to a link of twice the rate."""
        return {"path.rate_bps": 2 * self.scenario.path.rate_bps}

    @property
    def _removed(self) -> dict[str, Changes]:
        """The changes of `REMOVED` for the impairments that the link has."""
        has = {"packet loss": self.scenario.loss.impairment, "stalls": self.scenario.spikes}
        return {name: changes for name, changes in REMOVED.items() if has[name]}

    @cached_property
    def costs(self) -> pd.DataFrame:
        """The goodput with other values that inputs may have, within what the files tell.

        A row has `input`, `assumption` (the other value), `goodput_bps`, `change_%`, 100
        (goodput / goodput with all inputs as they are - 1), and `half_width_%`, the half-width of
        the change's interval (0: nothing was simulated).
        """
        rows, own = [], self._goodputs[_key({})]
        for name, words, changes in self._complete.others:
            other = self._goodputs[_key(changes)]
            half_width = 100 * math.hypot(own.half_width, other.half_width)
            rows.append((name, words, other.bps, _change(other.bps, own.bps), half_width))
        columns = ["input", "assumption", "goodput_bps", "change_%", "half_width_%"]
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def predictions(self) -> list[dict[str, Any]]:
        """The prediction of every model, as dicts."""
        return prediction_records(self.scenario, self.conditions)

    @cached_property
    def advice(self) -> Advice:
        """The models in domain, with their errors on random connections."""
        return advice_for(self.scenario, self.predictions)

    @property
    def recommended_bps(self) -> float | None:
        """The goodput in bit/s that the recommended model predicts; None if there is none."""
        return _recommended_bps(self.predictions, self.advice)

    @cached_property
    def expected_bps(self) -> float:
        """The expected goodput in bit/s: simulated, else that of the model with the least error.

        It is NaN if there is neither, unless the link has neither losses nor stalls: then it is the
        most that rate and window allow.
        """
        return self._goodputs[_key({})].bps

    @property
    def is_expected_simulated(self) -> bool:
        """Whether the expected goodput is simulated; a simulation may refuse a sender."""
        return self._goodputs[_key({})].is_simulated

    @property
    def measured(self) -> Known | None:
        """The goodput that a transfer reached, of several the largest; None if no file has one."""
        return largest_of(self.readings, "goodput_bps")

    @property
    def _transfer(self) -> Reading | None:
        """The file with the goodput of `measured`."""
        return next((one for one in self.readings if self.measured in one.known), None)

    @property
    def error(self) -> float | None:
        """100 (expected / measured goodput - 1); None if one of them is unknown."""
        return None if self.measured is None else _change(self.expected_bps, self.measured.value)

    @property
    def _other_sender(self) -> str:
        """Name of the sender of the transfer if the scenario has another one, else empty."""
        named = self._transfer.variant if self._transfer else None
        is_same = not named or SENDERS.get(named) == self.scenario.tcp.variant
        return "" if is_same else str(named)

    @property
    def _unexplained(self) -> str:
        """Whether the transfer was clearly "fast" or "slow", compared with what is expected.

        Empty: neither, unless it is a tenth outside of what the files leave open. A transfer of
        another sender, and a slow one that shared the link or was held to a rate, say nothing.
        """
        transfer, error, measured = self._transfer, self.error, self.measured
        if transfer is None or measured is None or error is None or self._other_sender:
            return ""
        goodputs = self._open_bps
        low, high = min(goodputs) / LEAST_GAIN, max(goodputs) * LEAST_GAIN
        if abs(error) < UNEXPLAINED and low <= measured.value <= high:
            return ""
        if error < 0:
            return "fast"
        return "" if transfer.is_held or transfer.streams > 1 else "slow"

    @property
    def precision(self) -> list[str]:
        """Sentences on how closely the goodputs are known, if that is less than usual."""
        found, goodputs = [], self._goodputs
        unknown = sum(math.isnan(bps) for bps in [self.expected_bps, *self.costs["goodput_bps"]])
        if unknown:
            found.append(
                f"Not shown: {unknown} of {1 + len(self.costs)} goodputs, for which no model is in "
                "domain. A simulation has them."
            )
        if any(goodput.is_shortened for goodput in goodputs.values()):
            found.append(
                "Some bad times or stalls are too rare to simulate. Then the goodput is that "
                "between them, times the other share of the time: a bit less is left in truth, "
                "because timeouts outlast bad times."
            )
        own, widest = goodputs[_key({})].half_width, max(g.half_width for g in goodputs.values())
        if widest >= WIDE:
            found.append(
                f"The simulations are short: the first goodput is known to ± {100 * own:.2g} %, "
                f"others to ± {100 * widest:.2g} % at worst. tcpgoodput simulate FILE, with the "
                "FILE of --output, takes longer and is closer."
            )
        return found

    def _goodput(self, scenario: Scenario) -> _Goodput:
        """Return a simulated goodput, else the best model's; without both that of a perfect link.

        It is NaN if the link has impairments, and neither simulation nor model has a goodput.
        """
        link, share = _without_rare(scenario)
        is_shortened = share < 1
        if self.is_simulated:
            found = simulated(link, self.conditions, CLOSE_ENOUGH)
            if found.goodput_pps is not None:
                bps = float(found.goodput_pps * 8 * link.tcp.mss_bytes)
                width = found.relative_half_width
                width = width if math.isfinite(width) else 0.0
                return _Goodput(share * bps, width, is_shortened, is_simulated=True)
        records = prediction_records(link, self.conditions)
        best_bps = _recommended_bps(records, advice_for(link, records))
        if best_bps is None:
            is_impaired = link.loss.impairment or link.spikes
            best_bps = math.nan if is_impaired else _limit_bps(link)
        return _Goodput(share * best_bps, is_shortened=is_shortened)

    @cached_property
    def limits(self) -> dict[str, float]:
        """The goodput in bit/s that each limit of the link allows, or that is reached without it.

        Rate and receiver window allow a goodput; loss and stalls are taken away one by one.
        """
        link, bits = self.scenario, 8 * self.scenario.tcp.mss_bytes
        found = {RATE: link.rate_pps * bits, WINDOW: window_limit_pps(link) * bits}
        without = {name: self._goodputs[_key(c)].bps for name, c in self._removed.items()}
        return found | {name: bps for name, bps in without.items() if math.isfinite(bps)}

    @property
    def answer(self) -> str:
        """What limits the connection, what to expect, why, and how it agrees with a transfer."""
        sentences = [*self._verdict(), *self._range(), *self._agreement(), *self._queued()]
        return " ".join(sentences)

    @property
    def _bound(self) -> tuple[str, bool]:
        """The smaller one of the limits that rate and window set, and whether it is reached."""
        limits, is_assumed = self.limits, self._complete.is_rate_assumed
        name = min((RATE, WINDOW), key=lambda name: limits[name])
        if is_assumed and limits[WINDOW] < LEAST_GAIN * limits[RATE]:
            name = WINDOW
        return name, self.expected_bps * LEAST_GAIN >= limits[name]

    @property
    def _counted(self) -> tuple[str, float] | None:
        """The limit by the kernel's counters, unless the goodput reaches a limit that is known."""
        is_known = self._bound[1] and not self._complete.is_rate_assumed
        return None if is_known else counted_limit(self.readings)

    def _verdict(self) -> list[str]:
        """Return sentences with the limit of the connection, and what to expect.

        A rate that is only assumed is not called a limit; one that a transfer filled is. If the
        goodput is unknown, or a transfer was clearly faster or slower, what limits the connection
        is open.
        """
        limits, expected_bps = self.limits, self.expected_bps
        is_assumed, (bound, is_reached) = self._complete.is_rate_assumed, self._bound
        unknown = "The rate of the link is unknown, and it may be faster: "
        unknown += f"measure it ({RATE_TEST}), or state it with --rate."
        beyond = [unknown] * is_assumed
        expect = f"expect {_mbps(expected_bps)}"
        if counted := self._counted:
            name, share = counted
            if self.measured and self._unexplained == "fast":
                expect = f"expect the {_mbps(self.measured.value)} that a transfer reached"
            why = f"the kernel counted that it limited the transfer {100 * share:.0f} % of the time"
            return [f"This connection is limited by {name}, {expect}, because {why}.", *beyond]
        open_ = "What limits this connection is open: "
        if math.isnan(expected_bps):
            allowed = f"{'least' if is_assumed else 'most'} {_mbps(_limit_bps(self.scenario))}"
            words = f"{open_}no model is in domain, and nothing was simulated. Rate and receiver "
            words += f"window allow at {allowed}, of which losses and stalls take an unknown part."
            return [words, *beyond]
        filled = self.measured.value / limits[RATE] if self.measured else 0.0
        is_filled = 1 / LEAST_GAIN <= filled <= LEAST_GAIN and not self._other_sender
        if self.measured and is_filled and not is_reached and not is_assumed:
            expect = f"expect the {_mbps(self.measured.value)} that the transfer reached"
            why = f"that is {100 * filled:.0f} % of the {_mbps(limits[RATE])} that it allows"
            return [f"This connection is limited by {RATE}, {expect}, because {why}."]
        without = {name: limits[name] for name in self._removed if name in limits}
        name = max(without, key=lambda name: without[name], default="")
        if name and without[name] >= LEAST_GAIN * expected_bps:
            least = "at least " * is_assumed  # without the impairment, the rate is the limit
            why = f"without it the same connection would reach {least}{_mbps(without[name])}"
        else:
            name, why = "several things together", "no single one, if lifted, gives a tenth more"
            faster = self._goodputs.get(_key(self._faster))
            if faster and not is_assumed and faster.bps >= LEAST_GAIN * expected_bps:
                name, why = RATE, f"at twice the rate it would reach {_mbps(faster.bps)}"
        limit = bound if is_reached else name
        if self.measured and self._unexplained == "slow":
            reached = f"the transfer reached only {_mbps(self.measured.value)}"
            words = f"{open_}the files allow {_mbps(expected_bps)}, limited by {limit}, but "
            return [f"{words}{reached}: expect no more until it is known what held it.", *beyond]
        if self.measured and self._unexplained == "fast":
            words = f"{open_}expect the {_mbps(self.measured.value)} that the transfer reached, "
            words += f"because it disproves the {_mbps(expected_bps)} that {limit} would leave"
            return [f"{words}.", *self._dropped(), *beyond]
        if is_reached and bound == RATE and is_assumed:
            words = f"A transfer filled {_mbps(limits[RATE])} at most"
            words += ", and the files show no limit below that"
            if window_bytes := self._hidden_window_bytes:
                words = f"A transfer reached {_mbps(limits[RATE])} at most, without a queue and "
                words += "without loss, so it hardly filled the link: a window of about "
                words += f"{window_bytes / 1e3:.3g} kB (the receiver's or the sender's buffer) or "
                words += "the sending application limited it"
            return [f"{words}: {expect}.", unknown]
        rate = f"({RATE} allows {'at least ' * is_assumed}{_mbps(limits[RATE])})"
        if is_reached:
            share = 100 * expected_bps / limits[bound]
            why = f"that is {share:.0f} % of the {_mbps(limits[bound])} that it allows"
            words = f"This connection is limited by {bound}, {expect}, because {why}"
            if bound == RATE:
                return [f"{words}.", *[SHARED] * self._complete.is_rate_shared]
            return [f"{words} {rate}."]
        return [f"This connection is limited by {name}, {expect}, because {why} {rate}."]

    @property
    def _hidden_window_bytes(self) -> float | None:
        """The window of a transfer without a queue and without loss: goodput times round trip.

        None if it had one of them, or if it is unknown. BBR keeps queues short on a full link.
        """
        transfer = self._transfer
        resent, loaded = (transfer and transfer.get(name) for name in ("resent", "loaded_rtt_s"))
        if not (transfer and self.measured and resent and loaded) or transfer.variant == "bbr":
            return None
        has_queue = loaded.value > LEAST_GAIN * self.scenario.propagation_rtt_s
        return None if resent.value or has_queue else self.measured.value * loaded.value / 8

    def _queued(self) -> list[str]:
        """Return a sentence on the queue that a transfer kept."""
        busy, idle_s = self._complete.busy, self.scenario.propagation_rtt_s
        if busy is None or (loaded := busy.get("loaded_rtt_s")) is None:
            return []
        words = f"A transfer kept a queue: half of its round trips were {_ms(loaded.value)} or "
        bloat = " (bufferbloat)" if loaded.value - idle_s >= BLOAT_S else ""
        return [f"{words}longer, in place of {_ms(idle_s)} without load{bloat}."]

    def _dropped(self) -> list[str]:
        """Return a sentence with the goodput if the queue dropped all packets that were lost."""
        costs = self.costs
        for bps in costs.loc[costs["assumption"] == DROPPED, "goodput_bps"]:
            return [f"If the queue dropped all packets that were sent again, expect {_mbps(bps)}."]
        return []

    @property
    def _open_bps(self) -> list[float]:
        """The goodputs that the files leave open, in bit/s; the last one is the expected one."""
        return [*self.costs["goodput_bps"].dropna(), self.expected_bps]

    def _range(self) -> list[str]:
        """Return a sentence with the goodputs that the files leave open; none if they agree."""
        goodputs = self._open_bps
        if math.isnan(self.expected_bps):
            return []
        unknown = self.costs[self.costs["goodput_bps"].isna()].head(1)
        uncounted = [
            "Not counted, because no model is in domain and nothing was simulated: "
            f"{row.input} ({row.assumption})."
            for row in unknown.itertuples()
        ]
        if min(goodputs) * LEAST_GAIN > max(goodputs):
            return uncounted
        ratios = self.costs["goodput_bps"].dropna() / self.expected_bps
        most = self.costs.loc[ratios.map(_size).idxmax()]
        told = f"The files leave open at least {_mbps(min(goodputs))} to {_mbps(max(goodputs))}: "
        told += f"most depends on {most['input']} "
        told += f"({most['assumption']}: {_mbps(most['goodput_bps'])})."
        return [told, *uncounted]

    def _agreement(self) -> list[str]:
        known, error = self.measured, self.error
        if known is None:
            return []
        file, _, _ = known.source.partition(", lines ")
        reached = f"The transfer in {file} reached {_mbps(known.value)}"
        if self._other_sender:
            told = [f"{reached}, and its sender was another one: {self._other_sender}."]
        elif error is None:
            told = [f"{reached}: expect that."]
        else:
            told = [f"{reached}; the files predict {_mbps(self.expected_bps)}, {_apart(error)}."]
        told += self._outside(known.value)
        if self._unexplained:
            told.append(
                "The files do not explain this difference: see the guesses and what is "
                "missing, and measure both at the same time."
            )
        counted = counted_limit(self.readings)
        if counted and not self._counted:  # else it is the verdict
            name, share = counted
            told.append(f"{name[0].upper()}{name[1:]} limited it {100 * share:.0f} % of the time.")
        return told

    def _outside(self, measured_bps: float) -> list[str]:
        """Return what a measured goodput implies that is in no way what the files leave open."""
        goodputs = self._open_bps
        if min(goodputs) <= measured_bps <= max(goodputs) or not self._unexplained:
            return []
        if self._unexplained == "slow":
            words = "something that the files do not show limited it, such as other traffic, the "
            words += "sending application, or more loss than at the time of the other files"
        elif self.scenario.loss.impairment:
            words = "losses come in longer bursts than assumed, or its own queue dropped packets, "
            words += "or the link lost fewer packets at that time"
        else:
            words = "rate, receiver window or round trip were others at that time"
        return [f"It is outside of what the files leave open, so {words}."]

    def __repr__(self) -> str:
        lines = [f"{row.quantity} = {row.value:.6g}" for row in self.known.itertuples()]
        return "\n".join([*lines, *["no scenario"] * bool(self.described.lacking)])

    @property
    def record(self) -> dict[str, Any]:
        """Everything as a dict that can be written as JSON."""
        rows = [
            {
                k: None if isinstance(v, float) and not math.isfinite(v) else v
                for k, v in row.items()
            }
            for row in rows_of(self.readings)
        ]
        found: dict[str, Any] = {"known": rows, "notes": self.notes, "missing": self.missing}
        found["contradictions"] = self.contradictions
        if self.described.lacking:
            return {**found, "scenario": None}
        costs = self.costs.astype(object).where(self.costs.notna(), None).to_dict("records")
        return {
            **found,
            "scenario": self._complete.content,
            "is_simulated": self.is_expected_simulated,
            "precision": self.precision,
            "advice": self.advice.record(),
            "costs": costs,
            "expected_bps": None if math.isnan(self.expected_bps) else self.expected_bps,
            "measured_bps": self.measured.value if self.measured else None,
            "error_%": self.error,
            "limits": {n: bps if math.isfinite(bps) else None for n, bps in self.limits.items()},
            "answer": self.answer,
        }


def _recommended_bps(records: Sequence[dict[str, Any]], advice: Advice) -> float | None:
    """Return the goodput in bit/s that the recommended model predicts; None if there is none."""
    goodputs_bps = {record["name"]: record["goodput_bps"] for record in records}
    return float(goodputs_bps[advice.models[0].name]) if advice.models else None


def _ms(time_s: float) -> str:
    return f"{with_digits(1e3 * time_s, 3)} ms"


def _mbps(rate_bps: float) -> str:
    size, unit = (1e9, "G") if rate_bps >= 0.9995e9 else (1e6, "M")
    return f"{rate_bps / size:.3g} {unit}bit/s"


def _key(changes: Changes) -> str:
    return json.dumps(changes, sort_keys=True)


def _change(value: float, reference: float) -> float | None:
    """Return the change in per cent; None if the reference is 0, or one of them is unknown."""
    change = 100 * (value / reference - 1) if reference else math.nan
    return change if math.isfinite(change) else None


def _size(ratio: float) -> float:
    """Return how far a ratio is from 1, in either direction, as a factor of at least 1."""
    return max(ratio, 1 / ratio) if ratio > 0 else math.inf


def _limit_bps(scenario: Scenario) -> float:
    """Return the largest goodput in bit/s that rate and receiver window allow."""
    limit_pps = min(scenario.rate_pps, window_limit_pps(scenario))
    return limit_pps * 8 * scenario.tcp.mss_bytes


def _apart(change: float) -> str:
    """Return how a goodput compares with another one, from its change in per cent."""
    if abs(change) < 1:
        return "the same within 1 %"
    if change >= 100:
        return f"{1 + change / 100:.2g} times as much"
    return f"{abs(change):.0f} % {'above' if change > 0 else 'below'} it"


def _without_rare(scenario: Scenario) -> tuple[Scenario, float]:
    """Return a scenario without bad times and stalls that are too rare to simulate.

    The second value is the share of the time that is left between them.
    """
    loss, spikes, share, changes = scenario.loss, scenario.spikes, 1.0, dict[str, Any]()
    is_in_time = isinstance(loss, GilbertElliott) and loss.clock == "slot"
    if is_in_time and loss.steps_per_run > MOST_PACKETS_BETWEEN:
        share *= 1 - loss.bad_share
        changes |= REMOVED["packet loss"]
    if spikes and spikes.interval.mean_s * scenario.rate_pps > MOST_PACKETS_BETWEEN:
        share *= max(0.0, 1 - spikes.duration.mean_s / spikes.interval.mean_s)
        changes |= REMOVED["stalls"]
    return override(scenario, changes), share
