"""Errors of predictions that know less of a connection, against three judges.

The judges are the packet simulator, ns-2 and Linux, on random connections. Formulas and constants
are chosen on the first half of a random sample, and judged on the second half.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import predictions_of_all
from tcpgoodput.comparison.census.design import Connection
from tcpgoodput.comparison.census.evidence import NARROW
from tcpgoodput.comparison.errors import (
    ENDINGS,
    FACTOR_OF_TWO,
    TIED,
    by_median_size,
    log_error,
    median_of,
    spread_of,
    with_ends,
)
from tcpgoodput.comparison.families import STATUSES, regime, represented
from tcpgoodput.comparison.inputs import Inputs, views, without
from tcpgoodput.engines.base import PACKET, Measurement, is_unsteady
from tcpgoodput.engines.measurements import connection_of, key_of
from tcpgoodput.engines.referees import referee
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps, window_limit_pps
from tcpgoodput.scenario.types import Undefined
from tcpgoodput.statistics import Interval

FLUID = "variable_capacity.fluid"
"""Name of the family of the fluid model."""

FORMULA, FLUID_MODEL, SIMULATION = "formula", "fluid", "simulation"
CAP, ORACLE = "cap", "oracle"
REGRESSION, REGRESSION_OF_SAMPLE = "regression", "regression, one sample"
BY_CONSTANT = " over a constant"
"""End of the name of a prediction that is divided by one constant."""

AT_MEAN = " at the mean rate"
"""End of the name of a family that is evaluated on a link with the mean rate. Few formulas describe
a varying rate, so one who knows the rate over time may also use its mean."""

PREDICTORS = {
    FORMULA: "the formula with the smallest median error on the choosing half, at the same level "
    "and for the same impairments, evaluated with what is known of the rate or with its mean; the "
    "fluid model does not count as a formula",
    FLUID_MODEL: "the fluid model",
    SIMULATION: "the packet simulator",
    CAP: "the smaller of mean rate and receiver window over round trip",
    REGRESSION: "the cap, divided by its error as a regression (gradient boosting) predicts it "
    "from what is known at the same level, without a model; it learns on other connections of all "
    "random samples, also of those with the senders of Linux",
    REGRESSION_OF_SAMPLE: "such a regression that learns only on the sample on which formulas and "
    "constants are chosen",
    ORACLE: "the family that is closest, the fluid included, chosen for each connection in "
    "hindsight",
}
"""All ways to predict a goodput, with their meaning."""

PLACE = ["judge", "connection", "regime", "is_simulated", "case", "direction"]
"""Columns that name a prediction's connection, and what is known of it. `is_simulated`: whether the
connection is also simulated with less knowledge."""

COLUMNS = [
    *("judge", "connection", "regime", "case", "direction", "predictor", "family", "log_error")
]
"""Columns of the table of predictions."""


@dataclass(frozen=True)
class Judged:
    """A connection with a measured goodput, and the scenario that is predicted."""

    judge: str
    """Name of the engine that measured the goodput."""
    name: str
    goodput_pps: float
    scenario: Scenario


def on_sample(connections: Iterable[Connection], table: Path) -> list[Judged]:
    """Return random connections with their measured goodput in the table of the random sample.

    Connections without a steady state, or with a wide interval, are left out, and finite transfers,
    which few models describe.
    """
    columns = ["point", "goodput_pps", "half_width_pps", "reason"]
    rows = pq.read_table(table, columns=columns).to_pandas().set_index("point")
    close = rows["half_width_pps"] <= NARROW * rows["goodput_pps"]
    steady = ~rows["reason"].map(is_unsteady, na_action="ignore").eq(True)
    goodputs = rows["goodput_pps"][close & steady & (rows["goodput_pps"] > 0)]
    return [
        Judged(PACKET, one.scenario.id, float(goodputs[one.number]), one.scenario)
        for one in connections
        if one.number in goodputs.index and one.scenario.tcp.transfer_packets is None
    ]


def on_referees(inputs: Inputs, records: Mapping[str, Measurement]) -> list[Judged]:
    """Return random connections, except finite transfers, that ns-2 or Linux measured."""
    return [
        Judged(engine, scenario.id, goodput_pps, scenario)
        for engine, connections in inputs.judged.items()
        for scenario, goodput_pps in measured_by(engine, connections, records)
        if scenario.tcp.transfer_packets is None
    ]


def measured_by(
    engine: str, connections: Iterable[Connection], records: Mapping[str, Measurement]
) -> Iterator[tuple[Scenario, float]]:
    """Yield the connections that ns-2 or Linux measured, with the goodput in packets/s."""
    for connection in connections:
        scenario = connection.scenario
        found = records.get(key_of(engine, referee(engine).setting(scenario), scenario))
        if found and found.goodput_pps:
            yield scenario, found.goodput_pps


def closest(errors: pd.DataFrame) -> pd.Series:
    """Return the column with the smallest error in each row; the first one if a row has none."""
    at = errors.abs().fillna(np.inf).to_numpy().argmin(axis=1)
    return pd.Series(errors.columns.to_numpy()[at], errors.index)


def taken(table: pd.DataFrame, columns: pd.Series) -> NDArray[Any]:
    """Return the value of each row in the column that is named for it; the columns exist."""
    at = table.columns.get_indexer(columns)
    return np.asarray(table.to_numpy()[np.arange(len(table)), at])


@dataclass(frozen=True)
class Predictions:
    """Predictions of all families and simulations for connections, at each level of knowledge."""

    inputs: Inputs
    conditions: Conditions
    families: Mapping[str, list[str]]
    """The models of each family; see `families.families_of`."""
    measured: Mapping[str, Measurement]
    """The simulations with less knowledge, by key."""

    def errors(self, judged: Sequence[Judged]) -> pd.DataFrame:
        """Return ln(prediction / goodput) for each connection and case; NaN without a prediction.

        There is a row for each connection, case and direction (columns `PLACE`), and a column for
        each family, for each family with the mean rate (`AT_MEAN`), for the simulation and for the
        cap.
        """
        settings = self.inputs.settings
        of_all = chain(self.inputs.simulated, *self.inputs.judged.values())
        simulated = {one.scenario.id for one in of_all}
        seen = [(one, view) for one in judged for view in views(one.scenario, settings)]
        means = [self._at_mean_rate(view.scenario) for _, view in seen]
        goodputs = self._of_families([*(view.scenario for _, view in seen), *means])
        rows = []
        for (one, view), mean in zip(seen, means, strict=True):
            found = dict(goodputs[connection_of(view.scenario)])
            with_mean = goodputs[connection_of(mean)]
            found |= {name + AT_MEAN: pps for name, pps in with_mean.items()}
            request = self.inputs.request(view.scenario, self.conditions)
            simulation = self.measured.get(request.key)
            found[SIMULATION] = simulation.goodput_pps if simulation else None
            found[CAP] = cap_pps(view.scenario)
            of_connection = (one.judge, one.name, regime(one.scenario), one.name in simulated)
            place = (*of_connection, view.case, view.direction)
            errors = {name: log_error(pps, one.goodput_pps) for name, pps in found.items()}
            rows.append(dict(zip(PLACE, place, strict=True)) | errors)
        named = [f"{name}{end}" for end in ("", AT_MEAN) for name in self.families]
        columns = [*PLACE, *named, SIMULATION, CAP]
        kinds = {name: float for name in columns if name not in PLACE}
        return pd.DataFrame(rows, columns=columns).astype(kinds)

    def _at_mean_rate(self, scenario: Scenario) -> Scenario:
        """Return a scenario with its mean rate; the scenario itself if the mean rate is 0."""
        try:
            return without(scenario, ["rate-over-time"], self.inputs.settings)[0]
        except ValueError:
            return scenario

    def _of_families(self, scenarios: Sequence[Scenario]) -> dict[str, dict[str, float | None]]:
        """Return each family's goodput by the scenario's content; equal ones are evaluated once."""
        different = {connection_of(scenario): scenario for scenario in scenarios}
        draft = replace(self.conditions, precision="draft")
        found = predictions_of_all(list(different.values()), draft)
        rows = pd.DataFrame(
            [
                (key, one.name, one.status, one.goodput_pps)
                for key, own in zip(different, found, strict=True)
                for one in own
            ],
            columns=["scenario", "model", "status", "goodput_pps"],
        )
        goodputs: dict[str, dict[str, float | None]] = {key: {} for key in different}
        chosen = represented(rows, self.families)
        for key, family, pps in chosen[["scenario", "family", "goodput_pps"]].itertuples(False):
            goodputs[key][family] = pps
        return goodputs


def cap_pps(scenario: Scenario) -> float | None:
    """Return the cap min(C, W/R) in packets/s; None if the mean rate of a trace is almost 0."""
    try:
        rate_pps = mean_capacity_bps(scenario) / scenario.packet_bits
    except Undefined:
        return None
    return min(rate_pps, window_limit_pps(scenario))


@dataclass(frozen=True)
class Choice:
    """Formulas and constants that are chosen on some connections, to predict others."""

    errors: pd.DataFrame
    """The errors of all families on these connections; see `Predictions.errors`."""

    @cached_property
    def orders(self) -> dict[tuple[str, str], list[str]]:
        """The formulas by median size of their errors, smallest first, by case and regime.

        A missing prediction counts as an error of a factor of two. The key of a case's order for
        all regimes has an empty regime.
        """
        cases, regimes = self.errors["case"], self.errors["regime"]
        found = {}
        for case in cases.unique():
            here = cases == case
            for name in ["", *regimes[here].unique()]:
                rows = here & (regimes == name) if name else here
                found[case, name] = by_median_size(self.errors.loc[rows, self._formulas])
        return found

    @property
    def _families(self) -> list[str]:
        return [c for c in self.errors if c not in (*PLACE, SIMULATION, CAP)]

    @property
    def _formulas(self) -> list[str]:
        return [name for name in self._families if name.removesuffix(AT_MEAN) != FLUID]

    def predictors(self, errors: pd.DataFrame) -> pd.DataFrame:
        """Return the error of each way to predict, for other connections.

        The formula is the first of the order of the connection's case and regime that predicts a
        goodput; if this order is unknown, of that of the case, else of all. A constant is the
        median of prediction over goodput in the case, on the connections of the choice. The columns
        are `COLUMNS`; `family` is that of the formula.
        """
        own = self._single(self.errors)
        found = self._single(errors)
        cases = errors["case"]
        for name in (FORMULA, FLUID_MODEL, CAP):
            constants = own[name].groupby(self.errors["case"]).agg(median_of)
            found[name + BY_CONSTANT] = found[name] - cases.map(constants)
        family = found.pop("family")
        table = errors[PLACE].join(found)
        table["family"] = family
        long = table.melt([*PLACE, "family"], var_name="predictor", value_name="log_error")
        long["family"] = long["family"].where(long["predictor"] == FORMULA, "")
        is_made = (long["predictor"] != SIMULATION) | long["is_simulated"]
        return long.loc[is_made, COLUMNS].reset_index(drop=True)

    def _single(self, errors: pd.DataFrame) -> pd.DataFrame:
        """Return the errors of formula, fluid, cap, oracle and simulation, and the formula."""
        formula = pd.Series(math.nan, errors.index)
        family = pd.Series("", errors.index)
        for (case, name), rows in errors.groupby(["case", "regime"]).groups.items():
            order = self.orders.get((case, name)) or self.orders.get((case, ""))
            ordered = errors.loc[rows, order or by_median_size(self.errors[self._formulas])]
            known = ordered.notna().any(axis=1)
            formula[rows] = ordered.bfill(axis=1).iloc[:, 0]
            family[rows] = ordered.notna().idxmax(axis=1).where(known, "")
        every = errors[self._families]
        return pd.DataFrame(
            {
                FORMULA: formula,
                FLUID_MODEL: errors[FLUID],
                SIMULATION: errors[SIMULATION],
                CAP: errors[CAP],
                ORACLE: taken(every, closest(every)),
                "family": family,
            },
            errors.index,
        )


GAINS = [
    *("one", "other", "n"),
    *(f"{name}{end}_%" for name in ("gain", "mean_gain") for end in ENDINGS),
    *("different", *(f"smaller{end}_%" for end in ENDINGS)),
]
"""Columns that `gains_between` adds to those of the groups."""


def gains_between(
    rows: pd.DataFrame,
    across: str,
    pairs: Iterable[tuple[str, str]],
    by: Sequence[str],
    cluster: str = "connection",
) -> pd.DataFrame:
    """Return how much smaller errors are in one case than in another, on the same connections.

    `across` is the column whose values are compared, such as `case` or `predictor`; of each pair of
    values the second one is expected to have the smaller errors. A missing prediction counts as an
    error of a factor of two. The errors of both directions of an assumption count as their mean
    size. `cluster` is the column that names what connections have in common, such as the link.

    The columns are `by`, `one`, `other` (the two values), `n` (connections), `gain_%`: the median
    of the decrease of the error's size from the first to the second, with its 95 % interval (see
    `errors_by`), `mean_gain_%`: the mean of the clusters' means, with an interval by Student's t,
    `different`: the number of connections on which the sizes differ, and `smaller_%`: the share of
    these on which the second one is smaller.
    """
    sizes = rows.assign(size=rows["log_error"].fillna(FACTOR_OF_TWO).abs())
    names = list(dict.fromkeys([*by, cluster, "connection", across]))
    means = sizes.groupby(names, sort=False)["size"].mean()
    wide = means.unstack(across)
    every = list(pairs)
    found: list[dict[str, Any]] = []
    for values, own in wide.groupby(level=list(by), sort=False):
        named = dict(zip(by, values, strict=True))
        for one, other in every:
            both = own.reindex(columns=[one, other]).dropna()
            gain = (both[one] - both[other]).to_numpy()
            if not gain.size:
                continue
            clusters = both.index.get_level_values(cluster).to_series()
            ends = spread_of(None, clusters, gain.size).of_quantile(gain, 0.5)
            means_of_clusters = pd.Series(gain).groupby(clusters.to_numpy()).mean()
            mean = Interval.of(means_of_clusters.to_list())
            half = mean.half_width if math.isfinite(mean.half_width) else math.nan  # one cluster
            mean_ends = mean.mean - half, mean.mean + half
            is_different = np.abs(gain) > TIED
            smaller = gain[is_different] > 0
            of_smaller = spread_of(None, clusters[is_different], smaller.size).of_share(smaller)
            share = float(smaller.mean()) if smaller.size else math.nan
            found.append(
                {**named, "one": one, "other": other, "n": gain.size}
                | with_ends("gain", median_of(pd.Series(gain)), ends)
                | with_ends("mean_gain", mean.mean, mean_ends)
                | {"different": smaller.size}
                | with_ends("smaller", share, of_smaller)
            )
    return pd.DataFrame(found, columns=[*by, *GAINS])


RECORDED_LINKS = Path("data/links")
"""Folder of the project with measurements and predictions over recorded links."""

LINK_PLACE = ["judge", "link", "connection", "case"]
"""Columns that name a prediction's connection over a recorded link, and what is known of it."""

