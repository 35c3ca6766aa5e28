"""Errors of all models on held-out connections, by status and by family.

The held-out connections are drawn at random, as defined in the file that a comparison names under
`held`, after the domains of the models were frozen. No model, domain or ranking was chosen by
results on these connections. A clause of the two-line rule was added a day after the draw: PFTK if
the rate varies and packets are lost or hit by hand-offs. It was chosen by results on the half of
the random sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import IN_DOMAIN, comparison_records, simulation_record
from tcpgoodput.comparison.census.design import Chunk, drawn
from tcpgoodput.comparison.census.quantities import quantities_of
from tcpgoodput.comparison.census.space import Connection, Space
from tcpgoodput.comparison.errors import (
    FACTOR_OF_TWO,
    errors_by,
    ratio_of,
    share,
)
from tcpgoodput.comparison.files import Compared, varied
from tcpgoodput.comparison.requests import extended_request
from tcpgoodput.comparison.two_line_rule import (
    FLUID_ALONE,
    RULE,
    fluid_alone,
    names_model_in_domain,
    two_line_rule,
)
from tcpgoodput.engines.base import REFEREE_NAMES, Measurement
from tcpgoodput.engines.closeness import Target
from tcpgoodput.engines.measurements import Request, key_of
from tcpgoodput.engines.referees import referee

EVERYWHERE, WITHIN = "everywhere", "in domain"
"""Values of the column `where`: all connections, and those for which the rule names a model in
domain (`names_model_in_domain`)."""

MEASURED_BY_LINUX, AGAINST_LINUX = "measured by Linux", "against Linux"
"""Values of the column `where`: the connections that Linux measured, too. The errors are those
against the simulator, and those against Linux."""

FEWEST = 10
"""Two model families are compared only if at least this many scenarios are in the domains of both.
Chosen by hand."""

TIED = 1e-9
"""Largest difference between two |ln(model / simulated)| that count as equal; it allows for
rounding errors."""

RECORDED_EVERY = 3
"""ns-2 and Linux measure only the held-out connections whose number is a multiple of
`RECORDED_EVERY`. Chosen by hand."""

PAIR_COLUMNS = [
    *("family", "other", "n", "median_%", "other_median_%"),
    *("different", "nearer_%", "nearer_low_%", "nearer_high_%"),
]
ADVICE_COLUMNS = ["advice", "where", "scenario", "log_error"]
ENGINE_COLUMNS = ["scenario", "engine", "sender", "ratio", "ratio_low", "ratio_high"]


def connections(space: Space) -> list[Connection]:
    """Return all held-out connections of a space, in the order of their numbers."""
    return list(drawn(space, Chunk(0, space.census.points)))


def recorded(held: Sequence[Connection]) -> list[Connection]:
    """Return the held-out connections that ns-2 and Linux also measure: every third number."""
    return [connection for connection in held if connection.number % RECORDED_EVERY == 0]


def copies(compared: Compared, held: Sequence[Connection]) -> dict[str, list[Connection]]:
    """Return changed copies of the recorded held-out connections, by the variation's name.

    They have the changes of each variation with the key `held_out`, such as another sender.
    """
    return {
        name: [replace(c, scenario=varied(c.scenario, name, variation)) for c in recorded(held)]
        for name, variation in compared.settings.variations.items()
        if variation.held_out
    }


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


def families_compared(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, for each pair of model families, how often the first one has the smaller error.

    Only scenarios in the domains of both families count. The share also leaves out scenarios on
    which both errors are equal; `different` is the number of scenarios that remain.

    Args:
        rows: a row for each scenario and family; see `comparison.families.represented`.

    """
    in_domain = rows[rows["status"].isin(IN_DOMAIN)].dropna(subset="log_error")
    wide = in_domain.pivot(index="scenario", columns="family", values="log_error").astype(float)
    names = [family for family in rows["family"].unique() if family in wide]
    found = []
    for one, other in combinations(names, 2):
        both = wide[[one, other]].dropna()
        if len(both) < FEWEST:
            continue
        lead = both[other].abs() - both[one].abs()
        nearer = (lead[lead.abs() > TIED] > 0).to_numpy()
        shares = share("nearer", int(nearer.sum()), nearer.size)
        medians = errors_by(both.melt(), "family", error="value").set_index("family")["median_%"]
        known = (len(both), medians[one], medians[other], nearer.size)
        found.append((one, other, *known, *shares.values()))
    return pd.DataFrame(found, columns=PAIR_COLUMNS)


