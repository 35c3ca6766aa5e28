"""Random valid scenarios, drawn from the vocabulary's own types and bounds.

The vocabulary is the schema of scenarios. Every valid value is possible, and new fields are
included automatically. A number is one of its bounds, tiny, log-uniform between its bounds, or in a
typical range, which the end of the field's name selects. The probability of typical values is drawn
once per scenario, so that many scenarios are extreme in one place only.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
import numpy as np
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tcpgoodput.answers import Conditions, Prediction, Undefined
from tcpgoodput.models import Model
from tcpgoodput.models.predict import answers, judged, predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.trace import COLUMNS
from tcpgoodput.scenario.vocabulary import Delay

TYPICAL: dict[str, tuple[float, float]] = {
    "rate_bps": (1e5, 1e9),
    "_bps": (1e4, 1e8),
    "_s": (1e-3, 1e2),
    "_hz": (1e-2, 1e2),
    "_mps": (1.0, 50.0),
    "_db": (2.0, 12.0),
    "_bytes": (40.0, 1500.0),
    "_packets": (1.0, 2e3),
    "packets": (1.0, 20.0),
    "shape": (1.1, 5.0),
    "ack_every": (1.0, 3.0),
    "dupthresh": (1.0, 4.0),
    "probability": (1e-5, 0.1),
    "good_to_bad": (1e-5, 0.1),
    "bad_to_good": (1e-2, 1.0),
}
"""Typical range of a number by the end of its field's name, which has the unit; the first match is
used. The ranges are chosen by hand."""

TINIEST = 1e-12
"""Lower end of log-uniform numbers, relative to their upper bound, if their lower bound is 0; also
the largest tiny number. Chosen by hand."""

SMALLEST = 1e-320
"""Smallest tiny number, below the smallest normal float; its reciprocal overflows."""

TYPICAL_SHARES = (1.0, 0.9, 0.9, 0.5, 0.0)
"""Possible shares of numbers in a typical range; one share is drawn for each scenario."""

ABSENT_SHARES = (0.85, 0.7, 0.5)
"""Possible shares of absent optional parts, such as impairments; one is drawn per scenario."""

PLAIN_SHARE = 0.6
"""Probability that any other field with a default value, such as a number, keeps this value."""

MOST_ATTEMPTS = 1000
"""Largest number of attempts to draw a part of a scenario that its validators accept."""


class Drawing:
    """Random generator of one scenario's values.

    With a `Random` of the package hypothesis, a failing scenario can be simplified automatically.
    """

    def __init__(self, random: Random, traces: Sequence[Path] = ()) -> None:
        self.random = random
        self.traces = traces
        self.typical_share = random.choice(TYPICAL_SHARES)
        self.absent_share = random.choice(ABSENT_SHARES)

    def part(self, model: type[BaseModel]) -> dict[str, Any]:
        """Draw a part of a scenario, such as `path`, repeatedly until its schema accepts it."""
        for _ in range(MOST_ATTEMPTS):
            data = {
                name: self.value(name, field)
                for name, field in model.model_fields.items()
                if field.is_required() or self.random.random() >= self.default_share(field)
            }
            try:
                model.model_validate(data)
            except ValidationError:
                continue
            return data
        raise AssertionError(f"no valid {model.__name__} in {MOST_ATTEMPTS} attempts")

    def default_share(self, field: FieldInfo) -> float:
        """Return the probability that a field with a default value is omitted."""
        members = get_args(field.annotation)
        optional = NoneType in members or any(isinstance(m, type(BaseModel)) for m in members)
        return self.absent_share if optional else PLAIN_SHARE

    def value(self, name: str, field: FieldInfo) -> Any:
        return self.of(field.annotation, name, field.metadata)

    def of(self, annotation: Any, name: str, metadata: Sequence[Any]) -> Any:
        """Draw a value of type `annotation` for field `name`, within the bounds in its metadata."""
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self.of(arguments[0], name, [*metadata, *_flat(arguments[1:])])
        if origin in (Union, UnionType):
            members = [m for m in arguments if m is not NoneType and self._possible(m)]
            if not members:
                return None
            return self.of(self.random.choice(members), name, metadata)
        if origin is Literal:
            return self.random.choice(arguments)
        if origin is list:
            length = self.random.randrange(4)
            return [self.of(arguments[0], name, ()) for _ in range(length)]
        if annotation is bool:
            return self.random.random() < 0.5
        if annotation in (int, float):
            number = self.number(name, _bounds(metadata))
            return number if annotation is float else round(number)
        if annotation is str:
            return str(self.random.choice(self.traces)) if name == "file" else "random"
        assert issubclass(annotation, BaseModel), f"{name}: no way to draw {annotation}"
        return self.part(annotation)

    def number(self, name: str, bounds: tuple[float, float]) -> float:
        low, high = bounds
        typical = next((r for end, r in TYPICAL.items() if name.endswith(end)), bounds)
        if self.random.random() < self.typical_share:
            low, high = max(low, typical[0]), min(high, typical[1])
        elif (chosen := self.random.random()) < 0.2:
            tiny = 10 ** self.random.uniform(math.log10(SMALLEST), math.log10(TINIEST))
            return high if chosen < 0.1 else low if chosen < 0.15 else max(low, tiny)
        if low < 0:  # a number in decibels, which has no order of magnitude
            return self.random.uniform(low, high)
        start = max(low, TINIEST * high)
        return min(max(start * (high / start) ** self.random.random(), low), high)

    def _possible(self, annotation: Any) -> bool:
        fields = getattr(annotation, "model_fields", {})
        if annotation is Delay:
            return False  # `self.traces` are traces of capacity, not of delay
        return "file" not in fields or len(self.traces) > 0


def _flat(metadata: Sequence[Any]) -> list[Any]:
    """Return a field's constraints, including those nested in pydantic's `FieldInfo`."""
    return [c for m in metadata for c in (m.metadata if isinstance(m, FieldInfo) else [m])]


def _bounds(metadata: Sequence[Any]) -> tuple[float, float]:
    """Return the smallest and the largest number that a field's constraints allow."""
    low, high = -math.inf, math.inf
    for constraint in metadata:
        match constraint:
            case annotated_types.Ge(ge=bound):
                low = max(low, float(bound))
            case annotated_types.Gt(gt=bound):
                low = max(low, math.nextafter(float(bound), math.inf))
            case annotated_types.Le(le=bound):
                high = min(high, float(bound))
            case annotated_types.Lt(lt=bound):
                high = min(high, math.nextafter(float(bound), -math.inf))
    assert high < math.inf, "every number of the vocabulary has an upper bound"
    return low, high


