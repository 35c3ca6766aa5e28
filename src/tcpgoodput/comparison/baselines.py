"""Errors of every family and of simpler ways to predict, on the same connections.

A model is worth its effort if it is closer than simpler ways to predict: a constant, a cap, the
smaller of two models, a family for each impairment. This module has them beside every family, with
known parameters. Constants and choices are made on the first half of a random sample, and judged on
the second half, or on held-out connections.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.design import JOINED, UNIMPAIRED, Connection, Space
from tcpgoodput.comparison.census.evidence import Evidence, groups_of
from tcpgoodput.comparison.census.quantities import INFINITE, QUANTITIES, quantities_of
from tcpgoodput.comparison.errors import by_median_size, log_error, median_of, quantile
from tcpgoodput.comparison.input_errors import (
    BY_CONSTANT,
    CAP,
    FLUID,
    ORACLE,
    SIMULATION,
    cap_pps,
    closest,
    measured_by,
)
from tcpgoodput.comparison.inputs import Inputs, half_of
from tcpgoodput.comparison.link_errors import Link
from tcpgoodput.comparison.regressions import learned
from tcpgoodput.engines.base import PACKET, Measurement

PFTK = "pftk"
"""Name of the family of the PFTK model."""

RULE, SMALLER, BEST = "two-line rule", "smaller of PFTK and fluid", "family by impairments"
CORRECTED, CAP_CORRECTED = "smaller, corrected by a regression", "cap, corrected by a regression"
BY_LINK = "family by kind of link"

MEANINGS = {
    SMALLER: "the smaller of the goodputs of PFTK and of the fluid model",
    RULE: "PFTK if the rate is constant or packets are lost or hit by hand-offs; the fluid model "
    "if only the rate varies or PFTK has no value. Earlier editions of the report recommended it",
    BEST: "for each combination of impairments, the family with the smallest median error on the "
    "choosing half",
    CORRECTED: "the smaller of PFTK and the fluid model, divided by its error as a regression "
    "(gradient boosting) predicts it from the parameters; it learns on the choosing half",
    CAP_CORRECTED: "the cap, divided by its error as such a regression predicts it",
    BY_LINK: "the family of the kind of link in the report's table, if it has the kind; chosen "
    "again on the choosing half where the table compares families",
    CAP: "the smaller of mean rate and receiver window over round trip",
    ORACLE: "the family that is closest, chosen for each connection in hindsight",
    SIMULATION: "the packet simulator, where another engine judges",
}
"""All ways to predict that are not a single family, with their meaning."""

SCALED = (FLUID, PFTK, SMALLER, RULE, BEST, CAP)
"""Ways to predict that are also divided by one constant, the median of prediction over measurement
on the choosing half."""

PRODUCTS = {"BDP up to 10": 10.0, "BDP of 10 to 50": 50.0, "BDP above 50": math.inf}
"""Classes of bandwidth-delay products by their upper ends, in packets. Chosen by hand."""

NUMBERS = ("no impairment", "one impairment", "two impairments")

ACKS, MORE_PACKETS = {1: "ACK for each packet", 2: "ACK for two packets"}, "ACK for more packets"
"""Groups of connections by packets per acknowledgement, and the group of all other numbers."""

KINDS = ["impairments", "number", "variant", "product", "acks"]
"""Columns that describe a connection: its impairment (or that it has two), their number, its
sender, the class of its bandwidth-delay product, and the packets per acknowledgement."""

COLUMNS = [
    *("sample", "judge", "connection", *KINDS, "is_transfer"),
    *("predictor", "status", "constant", "log_error"),
]

ALL, WITH_TRANSFERS = "all", "also finite transfers"
"""Names of groups of connections: all but finite transfers, and all. Only the models of finite
transfers predict the goodput of one."""

HELD_OUT = "held-out"
"""Value of the column `sample` for held-out connections; else it is the random sample's name."""

FEWEST_PAIRED = 100
"""Smallest number of connections on which two families of a kind of link are compared, as in the
report's table of kinds of link. Chosen by hand."""

POINTS = 4096
"""Largest number of points of each half of a random sample that are used. Drawing a connection
takes a millisecond. Chosen by hand."""


