"""Calls of a model's methods that check the types of the results.

A user's own model may return anything. A wrong type would otherwise stop a command later, with an
error that names a file of this project.
"""

from __future__ import annotations

import reprlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tcpgoodput.answers import Conditions, Estimate
from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    from tcpgoodput.models.base import Model


class WrongResult(TypeError):
    """A method of a model returned an object of a wrong type; the message says which."""

    def __init__(self, model: Model, method: str, found: object, needed: str) -> None:
        super().__init__(f"{method} returned {reprlib.repr(found)}; it must return {needed}")
        code = getattr(getattr(type(model), method), "__code__", None)
        self.place = type(model).__module__
        """File and line of the method; the model's module if the method has no source."""
        if code is not None:
            self.place = f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


def goodput_of(model: Model, scenario: Scenario, conditions: Conditions) -> float | Estimate:
    """Return the model's goodput in packets/s.

    Raises:
        Undefined: the model has no goodput for the scenario.
        WrongResult: the model returned no number.

    """
    return checked_goodput(model, model.goodput_pps(scenario, conditions))


def checked_goodput(model: Model, goodput: float | Estimate) -> float | Estimate:
    """Return the goodput that a model returned, unchanged.

    Raises:
        WrongResult: it is no number. A text such as "5" is no number either, and no bool.

    """
    if isinstance(goodput, Estimate):
        return goodput
    try:
        is_number = not isinstance(goodput, str | bytes | bool)
        float(goodput)
    except (TypeError, ValueError):
        is_number = False
    if not is_number:
        raise WrongResult(model, "goodput_pps", goodput, "a number of packets per second")
    return goodput


def outside_domain_of(model: Model, scenario: Scenario, conditions: Conditions) -> str | None:
    """Return why the scenario is outside the model's domain, or None if it is inside.

    Raises:
        WrongResult: the model returned neither a text nor None.

    """
    found = model.outside_domain(scenario, conditions)
    return _checked_reason(model, "outside_domain", found)


def limit_of(model: Model, scenario: Scenario, conditions: Conditions) -> str | None:
    """Return why window, path rate or buffer limits the goodput, or None; see `Model.limited`.

    Raises:
        WrongResult: the model returned neither a text nor None.

    """
    return _checked_reason(model, "limited", model.limited(scenario, conditions))


def _checked_reason(
    model: Model, method: Literal["outside_domain", "limited"], found: str | None
) -> str | None:
    if found is not None and not isinstance(found, str):
        raise WrongResult(model, method, found, "a text or None")
    return found
