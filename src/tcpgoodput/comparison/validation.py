"""Errors of all models on held-out connections, by status and by family.

The held-out connections are drawn at random, as defined in the file that a comparison names under
`held`, after the domains of the models were frozen. No model, domain or ranking was chosen by
results on these connections. A clause of the two-line rule was added a day after the draw: PFTK if
the rate varies and packets are lost or hit by hand-offs. It was chosen by results on the half of
the random sample to which the decision tree is fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import IN_DOMAIN, comparison_records, simulation_record
from tcpgoodput.comparison.bootstrap import clustered_quantile, clustered_share
from tcpgoodput.comparison.census.design import Chunk, drawn
from tcpgoodput.comparison.census.quantities import quantities_of
from tcpgoodput.comparison.census.space import Connection, Space
from tcpgoodput.comparison.census.tree import SIMULATE, advised_by, entries_named
from tcpgoodput.comparison.errors import (
    FACTOR_OF_TWO,
    RIGHT,
    per_cent,
    ratio_of,
)
from tcpgoodput.comparison.requests import extended_request
from tcpgoodput.comparison.two_line_rule import (
    FLUID_ALONE,
    RULE,
    TREE,
    fluid_alone,
    names_model_in_domain,
    sizes_of_advice,
    two_line_rule,
)
from tcpgoodput.engines.base import REFEREE_NAMES, Measurement
from tcpgoodput.engines.closeness import Target
from tcpgoodput.engines.measurements import Request, key_of
from tcpgoodput.engines.referees import referee

EVERYWHERE, NAMED, WITHIN = "everywhere", "where the tree names a family", "in domain"
"""Values of the column `where`: all connections, those for which the decision tree recommends a
model family, and those for which the rule names a model in domain (`names_model_in_domain`)."""

MEASURED_BY_LINUX, AGAINST_LINUX = "measured by Linux", "against Linux"
"""Values of the column `where`: the connections that Linux measured, too. The errors are those
against the simulator, and those against Linux."""

ALL = "all"
"""Value of `family` in a row that summarises all model families."""

NATIVE_OR_REDUCED = "in domain"
"""Value of `status` in a row that summarises native and reduced predictions."""

FEWEST = 10
"""Two model families are compared only if at least this many scenarios are in the domains of both.
Chosen by hand."""

TIED = 1e-9
"""Largest difference between two |ln(model / simulated)| that count as equal; it allows for
rounding errors."""

RECORDED_EVERY = 3
"""ns-2 and Linux measure only the held-out connections whose number is a multiple of
`RECORDED_EVERY`. Chosen by hand."""

_MEASURES = ("median", "q90", "within_tenth", "beyond_two")
ERROR_COLUMNS = [
    *("status", "family", "answers", "scenarios"),
    *(f"{name}{end}_%" for name in _MEASURES for end in ("", "_low", "_high")),
]
PAIR_COLUMNS = [
    *("family", "other", "scenarios", "median_%", "other_median_%"),
    *("different", "nearer_%", "nearer_low_%", "nearer_high_%"),
]
ADVICE_COLUMNS = [
    *("advice", "where", "scenarios"),
    *(f"{name}{end}_%" for name in _MEASURES for end in ("", "_low", "_high")),
]
ENGINE_COLUMNS = ["scenario", "engine", "sender", "ratio", "ratio_low", "ratio_high"]


def connections(space: Space) -> list[Connection]:
    """Return all held-out connections of a space, in the order of their numbers."""
    return list(drawn(space, Chunk(0, space.census.points)))


def recorded(held: Sequence[Connection]) -> list[Connection]:
    """Return the held-out connections that ns-2 and Linux also measure: every third number."""
    return [connection for connection in held if connection.number % RECORDED_EVERY == 0]


def requests(space: Space, held: Sequence[Connection], conditions: Conditions) -> list[Request]:
    """Return the requests for simulations of held-out connections, in the same order.

    At precision draft, the half-width is five times as large, and the largest number of packets is
    a tenth.
    """
    precision = space.census.precision
    draft = conditions.precision == "draft"
    target = Target(
        half_width=5 * precision.half_width if draft else precision.half_width,
        most_packets=precision.most_packets // 10 if draft else precision.most_packets,
        replications=8 if draft else precision.replications,
    )
    return [extended_request(connection.scenario, conditions, target) for connection in held]


def answers(
    held: Sequence[Connection], measured: Mapping[str, Measurement], conditions: Conditions
) -> list[dict[str, Any]]:
    """Return a dict for each connection: its measurement, and all predictions and errors.

    Args:
        held: the connections.
        measured: the measurements by the packet simulator, by the scenario's id.
        conditions: form of the equations, precision and seed.

    """
    scenarios = [connection.scenario for connection in held]
    simulated = [simulation_record(s, measured[s.id]) for s in scenarios]
    return comparison_records(scenarios, conditions, simulated)


def errors_by_status(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield statistics of the sizes of errors by status, for each model family and for all.

    Args:
        rows: a row for each scenario and family; see `comparison.families.represented`.

    """
    valued = rows.dropna(subset="log_error")
    in_domain = valued["status"].isin(IN_DOMAIN)
    families = [ALL, *valued["family"].unique()]
    for status in (NATIVE_OR_REDUCED, *IN_DOMAIN, "out-of-domain"):
        of_status = valued[in_domain if status == NATIVE_OR_REDUCED else valued["status"] == status]
        for family in families:
            own = of_status if family == ALL else of_status[of_status["family"] == family]
            if not own.empty:
                yield {
                    "status": status,
                    "family": family,
                    "answers": len(own),
                    **_spread(own["log_error"], own["scenario"]),
                }