@dataclass(frozen=True)
class Sample:
    """Connections with a measured goodput, and ln(prediction / measured) of all families."""

    connections: pd.DataFrame
    """A row for each connection: `connection`, `impairments`, `variant`, and every quantity."""
    errors: pd.DataFrame
    """A column for each family; NaN without a prediction."""
    statuses: pd.DataFrame
    caps: pd.Series
    """ln(cap / measured) of the smaller of mean rate and receiver window over round trip."""
    simulated: pd.Series | None = None
    """ln(simulated / measured) if another engine measured."""

    def at(self, rows: pd.Series) -> Sample:
        """Return the connections with these labels."""
        tables = {n: t.loc[rows] for n, t in vars(self).items() if t is not None}
        return replace(self, **tables)

    def judged(self, ratios: pd.Series) -> Sample:
        """Return the connections that another engine measured, with the errors against it."""
        names = self.connections["connection"]
        here = self.at(names.index[names.isin(ratios.index)])
        logs = np.log(here.connections["connection"].map(ratios).astype(float))
        errors = here.errors.add(logs, axis=0)
        return replace(here, errors=errors, caps=here.caps + logs, simulated=logs)


def of_evidence(evidence: Evidence, connections: Iterable[Connection]) -> Sample:
    """Return connections of a random sample; those without a measured goodput are left out."""
    drawn = {connection.number: connection.scenario for connection in connections}
    own = evidence.at(evidence.connections["point"].isin(drawn))
    of_each = own.connections
    scenarios = of_each["point"].map(drawn)
    caps = [cap_pps(scenario) for scenario in scenarios]
    return Sample(
        of_each.assign(connection=scenarios.map(lambda scenario: scenario.id)),
        own.errors,
        own.statuses,
        _against(caps, of_each["goodput_pps"]),
    )


def of_held(connections: Iterable[Connection], rows: pd.DataFrame) -> Sample:
    """Return the held-out connections with a steady state; the rows are those of `represented`."""
    errors, statuses = (
        rows.pivot(index="scenario", columns="family", values=name)
        for name in ("log_error", "status")
    )
    errors = errors.astype(float).dropna(how="all").dropna(axis="columns", how="all")
    simulated_bps = rows.groupby("scenario")["simulated_bps"].first()
    by_id = {one.scenario.id: one for one in connections}
    own = [by_id[name] for name in errors.index]
    table = pd.DataFrame([quantities_of(one.scenario) for one in own], errors.index)
    table = table.assign(
        connection=errors.index,
        impairments=[one.impairments for one in own],
        variant=[one.scenario.tcp.variant for one in own],
    )
    measured = simulated_bps[errors.index] / [8 * one.scenario.tcp.mss_bytes for one in own]
    caps = _against([cap_pps(one.scenario) for one in own], measured)
    return Sample(table, errors, statuses.loc[errors.index], caps)


def _against(predicted_pps: Iterable[float | None], measured_pps: pd.Series) -> pd.Series:
    pairs = zip(predicted_pps, measured_pps, strict=True)
    return pd.Series([log_error(*pair) for pair in pairs], measured_pps.index, dtype=float)


