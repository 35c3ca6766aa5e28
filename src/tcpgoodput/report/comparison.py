"""The comparison in the report: which model to use when, maps, scenarios, reductions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.regime import regimes
from tcpgoodput.comparison.regions import Nearest, nearest
from tcpgoodput.configuration.markup import escaped, to_latex
from tcpgoodput.drawing.style import Style
from tcpgoodput.models.reductions import REDUCTIONS
from tcpgoodput.report import latex
from tcpgoodput.report.numbers import Quoted, camel_case
from tcpgoodput.report.templates import rendered
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps

WITHIN = 0.10
"""Error up to which a value counts as right."""


def section_tex(compared: Compared | None) -> str:
    """Return the section on the comparison, if there is one."""
    return "\\input{sections/comparison}\n" if compared else "%\n"


def appendix_tex(compared: Compared | None) -> str:
    """Return the appendix with every scenario, if there is a comparison."""
    return "\\input{sections/scenarios}\n" if compared else "%\n"


def reductions_tex() -> str:
    """Return the reductions as a table."""
    rows = [[escaped(r.id), r.of, r.to, r.formula] for r in REDUCTIONS.values()]
    return rendered("reductions", rows=rows)


def scenarios_tex(compared: Compared, results: Path) -> str:
    """Return every scenario with its parameters and the simulated goodput."""
    table = pd.read_csv(results / "comparison.csv").drop_duplicates("scenario")
    measured = table.set_index("scenario")
    rows = []
    for stem in compared.scenarios:
        scenario = compared.scenarios[stem]
        rows.append(
            [
                escaped(scenario.id),
                to_latex(scenario.title),
                escaped(scenario.tcp.variant),
                *_path(scenario),
                _goodput(scenario, measured),
            ]
        )
    return rendered("scenarios", rows=rows)


def _path(scenario: Scenario) -> list[str]:
    window, buffer = scenario.tcp.max_window_packets, scenario.path.buffer_packets
    return [
        latex.number(mean_capacity_bps(scenario) / 1e6, 3),
        latex.number(1e3 * scenario.propagation_rtt_s, 3),
        "---" if buffer is None else f"{buffer}",
        "---" if window is None else f"{window}",
    ]


def _goodput(scenario: Scenario, measured: pd.DataFrame) -> str:
    row = measured.loc[scenario.id]
    if math.isnan(row["simulated_bps"]):
        return "---"
    value = latex.number(row["simulated_bps"] / 1e3, 4)
    return f"{value} $\\pm$ {latex.number(row['ci95_bps'] / 1e3, 2)}"


def choice_tex(results: Path, style: Style) -> str:
    """Return for each regime the models in their order, with typical and worst error."""
    ranking = pd.read_csv(results / "comparison" / "ranking.csv", keep_default_na=False)
    rows: list[list[str]] = []
    for name in regimes():
        own = ranking[(ranking["regime"] == name) & (ranking["variation"] == "")]
        ranked = own[own["rank"] != ""].head(4)
        for number, entry in enumerate(ranked.to_dict("records")):
            rows.append(
                [
                    to_latex(name) if number == 0 else "",
                    f"{entry['rank']}",
                    to_latex(style.model(entry["model"]).label),
                    f"{entry['at_home']} of {entry['of']}",
                    _per_cent(float(entry["typical"])),
                    _signed(float(entry["bias"])),
                    _signed(float(entry["worst"])),
                    escaped(str(entry["worst_scenario"]).split("-")[0]),
                ]
            )
    return rendered("choice", rows=rows)


def _per_cent(log_error: float) -> str:
    return latex.number(100 * math.expm1(abs(log_error)), 2)


def _signed(log_error: float) -> str:
    value = 100 * math.expm1(log_error)
    return ("+" if value > 0 else "") + latex.number(value, 2)


def maps_tex(compared: Compared) -> str:
    """Return the maps as floats."""
    return "\n".join(
        rendered("map", name=name, map=region) for name, region in compared.settings.maps.items()
    )


def of_comparison(compared: Compared, results: Path) -> Iterator[Quoted]:
    """Yield the comparison's numbers: its size, its errors, what leads where, its maps."""
    table = pd.read_csv(results / "comparison.csv")
    yield from _of_table(compared, table)
    ranking = pd.read_csv(results / "comparison" / "ranking.csv", keep_default_na=False)
    for entry in ranking[ranking["variation"] == ""].to_dict("records"):
        name = f"Rank{macro_part(entry['regime'])}{macro_part(entry['model'])}"
        origin = "comparison/ranking.csv"
        for part in ("typical", "bias", "worst"):
            value = 100 * math.expm1(float(entry[part]))
            yield Quoted(name + part.capitalize(), value, 2, origin)
    for name in compared.settings.maps:
        rows = pd.read_csv(results / "comparison" / "maps" / f"{name}.csv")
        yield from _of_map(name, rows, compared.drawn(name))