def random_scenario(random: Random, traces: Sequence[Path] = ()) -> Scenario:
    """Draw any valid scenario; capacities may come from the given trace files."""
    return Scenario.model_validate(Drawing(random, traces).part(Scenario))


def write_random_traces(random: Random, folder: Path, count: int = 12) -> list[Path]:
    """Write capacity traces of 1 to 50 steps, some steps with capacity 0; return their paths."""
    paths = []
    for number in range(count):
        time_s, lines = 0.0, [",".join(COLUMNS)]
        for step in range(random.randrange(2, 52)):
            idle = step > 0 and random.random() < 0.2
            lines.append(f"{time_s!r},{0.0 if idle else 10 ** random.uniform(-5, 15)!r}")
            time_s += 10 ** random.uniform(-6, 6)
        paths.append(folder / f"trace{number}.csv")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def scenarios(traces: Sequence[Path] = ()) -> st.SearchStrategy[Scenario]:
    """Return a hypothesis strategy that draws random valid scenarios."""
    return st.randoms(use_true_random=False).map(lambda random: random_scenario(random, traces))


def checked_prediction(
    model: Model, scenario: Scenario, conditions: Conditions
) -> tuple[Prediction, str | None]:
    """Return a model's prediction, and a text about a fault in its computation; None if none.

    `Undefined` is no fault. Every other exception is one, and so are warnings of numpy and Python,
    overflow, division by zero, and values that are not a number.
    """
    try:
        with (
            np.errstate(over="raise", divide="raise", invalid="raise"),
            warnings.catch_warnings(action="error"),
        ):
            (answer,) = answers(model, [scenario], conditions)
            if isinstance(answer, Exception):
                raise answer
            prediction = judged(model, scenario, answer)
    except Undefined as undefined:
        return Prediction(scenario, model.name, "undefined", None, str(undefined)), None
    except Exception as error:
        return predict(model, scenario, conditions), f"{type(error).__name__}: {error}"
    numbers = (prediction.goodput_pps, prediction.goodput_bps, prediction.utilisation)
    if all(number is not None and 0 <= number < math.inf for number in numbers):
        return prediction, None
    return prediction, f"goodput {numbers}"
