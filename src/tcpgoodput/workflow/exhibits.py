"""What stands in Snakemake's own report (`--report report.html`), and under what words."""

from __future__ import annotations

from pathlib import Path

from snakemake.io import report

from tcpgoodput.studies.schema import TableFigure
from tcpgoodput.workflow.plan import Plan

CAPTIONS = Path("workflow/report")
SHOWN_AS = {"results": ".csv", "figures": ".png", "paper": ".pdf"}
"""Which of the files in each folder of a run."""


def of_study(plan: Plan, source: str, files: list[str]) -> list[str]:
    """Return a study's files, of which its pictures as PNG and its tables are exhibits."""
    return [_of_study(plan, source, file) for file in files]


def _of_study(plan: Plan, source: str, file: str) -> str:
    path = Path(file)
    figure = plan.figures(source)[path.stem]
    if path.suffix != (".csv" if isinstance(figure, TableFigure) else ".png"):
        return file
    study = plan.configuration.sources[source].figures.title
    caption = Path(plan.caption(source, path.stem)).absolute()
    labels = {"name": path.stem, "title": figure.title}
    return report(file, caption=str(caption), category=study, labels=labels)


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
