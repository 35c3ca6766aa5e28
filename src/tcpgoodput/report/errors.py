"""The report's tables of errors: kinds of link, recorded links, Linux's sender, every way.

`paper/links.yaml` defines the kinds of link in the report's table, and the families of models
that the table compares. The connections come from the random sample in `data/census`, and the
recorded links from `data/links`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.baselines import (
    ALL,
    BEST,
    BY_LINK,
    CAP_CORRECTED,
    CORRECTED,
    HELD_OUT,
    RULE,
    SMALLER,
)
from tcpgoodput.comparison.census.design import RECORDED, Space, known_extent, record_of
from tcpgoodput.comparison.census.evidence import Evidence, read_evidence
from tcpgoodput.comparison.census.files import described
from tcpgoodput.comparison.census.read import to_read
from tcpgoodput.comparison.errors import FACTOR_OF_TWO, STATISTICS, errors_by, per_cent
from tcpgoodput.comparison.families import label_of
from tcpgoodput.comparison.input_errors import (
    AT_MEAN,
    BY_CONSTANT,
    CAP,
    FLUID,
    ORACLE,
    REGRESSION,
    SIMULATION,
)
from tcpgoodput.comparison.link_errors import (
    COLUMNS,
    KERNEL,
    kernel_errors,
    link_errors,
    read_links,
)
from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.engines.base import PACKET
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report.latex import count, interval_cell, number, percent, rendered, spaced
from tcpgoodput.studies.recordings.judging import ANOTHER, HINDSIGHT

RECORDED_LINKS = Path("data/links/answers.csv")
SIMULATED_LINKS = Path("data/links/measured.csv")


def sampled(configuration: Configuration) -> dict[str, pd.DataFrame]:
    """Return the tables `links` and `kernel`; empty if the described sample is not recorded."""
    columns = {"links": COLUMNS, "kernel": [*KERNEL, *STATISTICS]}
    tables = {name: pd.DataFrame(columns=own) for name, own in columns.items()}
    space = described_census(configuration)
    if space is None or known_extent(space.name) != RECORDED:
        return tables
    evidence = _evidence(configuration, space)
    others = (s for s in paired_censuses(configuration) if known_extent(s.name) == RECORDED)
    linux = next((_evidence(configuration, other) for other in others), None)
    settings = read_links()
    tables["links"] = link_errors(evidence, settings.links)
    if linux is not None:
        tables["kernel"] = kernel_errors(linux, evidence, settings.kernel)
    return tables


def _evidence(configuration: Configuration, space: Space) -> Evidence:
    looks = to_read(space, configuration.families, configuration.style)
    return read_evidence(record_of(space.name), looks["families"])


def recorded_answers() -> pd.DataFrame:
    """Return all predictions for recorded links, with those of simulations over first halves.

    The simulation of a recording's first half predicts the goodput over its second half. A
    simulation is added for each connection for which the fluid with the recorded rate is in domain,
    so that both are judged on the same connections.
    """
    answers = pd.read_csv(RECORDED_LINKS)
    connection = ["link", "buffer_bdp", "buffer_packets", "variant"]
    fluid = answers[answers["view"].eq("recorded") & answers["status"].isin(IN_DOMAIN)]
    measured = pd.read_csv(SIMULATED_LINKS)
    measured = measured[measured["stack"].isna()].merge(fluid[connection].drop_duplicates())
    simulations = measured[[*connection, "ci95_bps"]].assign(
        view=SIMULATION,
        model=SIMULATION,
        status="native",
        goodput_bps=measured["first_half_bps"],
        simulated_bps=measured["goodput_bps"],
    )
    return pd.concat([answers, simulations], ignore_index=True)


RECORDED_VIEWS = ["mean", "ar1", "recorded", ANOTHER, SIMULATION, HINDSIGHT]
"""Views (descriptions of a link for a model) that are columns of the table of recorded links."""

LINK_LABELS = {
    "evdo": "3G (EVDO)",
    "umts": "3G (UMTS)",
    "att-lte": "LTE, slower (AT\\&T)",
    "tmobile-lte": "LTE, faster (T-Mobile)",
    "att-lte-2016": "LTE, 2016 (AT\\&T)",
    "verizon-lte": "LTE, third (Verizon)",
    "nr": "5G",
    "starlink": "satellite (Starlink)",
}


def recorded_tex(answers: pd.DataFrame) -> str:
    """Return the table of errors over recorded links as LaTeX.

    Rows of single links and of single buffers have no intervals, because connections over one link
    are not independent. The last rows are all links, and those with another recording of the same
    technology; their intervals resample whole links.
    """
    every = _with_errors(answers[answers["status"].isin(IN_DOMAIN)])
    # Equal buffers of a link are one connection.
    inside = every.drop_duplicates(["link", "buffer_packets", "variant", "view", "drive", "model"])
    drives = inside["link"].isin(inside.loc[inside["view"] == ANOTHER, "link"].unique())
    links = dict.fromkeys([*LINK_LABELS, *inside["link"].unique()])
    without_drives = inside[inside["view"] != ANOTHER]
    by_link = [
        _line(LINK_LABELS.get(link, link), own)
        for link in links
        if len(own := inside[inside["link"] == link])
    ]
    by_buffer = [
        _line(f"buffer of {buffer:g} BDP", own)
        for buffer, own in every[every["view"] != ANOTHER].groupby("buffer_bdp")
    ]
    together = [
        _line("all", without_drives, cluster="link"),
        _line("with another drive", inside[drives], cluster="link"),
    ]
    return rendered("recorded", rows=spaced([by_link, by_buffer, together]))


def _line(label: str, answers: pd.DataFrame, cluster: str | None = None) -> list[str]:
    """Return a line of medians by view, with their intervals if rows are clustered."""
    views = errors_by(answers, "view", cluster=cluster, error="error").set_index("view")
    cells = {
        view: interval_cell(row) if cluster else percent(row["median_%"])
        for view, row in views.to_dict("index").items()
    }
    connections = len(answers.drop_duplicates(["link", "buffer_packets", "variant"]))
    return [label, f"{connections}", *(cells.get(view, "---") for view in RECORDED_VIEWS)]


def _with_errors(answers: pd.DataFrame) -> pd.DataFrame:
    return answers.assign(error=np.log(answers["goodput_bps"] / answers["simulated_bps"]))


def recorded_csv(answers: pd.DataFrame) -> str:
    """Return all predictions for recorded links, with goodputs in bit/s and errors, as CSV text."""
    columns = ["link", "buffer_bdp", "buffer_packets", "variant", "view", "drive", "model"]
    columns += ["status", "goodput_bps", "simulated_bps", "error_%"]
    every = _with_errors(answers)
    every["error_%"] = (100 * every["error"]).round(6)
    return every[columns].to_csv(index=False, lineterminator="\n")


def links_tex(configuration: Configuration, table: pd.DataFrame) -> str:
    """Return the table of kinds of link as LaTeX, or a comment if no random sample is recorded."""
    if table.empty:
        return "%\n"
    rows = table.to_dict("records")
    label = label_of(configuration.families, configuration.style)
    alone = {row["link"]: row for row in rows if not row["other"]}
    cells = [
        [
            *(to_latex(text) for text in (link.label, link.measure, label(link.model))),
            f"{row['n']} of {row['of_connections']}",
            interval_cell(row),
            percent(row["q90_%"]),
        ]
        for link in read_links().links
        if link.measure is not None and (row := alone[link.name])
    ]
    return rendered("links", rows=cells)


def kernel_tex(configuration: Configuration, table: pd.DataFrame) -> str:
    """Return the table of Linux's sender as LaTeX, or a comment if there are no rows."""
    if table.empty:
        return "%\n"
    label = label_of(configuration.families, configuration.style)
    groups = {group.name: group.label for group in read_links().kernel.groups}
    senders = table.set_index(["impairments", "family", "sender"])
    cells, before = [], ""
    for name, family in dict.fromkeys(zip(table["impairments"], table["family"], strict=True)):
        group = groups[name]
        both = [senders.loc[(name, family, sender)].to_dict() for sender in ("rfc", "linux")]
        cells.append(
            [
                to_latex(group) if group != before else "",
                to_latex(label(family)),
                f"{both[0]['n']:.0f}",
                *(text for own in both for text in (interval_cell(own), percent(own["q90_%"]))),
            ]
        )
        before = group
    return rendered("kernel", rows=cells)