@dataclass(frozen=True)
class Choice:
    """Families and constants that are chosen on some connections, to predict others."""

    sample: Sample
    links: Sequence[Link] = ()
    """Kinds of link, each with a family; a later kind that holds has priority."""

    def predictions(self, judged: Sample) -> pd.DataFrame:
        """Return the error of every way to predict, for other connections.

        There is a row for each connection and way to predict, with `connection`, the columns
        `KINDS`, `is_transfer` (whether it is a finite transfer), `predictor`, `status` (of the
        model; empty: no model predicts), `constant` (by which the prediction is divided; 1 if
        none), and `log_error`.
        """
        found = self._every(judged)
        parts = [own.assign(predictor=name, constant=1.0) for name, own in found.items()]
        for name, logarithm in self._constants.items():
            own = found[name].assign(predictor=name + BY_CONSTANT, constant=math.exp(logarithm))
            own["log_error"] -= logarithm
            parts.append(own)
        kinds = _kinds(judged.connections)
        return pd.concat([kinds.join(part) for part in parts], ignore_index=True)

    @cached_property
    def _constants(self) -> dict[str, float]:
        """The median of ln(prediction / measured) on the choosing half, by way to predict."""
        every = self._every(self.sample)
        medians = {n: median_of(every[n]["log_error"]) for n in SCALED if n in every}
        return {name: median for name, median in medians.items() if math.isfinite(median)}

    @cached_property
    def _regressions(self) -> dict[str, Any]:
        """The regressions that correct a prediction, by the name of the corrected prediction."""
        own, smaller = self.sample, _smaller(self.sample)["log_error"]
        return {
            CORRECTED: learned(own.connections, list(QUANTITIES), smaller),
            CAP_CORRECTED: learned(own.connections, list(QUANTITIES), own.caps),
        }

    def _every(self, sample: Sample) -> dict[str, pd.DataFrame]:
        """Return the errors and statuses of every way to predict, by its name."""
        errors = sample.errors
        found = {
            name: pd.DataFrame({"log_error": errors[name], "status": sample.statuses[name]})
            for name in errors
        }
        both = errors.reindex(columns=[PFTK, FLUID])
        own = sample.connections
        # The rate is constant, or packets are lost on the link or hit by hand-offs.
        is_usual = (own["capacity_change"] == 0) | (own["loss"] > 0)
        is_usual |= own["handoff_every"] < INFINITE
        usual = both[PFTK].notna() & is_usual
        named = {
            RULE: pd.Series(np.where(usual, PFTK, FLUID), errors.index),
            BEST: self._by_impairments(sample),
            ORACLE: closest(errors),
        }
        if self.links:
            named[BY_LINK] = self._by_link(sample)
        found[SMALLER] = _smaller(sample)
        found |= {name: _taken(sample, families) for name, families in named.items()}
        found[CAP] = _of_no_model(sample.caps)
        for name, other in ((CORRECTED, SMALLER), (CAP_CORRECTED, CAP)):
            predicted, regression, learned = found[other], self._regressions[name], math.nan
            if regression is not None and not predicted.empty:
                learned = regression.predict(own[list(QUANTITIES)])
            found[name] = predicted.assign(log_error=predicted["log_error"] - learned)
        if sample.simulated is not None:
            found[SIMULATION] = _of_no_model(sample.simulated)
        return found

    def _by_impairments(self, sample: Sample) -> pd.Series:
        """Return the family that is chosen for each connection's impairments and has a value."""
        known = [name for name in sample.errors if name in self.sample.errors]
        errors, impairments = self.sample.errors[known], self.sample.connections["impairments"]
        found = pd.Series("", sample.errors.index)
        for name, rows in sample.connections.groupby("impairments").groups.items():
            alike = impairments == name
            order = by_median_size(errors[alike] if alike.any() else errors)
            ordered = sample.errors.loc[rows, order]
            has_value = ordered.notna()
            found[rows] = has_value.idxmax(axis=1).where(has_value.any(axis=1), "")
        return found

    def _by_link(self, sample: Sample) -> pd.Series:
        """Return the family of each connection's kind of link; empty without a kind."""
        found = pd.Series("", sample.errors.index)
        for link, family in zip(self.links, self._families, strict=True):
            here = link.holds(sample.connections)
            if link.domain_only:
                here &= _in_domain(sample, family)
            found[here] = family
        return found

    @cached_property
    def _families(self) -> list[str]:
        """The family of each kind of link, by the errors on the choosing half.

        The kind's own family is replaced by another one if this has the smaller 90th percentile of
        errors on at least `FEWEST_PAIRED` connections in the domains of both.
        """
        families = []
        for link in self.links:
            here, best = link.holds(self.sample.connections), link.model
            for other in link.others:
                both = here & _in_domain(self.sample, best) & _in_domain(self.sample, other)
                if both.sum() >= FEWEST_PAIRED:
                    sizes = self.sample.errors[both].abs()
                    q90s = {n: quantile(sizes[n].to_numpy(), 0.9) for n in (best, other)}
                    best = min(q90s, key=q90s.__getitem__)
            families.append(best)
        return families


