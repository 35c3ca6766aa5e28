"""Predictions of models with a status, through reductions of the scenario if a model needs any.

A reduction translates an impairment of the scenario into one that the model describes. A prediction
is never NaN, a traceback or a silently clipped value. A model that raises an exception other than
`Undefined` has failed, and its prediction says so.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from tcpgoodput.answers import FAILED, Answer, Conditions, Estimate, Prediction, Status, Undefined
from tcpgoodput.models.base import (
    GoodputOrError,
    Model,
    WrongResult,
    attempt,
    checked_goodput,
    reason_of,
)
from tcpgoodput.models.reductions import beyond_reductions, reduced_answer
from tcpgoodput.models.reductions.retransmission import Restated, without_retransmission
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import (
    LINK_RETRANSMISSION,
    delivered_limit_pps,
    impairments,
    lost_share,
    window_limit_pps,
)
from tcpgoodput.scenario.types import SMALLEST, unsupported

UNITS = ("_s", "_bps", "_hz", "_mps", "_m", "_db")
"""Endings of the scenario keys whose positive values must be at least `SMALLEST`."""

LONGEST_FAILURE = 200
"""Largest number of characters that the reason of a prediction quotes from an exception. Chosen by
hand."""

LARGEST_BPS = SMALLEST**-2
"""Upper limit of a goodput in bit/s, so that its ratio to any capacity of at least `SMALLEST` bit/s
is a finite number."""

VARIANTS = ("oldtahoe", "tahoe", "reno", "newreno", "sack", "cubic", "bbr")
"""TCP variants that each model must accept or refuse.

