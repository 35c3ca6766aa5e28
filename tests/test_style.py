"""Colours and lines of models, also of models that the style file does not name."""

from __future__ import annotations

import pytest

from tcpgoodput.models import MODELS
from tcpgoodput.studies.schema import LineFigure
from tcpgoodput.style import LINES, SPARE_COLOURS, Look, Style, load_style, looks
from tests import shipped
from tests.folders import ROOT
from tests.worked_example import README

NAMED = load_style(README.parent / "style.yaml").palette.models


def test_a_model_without_an_entry_gets_its_own_style() -> None:
    found = looks(NAMED, {"mine": "My model", "yours": "Your model"})
    assert found["mine"].label == "My model"
    shipped = {look.colour for look in NAMED.values()}
    assert {found["mine"].colour, found["yours"].colour}.isdisjoint(shipped)
    assert found["mine"].colour != found["yours"].colour
    assert {name: found[name] for name in NAMED} == NAMED


def test_a_model_has_one_title_everywhere() -> None:
    assert {name: look.label for name, look in NAMED.items()} == {
        model.name: model.title for model in MODELS.values()
    }


def test_other_models_do_not_change_the_style_of_a_model() -> None:
    alone = looks(NAMED, {"mine": "My model"})["mine"]
    assert looks(NAMED, {"mine": "My model", "yours": "Your model"})["mine"] == alone
    assert looks({}, {"other": "Another", "mine": "My model"})["mine"] == alone


def test_styles_differ_while_spare_ones_are_left() -> None:
    titles = {f"model{number}": "One of many" for number in range(33)}
    found = [(look.colour, look.line) for look in looks(NAMED, titles).values()]
    own = found[len(NAMED) :]
    assert len(set(own)) == len(SPARE_COLOURS) * len(LINES) == 32
    assert {line for _, line in own[: len(SPARE_COLOURS)]} == {"solid"}


def test_a_colour_of_the_style_file_is_not_reused() -> None:
    alone = looks({}, {"mine": "My model"})["mine"]
    taken = {"theirs": Look(label="Theirs", colour=alone.colour, line=alone.line)}
    assert looks(taken, {"mine": "My model"})["mine"].colour != alone.colour


def shown_alone(label: str, style: Style) -> set[str]:
    """Return the colours of the sender that a label names, if the label names nothing else."""
    looks = style.palette.variants.values()
    alone = ("{}", "Simulated, {}", "ns-2, {}", "Linux, {}")
    return {look.colour for look in looks for form in alone if label == form.format(look.label)}


def test_figures_have_the_colours_of_senders_and_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line or marker for one sender has the colour of the sender, or of what measures it."""
    monkeypatch.chdir(ROOT)
    configuration = shipped.configuration()
    style = configuration.style
    engines = style.palette.engines
    wrong = []
    for study, source in configuration.sources.items():
        for name, figure in source.figures.figures.items():
            panels = figure.panels.values() if isinstance(figure, LineFigure) else ()
            for series in (series for panel in panels for series in panel.series):
                label, look = style.label(series), style.look(series)
                allowed = shown_alone(label, style)
                if allowed and series.engine:
                    allowed.add(engines[series.engine].colour)
                if allowed and look.colour not in allowed:
                    wrong.append(f"{study}/{name}: {label} is {look.colour}")
    assert wrong == []


def test_the_only_linux_of_a_figure_has_its_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    configuration = shipped.configuration()
    style = configuration.style
    senders = {look.colour for look in style.palette.variants.values()}
    for study, source in configuration.sources.items():
        for name, figure in source.figures.figures.items():
            panels = figure.panels.values() if isinstance(figure, LineFigure) else ()
            linux = [s for panel in panels for s in panel.series if s.engine == "linux"]
            if len({style.label(series) for series in linux}) == 1:
                own = {style.palette.engines["linux"].colour, *senders}
                assert style.look(linux[0]).colour in own, f"{study}/{name}"
