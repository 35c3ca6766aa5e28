"""Tables in no file, from which entries of `paper/numbers.yaml` select: other tables, joined."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.claims.schema import MEASURED
from tcpgoodput.comparison.errors import errors_by
from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.report.numbers import Tables
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.schema import Source

LINUX = Path("data/linux/comparison.json")
"""File that describes how the measurements of the comparison with Linux were made."""

NS2 = Path("data/ns2/agreement.csv")
"""Table of recorded connections whose goodput in ns-2 the simulator is compared with."""

RUNS = Path("data/linux/inputs.csv")
"""Table of the kernel's runs on the random connections."""

SECOND_READER = Path("data/second_reader.csv")
"""Table of an independent second reader's verdicts on the studies' claims. The reader had the
studies' texts and our results, but not our verdicts."""

CLOSE = 0.01
"""Largest |ln(simulated goodput / goodput in ns-2)| that counts as agreement: 1 %; chosen by
hand."""

VERDICT = ["source", "id", "evidence"]
"""Columns that name a verdict: study, claim and kind of evidence."""


def tables(results: Path, sources: Mapping[str, Source]) -> Tables:
    """Return for each derived table, by the name in `paper/numbers.yaml`, how to compute it."""

    def read(name: str) -> pd.DataFrame:
        return pd.read_csv(results / name)

    return {
        "claims/readings": lambda: readings(read("claims.csv"), read("claims_readings.csv")),
        "claims/second_reader": lambda: second_reader(read("claims.csv")),
        "referees/kernel": kernel,
        "referees/pairs": lambda: pairs(read("referees.csv"), sources),
        "recorded/views": lambda: views(read("recorded.csv")),
        "ns2/explained": explained,
        "linux/runs": runs,
        "heldout/medians": lambda: medians(read("heldout/rows.csv")),
        **{
            f"{study}/{figure}/loss_events": partial(loss_events, results, study, figure)
            for study, source in sources.items()
            for figure in source.figures.figures
        },
    }


def readings(verdicts: pd.DataFrame, outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return the measured verdicts, and whether more interpretations of a text fail than hold."""
    counts = outcomes.groupby(VERDICT)["outcome"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=["holds", "fails"], fill_value=0)
    measured = verdicts[verdicts["evidence"].isin(MEASURED)]
    known = measured.merge(counts.reset_index(), on=VERDICT, how="left")
    return known.assign(more_fail=known["fails"] > known["holds"])


def second_reader(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the second reader's verdicts on today's claims, and whether ours agree."""
    ours = verdicts[[*VERDICT, "verdict"]].rename(columns={"verdict": "ours"})
    known = pd.read_csv(SECOND_READER).merge(ours, on=VERDICT)
    return known.assign(agrees=known["verdict"] == known["ours"])


def explained() -> pd.DataFrame:
    """Return the connections whose goodput agrees with ns-2's only if the simulator imitates it.

    A setting of the table imitates a deviation of ns-2 from the RFCs; `as it is` imitates none.
    """
    rows = pd.read_csv(NS2)
    close = np.log(rows["ratio"]).abs() <= CLOSE
    plain = rows["setting"] == "as it is"
    connection = ["case", "variant"]
    return rows.loc[plain & ~close, connection].merge(
        rows.loc[~plain & close, connection].drop_duplicates()
    )


def runs() -> pd.DataFrame:
    """Return the kernel's runs on random connections, each over the mean of the other runs.

    This `ratio` shows how well the kernel predicts itself: no prediction can be closer to one run.
    """
    of_each = pd.read_csv(RUNS).groupby("key")["goodput_pps"]
    pps = of_each.obj
    others = of_each.transform("size") - 1
    means = (of_each.transform("sum") - pps) / others
    return pd.DataFrame({"ratio": pps / means})[others > 0]


def kernel() -> pd.DataFrame:
    """Return the release of the Linux kernel in the recorded measurements, such as 6.18."""
    release = json.loads(LINUX.read_text(encoding="utf-8"))["kernel"]
    return pd.DataFrame({"release": [float(".".join(release.split(".")[:2]))]})


def pairs(measured: pd.DataFrame, sources: Mapping[str, Source]) -> pd.DataFrame:
    """Return the pairs of goodputs in `referees.csv` with the set of pairs that each belongs to.

    The column `set` is `comparison` for a scenario of the comparison of all models, and `as Linux`
    if the simulator imitates Linux's sender. Else it is `study` for a connection in a figure of a
    study, and `ours` for one that is only in our figures; such a connection counts once, even if
    several figures contain it.
    """
    of_study = {
        (name, key)
        for name, source in sources.items()
        for key, figure in source.figures.figures.items()
        if not source.is_ours(figure)
    }
    places = zip(measured["source"], measured["figure"], strict=True)
    theirs = np.array([place in of_study for place in places], bool)
    compared = measured["source"] == COMPARISON
    as_linux = ~compared & measured["sender"].notna()
    kinds = [compared, as_linux, theirs]
    every = measured.assign(set=np.select(kinds, ["comparison", "as Linux", "study"], "ours"))
    apart = every["set"].isin(["study", "ours"])
    # The sort is stable: of a connection's pairs, one in a study's figure is kept.
    once = every[apart].sort_values("set", ascending=False, kind="stable").drop_duplicates("key")
    return pd.concat([every[~apart], once])


def views(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the connections over recorded links with predictions from the rates and their mean.

    Both predictions are in domain. The column `recorded_is_nearer` is true if the prediction from
    the recorded rates has the smaller error.
    """
    inside = answers[answers["status"].isin(IN_DOMAIN)]
    sizes = np.log(inside["goodput_bps"] / inside["simulated_bps"]).abs()
    errors = inside.assign(size=sizes).pivot_table(
        index=["link", "buffer_packets", "variant"], columns="view", values="size"
    )
    both = errors.reindex(columns=["recorded", "mean"]).dropna()
    return both.assign(recorded_is_nearer=both["recorded"] < both["mean"])


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the median error in and out of domain of each held-out connection with both kinds."""
    known = rows.dropna(subset="log_error")
    kind = known["status"].isin(IN_DOMAIN).map({True: "in_domain", False: "out_of_domain"})
    found = errors_by(known.assign(kind=kind), ["scenario", "kind"])
    sizes = found.pivot(index="scenario", columns="kind", values="median_%") / 100
    return sizes.reindex(columns=["in_domain", "out_of_domain"]).dropna()


def loss_events(results: Path, study: str, figure: str) -> pd.DataFrame:
    """Return a figure's measured points with the mean time between loss events, in seconds."""
    measured = pd.read_csv(results / "measurements" / f"{study}.csv")
    points = pd.read_csv(answers_path(results, study, figure))
    rows = points[["panel", "series", "x", "key"]].merge(measured, on="key")
    duration_s = rows["measured_s"] * rows["replications"]
    return rows.assign(seconds=duration_s / rows["loss_events"])
