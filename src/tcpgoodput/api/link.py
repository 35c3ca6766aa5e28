"""`tcpgoodput.link`: what measurements tell of a link, and what TCP reaches over it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import prediction_records
from tcpgoodput.comparison.census.expected import Advice, advice_for
from tcpgoodput.comparison.compare import simulated
from tcpgoodput.comparison.errors import log_error, per_cent
from tcpgoodput.configuration import refused
from tcpgoodput.engines.closeness import USUAL
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.physics import window_limit_pps
from tcpgoodput.studies.measured.files import Guesses, read_measurements
from tcpgoodput.studies.measured.known import Known, Reading, best_of, rows_of
from tcpgoodput.studies.measured.scenario import Described, described
from tcpgoodput.studies.recordings.views import scenario_yaml

RATE, WINDOW = "the rate of the link", "the receiver window"
"""Names of limits."""

LEAST_GAIN = 1.1
"""Smallest factor by which the goodput grows without a limit that counts as one; chosen by hand."""

UNEXPLAINED = math.log(1.5)
"""Smallest log ratio of the expected and the measured goodput that the files do not explain."""


def link(
    *files: str | os.PathLike[str],
    rate_bps: float | None = None,
    rtt_s: float | None = None,
    variant: str | None = None,
    guesses: Guesses | None = None,
    simulate: bool = True,
    seed: int = 1,
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

    Returns:
        A `MeasuredLink`: `known`, a table of quantities with their intervals and sources; `notes`,
        every guess; `missing`, what no file tells; `scenario`; `costs`, the predictions if an input
        were different; `expected_bps`, `measured_bps` and `answer`, a sentence.

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
    return MeasuredLink(readings, found, Conditions(seed=seed), simulate)


@dataclass(frozen=True, repr=False)
class MeasuredLink:
    """What measurements tell of a link, and what TCP reaches over it."""

    readings: Sequence[Reading]
    described: Described | list[str]
    """The link as a scenario; or what is missing for one."""
    conditions: Conditions
    is_simulated: bool

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
        if isinstance(self.described, list):
            return {name: rest for name, _, rest in (m.partition(": ") for m in self.described)}
        return self.described.missing

    @cached_property
    def scenario(self) -> Scenario:
        """The link as a scenario.

        Raises:
            ConfigurationError: the rate or the round trip is missing.

        """
        return Scenario.model_validate(self._complete.content)

    @property
    def _complete(self) -> Described:
        if isinstance(self.described, list):
            files = ", ".join(str(one.path) for one in self.readings)
            raise refused(files, "", f"without {' and '.join(self.described)}: no scenario")
        return self.described

    @property
    def yaml(self) -> str:
        """The scenario file, with comments that say where each number came from."""
        files = ", ".join(one.path.name for one in self.readings)
        return scenario_yaml(self._complete.view, f"Measured in {files}.")

    @cached_property
    def costs(self) -> pd.DataFrame:
        """The goodput with other values that inputs may have, within what the files tell.

        A row has `input`, `assumption` (the other value), `goodput_bps` and `change_%`, 100
        ln(goodput / goodput with all inputs as they are).
        """
        rows = []
        for name, words, changes in self._complete.others:
            goodput_bps = self._goodput_bps(override(self.scenario, changes))
            change = log_error(goodput_bps, self.expected_bps)
            rows.append((name, words, goodput_bps, None if change is None else per_cent(change)))
        return pd.DataFrame(rows, columns=["input", "assumption", "goodput_bps", "change_%"])

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
        """The expected goodput in bit/s: simulated, else that of the model with the least error."""
        return self._goodput_bps(self.scenario)

    @property
    def measured(self) -> Known | None:
        """The goodput that a transfer reached; None if no file has one."""
        return best_of(self.readings, "goodput_bps")

    @property
    def error(self) -> float | None:
        """100 ln(expected / measured goodput); None if no transfer was measured."""
        if self.measured is None or not self.measured.value:
            return None
        found = log_error(self.expected_bps, self.measured.value)
        return None if found is None else per_cent(found)

    def _goodput_bps(self, scenario: Scenario) -> float:
        """Return a simulated goodput in bit/s, else the best model's, else the link's limit."""
        if self.is_simulated:
            found = simulated(scenario, self.conditions, USUAL["paper"])
            if found.goodput_pps is not None:
                return float(found.goodput_pps * 8 * scenario.tcp.mss_bytes)
        records = prediction_records(scenario, self.conditions)
        best_bps = _recommended_bps(records, advice_for(scenario, records))
        if best_bps is not None:
            return best_bps
        limit_pps = min(scenario.rate_pps, window_limit_pps(scenario))
        return limit_pps * 8 * scenario.tcp.mss_bytes

    @cached_property
    def limits(self) -> dict[str, float]:
        """The goodput in bit/s that each limit of the link allows, or that is reached without it.

        Rate and receiver window allow a goodput; loss and stalls are taken away one by one.
        """
        link, bits = self.scenario, 8 * self.scenario.tcp.mss_bytes
        found = {RATE: link.rate_pps * bits, WINDOW: window_limit_pps(link) * bits}
        if link.loss.impairment:
            without = override(link, {"loss": {"process": "none"}})
            found["packet loss"] = self._goodput_bps(without)
        if link.spikes:
            found["stalls"] = self._goodput_bps(override(link, {"spikes": None}))
        return found

    @property
    def answer(self) -> str:
        """What limits the connection, what to expect, why, and how it agrees with a transfer."""
        limits, expected_bps = dict(self.limits), self.expected_bps
        bound = min((RATE, WINDOW), key=lambda name: limits[name])
        without = {name: limits[name] for name in limits if name not in (RATE, WINDOW)}
        name = max(without, key=lambda name: without[name], default="")
        if expected_bps * LEAST_GAIN >= limits[bound]:
            name = bound
            share = f"{100 * expected_bps / limits[bound]:.0f} %"
            why = f"that is {share} of the {_mbps(limits[bound])} that it allows"
        elif name and without[name] >= LEAST_GAIN * expected_bps:
            why = f"without it the same connection would reach {_mbps(without[name])}"
        else:
            name, why = "several things together", "no single one, if lifted, gives a tenth more"
        words = f"This connection is limited by {name}, expect {_mbps(expected_bps)}, because {why}"
        words += "." if name == RATE else f" ({RATE} allows {_mbps(limits[RATE])})."
        return " ".join([words, *self._range(), *self._agreement()])

    def _range(self) -> list[str]:
        """Return a sentence with the goodputs that the files leave open; none if they agree."""
        goodputs = [*self.costs["goodput_bps"], self.expected_bps]
        if min(goodputs) * LEAST_GAIN > max(goodputs):
            return []
        most = self.costs.loc[self.costs["change_%"].abs().idxmax()]
        told = (
            f"The files leave open {_mbps(min(goodputs))} to {_mbps(max(goodputs))}: most depends "
        )
        return [f"{told}on {most['input']} ({most['assumption']}: {_mbps(most['goodput_bps'])})."]

    def _agreement(self) -> list[str]:
        known, error = self.measured, self.error
        if known is None or error is None:
            return []
        apart = f"{abs(error):.0f} % {'above' if error > 0 else 'below'} it"
        told = [
            f"The transfer in {known.source} reached {_mbps(known.value)}: the expected goodput "
        ]
        told[0] += f"is {apart if abs(error) >= 1 else 'the same within 1 %'}."
        if abs(error) > 100 * UNEXPLAINED:
            told.append(
                "The files do not explain this difference: see the guesses and what is "
                "missing, and measure both at the same time."
            )
        limited = best_of(self.readings, "window_limited")
        if limited and limited.value > 0.5:
            told.append(f"The receiver window limited it {100 * limited.value:.0f} % of the time.")
        return told

    def __repr__(self) -> str:
        lines = [f"{row.quantity} = {row.value:.6g}" for row in self.known.itertuples()]
        return "\n".join([*lines, *(["no scenario"] if isinstance(self.described, list) else [])])

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
        if isinstance(self.described, list):
            return {**found, "scenario": None}
        costs = self.costs.astype(object).where(self.costs.notna(), None).to_dict("records")
        return {
            **found,
            "scenario": self._complete.content,
            "is_simulated": self.is_simulated,
            "advice": self.advice.record(),
            "costs": costs,
            "expected_bps": self.expected_bps,
            "measured_bps": self.measured.value if self.measured else None,
            "error_%": self.error,
            "limits": self.limits,
            "answer": self.answer,
        }


def _recommended_bps(records: Sequence[dict[str, Any]], advice: Advice) -> float | None:
    """Return the goodput in bit/s that the recommended model predicts; None if there is none."""
    goodputs_bps = {record["name"]: record["goodput_bps"] for record in records}
    return float(goodputs_bps[advice.models[0].name]) if advice.models else None


def _mbps(rate_bps: float) -> str:
    return f"{rate_bps / 1e6:.3g} Mbit/s"
