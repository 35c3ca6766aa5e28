"""Colours and lines of models, also of models that the style file does not name."""

from __future__ import annotations

from tcpgoodput.models import MODELS
from tcpgoodput.style import LINES, SPARE_COLOURS, Look, load_style, looks
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


def test_the_style_file_has_every_shipped_model() -> None:
    assert set(NAMED) == set(MODELS.names())