def _spread(errors: pd.Series, scenarios: pd.Series) -> dict[str, Any]:
    """Return statistics of |ln(model / simulated)|, with intervals that have scenarios as clusters.

    The statistics, in per cent, are the median, the 90 % quantile, and the shares of errors of at
    most `RIGHT` and of at least a factor of two. See `bootstrap` for the intervals.

    Args:
        errors: ln(model / simulated) of each prediction.
        scenarios: the scenario of each prediction.

    """
    size = errors.abs().astype(float)
    found: dict[str, Any] = {"scenarios": scenarios.nunique()}
    for name, share in (("median", 0.5), ("q90", 0.9)):
        value = float(np.quantile(size, share))
        found |= _with_ends(name, value, clustered_quantile(size, scenarios, share))
    for name, hits in (("within_tenth", size <= RIGHT), ("beyond_two", size >= FACTOR_OF_TWO)):
        found |= _with_ends(name, float(hits.mean()), clustered_share(hits, scenarios))
    return found


def _with_ends(name: str, value: float, ends: tuple[float, float]) -> dict[str, float]:
    low, high = ends
    return {
        f"{name}_%": per_cent(value),
        f"{name}_low_%": per_cent(low),
        f"{name}_high_%": per_cent(high),
    }


def families_compared(rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield, for each pair of model families, how often the first one has the smaller error.

    Only scenarios in the domains of both families count. The share also leaves out scenarios on
    which both errors are equal; `different` is the number of scenarios that remain.

    Args:
        rows: a row for each scenario and family; see `comparison.families.represented`.

    """
    in_domain = rows[rows["status"].isin(IN_DOMAIN)].dropna(subset="log_error")
    wide = in_domain.assign(size=in_domain["log_error"].abs().astype(float)).pivot(
        index="scenario", columns="family", values="size"
    )
    names = [family for family in rows["family"].unique() if family in wide]
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            both = wide[[one, other]].dropna()
            if len(both) >= FEWEST:
                apart = both[(both[one] - both[other]).abs() > TIED]
                nearer = (apart[one] < apart[other]).reset_index(drop=True)
                yield {
                    "family": one,
                    "other": other,
                    "scenarios": len(both),
                    "median_%": per_cent(float(both[one].median())),
                    "other_median_%": per_cent(float(both[other].median())),
                    "different": len(apart),
                    **_with_ends(
                        "nearer",
                        float(nearer.mean()),
                        clustered_share(nearer, pd.Series(apart.index)),
                    ),
                }


def advice_judged(
    held: Sequence[Connection],
    rows: pd.DataFrame,
    tree: pd.DataFrame | None,
    engines: pd.DataFrame,
) -> Iterator[dict[str, Any]]:
    """Yield the errors of the two-line rule, the decision tree and the fluid model alone.

    The rule and the tree are evaluated on the connections for which the tree recommends a model
    family. The rule is also evaluated on all connections, and on those for which it names a model
    in domain. The fluid model alone, with which the rule is compared, is evaluated on all
    connections. Both are also evaluated on the connections that Linux measured, against the
    simulator and against Linux. A missing prediction counts as an error of a factor of two.

    Args:
        held: the connections.
        rows: a row for each scenario and family; see `comparison.families.represented`.
        tree: the rows of the random sample's decision tree; None: there is no tree.
        engines: the ratios of simulated goodput to Linux's; see `ratios_to_references`.

    """
    wide = rows.pivot(index="scenario", columns="family", values="log_error").astype(float)
    wide = wide.dropna(how="all")  # leave out connections without steady state
    if wide.empty:
        return
    by_id = {connection.scenario.id: connection.scenario for connection in held}
    quantities = pd.DataFrame([quantities_of(by_id[s]) for s in wide.index], index=wide.index)
    rule = two_line_rule(wide, quantities)
    fluid = fluid_alone(wide)
    chosen = {(RULE, EVERYWHERE): rule, (FLUID_ALONE, EVERYWHERE): fluid}
    statuses = rows.pivot(index="scenario", columns="family", values="status").loc[wide.index]
    chosen[RULE, WITHIN] = rule[names_model_in_domain(wide, statuses, quantities)]
    if tree is not None:
        named = advised_by(tree, quantities)
        inside = named != SIMULATE
        chosen[RULE, NAMED] = rule[inside]
        chosen[TREE, NAMED] = entries_named(wide, named)[inside]
    linux = engines[engines["engine"] == "linux"].set_index("scenario")["ratio"].astype(float)
    linux = linux[linux.index.isin(wide.index)]
    for advice, errors in ((RULE, rule), (FLUID_ALONE, fluid)):
        chosen[advice, MEASURED_BY_LINUX] = errors[linux.index]
        chosen[advice, AGAINST_LINUX] = errors[linux.index] + np.log(linux)
    for (advice, where), errors in chosen.items():
        if not errors.empty:
            spread = _spread(sizes_of_advice(errors), errors.index.to_series())
            yield {"advice": advice, "where": where, **spread}


def ratios_to_references(
    held: Iterable[Connection],
    simulated: Mapping[str, Measurement],
    records: Mapping[str, Measurement],
) -> Iterator[dict[str, Any]]:
    """Yield the ratio of the simulated goodput to ns-2's and to Linux's, with its interval.

    Connections without a steady state, and those that ns-2 and Linux did not measure, are left out.

    Args:
        held: the connections.
        simulated: the measurements by the packet simulator, by the scenario's id.
        records: the recorded measurements by ns-2 and Linux, by key.

    """
    for connection in held:
        scenario = connection.scenario
        for engine in REFEREE_NAMES:
            our = simulated[scenario.id]
            their = records.get(key_of(engine, referee(engine).setting(scenario), scenario))
            if our.goodput_pps and our.is_steady and their and their.goodput_pps:
                ratio, low, high = ratio_of(our.ends_pps, their.ends_pps)
                yield {
                    "scenario": scenario.id,
                    "engine": engine,
                    "sender": scenario.tcp.stack or "",
                    "ratio": ratio,
                    "ratio_low": low,
                    "ratio_high": high,
                }
