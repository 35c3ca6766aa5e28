"""The modules that each kind of job begins with: what they import decides when it is done again."""

from __future__ import annotations

PUBLIC = (
    "tcpgoodput.models.listing",
    "tcpgoodput.public.advise",
    "tcpgoodput.public.compare",
    "tcpgoodput.public.load",
    "tcpgoodput.public.plot",
    "tcpgoodput.public.predict",
    "tcpgoodput.public.simulate",
    "tcpgoodput.public.sweep",
    "tcpgoodput.public.trace",
)
"""What the package's own names import only when they are used."""

ENTRY_POINTS: dict[str, tuple[str, ...]] = {
    "measure": ("tcpgoodput.engines.measure",),
    "answer": ("tcpgoodput.studies.answer",),
    "publish": ("tcpgoodput.studies.publish",),
    "draw": ("tcpgoodput.drawing.figure",),
    "show": (
        "tcpgoodput.workflow.show",
        "tcpgoodput.drawing.exhibits",
        *PUBLIC,
    ),
    "answer_comparison": ("tcpgoodput.comparison.answer",),
    "publish_comparison": ("tcpgoodput.comparison.publish",),
    "draw_comparison": ("tcpgoodput.drawing.comparison",),
    "show_comparison": ("tcpgoodput.comparison.notebook", "tcpgoodput.comparison.view"),
    "census_measure": ("tcpgoodput.census.measure",),
    "census_answer": ("tcpgoodput.census.answer",),
    "census_join": ("tcpgoodput.census.join",),
    "census_read": ("tcpgoodput.census.read",),
    "census_beside": ("tcpgoodput.census.beside",),
    "draw_census": ("tcpgoodput.drawing.census",),
    "claims": ("tcpgoodput.ledger.__main__",),
    "agreement": ("tcpgoodput.referees.notebook",),
    "answer_explorer": ("tcpgoodput.explorer.answer",),
    "explorer": ("tcpgoodput.explorer.static_page",),
    "report_parts": ("tcpgoodput.report.__main__",),
    "report": ("tcpgoodput.report.typeset",),
    "manifest": ("tcpgoodput.keeping.make",),
    "describe": ("tcpgoodput.keeping.describe",),
    "crate": ("tcpgoodput.keeping.crate",),
    "site": (
        "tcpgoodput.site.__main__",
        "tcpgoodput.site.docstrings",
        "tcpgoodput.site.mathml",
        *PUBLIC,
    ),
}
"""Of the jobs that the workflow runs, what their notebooks import included (a test compares), and
what the site documents; what a job looks up by name, its request names."""
