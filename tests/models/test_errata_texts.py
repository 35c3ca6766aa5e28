"""Texts on the effects of errata contain mathematics but no other LaTeX."""

from __future__ import annotations

import re

import pytest

from tcpgoodput.configuration.mathematics import misplaced_markup
from tcpgoodput.models import ERRATA


@pytest.mark.parametrize("name", ERRATA.names())
def test_texts_of_errata_are_prose_with_mathematics(name: str) -> None:
    effect = ERRATA[name].effect()
    for text in (effect.quantity, effect.point):
        assert misplaced_markup(text) is None
        assert "\\" not in re.sub(r"\$[^$]*\$", "", text)
