"""Figures of a study in the other settings that its text leaves open.

A study's text rarely states every setting of its figures. The file of figures lists the choices
(`settings:`). Each figure of a group is drawn in one of them. This module adds the same figure in
each other choice, as a figure of its own, so that models, engines and claims treat it like any
other figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tcpgoodput.configuration import Document
from tcpgoodput.configuration.problems import Problem, alternatives, choices
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.studies.schema import Choice, Figure, LineFigure, Series, Settings, SourceFigures


@dataclass(frozen=True)
class Place:
    """Where a figure in another setting is from: its group, its choice, and the figure as drawn."""

    group: str
    choice: str
    figure: str


def name_in(figure: str, choice: str) -> str:
    """Return the name of a figure in another setting.

    Example:
        >>> name_in("throughput", "quick")
        'throughput_quick'

    """
    return f"{figure}_{choice}"


def places(figures: SourceFigures) -> dict[str, Place]:
    """Return the figures that are in another setting than the drawn one, by their names."""
    return {
        name_in(figure, choice): Place(group, choice, figure)
        for group, settings in figures.settings.items()
        for choice in settings.others
        for figure in settings.figures
    }


def as_drawn(figures: SourceFigures) -> dict[str, Figure]:
    """Return a study's figures by name, without those in other settings."""
    elsewhere = places(figures)
    return {name: figure for name, figure in figures.figures.items() if name not in elsewhere}


def in_every_setting(figures: SourceFigures) -> SourceFigures:
    """Return the content of a file with each figure of `settings` in every other setting, too.

    A figure in another setting follows the figure as drawn. Names in `settings` that are no figures
    with lines are left out: `wrong_settings` reports them.
    """
    every: dict[str, Figure] = {}
    for name, figure in figures.figures.items():
        every[name] = figure
        for settings in figures.settings.values():
            if name in settings.figures and isinstance(figure, LineFigure):
                for key, choice in settings.others.items():
                    every.setdefault(name_in(name, key), _figure_in(choice, name, figure))
    return figures.model_copy(update={"figures": every})


def _figure_in(choice: Choice, name: str, figure: LineFigure) -> LineFigure:
    title = f"{figure.title}: {choice.title}"
    caption = (
        f"Another setting that the study's text leaves open: {choice.title}. Otherwise as "
        f"{name} ({figure.title})."
    )
    panels = {}
    for key, panel in figure.panels.items():
        series = [_series_in(choice, name, one) for one in panel.series]
        panels[key] = panel.model_copy(update={"series": series})
    numbers = choice.numbers.get(name, [])
    changes = {"title": title, "caption": caption, "panels": panels, "numbers": numbers}
    return figure.model_copy(update={**changes, "ours": True})


def _series_in(choice: Choice, figure: str, series: Series) -> Series:
    kind = "models" if series.model else "engines" if series.engine else None
    if choice.of not in (None, kind) or (choice.series and series.key not in choice.series):
        return series
    of_models = choice.set_models if kind == "models" else {}
    changed: dict[str, Any] = {
        "set": series.set | choice.set | choice.set_in.get(figure, {}) | of_models
    }
    if series.model in choice.models:
        # Claims and marks know the series by its id, which may be the name of the replaced model.
        changed |= {"model": choice.models[series.model], "id": series.key}
    if series.model and choice.equations:
        changed["equations"] = choice.equations
    return series.model_copy(update=changed)


def wrong_settings(document: Document, figures: SourceFigures) -> Iterator[Problem]:
    """Yield a problem for each entry of `settings` that no figure can show."""
    taken: dict[str, str] = {}
    for group, settings in figures.settings.items():
        at: Key = ("settings", group)
        drawn: dict[str, LineFigure] = {}
        for position, name in enumerate(settings.figures):
            place = (*at, "figures", position)
            figure = figures.figures.get(name)
            if figure is None:
                hint = alternatives(name, list(figures.figures))
                yield document.problem(place, f"no figure {name!r}{hint}")
            elif not isinstance(figure, LineFigure):
                yield document.problem(place, f"{name} has no lines: its setting cannot vary")
            elif name in taken:
                yield document.problem(place, f"{name} is in the group {taken[name]}, too")
            else:
                taken[name] = group
                drawn[name] = figure
        if settings.before and settings.before.setting not in settings.others:
            hint = alternatives(settings.before.setting, list(settings.others))
            message = f"no other setting {settings.before.setting!r}{hint}"
            yield document.problem((*at, "before", "setting"), message)
        yield from _wrong_choices(document, figures, settings, drawn, at)


def _wrong_choices(
    document: Document,
    figures: SourceFigures,
    settings: Settings,
    drawn: dict[str, LineFigure],
    at: Key,
) -> Iterator[Problem]:
    every = [
        (name, series)
        for name, figure in drawn.items()
        for panel in figure.panels.values()
        for series in panel.series
    ]
    for key, choice in settings.others.items():
        place = (*at, "others", key)
        for name in settings.figures:
            if name_in(name, key) in figures.figures:
                yield document.problem(place, f"the file has a figure {name_in(name, key)} already")
        known = list(dict.fromkeys(series.key for _, series in every))
        for position, name in enumerate(choice.series or ()):
            if known and name not in known:
                message = f"no series of these figures is called {name!r} ({choices(known)})"
                yield document.problem((*place, "series", position), message)
        named = list(dict.fromkeys(series.model for _, series in every if series.model))
        for name in choice.models:
            if named and name not in named:
                message = f"no series of these figures has the model {name} ({choices(named)})"
                yield document.problem((*place, "models", name), message)
        for kind in ("set_in", "numbers"):
            for name in getattr(choice, kind):
                if name not in settings.figures:
                    message = f"must be one of {', '.join(settings.figures)}"
                    yield document.problem((*place, kind, name), message)
        if drawn and all(_series_in(choice, name, series) == series for name, series in every):
            yield document.problem(
                place, "no figure can show this setting: it changes no series of the figures"
            )
