"""What jobs are asked to answer, to publish and to draw: parts of a checked study, as data.

A request holds what its job depends on and nothing else, so that its bytes decide whether the job
is done again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.studies.points import Asked
from tcpgoodput.studies.schema import (
    Axis,
    Figure,
    LadderFigure,
    LineFigure,
    Mark,
    Panel,
    TableFigure,
)
from tcpgoodput.studies.source import Source
from tcpgoodput.style.looks import Style

Record = dict[str, Any]

UNSAID = "·"
"""In place of a text that a request leaves out and the schema requires."""


def to_answer(
    source: Source, figure: Figure, conditions: Conditions, points: Iterable[Asked]
) -> Record:
    """Return all that a figure's numbers depend on apart from measurements and code.

    Args:
        source: the study.
        figure: one of its figures.
        conditions: the seed, the precision and the equations.
        points: what the figure asks of engines, see `asked_points`.

    """
    used = {name: source.scenarios[name] for name in sorted(scenarios_of(figure))}
    return {
        "conditions": vars(conditions),
        "figure": _dumped(without_looks(figure)),
        "scenarios": {name: scenario.stated() for name, scenario in used.items()},
        "points": [_point(asked, conditions) for asked in points],
    }


def _point(asked: Asked, conditions: Conditions) -> Record:
    """Return a point that a figure asks an engine about, with the key of its measurement."""
    return {
        "panel": asked.panel,
        "series": asked.series,
        "engine": asked.engine,
        "x": asked.x,
        "key": asked.key(conditions.precision, conditions.seed),
        "scenario": asked.scenario.stated(),
    }


def to_publish(figure: Figure, style: Style) -> Record:
    """Return the label of each series, by panel and id; nothing for what is no figure of lines."""
    if not isinstance(figure, LineFigure):
        return {}
    return {
        name: {series.key: style.label(series) for series in panel.series}
        for name, panel in figure.panels.items()
    }


def to_draw(figure: Figure, style: Style) -> Record:
    """Return how a figure looks: its own words, and the looks of what it shows."""
    palette = style.of_models(_named(figure)).model_dump(mode="json")
    return {"figure": _dumped(figure), "style": palette}


def without_looks(figure: Figure) -> Figure:
    """Return a figure without what its numbers do not depend on: words, colours, layout."""
    plain: Record = {"title": UNSAID, "caption": UNSAID, "ours": False}
    if isinstance(figure, LineFigure):
        kind = type(figure).model_fields
        plain |= {name: kind[name].get_default(call_default_factory=True) for name in LAYOUT}
        plain["panels"] = {name: _panel_without_looks(p) for name, p in figure.panels.items()}
    elif isinstance(figure, LadderFigure):
        panels = figure.panels.items()
        plain["panels"] = {name: p.model_copy(update={"title": None}) for name, p in panels}
    elif isinstance(figure, TableFigure):
        plain["headings"] = {}
    return figure.model_copy(update=plain)


LAYOUT = (
    "numbers", "columns", "legend", "panel_height_cm", "share_y", "facets", "side_by_side",
)  # fmt: skip


def _panel_without_looks(panel: Panel) -> Panel:
    plain = dict.fromkeys(("label", "group", "style", "line", "against"))
    return panel.model_copy(
        update={
            "title": None,
            "frame": True,
            "legend": False,
            "off_limits": None,
            "x": Axis(label=UNSAID, unit=panel.x.unit),
            "y": Axis(label=UNSAID, unit=panel.y.unit),
            "series": [series.model_copy(update=plain) for series in panel.series],
            "marks": [_without_words(mark) for mark in panel.marks],
        }
    )


def _without_words(mark: Mark) -> Mark:
    return mark.model_copy(update={"label": UNSAID})


def scenarios_of(figure: Figure) -> set[str]:
    """Return the ids of the scenarios that a figure names."""
    if isinstance(figure, LineFigure | LadderFigure):
        return {panel.scenario for panel in figure.panels.values() if panel.scenario}
    if isinstance(figure, TableFigure):
        return set(figure.scenarios)
    return {figure.scenario}


def _named(figure: Figure) -> set[str]:
    """Return what a figure's lines are named after: of other models' looks it knows nothing."""
    panels = figure.panels.values() if isinstance(figure, LineFigure) else ()
    return {series.style or series.name for panel in panels for series in panel.series}


def _dumped(figure: Figure) -> Record:
    return figure.model_dump(mode="json", by_alias=True, exclude_defaults=True) | {
        "kind": figure.kind
    }