LINK_COLUMNS = [*LINK_PLACE, "predictor", "family", "log_error"]

SENDER = ["link", "buffer_packets", "variant", "stack"]
"""Columns that name a connection in the tables of recorded links."""


def on_links(families: Mapping[str, list[str]], folder: Path = RECORDED_LINKS) -> pd.DataFrame:
    """Return the errors of predictions over recorded links, by what is known of the link.

    The judges are the packet simulator and Linux, over the second half of each recording. The
    formula at a level is the family and view with the smallest median error on the other links. The
    columns are `LINK_COLUMNS`; `case` is the level.
    """
    read = {
        # On a slow link, several buffers hold as many packets: keep each connection once.
        name: pd.read_csv(folder / f"{name}.csv", dtype={"stack": str})
        .fillna({"stack": ""})
        .drop(columns="buffer_bdp")
        .drop_duplicates()
        for name in ("inputs", "measured", "kernel_and_simulator")
    }
    simulated = read["measured"].set_index(SENDER)
    kernel = read["kernel_and_simulator"].set_index(SENDER)
    rows = read["inputs"]
    rows = pd.concat([rows, *_simulated_halves(simulated.reset_index(), rows)])
    rows["connection"] = rows[SENDER].astype(str).agg(", ".join, axis=1)
    rows = rows.rename(columns={"level": "case"})
    family_of = {model: family for family, models in families.items() for model in models}
    rows["family"] = rows["model"].map(lambda model: family_of.get(model, model))
    parts = []
    for judge, goodputs in ((PACKET, simulated["goodput_bps"]), ("linux", kernel["kernel_bps"])):
        known = rows.join(goodputs.rename("judged_bps"), on=SENDER, how="inner").assign(judge=judge)
        known["log_error"] = np.log(known["goodput_bps"] / known["judged_bps"])
        if judge == PACKET:  # the judge's own goodput is no prediction
            is_own = (known["model"] == SIMULATION) & (known["case"] == "this-trace")
            known = known[~is_own]
        parts.append(_chosen_on_other_links(known, families))
    return pd.concat(parts)[LINK_COLUMNS].reset_index(drop=True)


