"""Pictures of the numbers in a run's tables, drawn with seaborn and matplotlib.

Seaborn provides the theme (`theme`), heat maps and dots by category (`scales`, `census`),
medians with ranges (`census`, `comparison`) and scatter plots (`comparison`). Seaborn takes a
second to load, so only the functions that need seaborn import it. Matplotlib draws everything else:
lines and markers with known intervals, ladder diagrams, and topologies. All sizes, colours and
limits of pictures were chosen by hand.
"""

from __future__ import annotations

TITLES = {
    "comparison/matrix": "Errors of all model families on all scenarios",
    "comparison/variations": "Errors of all families on changed copies of the scenarios",
    "comparison/ranking": "Model families in the order of their median error",
    "comparison/sensitivity": "Changes of the goodput with each change of a scenario",
    "comparison/held": "Errors on held-out connections",
    "inputs/levels": "Errors by what is known of the link",
    "claims/verdicts": "Verdicts on all claims",
    "referees/agreement": "Simulated goodput over that of ns-2 and Linux",
    "referees/scenarios": (
        "Simulated goodput over that of ns-2 and Linux, on the scenarios of the comparison"
    ),
}
"""The title of each picture, by its path below `figures/` without suffix."""

OF_SAMPLES = {
    "errors": "Errors of each model family",
    "calibration": "Share of predictions within 5, 10 and 25 %",
    "importance": "Quantities on which errors depend",
}
"""Titles of the pictures of each random sample, by the name of the picture."""

OF_PAIRS = {"gains": "Goodput over that of the other sender"}
"""Titles of the pictures of a random sample that is paired with another one, as `OF_SAMPLES`."""
