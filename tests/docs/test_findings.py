"""The findings on the first pages have the numbers of the last run, if there was one here."""

from __future__ import annotations

import csv

import pytest

from tests.folders import ROOT

MACROS = ROOT / "results" / "macros.csv"
PAGES = ("README.md", "docs/index.md")

FINDINGS = {
    "predicts {:.0%} of SACK's simulated goodput": "ReductionsBurstsNoReduction",
    "deliver {:.1f} times": "HandoffsDefaultsOverModelFifteen",
    "uses {:.0%}": "VariableCapacityBandLeast",
    " to {:.0%} of": "VariableCapacityBandMost",
    "uses at least {:.0%}": "VariableCapacitySimulatedWorstFull",
}
"""What a finding says, and the number of the report that it says it of."""

WITHIN = ("ReductionsBurstsLeast", "ReductionsBurstsMost")
"""The square-root law with the loss event rate, over the simulation: its extremes."""


@pytest.fixture(scope="module")
def numbers() -> dict[str, float]:
    if not MACROS.is_file():
        pytest.skip("./reproduce has not been run here")
    with MACROS.open(encoding="utf-8", newline="") as file:
        wanted = {*FINDINGS.values(), *WITHIN}
        return {r["name"]: float(r["value"]) for r in csv.DictReader(file) if r["name"] in wanted}


@pytest.mark.parametrize("page", PAGES)
def test_findings_have_the_numbers_of_the_run(page: str, numbers: dict[str, float]) -> None:
    text = (ROOT / page).read_text(encoding="utf-8").replace("\u00a0", " ")
    for said, name in FINDINGS.items():
        expected = said.format(numbers[name]).replace("%", " %")
        assert expected in text or expected.replace(" %", "") in text, expected
    furthest = max(abs(numbers[name] - 1) for name in WITHIN)
    assert f"within {furthest:.0%}".replace("%", " %") in text