def _simulated_halves(simulated: pd.DataFrame, rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the simulations over both halves themselves, as rows of predictions."""
    known = simulated[simulated["link"].isin(rows["link"])]
    for level, column in (("trace-of-past", "first_half_bps"), ("this-trace", "goodput_bps")):
        goodput = known[column].rename("goodput_bps")
        yield known[SENDER].assign(level=level, view="trace", model=SIMULATION).join(goodput)


def _chosen_on_other_links(rows: pd.DataFrame, families: Mapping[str, list[str]]) -> pd.DataFrame:
    """Return the errors of formula, fluid, simulation and oracle, with the judge's goodputs."""
    of_models = rows[rows["model"] != SIMULATION]
    is_fluid = of_models["family"] == FLUID
    fluid = of_models[(of_models["model"] == FLUID) & of_models["view"].isin(["trace", "constant"])]
    formulas = of_models[~is_fluid].assign(way=of_models["family"] + "/" + of_models["view"])
    position = {m: n for models in families.values() for n, m in enumerate(models)}
    formulas = formulas.assign(
        rank=formulas["status"].map(STATUSES.index), position=formulas["model"].map(position)
    )
    formulas = formulas.sort_values(["rank", "position"], kind="stable")
    formulas = formulas.drop_duplicates([*LINK_PLACE, "way"])
    of_fluid = fluid.set_index(LINK_PLACE)["log_error"].rename(FLUID_MODEL)
    wide = formulas.pivot(index=LINK_PLACE, columns="way", values="log_error")
    found = []
    for (link, case), own in wide.groupby(level=["link", "case"]):
        others = wide[
            (wide.index.get_level_values("link") != link)
            & (wide.index.get_level_values("case") == case)
        ]
        ordered = own[by_median_size(others)]
        chosen = ordered.notna().idxmax(axis=1)
        every = own.join(of_fluid)
        best = taken(every, closest(every))
        for name, errors in ((FORMULA, ordered.bfill(axis=1).iloc[:, 0]), (ORACLE, best)):
            table = pd.DataFrame({"log_error": errors}, own.index).reset_index()
            table["family"] = chosen.to_numpy() if name == FORMULA else ""
            found.append(table.assign(predictor=name))
    found.append(fluid.assign(predictor=FLUID_MODEL, family=""))
    simulations = rows[rows["model"] == SIMULATION]
    found.append(simulations.assign(predictor=SIMULATION, family=""))
    table = pd.concat(found)
    return pd.concat([table, *_over_constants(table)])


def _over_constants(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the errors of formula and fluid on each link over the median on the other links."""
    scaled = rows[rows["predictor"].isin([FORMULA, FLUID_MODEL])]
    for (predictor, _), own in scaled.groupby(["predictor", "case"]):
        for link, here in own.groupby("link"):
            errors = here["log_error"] - median_of(own.loc[own["link"] != link, "log_error"])
            yield here.assign(predictor=f"{predictor}{BY_CONSTANT}", log_error=errors, family="")
