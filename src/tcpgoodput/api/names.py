"""Names that callers give, checked before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from tcpgoodput.answers import Conditions, Equations, Precision
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.models import MODELS, Model


def known(kind: str, name: str, names: Sequence[str]) -> str:
    """Return a name that is one of some names.

    Raises:
        ValueError: it is not; the message has the nearest one.

    """
    if name not in names:
        hint = nearest(name, names) if isinstance(name, str) else ""
        raise ValueError(f"no {kind} is called {name!r}{hint} ({choices(names)})")
    return name


def known_models(names: str | Sequence[str] | None) -> list[Model]:
    """Return the models of some names, each once, or all.

    Raises:
        ValueError: there is no model of a name.

    """
    asked = [names] if isinstance(names, str) else MODELS.names() if names is None else names
    return [MODELS[known("model", name, MODELS.names())] for name in dict.fromkeys(asked)]


def known_conditions(
    equations: str = "corrected", seed: int = 1, precision: str = "paper"
) -> Conditions:
    """Return what a caller chooses apart from the scenario.

    Raises:
        ValueError: a form or a precision of that name does not exist, or a seed is negative.

    """
    known("form of the equations", equations, get_args(Equations))
    known("precision", precision, get_args(Precision))
    return Conditions(equations=equations, precision=precision, seed=whole("seed", seed, 0))  # type: ignore[arg-type]


def whole(name: str, value: int, least: int) -> int:
    """Return a whole number that is not too small.

    Raises:
        ValueError: it is.

    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} on, is {value!r}")
    return value
