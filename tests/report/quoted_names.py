"""The names of all numbers that the report may quote of a comparison, without a run."""

from __future__ import annotations

from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.held import VARIANTS
from tcpgoodput.comparison.regime import regimes
from tcpgoodput.comparison.short import short_names
from tcpgoodput.report.comparison_numbers import (
    PARTS,
    STATUSES,
    as_if_each,
    macro_part,
)
from tcpgoodput.report.numbers import camel_case

MAP_PARTS = ("Points", "HalfWidth", "Widest", "Somebody", "AwayNearer", "AwayClearlyNearer")


def quoted_names(compared: Compared) -> set[str]:
    """Return the names of all numbers that a comparison may have."""
    made = {f"Comparison{part}" for part in ("Scenarios", "Rows", "Models", "Families")}
    made |= {"ComparisonHalfWidth", "ComparisonWidest", "ScenariosOfCubic", "ScenariosOfAll"}
    made |= {"HeldDrawn", "HeldJudges", "HeldHalfWidth", "HeldUnsure"}
    for name in ("ComparisonBesides", "HeldBesides"):
        made |= {name, f"{name}Scenarios", *_errors_of(name)}
    for variant in VARIANTS:
        made |= {f"Held{camel_case(variant)}{part}" for part in ("Judged", "Homeless")}
    variations = (f"Comparison{macro_part(name)}" for name in ("", *compared.settings.again))
    for start in ("Held", *variations):
        made |= {f"{start}{part}" for part in ("Judged", "Cells", "Undefined", "Homeless")}
        for status in (*STATUSES, "Home"):
            made |= {f"{start}{status}", *_errors_of(f"{start}{status}")}
    for variation in as_if_each(compared.settings.again):
        name = f"Comparison{macro_part(variation)}AskedEach"
        made |= {name, *_errors_of(name)}
    for family in map(macro_part, compared.families):
        made |= {f"Held{family}{part}" for part in ("Home", *PARTS, "Away", "AwayTypical")}
        made |= {f"Misjudged{family}{q}{w}" for q in ("Loss", "Rtt") for w in ("Over", "Under")}
        made |= {f"Rank{macro_part(r)}{family}{p}" for r in regimes() for p in PARTS}
    short = short_names(scenario.id for scenario in compared.scenarios.values())
    made |= {f"RefereeLinux{name.capitalize()}Ratio" for name in short.values()}
    judged = short_names(scenario.id for scenario in compared.judging).values()
    for family in map(macro_part, compared.families):
        made |= {f"Held{family}{macro_part(scenario)}" for scenario in judged}
    for variation in (*compared.settings.again, *compared.settings.sensitivity):
        for s in short.values():
            name = f"Change{macro_part(variation)}{macro_part(s)}"
            made |= {name, f"{name}Size", *(name + macro_part(f) for f in compared.families)}
    for name in compared.settings.maps:
        title = f"Map{camel_case(name)}"
        made |= {f"{title}{part}" for part in MAP_PARTS}
        for model in compared.drawn(name):
            part = f"{title}{macro_part(model)}"
            made |= {f"{part}Home", *_errors_of(part)}
    return made


def _errors_of(name: str) -> set[str]:
    return {f"{name}{part}" for part in ("Median", "Worst", "Within")}