def described_census(configuration: Configuration) -> Space | None:
    """Return the census (random sample) that the report describes; None if there is none."""
    name = described(configuration.censuses)
    return configuration.censuses[name] if name else None


def folder_of(space: Space) -> Path:
    """Return the path of a census's folder, relative to the folder of results or of pictures."""
    return Path("census") / space.name / known_extent(space.name)


def paired_censuses(configuration: Configuration) -> list[Space]:
    """Return the censuses that have the described census's connections, but other senders."""
    described = described_census(configuration)
    every = configuration.censuses.values()
    return [space for space in every if described and space.census.paired_with == described.name]


def section_tex(configuration: Configuration) -> str:
    """Return LaTeX that includes the section on the random sample, if the run has what it needs."""
    space = described_census(configuration)
    if space is None or not configuration.comparison:
        return "%\n"
    return f"\\newcommand{{\\censusfolder}}{{{folder_of(space)}}}\n\\input{{sections/held}}\n"


LABELS = {
    CAP: r"cap: min($C$, $W/R$)",
    FLUID: "fluid alone",
    RULE: "PFTK, or fluid if only $C$ varies",
    SMALLER: "smaller of PFTK, fluid",
    BY_LINK: r"by Table~\ref{tab:links}",
    BEST: "one per impairment",
    ORACLE: "closest, in hindsight",
    CORRECTED: "smaller, regression",
    CAP_CORRECTED: "cap, regression",
    SIMULATION: "simulation",
}
SIMPLE = list(LABELS)
"""Ways to predict that are not one formula, in the order of the table."""
SCALED = [CAP, FLUID, RULE, SMALLER, BEST]
"""Ways to predict whose errors over a constant are in the table."""

