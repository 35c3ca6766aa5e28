"""Tables about random samples: counts, ranges, domains, importance, gains over other senders.

Settings define how a random sample is evaluated and shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.design import UNIMPAIRED, Chunk, Space, drawn
from tcpgoodput.comparison.census.evidence import (
    EVERY,
    NARROW,
    Evidence,
    groups_of,
    read_evidence,
    shared,
    sizes,
    split_halves,
    unanswered_note,
)
from tcpgoodput.comparison.census.measure import verified_path
from tcpgoodput.comparison.census.quantities import INFINITE, QUANTITIES
from tcpgoodput.comparison.errors import ENDINGS, errors_by, per_cent, quantile, share
from tcpgoodput.comparison.families import families_of
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict

if TYPE_CHECKING:
    from tcpgoodput.comparison.schema import Family
    from tcpgoodput.style import Style


def to_read(space: Space, named: Sequence[Family], style: Style) -> dict[str, Any]:
    """Return the settings, as JSON, with which a random sample is evaluated and shown."""
    chosen = space.census.models or MODELS.names()
    members = {
        family: [model for model in models if model in chosen]
        for family, models in families_of(named, chosen).items()
    }
    families = {family: models for family, models in members.items() if models}
    labels = {family.models[0]: family.label for family in named}
    return {
        "name": space.name,
        "title": space.census.title,
        "families": families,
        "labels": {family: labels.get(family) for family in families},
        "impairments": list(space.census.impairments),
        "half_width": space.census.precision.half_width,
        "style": style.palette.model_dump(mode="json"),
    }


def read_sample(looks: Mapping[str, Any], table: Path) -> Evidence:
    """Read the measurements and predictions of a random sample, with settings of `to_read`.

    Models of which the table has no predictions are named on the standard output. A recorded table
    that was changed afterwards is refused.
    """
    measured = read_evidence(verified_path(table), looks["families"])
    if note := unanswered_note(table, looks["families"]):
        print(note)
    return measured


IMPORTANCE_COLUMNS = [
    *("family", "quantity", "importance", "standard_deviation", "explained", "answers")
]

FEWEST, MOST = 400, 8000
"""FEWEST: smallest number of a model family's predictions in domain, in each half of the sample,
for which a random forest is fitted. MOST: largest number of predictions that a forest uses from
each half. Both are chosen by hand."""

TREES, LEAF, SHUFFLES = 60, 10, 3


def importance_of(evidence: Evidence) -> pd.DataFrame:
    """Return the importance of each quantity for the errors of each family of models.

    A random forest learns the size of a family's error from all quantities, on one half of the
    connections. On the other half the values of one quantity at a time are shuffled. The resulting
    loss of explained variance is the importance of that quantity. It is 0 if the error does not
    depend on the quantity. Only families with enough predictions in domain have rows.
    """
    from sklearn.inspection import permutation_importance

    rows: list[tuple[Any, ...]] = []
    training, validation = split_halves(evidence)
    values = evidence.connections[list(QUANTITIES)]
    for family in evidence.errors:
        in_domain = evidence.statuses[family].isin(IN_DOMAIN) & evidence.errors[family].notna()
        fitted, tested = (
            np.flatnonzero(in_domain & half)[:MOST] for half in (training, validation)
        )
        if min(len(fitted), len(tested)) < FEWEST:
            continue
        of = pd.Series(sizes(evidence.errors[family]))
        forest = Forest(TREES, min_samples_leaf=LEAF, max_features=0.5, n_jobs=1, random_state=0)
        forest.fit(values.iloc[fitted], of.iloc[fitted])
        explained = forest.score(values.iloc[tested], of.iloc[tested])
        found = permutation_importance(
            forest, values.iloc[tested], of.iloc[tested], n_repeats=SHUFFLES, random_state=0
        )
        for quantity, mean, deviation in zip(
            QUANTITIES, found.importances_mean, found.importances_std, strict=True
        ):
            explains = (float(mean), float(deviation), explained)
            rows.append((family, quantity, *explains, int(in_domain.sum())))
    return pd.DataFrame(rows, columns=IMPORTANCE_COLUMNS)


class Forest(RandomForestRegressor):  # type: ignore[misc]
    """Scikit-learn's random forest, but with sequential prediction.

    Its predictions are bit-identical to scikit-learn's, whose parallel prediction costs as much
    time as the predictions themselves.
    """

    def predict(self, rows: Any) -> NDArray[np.float64]:
        """Return the mean of the predictions of the forest's trees for each row."""
        values = np.ascontiguousarray(rows, dtype=np.float32)
        total = np.zeros(len(values))
        for tree in self.estimators_:
            total += tree.tree_.predict(values)[:, 0]
        return total / len(self.estimators_)