A new variant must first be added to all models; otherwise a model that does not know it would treat
it as Reno.
"""


def predict(model: Model, scenario: Scenario, conditions: Conditions | None = None) -> Prediction:
    """Return the model's prediction for a scenario.

    `conditions` has settings such as the random seed; None means the default settings.

    An exception in the model's own code also gives a prediction: undefined, with a reason that
    begins with "failed: ". Warnings of numpy are ignored, because a goodput that is infinite or not
    a number is refused afterwards.
    """
    return predictions(model, [scenario], conditions)[0]


def predictions(
    model: Model, scenarios: Sequence[Scenario], conditions: Conditions | None = None
) -> list[Prediction]:
    """Return the model's predictions for several scenarios; see `predict`.

    The results are the same as for each scenario alone, but some models are faster with several.
    """
    with np.errstate(all="ignore"):
        results = answers(model, scenarios, conditions or Conditions())
        return [_prediction(model, *pair) for pair in zip(scenarios, results, strict=True)]


def answers(
    model: Model, scenarios: Sequence[Scenario], conditions: Conditions
) -> list[Answer | Exception]:
    """Return the model's goodput for each scenario as an `Answer`, or the exception that it raised.

    Reductions are used if the model needs them and the conditions allow them.
    """
    restated = [attempt(lambda s=s: _restated(model, s, conditions)) for s in scenarios]
    plain = [one.scenario for one in restated if isinstance(one, Restated)]
    found = iter(_plain_answers(model, plain, conditions))
    return [one.answer(next(found)) if isinstance(one, Restated) else one for one in restated]


def _restated(model: Model, scenario: Scenario, conditions: Conditions) -> Restated:
    """Return the scenario, without a link that retransmits if the model needs R-ARQ for it."""
    reduces = model.reduces - model.handles if conditions.reductions else frozenset()
    if LINK_RETRANSMISSION in impairments(scenario) & reduces:
        return without_retransmission(scenario, counts_transmission=model.counts_transmission)
    return Restated(scenario)


def _plain_answers(
    model: Model, scenarios: Sequence[Scenario], conditions: Conditions
) -> list[Answer | Exception]:
    ways = [attempt(lambda s=s: _way(model, s, conditions)) for s in scenarios]
    pairs = list(zip(scenarios, ways, strict=True))
    evaluated = [scenario for scenario, way in pairs if not isinstance(way, Answer | Exception)]
    results = attempt(lambda: model.goodputs_pps(evaluated, conditions))
    goodputs = iter([results] * len(evaluated) if isinstance(results, Exception) else results)
    return [
        way
        if isinstance(way, Answer | Exception)
        else attempt(lambda s=scenario, w=way: _answer(model, s, conditions, w, next(goodputs)))
        for scenario, way in pairs
    ]


def _way(model: Model, scenario: Scenario, conditions: Conditions) -> Answer | str | None:
    """Return the model's answer by reductions; if it needs none, why a limit is reached, or None.

    The limit is that of receiver window, path rate or buffer.
    """
    if tiny := _too_small(scenario):
        raise Undefined(tiny)
    if scenario.tcp.variant not in VARIANTS:
        raise unsupported("models/predict.py", "VARIANTS", scenario.tcp.variant)
    foreign = impairments(scenario) - model.handles
    limit = None if foreign else reason_of(model, "limited", scenario, conditions)
    # `without_retransmission` has restated a link that retransmits already.
    known = model.reduces - {LINK_RETRANSMISSION} if conditions.reductions else frozenset()
    unreduced = beyond_reductions(scenario)
    if known and foreign <= known and (foreign or limit) and not unreduced:
        return reduced_answer(model, scenario, conditions)
    if unexplained := sorted(foreign - known):
        raise Undefined(f"does not describe {' and '.join(unexplained)}")
    if foreign:
        raise Undefined(
            f"does not describe {' and '.join(sorted(foreign))} together with {unreduced}: "
            f"no reduction is known for {unreduced}"
        )
    return limit


def _answer(
    model: Model,
    scenario: Scenario,
    conditions: Conditions,
    limit: str | None,
    goodput: GoodputOrError,
) -> Answer:
    if isinstance(goodput, Exception):
        raise goodput
    checked = checked_goodput(model, goodput)
    return Answer(
        checked, outside=reason_of(model, "outside_domain", scenario, conditions) or limit
    )


def _prediction(model: Model, scenario: Scenario, result: Answer | Exception) -> Prediction:
    if not isinstance(result, Exception):
        result = attempt(lambda: judged(model, scenario, result))
    if isinstance(result, Undefined):
        return Prediction(scenario, model.name, "undefined", None, str(result))
    # An exception of one model must not prevent the predictions of other models.
    if isinstance(result, Exception):
        return Prediction(scenario, model.name, "undefined", None, _failure(model, result))
    return result


def judged(model: Model, scenario: Scenario, answer: Answer) -> Prediction:
    """Return a model's answer as a prediction, after a comparison with the limits of the path.

    If the goodput exceeds what path or receiver window allow, the status is `out-of-domain`.

    Raises:
        Undefined: the goodput is not a number, or not below `LARGEST_BPS`.
        ArithmeticError: the goodput is negative.

    """
    estimate = answer.goodput if isinstance(answer.goodput, Estimate) else None
    value = estimate.goodput_pps if estimate else float(answer.goodput)
    reason = answer.outside or _impossible(scenario, value)
    reduction = "+".join(answer.reductions) or None
    status: Status = "out-of-domain" if reason else "reduced" if reduction else "native"
    if value < 0:
        raise ArithmeticError(f"a negative goodput, {value:.3g} packets/s")
    if not value * 8 * scenario.tcp.mss_bytes < LARGEST_BPS:  # also refuses NaN
        raise Undefined("the goodput is not a number, or too large for a floating-point number")
    return Prediction(scenario, model.name, status, value, reason, reduction, estimate)


def _failure(model: Model, error: Exception) -> str:
    """Return the reason for a failed prediction: the exception's class, message, file and line."""
    message = " ".join(str(error).split())
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    if isinstance(error, WrongResult):
        return f"{FAILED}{message} ({error.place})"
    shortened = text if len(text) <= LONGEST_FAILURE else text[: LONGEST_FAILURE - 1] + "…"
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(type(model).goodput_pps, "__code__", None)
    own = [f for f in frames if code is not None and f.filename == code.co_filename]
    place = (own or frames)[-1]
    return f"{FAILED}{shortened} ({Path(place.filename).name}, line {place.lineno})"


def _too_small(part: BaseModel, within: str = "") -> str | None:
    """Return an explanation if a positive number with a unit is below `SMALLEST`, else None."""
    for name, value in part:
        if isinstance(value, BaseModel):
            if reason := _too_small(value, f"{within}{name}."):
                return reason
        elif isinstance(value, float) and 0 < value < SMALLEST and name.endswith(UNITS):
            return (
                f"{within}{name} is {value:.3g}; with values below {SMALLEST:g} results leave the "
                "range of floating-point numbers"
            )
    return None


def _impossible(scenario: Scenario, goodput_pps: float) -> str | None:
    """Return an explanation if the goodput exceeds what path or window allow, else None."""
    tolerance = 1 + 1e-9
    path_pps = delivered_limit_pps(scenario)
    if goodput_pps > path_pps * tolerance:
        return f"the goodput is more than the path delivers ({path_pps:.4g} packets/s)"
    most_pps = window_limit_pps(scenario) * (1 - lost_share(scenario))
    if goodput_pps > most_pps * tolerance:
        return f"the goodput is more than the receiver window allows ({most_pps:.4g} packets/s)"
    return None
