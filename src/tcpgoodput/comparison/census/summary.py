"""Tables about a random sample: its size, ranges of quantities, and models in and out of domain."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import EVERY, NARROW, Evidence, groups_of
from tcpgoodput.comparison.census.quantities import INFINITE, QUANTITIES
from tcpgoodput.comparison.errors import errors_by, per_cent, quantile, share


def counts_of(measured: Evidence, requested: float) -> pd.DataFrame:
    """Return a row with the numbers of points and connections, and the precision of measurements.

    Args:
        measured: all connections, also those with a wide interval.
        requested: the half-width, relative to the goodput, that the sample asks for.

    """
    half_width = measured.drawn["half_width"]
    close = measured.with_narrow_intervals().connections
    found = {
        "points": measured.points,
        "drawn": len(measured.drawn),
        "unresolved": int(half_width.isna().sum()),
        "close": len(close),
        "median_half_width_%": per_cent(quantile(half_width.dropna().to_numpy(), 0.5)),
        "median_close_half_width_%": per_cent(quantile(close["half_width"].to_numpy(), 0.5)),
        "median_packets": int(quantile(measured.connections["packets"].to_numpy(float), 0.5)),
        "as_narrow_as_requested": int((half_width <= requested).sum()),
    }
    return pd.DataFrame([found])


def left_out_of(measured: Evidence) -> pd.DataFrame:
    """Return, for each group of connections, how many there are and how many are left out.

    Connections with a wide confidence interval of the goodput are left out of other tables.
    """
    group = groups_of(measured.drawn["impairments"]).astype(str)
    found = pd.DataFrame({"group": group, "wide": ~(measured.drawn["half_width"] <= NARROW)})
    found = pd.concat([found.assign(group=EVERY), found])
    counted = found.groupby("group", sort=False)["wide"]
    return counted.agg(drawn="size", left_out="sum").reset_index()


def ranges_of(connections: pd.DataFrame) -> pd.DataFrame:
    """Return the range of each quantity's finite values, and whether it also has infinite ones.

    Args:
        connections: a table with a column for each quantity.

    """
    values = connections[list(QUANTITIES)]
    finite = values.where(values < INFINITE)
    found = {"lowest": finite.min(), "highest": finite.max()}
    found["endless"] = (values >= INFINITE).any()
    return pd.DataFrame(found).rename_axis("quantity").reset_index()


def domains_of(evidence: Evidence) -> pd.DataFrame:
    """Return, for each group, the errors of model families in their domain and out of their domain.

    `in_domain` counts the connections with at least one prediction in domain, `native` those with a
    native prediction. `both` counts the connections that have a prediction in domain and one out of
    domain; all further columns use only such connections. `median_in_domain_%` is the median error
    of predictions in domain, `median_out_of_domain_%` that of predictions out of domain.
    `out_of_domain_nearer_%` is the share of the connections on which the smallest error is that of
    a prediction out of domain, with its 95 % interval; `out_of_domain_clearly_nearer` counts those
    on which the difference is above the simulation's half-width.

    The smallest of several errors can be small by chance. `one_out_of_domain_nearer_%` avoids this:
    it is the probability that a randomly chosen family out of domain has a smaller error than every
    family in domain.
    """
    known = evidence.errors.notna()
    inside = evidence.statuses.isin(IN_DOMAIN) & known
    outside = ~evidence.statuses.isin(IN_DOMAIN) & known
    size = evidence.errors.abs()
    nearest = size.where(inside).min(axis=1)
    nearer = size.where(outside).lt(nearest, axis=0)
    gain = nearest - size.where(outside).min(axis=1)
    both = inside.any(axis=1) & outside.any(axis=1)
    facts = pd.DataFrame(
        {
            "group": evidence.groups.astype(str),
            "in_domain": inside.any(axis=1),
            "native": ((evidence.statuses == "native") & known).any(axis=1),
            "both": both,
            "nearer": both & (gain > 0),
            "clearly": both & (gain > evidence.connections["half_width"]),
            "share": (nearer.sum(axis=1) / outside.sum(axis=1)).where(both),
        }
    )
    facts = pd.concat([facts.assign(group=EVERY), facts])
    rows = evidence.rows()
    rows = rows[both.loc[rows.index]]
    rows = rows.assign(inside=rows["status"].isin(IN_DOMAIN), group=rows["group"].astype(str))
    rows = pd.concat([rows.assign(group=EVERY), rows])
    medians = errors_by(rows, ["group", "inside"]).pivot(
        index="group", columns="inside", values="median_%"
    )
    found = []
    for group, own in facts.groupby("group", sort=False):
        one = {"group": group, "connections": len(own)}
        one |= {name: int(own[name].sum()) for name in ("in_domain", "native", "both")}
        if one["both"]:
            one |= {
                "median_in_domain_%": medians.at[group, True],
                "median_out_of_domain_%": medians.at[group, False],
                **share("out_of_domain_nearer", int(own["nearer"].sum()), one["both"]),
                "out_of_domain_clearly_nearer": int(own["clearly"].sum()),
                "one_out_of_domain_nearer_%": per_cent(float(own["share"].mean())),
            }
        found.append(one)
    return pd.DataFrame(found)
