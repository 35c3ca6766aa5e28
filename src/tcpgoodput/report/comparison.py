"""The comparison in the report: formulas and their errors, maps, scenarios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import bias, per_cent, typical, worst
from tcpgoodput.comparison.families import short_names
from tcpgoodput.comparison.files import Compared
from tcpgoodput.configuration.markup import escaped, to_latex
from tcpgoodput.models.reductions import REDUCTIONS
from tcpgoodput.report import latex
from tcpgoodput.report.templates import rendered
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.style import Style

MISJUDGED = ("loss", "rtt")
"""What the card of formulas tells of, each misjudged both ways."""


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
    tables = [results / "comparison.csv", results / "comparison" / "held.csv"]
    measured = pd.concat([pd.read_csv(table) for table in tables]).drop_duplicates("scenario")
    by_id = measured.set_index("scenario")
    rows = []
    for scenario in (*compared.scenarios.values(), *compared.held.values()):
        rows.append(
            [
                escaped(scenario.id),
                to_latex(scenario.title),
                escaped(scenario.tcp.variant),
                *_path(scenario),
                _goodput(scenario, by_id),
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


def family_names(compared: Compared, style: Style) -> dict[str, str]:
    """Return the families' labels: the configuration's, or that of the model that is one."""
    named = {family.models[0]: family.label for family in compared.settings.families}
    return {name: named.get(name) or style.model(name).label for name in compared.families}


def choice_tex(compared: Compared, results: Path, style: Style) -> str:
    """Return the card of formulas: what each computes and needs, its bias, what mistakes cost."""
    table = pd.read_csv(results / "comparison" / "misjudged.csv")
    medians = table.groupby(["family", "misjudged"])["change"].median().to_dict()
    told = {family.models[0]: family for family in compared.settings.families}
    held = pd.read_csv(results / "comparison" / "held.csv").dropna(subset="log_error")
    home = held[held["status"].isin(AT_HOME)]
    rows = []
    for name, label in family_names(compared, style).items():
        family = told.get(name)
        rows.append(
            [
                to_latex(label),
                to_latex(family.formula) if family and family.formula else "---",
                to_latex(family.needs) if family and family.needs else "---",
                _bias(home[home["family"] == name]["log_error"]),
                *(_both_ways(medians, name, quantity) for quantity in MISJUDGED),
            ]
        )
    return rendered("choice", rows=rows)


def _both_ways(medians: Mapping[tuple[str, str], float], family: str, quantity: str) -> str:
    changes = [medians.get((family, f"{quantity}-{way}")) for way in ("over", "under")]
    known = [signed(change) for change in changes if change is not None]
    return " / ".join(known) or "---"


def _bias(errors: pd.Series) -> str:
    """Return the mean error of held-out scenarios, and of how many."""
    return f"{signed(bias(errors))} ({len(errors)})" if len(errors) else "---"


def held_tex(compared: Compared, results: Path, style: Style) -> str:
    """Return what the held-out scenarios say of each family."""
    table = pd.read_csv(results / "comparison" / "held.csv").dropna(subset="log_error")
    short = short_names(table["scenario"])
    rows = []
    for name, label in family_names(compared, style).items():
        own = table[table["family"] == name]
        if own.empty:
            continue
        home, away = own[own["status"].isin(AT_HOME)], own[~own["status"].isin(AT_HOME)]
        errors = dict(zip(home["scenario"], home["log_error"], strict=True))
        furthest = worst(errors.values())
        where = [
            short[scenario]
            for scenario, error in errors.items()
            if error == furthest and round(per_cent(error), 1)
        ]
        rows.append(
            [
                to_latex(label),
                f"{len(home)}",
                size(typical(errors.values())),
                signed(bias(errors.values())),
                signed(furthest),
                escaped(where[0]) if where else "",
                f"{len(away)}",
                size(typical(away["log_error"])),
                signed(bias(away["log_error"])),
            ]
        )
    return rendered("held", rows=rows)


def size(error: float) -> str:
    """Return a size of an error, in per cent; what is below a tenth is nothing."""
    return _one_decimal(per_cent(error))


def signed(error: float) -> str:
    """Return an error in per cent, with its sign."""
    value = per_cent(error)
    return ("$+$" if round(value, 1) > 0 else "") + _one_decimal(value)


def _one_decimal(value: float) -> str:
    """Return a number with two digits, but none beyond the first decimal."""
    value = round(value, 1)
    return latex.number(value, 1 if abs(value) < 1 else 2)


def maps_tex(compared: Compared) -> str:
    """Return the maps as floats."""
    return "\n".join(
        rendered("map", name=name, map=region) for name, region in compared.settings.maps.items()
    )