def advised(held: Sequence[Connection], rows: pd.DataFrame, engines: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of the family that the two-line rule names, and of the fluid model alone.

    The rule is evaluated on all connections, and on those for which it names a model in domain.
    The fluid model alone, with which the rule is compared, is evaluated on all connections. Both
    are also evaluated on the connections that Linux measured, against the simulator and against
    Linux. A missing prediction counts as an error of a factor of two.

    Args:
        held: the connections.
        rows: a row for each scenario and family; see `comparison.families.represented`.
        engines: the ratios of simulated goodput to Linux's; see `ratios_to_references`.

    Returns:
        A table with the columns `ADVICE_COLUMNS`.

    """
    wide = rows.pivot(index="scenario", columns="family", values="log_error").astype(float)
    wide = wide.dropna(how="all")  # leave out connections without steady state
    if wide.empty:
        return pd.DataFrame(columns=ADVICE_COLUMNS)
    by_id = {connection.scenario.id: connection.scenario for connection in held}
    quantities = pd.DataFrame([quantities_of(by_id[s]) for s in wide.index], index=wide.index)
    rule = two_line_rule(wide, quantities)
    fluid = fluid_alone(wide)
    statuses = rows.pivot(index="scenario", columns="family", values="status").loc[wide.index]
    chosen = {
        (RULE, EVERYWHERE): rule,
        (FLUID_ALONE, EVERYWHERE): fluid,
        (RULE, WITHIN): rule[names_model_in_domain(wide, statuses, quantities)],
    }
    linux = engines[engines["engine"] == "linux"].set_index("scenario")["ratio"].astype(float)
    linux = linux[linux.index.isin(wide.index)]
    for advice, errors in ((RULE, rule), (FLUID_ALONE, fluid)):
        chosen[advice, MEASURED_BY_LINUX] = errors[linux.index]
        chosen[advice, AGAINST_LINUX] = errors[linux.index] + np.log(linux)
    parts = [
        errors.fillna(FACTOR_OF_TWO).rename("log_error").reset_index().assign(advice=a, where=w)
        for (a, w), errors in chosen.items()
    ]
    return pd.concat(parts)[ADVICE_COLUMNS]


def ratios_to_references(
    held: Iterable[Connection],
    simulated: Mapping[str, Measurement],
    records: Mapping[str, Measurement],
    variation: str = "",
) -> pd.DataFrame:
    """Return the ratio of the simulated goodput to ns-2's and to Linux's, with its interval.

    Connections without a steady state, and those that ns-2 and Linux did not measure, are left out.

    Args:
        held: the connections.
        simulated: the measurements by the packet simulator, by the scenario's id.
        records: the recorded measurements by ns-2 and Linux, by key.
        variation: the variation that defines the connections, for the column `sender`; empty: the
            column has the `tcp.stack` of each connection.

    """
    found = []
    for connection in held:
        scenario = connection.scenario
        for engine in REFEREE_NAMES:
            our = simulated[scenario.id]
            their = records.get(key_of(engine, referee(engine).setting(scenario), scenario))
            if our.goodput_pps and our.is_steady and their and their.goodput_pps:
                ratio, low, high = ratio_of(our.ends_pps, their.ends_pps)
                which = (scenario.id, engine, variation or scenario.tcp.stack or "")
                found.append((*which, ratio, low, high))
    return pd.DataFrame(found, columns=ENGINE_COLUMNS)