def _in_domain(sample: Sample, family: str) -> pd.Series[bool]:
    """Return, for each connection, whether a family has a value in its domain."""
    if family not in sample.errors:
        return pd.Series(False, sample.errors.index)
    return sample.statuses[family].isin(IN_DOMAIN) & sample.errors[family].notna()


def _smaller(sample: Sample) -> pd.DataFrame:
    """Return the error and status of the smaller of PFTK and the fluid model."""
    both = sample.errors.reindex(columns=[PFTK, FLUID])
    at = both.fillna(np.inf).to_numpy().argmin(axis=1)
    return _taken(sample, pd.Series(both.columns.to_numpy()[at], both.index))


def _of_no_model(errors: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"log_error": errors, "status": ""})


def _taken(sample: Sample, families: pd.Series) -> pd.DataFrame:
    """Return the error and status of the family that is named for each connection."""
    at = sample.errors.columns.get_indexer(families)
    row = np.arange(len(families))
    values = np.where(at >= 0, sample.errors.to_numpy()[row, at], math.nan)
    statuses = np.where(at >= 0, sample.statuses[sample.errors.columns].to_numpy()[row, at], "")
    return pd.DataFrame({"log_error": values, "status": statuses}, sample.errors.index)


def _kinds(connections: pd.DataFrame) -> pd.DataFrame:
    """Return the description of each connection, with the columns `KINDS`."""
    names = connections["impairments"].astype(str)
    number = names.str.count(re.escape(JOINED)) + (names != UNIMPAIRED)
    ends = [0.0, *PRODUCTS.values()]
    return pd.DataFrame(
        {
            "connection": connections["connection"],
            "impairments": groups_of(names).astype(str),
            "number": number.map(dict(enumerate(NUMBERS))),
            "variant": connections["variant"],
            "product": pd.cut(connections["product"], ends, labels=list(PRODUCTS)).astype(str),
            "acks": connections["ack_every"].map(ACKS).fillna(MORE_PACKETS),
            "is_transfer": connections["transfer"] < INFINITE,
        }
    )


def chosen_on(evidence: Evidence, space: Space, links: Sequence[Link] = ()) -> Choice:
    """Return the choice on the first half of a random sample, of its narrow intervals."""
    return Choice(of_evidence(evidence.with_narrow_intervals(), half_of(space, 0, POINTS)), links)


def on_random(
    name: str,
    choice: Choice,
    evidence: Evidence,
    inputs: Inputs,
    records: Mapping[str, Measurement],
) -> Iterator[pd.DataFrame]:
    """Yield the errors of every way to predict on the second half of a random sample, by judge.

    The packet simulator judges the connections with a narrow interval; ns-2 and Linux judge all
    connections that they measured.
    """
    second = half_of(inputs.spaces[name], 1, POINTS)
    narrow = of_evidence(evidence.with_narrow_intervals(), second)
    yield choice.predictions(narrow).assign(sample=name, judge=PACKET)
    for engine, connections in inputs.judged.items():
        if inputs.settings.judges[engine].sample == name:
            simulated = of_evidence(evidence, connections)
            judged = simulated.judged(ratios_to(engine, simulated, connections, records))
            yield choice.predictions(judged).assign(sample=name, judge=engine)


def ratios_to(
    engine: str,
    simulated: Sample,
    connections: Iterable[Connection],
    records: Mapping[str, Measurement],
) -> pd.Series:
    """Return simulated goodput over the goodput that ns-2 or Linux measured, by connection."""
    pps = simulated.connections.set_index("connection")["goodput_pps"]
    found = {
        scenario.id: pps[scenario.id] / measured_pps
        for scenario, measured_pps in measured_by(engine, connections, records)
        if scenario.id in pps
    }
    return pd.Series(found, dtype=float)


def on_held(choice: Choice, sample: Sample, engines: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the errors of every way to predict on the held-out connections, by judge."""
    yield choice.predictions(sample).assign(sample=HELD_OUT, judge=PACKET)
    for engine, own in engines.groupby("engine"):
        ratios = own.set_index("scenario")["ratio"]
        yield choice.predictions(sample.judged(ratios)).assign(sample=HELD_OUT, judge=engine)
