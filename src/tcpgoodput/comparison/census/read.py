"""Evaluation of a random sample of connections, and settings that define how results are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcpgoodput.comparison.census import advice, importance, summary
from tcpgoodput.comparison.census import tree as trees
from tcpgoodput.comparison.census.design import COUNTS
from tcpgoodput.comparison.census.evidence import read_evidence, split_halves, unanswered_note
from tcpgoodput.comparison.census.record import verified_path
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.comparison.families import families_of
from tcpgoodput.models import MODELS
from tcpgoodput.storage import csv_text

if TYPE_CHECKING:
    from tcpgoodput.comparison.schema import Family
    from tcpgoodput.style import Style


def to_read(space: Space, named: Sequence[Family], style: Style) -> dict[str, Any]:
    """Return the settings with which a census is evaluated and shown.

    Args:
        space: the space of the census.
        named: the families of the configuration.
        style: styles of the models.

    Returns:
        A dict that can be written as JSON: `name`, `title`, `families` (models by family),
        `labels` (by family), `impairments`, `half_width` and `style`.

    """
    chosen = space.census.models or MODELS.names()
    members = {
        family: [model for model in models if model in chosen]
        for family, models in families_of(named, chosen).items()
    }
    families = {family: models for family, models in members.items() if models}
    labels = {family.models[0]: family.label for family in named}
    return {
        "name": space.name,
        "title": space.census.title,
        "families": families,
        "labels": {family: labels.get(family) for family in families},
        "impairments": list(space.census.impairments),
        "half_width": space.census.precision.half_width,
        "style": style.palette.model_dump(mode="json"),
    }


def findings(looks: Mapping[str, Any], table: Path) -> dict[str, str]:
    """Return all tables computed from a census as CSV, by name.

    Args:
        looks: settings for the evaluation of the census; see `to_read`.
        table: path of the table with the measurements and predictions of the connections.

    Raises:
        ConfigurationError: the table is recorded, but was changed afterwards.

    """
    measured = read_evidence(verified_path(table), looks["families"])
    if note := unanswered_note(table, looks["families"]):
        print(note)
    evidence = measured.with_narrow_intervals()
    grown, judged = split_halves(evidence)
    tree = trees.grow(evidence, grown)
    impairments = looks["impairments"]
    half_width = measured.drawn["half_width"]
    counted = {
        "points": measured.points,
        "drawn": len(measured.drawn),
        "unresolved": int(half_width.isna().sum()),
        "close": len(evidence.connections),
        "typical_half_width_%": per_cent(typical(half_width.dropna())),
        "typical_close_half_width_%": per_cent(typical(evidence.connections["half_width"])),
        "typical_packets": int(measured.connections["packets"].median()),
        "as_asked": int((half_width <= looks["half_width"]).sum()),
        "grown": int(grown.sum()),
        "judged": int(judged.sum()),
    }
    tables: dict[str, tuple[list[str], Iterable[dict[str, Any]]]] = {
        COUNTS: (list(counted), [counted]),
        "left_out": (summary.LEFT_OUT_COLUMNS, summary.left_out_of(measured, impairments)),
        "ranges": (summary.RANGE_COLUMNS, summary.ranges_of(measured.drawn)),
        "errors": (summary.ERROR_COLUMNS, summary.errors_of(evidence, impairments)),
        "calibration": (summary.CALIBRATION_COLUMNS, summary.calibration_of(evidence)),
        "statuses": (summary.STATUS_COLUMNS, summary.statuses_of(measured, impairments)),
        "in_domain": (summary.DOMAIN_COLUMNS, summary.domains_of(evidence, impairments)),
        "importance": (importance.COLUMNS, importance.importance_of(evidence)),
        "tree": (trees.TREE_COLUMNS, trees.tree_rows(tree, evidence, judged)),
        "advice": (
            advice.COLUMNS,
            advice.advice_rows(tree, measured, split_halves(measured)[1], impairments),
        ),
        "pairs": (summary.PAIR_COLUMNS, summary.pairs_of(evidence, judged)),
    }
    return {name: csv_text(columns, rows) for name, (columns, rows) in tables.items()}