MISSING = per_cent(FACTOR_OF_TWO)
"""Median of the errors of a family that has no value on most connections, in per cent."""

NONE = "--"

LINUX: Literal["linux"] = "linux"
JUDGES: tuple[Literal["ns2", "linux"], ...] = ("ns2", LINUX)
"""Engines beside the packet simulator whose connections are columns."""

KEYS = ["sample", "judge", "predictor"]


def samples_tex(configuration: Configuration, results: Path) -> str:
    """Return the table of all ways to predict as LaTeX, or a comment if there are no rows.

    Families are in the order of the medians of their values. The table needs random connections
    that ns-2 and Linux measure.
    """
    inputs = configuration.inputs
    if inputs is None or len(inputs.settings.judges) < len(JUDGES):
        return "%\n"
    tables = {n: pd.read_csv(results / f"heldout/{n}.csv") for n in ("samples", "statuses")}
    rows, statuses = (table[table["group"] == ALL] for table in tables.values())
    judges = inputs.settings.judges
    main = (inputs.settings.sample, PACKET)
    others = [(judges[engine].sample, engine) for engine in JUDGES]
    others += [(HELD_OUT, PACKET), (HELD_OUT, LINUX)]
    is_main = (rows["sample"] == main[0]) & (rows["judge"] == main[1])
    of_main = rows[is_main].set_index("predictor")
    if of_main.empty:
        return "%\n"
    of_main = of_main.join(
        statuses.set_index(KEYS).sort_index().loc[main], on="predictor", lsuffix="_"
    )
    elsewhere = [
        rows[(rows["sample"] == sample) & (rows["judge"] == judge)].set_index("predictor")
        for sample, judge in others
    ]
    label = label_of(configuration.families, configuration.style)
    families = of_main[~of_main.index.str.endswith(BY_CONSTANT) & (of_main["answered_%"] > 0)]
    families = families.drop(SIMPLE, errors="ignore").sort_values("median_of_answers_%")
    names = {name: to_latex(label(name)) for name in families.index}
    usual = [name for name in names if families.loc[name, "median_%"] < MISSING]
    main_parts = [
        [[names[name], *_all_cells(name, of_main)] for name in names],
        [[LABELS[name], *_all_cells(name, of_main)] for name in SIMPLE if name in of_main.index],
    ]
    judged = [(name, names[name]) for name in usual]
    for name in SIMPLE:
        judged.append((name, LABELS[name]))
        if name in SCALED:
            judged.append((name + BY_CONSTANT, r"\quad over a constant"))
    lines = [[text, *(_judged(name, rows) for rows in elsewhere)] for name, text in judged]
    counts = [NONE if own.empty else count(own["n"].max()) for own in (of_main, *elsewhere)]
    return rendered("samples", rows=spaced(main_parts), judged=lines, counts=counts)


