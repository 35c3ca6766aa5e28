"""Errors of all models on held-out connections, by status and by family.

The held-out connections are drawn at random, as defined in the file that a comparison names under
`held`, after the domains of the models were frozen. No model, domain or ranking was chosen by
results on these connections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import IN_DOMAIN, comparison_records, simulation_record
from tcpgoodput.comparison.census.design import Chunk, Connection, Space, drawn
from tcpgoodput.comparison.errors import TIED, errors_by, ratio_of, share
from tcpgoodput.comparison.files import Compared, varied
from tcpgoodput.engines.base import REFEREE_NAMES, Measurement
from tcpgoodput.engines.closeness import Target
from tcpgoodput.engines.measurements import Request, extended_request, key_of
from tcpgoodput.engines.referees import referee

FEWEST = 10
"""Two model families are compared only if at least this many scenarios are in the domains of both.
Chosen by hand."""

RECORDED_EVERY = 3
"""ns-2 and Linux measure only the held-out connections whose number is a multiple of
`RECORDED_EVERY`. Chosen by hand."""

PAIR_COLUMNS = [
    *("family", "other", "n", "median_%", "other_median_%"),
    *("different", "nearer_%", "nearer_low_%", "nearer_high_%"),
]
ENGINE_COLUMNS = ["scenario", "engine", "sender", "ratio", "ratio_low", "ratio_high"]


def connections(space: Space) -> list[Connection]:
    """Return all held-out connections of a space, in the order of their numbers."""
    return list(drawn(space, Chunk(0, space.census.points)))


def recorded(held: Sequence[Connection]) -> list[Connection]:
    """Return the held-out connections that ns-2 and Linux also measure: every third number."""
    return [connection for connection in held if connection.number % RECORDED_EVERY == 0]


def copies(compared: Compared, held: Sequence[Connection]) -> dict[str, list[Connection]]:
    """Return recorded held-out connections with the changes of each held-out variation."""
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
    wanted = space.census.precision
    target = Target(wanted.half_width, wanted.most_packets, wanted.replications)
    if conditions.precision == "draft":
        target = Target(5 * wanted.half_width, wanted.most_packets // 10, 8)
    return [extended_request(connection.scenario, conditions, target) for connection in held]


def answers(
    held: Sequence[Connection], measured: Mapping[str, Measurement], conditions: Conditions
) -> list[dict[str, Any]]:
    """Return a dict for each connection: its measurement, and all predictions and errors."""
    scenarios = [connection.scenario for connection in held]
    simulated = [simulation_record(s, measured[s.id]) for s in scenarios]
    return comparison_records(scenarios, conditions, simulated)


def families_compared(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, for each pair of model families, how often the first one has the smaller error.

    Only scenarios in the domains of both families count. The share also leaves out scenarios on
    which both errors are equal; `different` is the number of scenarios that remain.
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


def ratios_to_references(
    held: Iterable[Connection],
    simulated: Mapping[str, Measurement],
    records: Mapping[str, Measurement],
    variation: str = "",
) -> pd.DataFrame:
    """Return the ratio of the simulated goodput to ns-2's and to Linux's, with its interval.

    Connections without a steady state, and those that ns-2 and Linux did not measure, are left out.
    The simulations are by the scenario's id, the recorded measurements by key. The column `sender`
    has the variation that defines the connections, or else the `tcp.stack` of each connection.
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
