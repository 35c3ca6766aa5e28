"""Families of models, regimes of scenarios (sets of impairments), and scenarios' short names.

The models of a family are variants of one formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from tcpgoodput.answers import Status
from tcpgoodput.comparison.schema import Family
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import LINK_RETRANSMISSION, impairments
from tcpgoodput.style import Style

if TYPE_CHECKING:
    import pandas as pd

STATUSES = get_args(Status)
"""Statuses of predictions, from the best (native) to the worst (undefined)."""


def families_of(named: Iterable[Family], models: Iterable[str]) -> dict[str, list[str]]:
    """Return the models of each family, by the family's name, which is that of its first model.

    The families of the configuration come first. Each other model is a family of its own.
    """
    families = {family.models[0]: list(family.models) for family in named}
    placed = {model for members in families.values() for model in members}
    return families | {model: [model] for model in models if model not in placed}


def represented(
    rows: pd.DataFrame, families: Mapping[str, list[str]], case: Sequence[str] = ("scenario",)
) -> pd.DataFrame:
    """Return a row for each scenario and family: the row of the family's representative.

    The representative is the model of the family with the best status on the scenario. Of several
    such models, it is the first in the family's order. The choice does not depend on the errors.
    `rows` has the columns `case` (which together name a connection), `model` and `status`. The
    result is in the order of scenarios and families, with the additional column `family`.
    """
    place = {
        model: (number, position, family)
        for number, (family, members) in enumerate(families.items())
        for position, model in enumerate(members)
    }
    known = rows[rows["model"].isin(place)]
    cases = known.groupby(list(case), sort=False, dropna=False).ngroup()
    ordered = known.assign(
        family=known["model"].map(lambda model: place[model][2]),
        _case=cases,
        _family=known["model"].map(lambda model: place[model][0]),
        _status=known["status"].map(STATUSES.index),
        _position=known["model"].map(lambda model: place[model][1]),
    ).sort_values(["_case", "_family", "_status", "_position"], kind="stable")
    first = ordered.drop_duplicates([*case, "family"])
    return first[[*rows.columns, "family"]].reset_index(drop=True)


def label_of(named: Iterable[Family], style: Style) -> Callable[[str], str]:
    """Return a function from a family's name to its label, which may be that of its only model."""
    labels = {family.models[0]: family.label for family in named}
    return lambda family: labels.get(family) or style.model(family).label


REGIMES = {
    frozenset(): "overflow alone",
    frozenset({"independent loss"}): "independent loss",
    frozenset({"bursty loss"}): "bursts of loss",
    frozenset({"delay spikes"}): "delay spikes",
    frozenset({"delay spikes", "independent loss"}): "delay spikes and loss",
    frozenset({"hand-offs"}): "hand-offs",
    frozenset({"varying capacity"}): "varying capacity",
    frozenset({LINK_RETRANSMISSION}): "links that retransmit",
}
SEVERAL = "several at once"
OTHER = "another impairment"


def regime(scenario: Scenario) -> str:
    """Return the regime of a scenario, which is the name of its combination of impairments."""
    found = impairments(scenario)
    return REGIMES.get(found, SEVERAL if len(found) > 1 else OTHER)


def regimes() -> list[str]:
    """Return the names of all regimes, in the order in which they are shown."""
    return [*dict.fromkeys(REGIMES.values()), OTHER, SEVERAL]


def short_names(scenarios: Iterable[str]) -> dict[str, str]:
    """Return a short name for each scenario, by the scenario's id.

    The short name is the part before the first hyphen, or the whole id if several ids have the same
    part.
    """
    names = list(dict.fromkeys(scenarios))
    heads = Counter(name.partition("-")[0] for name in names)
    return {name: head if heads[head := name.partition("-")[0]] == 1 else name for name in names}