def _judged(name: str, rows: pd.DataFrame) -> str:
    return _median(rows.loc[name]) if name in rows.index else NONE


def _all_cells(name: str, rows: pd.DataFrame) -> list[str]:
    row = rows.loc[name]
    shares = [row[status] for status in ("native", "reduced", "out-of-domain")]
    return [
        "/".join(f"{share:.0f}" for share in shares) if any(shares) else "",
        percent(row["median_of_answers_%"]),
        f"${row['bias_%']:+.0f}$",
        _median(row),
        percent(row["q90_%"]),
        number(row["within_10_%"], 2),
        number(row["off_by_two_%"], 2),
        _judged(name + BY_CONSTANT, rows) if name in SCALED else "",
    ]


def _median(row: Any) -> str:
    """Return the median with its interval; without it if most values are missing."""
    is_sure = row["median_low_%"] == row["median_high_%"]
    return percent(row["median_%"]) if is_sure else interval_cell(row)


KNOWN = {
    "formula": "best formula",
    f"formula{BY_CONSTANT}": r"\quad over a constant",
    "fluid": "fluid",
    f"{CAP}{BY_CONSTANT}": "cap over a constant",
    REGRESSION: "cap, regression (no model)",
    SIMULATION: "simulation",
}
"""Ways to predict in the table of errors by what is known, with their labels."""


def levels_tex(configuration: Configuration, results: Path) -> str:
    """Return the errors by what is known of the link as LaTeX, or a comment if Linux judges none.

    The first part of the table has the errors against the kernel by level of knowledge. The second
    part has the best formula for each kind of impairment if everything is known, with its error
    against the packet simulator.
    """
    inputs = configuration.inputs
    if inputs is None or LINUX not in inputs.settings.judges:
        return "%\n"
    read = {n: pd.read_csv(results / f"inputs/{n}.csv") for n in ("errors", "regimes", "formulas")}
    errors = read["errors"].set_index(["judge", "case", "predictor"]).sort_index()
    levels = inputs.settings.levels
    parts = [
        [
            [
                to_latex(level.label) if number_in_part == 0 else "",
                label,
                *(interval_cell(row, statistic) for statistic in ("median", "q90")),
                number(row["within_10_%"], 2),
                interval_cell(row, "off_by_two"),
            ]
            for number_in_part, (name, label) in enumerate(KNOWN.items())
            for row in errors[errors.index == (LINUX, case, name)].to_dict("records")
        ]
        for case, level in levels.items()
    ]
    last = list(levels)[-1]
    regimes, formulas = (read[n][read[n]["case"] == last] for n in ("regimes", "formulas"))
    regimes = regimes[regimes["predictor"] == "formula"].sort_values("n", ascending=False)
    chosen = dict(zip(formulas["regime"].fillna(""), formulas["family"], strict=True))
    label = label_of(configuration.families, configuration.style)
    kinds = [
        [
            row["regime"],
            _formula(chosen.get(row["regime"], chosen[""]), label),
            f"{row['n']:.0f}",
            interval_cell(row),
        ]
        for row in regimes.to_dict("records")
    ]
    return rendered("levels", rows=spaced(parts), kinds=kinds) if any(parts) else "%\n"


def _formula(family: str, label: Callable[[str], str]) -> str:
    """Return a formula's label as LaTeX, with a note if it takes the mean of a varying rate."""
    name = to_latex(label(family.removesuffix(AT_MEAN)))
    return f"{name}, at the mean rate" if family.endswith(AT_MEAN) else name
