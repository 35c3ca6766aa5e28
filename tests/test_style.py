"""Colours and lines of models, also of models that the style file does not name."""

from __future__ import annotations

import itertools

import numpy as np
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


SEEN = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0993], [-0.0039, -0.0481, 1.0520]]
    ),
    "deuteranopia": np.array(
        [[0.3673, 0.8607, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9690]]
    ),
}
"""Linear RGB as readers see it, by kind of vision (Machado, Oliveira, Fernandes 2009, table 1)."""


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    """Return a colour in CIE L*a*b* (D65), as it is seen with a kind of vision."""
    rgb = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [[0.41246, 0.35758, 0.18044], [0.21267, 0.71515, 0.07218], [0.01933, 0.11919, 0.95030]]
    )
    white = to_xyz.sum(axis=1)
    xyz = to_xyz @ np.clip(seen @ linear, 0, 1) / white
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", SEEN)
def test_senders_can_be_told_apart_with_any_colour_vision(vision: str) -> None:
    looks = load_style(README.parent / "style.yaml").palette.variants
    for (one, first), (other, second) in itertools.combinations(looks.items(), 2):
        apart = lab(first.colour, SEEN[vision]) - lab(second.colour, SEEN[vision])
        assert np.linalg.norm(apart) >= 20, (one, other)