def macro_part(name: str) -> str:
    """Return `bursts of loss` as `BurstsOfLoss`, `mathis.linux` as `MathisLinux`."""
    return camel_case(re.sub(r"[ .-]", "_", name))


def _of_table(compared: Compared, table: pd.DataFrame) -> Iterator[Quoted]:
    origin = "comparison.csv"
    ids = {s.id for s in compared.scenarios.values()}
    yield Quoted("ComparisonScenarios", len(ids), None, origin)
    yield Quoted("ComparisonRows", table["scenario"].nunique(), None, origin)
    yield Quoted("ComparisonModels", table["model"].nunique(), None, origin)
    yield Quoted("ComparisonCells", len(table), None, origin)
    counts = {"Native": "native", "Reduced": "reduced", "Away": "out-of-domain"}
    counts["Undefined"] = "undefined"
    for name, status in counts.items():
        own = table[table["status"] == status]
        yield Quoted(f"Comparison{name}", len(own), None, origin)
        if name != "Undefined":
            yield from _of_errors(f"Comparison{name}", own["log_error"], origin)
    home = table[table["status"].isin(AT_HOME)]
    yield from _of_errors("ComparisonHome", home["log_error"], origin)
    homeless = set(table["scenario"]) - set(home["scenario"])
    yield Quoted("ComparisonHomeless", len(homeless), None, origin)
    width = table.drop_duplicates("scenario")
    width = width["ci95_bps"] / width["simulated_bps"]
    yield Quoted("ComparisonWidth", 100 * float(width.median()), 2, origin)
    yield Quoted("ComparisonWidest", 100 * float(width.max()), 2, origin)


def _of_errors(name: str, errors: pd.Series, origin: str) -> Iterator[Quoted]:
    sizes = errors.dropna().abs().to_numpy(float)
    typical = 100 * float(np.expm1(np.median(sizes))) if sizes.size else math.nan
    within = 100 * float((sizes <= math.log1p(WITHIN)).mean()) if sizes.size else math.nan
    yield Quoted(f"{name}Median", typical, 2, origin)
    yield Quoted(f"{name}Within", within, 2, origin)


def _of_map(name: str, rows: pd.DataFrame, models: Sequence[str]) -> Iterator[Quoted]:
    found, origin = nearest(rows, models), f"comparison/maps/{name}.csv"
    title = f"Map{camel_case(name)}"
    held = [n for n in found if n.model is not None]
    yield Quoted(f"{title}Points", len(found), None, origin)
    yield Quoted(f"{title}Nobody", _share(found, lambda n: n.model is None), 2, origin)
    yield Quoted(f"{title}Tied", _share(held, lambda n: n.tied), 2, origin)
    errors = pd.Series([n.error for n in held], dtype=float)
    yield from _of_errors(title, errors, origin)
    for model in models:
        share = _share(held, partial(_is, model=model))
        yield Quoted(f"{title}{macro_part(model)}", share, 2, origin)


def _is(nearest_here: Nearest, model: str) -> bool:
    return nearest_here.model == model


def _share(found: Iterable[Nearest], holds: Callable[[Nearest], bool]) -> float:
    answers = [holds(n) for n in found]
    return 100 * sum(answers) / len(answers) if answers else math.nan


def quoted_names(compared: Compared, models: Sequence[str]) -> set[str]:
    """Return the names of all numbers that a comparison may have."""
    names = {"Scenarios", "Rows", "Models", "Cells", "Homeless", "Width", "Widest"}
    for status in ("Native", "Reduced", "Away", "Undefined", "Home"):
        names |= {status, f"{status}Median", f"{status}Within"}
    made = {f"Comparison{name}" for name in names}
    for name in regimes():
        parts = ("Typical", "Bias", "Worst")
        made |= {f"Rank{macro_part(name)}{macro_part(m)}{p}" for m in models for p in parts}
    for name in compared.settings.maps:
        drawn = map(macro_part, compared.drawn(name))
        parts = ["Points", "Nobody", "Tied", "Median", "Within", *drawn]
        made |= {f"Map{camel_case(name)}{part}" for part in parts}
    return made