def gains_between(table: Path, other_table: Path) -> pd.DataFrame:
    """Return the gain of the first sample's sender over the second's on each connection of both.

    Connections with a wide interval of the goodput in either sample are left out. The columns are
    `point`, `group` (the impairment), `variant` and `other_variant` (the senders), `ack_every`,
    `same_rto` (whether the smallest RTO is the same in both), and `gain`, ln(goodput / other
    goodput).
    """
    own = read_evidence(verified_path(table), {})
    other = read_evidence(verified_path(other_table), {}, own.points)
    here, there = shared(own, other)
    # In double precision: logarithms of single precision have other digits on other processors.
    pps, other_pps = (e.connections["goodput_pps"].astype(float) for e in (here, there))
    found = here.connections[["point", "variant", "ack_every"]].assign(
        other_variant=there.connections["variant"],
        group=here.groups.astype(str),
        same_rto=here.connections["timeout"] == there.connections["timeout"],
        gain=np.log(pps / other_pps),
    )
    return found[here.close & there.close]


STOP_AND_WAIT = "stop-and-wait"
"""Name of the order of delivery of a link without turnaround: its packets leave in order."""

LINK, FRAMES = "link", "frames"
"""What a model knows: the link with its retransmissions, or the rate of its frames alone."""


RETRANSMISSION_COLUMNS = ["point", "model", "delivery", "knows", "status", "log_error"]


def retransmission_errors(
    space: Space, evidence: Evidence, senders: Mapping[str, str], conditions: Conditions
) -> pd.DataFrame:
    """Return the errors of models with and without knowledge of the link's retransmissions.

    The connections are those of a random sample whose only impairment is the link. A model without
    this knowledge is evaluated on the same connection without `arq`, on which the link has the rate
    at which it sends frames. `senders` has the sender (`tcp.variant`) of each model's connections.

    There is a row for each connection, model and knowledge with an answer, with the columns
    `point`, `model`, `delivery` (`stop-and-wait`, `in-order` or `as-it-comes`), `knows` (`link` or
    `frames`), `status` (of the model that knows the link, so that it is the same in both rows) and
    `log_error`.
    """
    found = evidence.connections
    alone = found[found["impairments"] == UNIMPAIRED].set_index("point")["goodput_pps"]
    rows: list[dict[str, Any]] = []
    for connection in drawn(space, Chunk(0, max(alone.index, default=-1) + 1)):
        if connection.number not in alone.index:
            continue
        scenario, arq = connection.scenario, connection.scenario.arq
        assert arq is not None  # the sample's links retransmit
        goodput_pps = float(alone[connection.number])
        delivery = arq.delivery if arq.turnaround_s > 0 else STOP_AND_WAIT
        known = {LINK: scenario, FRAMES: scenario.model_copy(update={"arq": None})}
        for model in (m for m, variant in senders.items() if variant == scenario.tcp.variant):
            answers = {name: predict(MODELS[model], one, conditions) for name, one in known.items()}
            for name, answer in answers.items():
                if answer.goodput_pps and answers[LINK].goodput_pps:
                    row = {
                        "point": connection.number,
                        "model": model,
                        "delivery": delivery,
                        "knows": name,
                        "status": answers[LINK].status,
                        "log_error": math.log(answer.goodput_pps / goodput_pps),
                    }
                    rows.append(row)
    return pd.DataFrame(rows, columns=RETRANSMISSION_COLUMNS)


def counts_of(measured: Evidence, requested: float) -> pd.DataFrame:
    """Return a row with the numbers of points and connections, and the precision of measurements.

    `measured` includes connections with a wide interval. `requested` is the relative half-width
    that the sample asks for.
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
        "median_packets": np.floor(quantile(measured.connections["packets"].to_numpy(float), 0.5)),
        "as_narrow_as_requested": int((half_width <= requested).sum()),
    }
    return pd.DataFrame([found])


def left_out_of(measured: Evidence) -> pd.DataFrame:
    """Return, for each group, how many connections there are, and how many with a wide interval."""
    group = groups_of(measured.drawn["impairments"]).astype(str)
    found = pd.DataFrame({"group": group, "wide": ~(measured.drawn["half_width"] <= NARROW)})
    found = pd.concat([found.assign(group=EVERY), found])
    counted = found.groupby("group", sort=False)["wide"]
    return counted.agg(drawn="size", left_out="sum").reset_index()


def ranges_of(connections: pd.DataFrame) -> pd.DataFrame:
    """Return the range of each quantity's finite values, and whether it also has infinite ones."""
    values = connections[list(QUANTITIES)]
    finite = values.where(values < INFINITE)
    found = {"lowest": finite.min(), "highest": finite.max()}
    found["endless"] = (values >= INFINITE).any()
    return pd.DataFrame(found).rename_axis("quantity").reset_index()


DOMAIN_COLUMNS = [
    *("group", "connections", "in_domain", "native", "both"),
    *("median_in_domain_%", "median_out_of_domain_%"),
    *(f"out_of_domain_nearer{end}_%" for end in ENDINGS),
    *("out_of_domain_clearly_nearer", "one_out_of_domain_nearer_%"),
]


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
    return pd.DataFrame(found, columns=DOMAIN_COLUMNS)
