"""What a run publishes, by the rules that make it, and what it is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from tcpgoodput.jobs.code import digest_of, digests_of
from tcpgoodput.models import CURVES, ERRATA, MODELS, TABLES
from tcpgoodput.storage.files import as_lines
from tcpgoodput.workflow.entry_points import ENTRY_POINTS

if TYPE_CHECKING:
    from tcpgoodput.workflow.plan import Plan

KINDS = (".csv", ".html", ".ipynb", ".pdf", ".png")
"""Of the files that are for readers; others go from job to job."""

OTHER_CODE = {
    "answer_map": "answer_comparison",
}
"""Rules whose code goes by another name."""

Record = dict[str, Any]


def published_by_rule(plan: Plan) -> dict[str, list[str]]:
    """Return all published files that a run makes, by rule, as paths within the run."""
    every: dict[str, list[str]] = {}
    for rule, files in _made(plan):
        inside = [
            PurePosixPath(file).relative_to(plan.run.root).as_posix()
            for file in files
            if file.endswith(KINDS)
        ]
        if inside:
            every[rule] = sorted({*every.get(rule, ()), *inside})
    return every


def origin(plan: Plan, whole: Record) -> Record:
    """Return what a run's results follow from.

    Args:
        plan: of the run.
        whole: its configuration as data.

    """
    settings = {key: value for key, value in whole["settings"].items() if key != "run"}
    made = published_by_rule(plan)
    code = {rule: digests_of(*ENTRY_POINTS[OTHER_CODE.get(rule, rule)]) for rule in sorted(made)}
    registers = (CURVES, ERRATA, MODELS, TABLES)
    modules = {register.module_of(name) for register in registers for name in register.names()}
    return {
        "version": version("tcpgoodput"),
        "run": plan.run.name,
        "configuration": _sha256({**whole, "settings": settings}),
        "code": {rule: _sha256(digests) for rule, digests in code.items()},
        "modules": {module: digest_of(module) for module in sorted(modules)},
        "packages": dict(
            sorted(
                (name, told)
                for digests in code.values()
                for name, told in digests.items()
                if not name.endswith(".py")
            )
        ),
        **plan.configuration.settings.model_dump(include={"precision", "equations", "seed"}),
    }


def _made(plan: Plan) -> Iterator[tuple[str, list[str]]]:
    yield "measure", plan.measured
    if plan.comparison.scenarios:
        folder = f"{plan.run.results}/measurements"
        maps = [f"{folder}/maps/{name}.csv" for name in plan.comparison.maps]
        yield "measure", [*plan.comparison.measured, *maps, f"{folder}/explorer.csv"]
    yield "publish", plan.published
    for study in plan.studies:
        yield "draw", plan.pictures(study)
        yield "show", [f"{plan.run.results}/{study}/{study}.ipynb"]
    yield "agreement", plan.agreement
    yield "claims", plan.claims
    yield "answer_map", plan.comparison.map_parts
    yield "publish_comparison", plan.comparison.tables
    yield "draw_comparison", [*plan.comparison.pictures, *plan.comparison.map_pictures]
    yield "show_comparison", plan.comparison.notebooks
    for census in plan.censuses.values():
        yield "census_read", census.findings(census.read)
        yield "census_beside", census.told_beside(census.read)
        yield "draw_census", census.pictures(census.read)
    yield "explorer", plan.explorer
    yield "report_parts", plan.report_parts
    if plan.typesetter:
        yield "report", [plan.run.report]


def _sha256(content: Any) -> str:
    return hashlib.sha256(as_lines(content).encode()).hexdigest()
