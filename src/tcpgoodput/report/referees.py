"""Numbers of the report on the agreement of the packet simulator with ns-2 and Linux."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.errors import RIGHT, per_cent, share_within, typical
from tcpgoodput.comparison.families import short_names
from tcpgoodput.engines.linux import PROFILES
from tcpgoodput.engines.records import COMPARISON
from tcpgoodput.report.numbers import Quoted, camel_case
from tcpgoodput.studies.schema import LineFigure, Source

CLOSE = 0.05
LINUX = Path("data/linux/comparison.json")
"""File that describes how the measurements of the comparison with Linux were made."""

ORIGIN = "results/referees.csv"

VARIATIONS = {"": "", "b2": "Again", "linux": "Today", "linux-b2": "TodayAgain", "steady": "Steady"}
"""Part of a number's name for each variation of a scenario, by the variation's name. The variations
are: none, one ACK for two packets, the sender of Linux, both of these together, and the NewReno of
the hand-off study."""


def read_pairs(results: Path) -> pd.DataFrame:
    """Return all pairs of measurements by the packet simulator and a reference implementation."""
    return pd.read_csv(results / "referees.csv", keep_default_na=False)


def quoted(pairs: pd.DataFrame, sources: Mapping[str, Source]) -> Iterable[Quoted]:
    """Yield how often the simulator agrees with ns-2 and with Linux, in total and by study.

    Connections in the studies' own figures are counted separately from connections that occur only
    in our figures. Numbers for Linux are given by study and by profile of kernel settings, because
    the results of profiles differ too much for a common median.
    """
    compared = pairs["source"] == COMPARISON
    variations = pairs["variation"]
    for engine, name in (("ns2", "ScenariosNs"), ("linux", "ScenariosLinux")):
        wanted = compared & (pairs["engine"] == engine)
        for variation, word in VARIATIONS.items():
            yield from _of(pairs[wanted & (variations == variation)], f"{name}{word}")
    yield from _of_scenarios(pairs[compared & (pairs["engine"] == "linux")])
    yield Quoted("LinuxRelease", release(), 3, str(LINUX))
    as_kernel = pairs[~compared & (pairs["sender"] != "")]
    yield from _of(as_kernel, "LinuxSender")
    near = 100 * share_within(np.log(as_kernel["ratio"].to_numpy(float)), RIGHT)
    yield Quoted("RefereeLinuxSenderNearPercent", near, 2, ORIGIN)
    own, added = _apart(pairs[~compared & (pairs["sender"] == "")], sources)
    yield from _of(added[added["engine"] == "ns2"], "NsAdded")
    ns2 = own[own["engine"] == "ns2"]
    yield from _of(ns2, "Ns")
    studies = {name: source for name, source in sources.items() if not source.figures.ours}
    for study, source in studies.items():
        theirs = ns2[ns2["source"] == study]
        yield from _of(theirs, f"Ns{camel_case(study)}")
        for figure in _figures_with(source, "ns2"):
            shown = theirs[theirs["figure"] == figure]
            yield _far(shown, f"Ns{camel_case(study)}{camel_case(figure)}")
        if not _figures_with(source, "linux"):
            continue
        for selection, part in ((own, ""), (added, "Added")):
            linux = selection[(selection["source"] == study) & (selection["engine"] == "linux")]
            name = f"Linux{camel_case(study)}"
            yield from _of(linux, f"{name}{part}")
            for profile in PROFILES:
                with_it = linux[linux["setting"] == profile]
                yield from _of(with_it, f"{name}{camel_case(profile.replace('-', '_'))}{part}")


def release() -> float:
    """Return the release of the Linux kernel in the measurements, such as 6.18."""
    kernel = json.loads(LINUX.read_text(encoding="utf-8"))["kernel"]
    return float(".".join(kernel.split(".")[:2]))


def _figures_with(source: Source, engine: str) -> list[str]:
    """Return the names of a study's figures that need measurements by an engine."""
    return [
        name
        for name, figure in source.figures.figures.items()
        if isinstance(figure, LineFigure)
        and any(series.engine == engine for p in figure.panels.values() for series in p.series)
    ]


def _apart(pairs: pd.DataFrame, sources: Mapping[str, Source]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables of pairs: those in the studies' figures, and those only in our figures.

    A pair is a connection that the simulator and ns-2 or Linux have measured.

    A connection counts once even if several figures contain it.
    """
    of_study = {
        (name, key)
        for name, source in sources.items()
        for key, figure in source.figures.figures.items()
        if not source.is_ours(figure)
    }
    where = zip(pairs["source"], pairs["figure"], strict=True)
    theirs = np.array([place in of_study for place in where], bool)
    own = pairs[theirs].drop_duplicates("key")
    return own, pairs[~theirs & ~pairs["key"].isin(own["key"])].drop_duplicates("key")


def _of_scenarios(pairs: pd.DataFrame) -> Iterable[Quoted]:
    """Yield the ratio of simulated goodput to that of Linux for each unchanged scenario."""
    as_it_is = pairs[pairs["x"] == 0]
    short = short_names(as_it_is["figure"])
    for row in as_it_is.to_dict("records"):
        name = f"RefereeLinux{short[row['figure']].capitalize()}Ratio"
        yield Quoted(name, row["ratio"], 3, ORIGIN, row["ratio_low"], row["ratio_high"])


def _of(pairs: pd.DataFrame, name: str) -> Iterable[Quoted]:
    errors = np.log(pairs["ratio"].to_numpy(float))
    yield Quoted(f"Referee{name}Pairs", len(pairs), None, ORIGIN)
    yield Quoted(f"Referee{name}Agree", int(pairs["agrees"].sum()), None, ORIGIN)
    close = 100 * share_within(errors, CLOSE)
    yield Quoted(f"Referee{name}ClosePercent", close, 2, ORIGIN)
    yield Quoted(f"Referee{name}MedianPercent", per_cent(typical(errors)), 2, ORIGIN)
    yield Quoted(f"Referee{name}Ratio", float(pairs["ratio"].median()), 2, ORIGIN)
    yield _far(pairs, name)


def _far(pairs: pd.DataFrame, name: str) -> Quoted:
    """Return the number of pairs whose goodputs' ratio differs from 1 by more than `CLOSE`, 5 %."""
    sizes = np.abs(np.log(pairs["ratio"].to_numpy(float)))
    return Quoted(f"Referee{name}Far", int((sizes > CLOSE).sum()), None, ORIGIN)


def compared_tex(pairs: pd.DataFrame) -> str:
    """Return LaTeX code that includes the paragraph on scenarios measured by ns-2 or Linux.

    The code is a comment if no such measurement is recorded.
    """
    recorded = (pairs["source"] == COMPARISON).any()
    return "\\input{sections/compared_referees}\n" if recorded else "%\n"
