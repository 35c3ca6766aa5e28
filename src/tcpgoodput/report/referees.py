"""The referees in the report: how the simulator agrees with them, and what is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.errors import per_cent, share_within, typical
from tcpgoodput.configuration.markup import escaped, to_latex
from tcpgoodput.engines.linux import PROFILES
from tcpgoodput.engines.names import ENGINE_NAMES
from tcpgoodput.referees.records import COMPARISON, DATA, read_provenance
from tcpgoodput.report import latex
from tcpgoodput.report.floats import printed_name
from tcpgoodput.report.numbers import Quoted, camel_case
from tcpgoodput.report.templates import rendered

CLOSE = 0.05


def read_pairs(results: Path) -> pd.DataFrame:
    """Return every connection that the packet simulator and a referee measured."""
    return pd.read_csv(results / "referees.csv", keep_default_na=False)


def quoted(pairs: pd.DataFrame, studies: Iterable[str]) -> Iterable[Quoted]:
    """Yield how often the simulator agrees with each referee, with ns-2 also by study."""
    compared = pairs["source"] == COMPARISON
    for engine, name in (("ns2", "ScenariosNs"), ("linux", "ScenariosLinux")):
        asked = compared & (pairs["engine"] == engine)
        yield from _of(pairs[asked & (pairs["x"] == 0)], name)
        yield from _of(pairs[asked & (pairs["x"] > 0)], f"{name}Again")
    # A connection counts once, whatever figures show it.
    each = pairs[~compared].drop_duplicates("key")
    ns2 = each[each["engine"] == "ns2"]
    yield from _of(ns2, "Ns")
    for study in studies:
        yield from _of(ns2[ns2["source"] == study], f"Ns{camel_case(study)}")
    linux = each[each["engine"] == "linux"]
    yield from _of(linux, "Linux")
    for setting, name in (("newreno", "Plain"), ("newreno-timestamps", "Timestamps")):
        yield from _of(linux[linux["setting"] == setting], name)


def _of(pairs: pd.DataFrame, name: str) -> Iterable[Quoted]:
    origin = "results/referees.csv"
    errors = np.log(pairs["ratio"].to_numpy(float))
    yield Quoted(f"Referee{name}Pairs", len(pairs), None, origin)
    yield Quoted(f"Referee{name}Agree", int(pairs["agrees"].sum()), None, origin)
    close = 100 * share_within(errors, CLOSE)
    yield Quoted(f"Referee{name}ClosePercent", close, 2, origin)
    yield Quoted(f"Referee{name}MedianPercent", per_cent(typical(errors)), 2, origin)


def pairs_tex(pairs: pd.DataFrame) -> str:
    """Return the table of ratios, a row for each series of markers."""
    cells = []
    of_figures = pairs[pairs["source"] != COMPARISON]
    for key, group in of_figures.groupby(["source", "figure", "engine", "series"], sort=False):
        source, figure, engine, series = map(str, key)
        worst = group.loc[np.log(group["ratio"]).abs().idxmax()]
        cells.append(
            [
                escaped(f"{source}, {printed_name(figure)}"),
                escaped(ENGINE_NAMES[engine]),
                to_latex(series),
                f"{len(group)}",
                f"{int(group['agrees'].sum())}",
                f"{group['ratio'].median():.3f}",
                f"{worst['ratio']:.3f}",
                latex.number(worst["x"], 3),
            ]
        )
    return rendered("referees", rows=cells)


def compared_tex(pairs: pd.DataFrame) -> str:
    """Return the paragraph on the compared scenarios, if any is recorded."""
    recorded = (pairs["source"] == COMPARISON).any()
    return "\\input{sections/compared_referees}\n" if recorded else "%\n"


def profiles_tex() -> str:
    """Return the table of Linux's profiles."""
    names = sorted({name for profile in PROFILES.values() for name in profile})
    cells = [
        [escaped(name), *(str(profile[name]) for profile in PROFILES.values())] for name in names
    ]
    return rendered("profiles", rows=cells, profiles=PROFILES)


def records_tex() -> str:
    """Return the table of what is recorded: when, on what, how much."""
    cells = []
    for path in sorted(DATA.glob("*/*.json")):
        told = read_provenance(path.with_suffix(".csv"))
        if "points" not in told:  # not what figures ask for
            continue
        rows = pd.read_csv(path.with_suffix(".csv"))
        sent = float(rows["packets_sent"].sum())
        cells.append(
            [
                escaped(ENGINE_NAMES[path.parent.name]),
                escaped(path.stem),
                f"{rows['key'].nunique()}",
                f"{len(rows)}",
                latex.number(sent / 1e6, 3),
                latex.number(sent / float(rows["wall_s"].sum()) / 1e3, 3),
                escaped(told["ended"][:10]),
                escaped(told.get("ns2") or told["kernel"].split("-")[0]),
            ]
        )
    return rendered("records", rows=cells)
