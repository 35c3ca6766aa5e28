"""What stands in Snakemake's own report (`--report report.html`), and under what words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snakemake.io import report

from tcpgoodput.workflow.plan import Plan

CAPTIONS = Path("workflow/report")
SHOWN_AS = {"results": ".csv", "figures": ".png", "paper": ".pdf"}
"""Which of the files in each folder of a run."""


def exhibit(plan: Plan, file: str) -> str:
    """Return the pattern of a study's figures or tables, each of which is an exhibit."""

    def study(wildcards: Any) -> str:
        return plan.configuration.sources[wildcards.study].figures.title

    def labels(wildcards: Any) -> dict[str, str]:
        figure = plan.figures(wildcards.study)[wildcards.figure]
        return {"name": wildcards.figure, "title": figure.title}

    caption = str((CAPTIONS / "figure.rst").absolute())
    return report(file, caption=caption, category=study, labels=labels)


def of_comparison(file: str) -> str:
    """Return the pattern of the comparison's pictures, each of which is an exhibit."""

    def labels(wildcards: Any) -> dict[str, str]:
        return {"name": wildcards.picture, "title": wildcards.picture.replace("_", " ")}

    caption = str((CAPTIONS / "figure.rst").absolute())
    return report(file, caption=caption, category="Comparison", labels=labels)


def of_all_studies(plan: Plan, category: str, files: list[str]) -> list[str]:
    """Return files, of which those that `workflow/report` has a caption for are exhibits."""
    return [_of_all_studies(plan, category, file) for file in files]


def _of_all_studies(plan: Plan, category: str, file: str) -> str:
    path = Path(file)
    folder, *inside = path.relative_to(plan.run.root).parts
    name = Path(*inside).with_suffix(".rst")
    kind = name.with_name(f"{name.stem.partition('_')[0]}.rst")  # of a map's or a matrix's name
    caption = next((c for n in (name, kind) if (c := CAPTIONS / n).is_file()), None)
    if caption is None or path.suffix != SHOWN_AS[folder]:
        return file
    labels = {"name": path.stem, "title": path.stem.replace("_", " ")}
    return report(file, caption=str(caption.absolute()), category=category, labels=labels)
