"""What a model says of a scenario: a prediction with a status, by reductions where it needs them.

Never a NaN, a traceback or a silently clipped value: a model that raises anything but `Undefined`
has failed, and says so in its own row.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from tcpgoodput.answers import FAILED, Answer, Conditions, Estimate, Prediction, Status, Undefined
from tcpgoodput.models.base import Model, Told, attempt
from tcpgoodput.models.reductions import reduced_answer
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import (
    impairments,
    lost_share,
    mean_capacity_bps,
    window_limit_pps,
)
from tcpgoodput.scenario.types import SMALLEST
from tcpgoodput.scenario.unsupported import missing_half
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott, NoLoss

UNITS = ("_s", "_bps", "_hz", "_mps", "_db")
"""How the names of numbers end that can be as small as a floating-point number."""

LONGEST_FAILURE = 200
"""Characters of an exception that a reason repeats."""

LARGEST_BPS = SMALLEST**-2
"""Goodput that over any capacity is still a number."""

VARIANTS = ("oldtahoe", "tahoe", "reno", "newreno", "sack", "cubic")
"""TCP variants of which each model says what it makes of them.

It says so where it knows them not for what it describes, in `outside_domain`; before that is
written a new one would pass for Reno.
"""


LOSSES = (NoLoss, Bernoulli, GilbertElliott)
"""Loss processes of which each model says what it makes of them, for the same reason: a new one
would pass for no loss."""


@dataclass(frozen=True)
class Asked:
    """That a model describes a scenario itself, and what limits what it lets grow."""

    limit: str | None


def predict(model: Model, scenario: Scenario, conditions: Conditions | None = None) -> Prediction:
    """Return the model's prediction for a scenario.

    An error in the model's own code is a prediction, too: undefined, with a reason that begins
    with "failed: ". What numpy would warn of shows in the value, which must be finite.
    """
    return predictions(model, [scenario], conditions)[0]


def predictions(
    model: Model, scenarios: Sequence[Scenario], conditions: Conditions | None = None
) -> list[Prediction]:
    """Return the model's predictions for several scenarios; see `predict`.

    They are what each would be alone; a model may be quicker with several at once.
    """
    with np.errstate(all="ignore"):
        told = answers(model, scenarios, conditions or Conditions())
        return [_prediction(model, *pair) for pair in zip(scenarios, told, strict=True)]


def answers(
    model: Model, scenarios: Sequence[Scenario], conditions: Conditions
) -> list[Answer | Exception]:
    """Return the model's goodputs, through reductions where it takes them and needs them."""
    ways = [attempt(lambda s=s: _way(model, s, conditions)) for s in scenarios]
    pairs = list(zip(scenarios, ways, strict=True))
    asked = [scenario for scenario, way in pairs if isinstance(way, Asked)]
    told = attempt(lambda: model.goodputs_pps(asked, conditions))
    goodputs = iter([told] * len(asked) if isinstance(told, Exception) else told)
    return [
        _answer(model, scenario, conditions, way, next(goodputs)) if isinstance(way, Asked) else way
        for scenario, way in pairs
    ]


def _way(model: Model, scenario: Scenario, conditions: Conditions) -> Answer | Asked:
    """Return a reduction's answer, or that the model is to be asked itself.

    Raises:
        Undefined: the model has no goodput for such a scenario.

    """
    if tiny := _too_small(scenario):
        raise Undefined(tiny)
    if scenario.tcp.variant not in VARIANTS:
        raise missing_half("models/predict.py", "VARIANTS", scenario.tcp.variant)
    if not isinstance(scenario.loss, LOSSES):
        raise missing_half("models/predict.py", "LOSSES", scenario.loss)
    foreign = impairments(scenario) - model.handles
    limit = None if foreign else model.limited(scenario, conditions)
    reducible = conditions.reductions and model.reduces and foreign <= model.reduces
    if reducible and (foreign or limit):
        return reduced_answer(model, scenario, conditions)
    if foreign:
        known = model.reduces if conditions.reductions else frozenset()
        raise Undefined(f"has no notion of {' and '.join(sorted(foreign - known))}")
    return Asked(limit)


def _answer(
    model: Model, scenario: Scenario, conditions: Conditions, asked: Asked, goodput: Told
) -> Answer | Exception:
    if isinstance(goodput, Exception):
        return goodput
    outside = attempt(lambda: model.outside_domain(scenario, conditions))
    if isinstance(outside, Exception):
        return outside
    return Answer(goodput, outside=outside or asked.limit)


def _prediction(model: Model, scenario: Scenario, told: Answer | Exception) -> Prediction:
    if not isinstance(told, Exception):
        told = attempt(lambda: judged(model, scenario, told))
    if isinstance(told, Undefined):
        return Prediction(scenario, model.name, "undefined", None, str(told))
    if isinstance(told, Exception):  # one model's defect must not take the others' rows with it
        return Prediction(scenario, model.name, "undefined", None, _failure(model, told))
    return told


def judged(model: Model, scenario: Scenario, answer: Answer) -> Prediction:
    """Return an answer as a prediction, checked against the path.

    Raises:
        Undefined: the goodput is no number of a size that can be published.
        ArithmeticError: it is negative.

    """
    estimate = answer.goodput if isinstance(answer.goodput, Estimate) else None
    value = estimate.goodput_pps if estimate else float(answer.goodput)
    reason = answer.outside or _impossible(scenario, value)
    reduction = "+".join(answer.reductions) or None
    status: Status = "out-of-domain" if reason else "reduced" if reduction else "native"
    if value < 0:
        raise ArithmeticError(f"a negative goodput, {value:.3g} packets/s")
    if not value * 8 * scenario.tcp.mss_bytes < LARGEST_BPS:  # nor is it a NaN
        raise Undefined("the value lies beyond the range of floating-point numbers")
    return Prediction(scenario, model.name, status, value, reason, reduction, estimate)


def _failure(model: Model, error: Exception) -> str:
    """Return an exception as a reason: its class, its message and its place, on one line."""
    message = " ".join(str(error).split())
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    shortened = text if len(text) <= LONGEST_FAILURE else text[: LONGEST_FAILURE - 1] + "…"
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename == type(model).goodput_pps.__code__.co_filename]
    place = (own or frames)[-1]
    return f"{FAILED}{shortened} ({Path(place.filename).name}, line {place.lineno})"


def _too_small(part: BaseModel, within: str = "") -> str | None:
    """Return a reason where a time, a rate or another number with a unit is all but zero."""
    for name, value in part:
        if isinstance(value, BaseModel):
            if reason := _too_small(value, f"{within}{name}."):
                return reason
        elif isinstance(value, float) and 0 < value < SMALLEST and name.endswith(UNITS):
            return (
                f"{within}{name} is {value:.3g}: with numbers below {SMALLEST:g} results leave "
                "the range of floating-point numbers"
            )
    return None


def _impossible(scenario: Scenario, goodput_pps: float) -> str | None:
    """Say so when a value exceeds what the path or the window can carry."""
    tolerance = 1 + 1e-9
    arrives = 1 - lost_share(scenario)
    path_pps = mean_capacity_bps(scenario) / scenario.packet_bits
    path_pps *= arrives if scenario.loss.place == "after" else 1.0
    if goodput_pps > path_pps * tolerance:
        return f"predicts more than the path delivers ({path_pps:.4g} packets/s)"
    if goodput_pps > window_limit_pps(scenario) * arrives * tolerance:
        return "predicts more than the receiver window lets through"
    return None
