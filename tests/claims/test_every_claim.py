"""Every claim of the studies can hold and can fail, and depends only on the data that it names.

A claim is a testable sentence of a paper, with a predicate on data of figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pytest

from tcpgoodput.comparison.claims.predicates import evaluate_predicate
from tcpgoodput.comparison.claims.schema import DataSelection, Predicate, Within
from tests.claims.made_up import MadeUp, Slot, configuration, slots

Put = dict[tuple, np.ndarray]

TESTED = [
    pytest.param(source, *test, id=f"{source}-{claim.id}-{evidence}-{number}")
    for source, claims in configuration().claims.items()
    for claim in claims.claims
    for evidence in [e for e in claim.data if e in ("model", "packet")] or claim.data
    for number, (_, *test) in enumerate(claim.readings(evidence))
]
"""Every claim's predicate with the data that it reads. Data of ns-2 and Linux are used only if a
claim has no data of models or the simulator, because the data of all of them have the same form."""


def outcome(
    data: MadeUp, predicate: Predicate, readings: Sequence[DataSelection], put: Put
) -> bool | None:
    """Return whether a predicate holds for made-up data with the values `put`.

    Return None if confidence intervals do not decide it, or it cannot be evaluated.
    """
    data.values = put
    try:
        return evaluate_predicate(predicate, data.operands(readings)).holds
    except ValueError:
        return None


def levels(predicate: Predicate) -> list[float]:
    """Return numbers on both sides of each bound of a predicate, and numbers from -1 to 2."""
    given = [getattr(predicate, key, None) for key in ("above", "below", "at_least", "at_most")]
    given += [*(getattr(predicate, "between", None) or [])]
    numbers = [x for x in given if x is not None]
    found = [f * x + s for x in numbers for f in (0.5, 1, 2) for s in (-0.1, 0, 0.1)]
    if len(numbers) == 2:
        found.append(sum(numbers) / 2)
    if isinstance(predicate, Within):
        target = 1.0 if predicate.target is None else predicate.target
        found += [target, target + 3 * predicate.allowed, 2 * target + 1]
    return [*found, 0.0, 0.5, 1.0, 2.0, -1.0]


def shapes(slot: Slot, numbers: list[float]) -> Iterator[np.ndarray]:
    """Yield test values for a column: constants, ramps, a rise, a fall, peaks and dips.

    The constants are `numbers`, divided by `slot.times`. At each x in `numbers`, a ramp has the
    value `slot.level`. A peak and a dip lie at the x of the column that is nearest to it.
    """
    x, ones = slot.x, np.ones(slot.x.size)
    yield from (level / slot.times * ones for level in numbers)
    if x.size > 1:
        yield from (slot.level + (x - level) for level in numbers)
        rank = np.arange(1.0, x.size + 1)
        yield from (rank, rank[::-1].copy())
        for place in numbers:
            away = 1 + np.abs(np.arange(x.size) - np.abs(x - place).argmin())
            yield from (1.0 / away, 1.0 * away)


def perturbed(found: list[Slot], numbers: list[float]) -> Iterator[Put]:
    """Yield test values for all columns that a claim reads, then for only one or two columns."""
    for steps in (range(1, len(found) + 1), range(len(found), 0, -1)):
        each = list(zip(steps, found, strict=True))
        yield {slot.key: step * np.ones(slot.x.size) for step, slot in each}
        places = [np.quantile(slot.x, step / (len(found) + 1)) for step, slot in each]
        placed = list(zip(places, found, strict=True))
        yield {slot.key: slot.level + slot.x - place for place, slot in placed}
        yield {slot.key: 1.0 * (slot.x >= place) for place, slot in placed}
    own = [slot for slot in found if not slot.reference]
    for shape in zip(*(shapes(slot, numbers) for slot in own), strict=False):
        yield {slot.key: y for slot, y in zip(own, shape, strict=True)}
    for slot in found:
        yield from ({slot.key: y} for y in shapes(slot, numbers))
    for first in shapes(found[0], numbers):
        for last in shapes(found[-1], numbers):
            yield {found[0].key: first, found[-1].key: last}


@pytest.mark.parametrize(("source", "predicate", "readings"), TESTED)
def test_a_perturbed_data_set_flips_the_verdict(
    source: str, predicate: Predicate, readings: Sequence[DataSelection]
) -> None:
    data = MadeUp(configuration().sources[source])
    found = slots(data, readings)
    seen = set()
    for put in chain([{}], perturbed(found, levels(predicate))):
        seen.add(outcome(data, predicate, readings, put))
        if {True, False} <= seen:
            return
    pytest.fail(f"whatever is read, the claim can only be: {seen}")


def test_rows_that_a_claim_does_not_name_do_not_affect_it() -> None:
    for source, claims in configuration().claims.items():
        data = MadeUp(configuration().sources[source])
        for claim in claims.claims[::7]:
            for evidence in claim.data:
                own = {slot.key for slot in slots(data, claim.data[evidence])}
                # Columns of tables stay unchanged: they may share rows with the claim's own data.
                others = {
                    slot.key: np.full(slot.x.size, 1e6)
                    for other in claims.claims
                    for kind in other.data
                    for slot in slots(data, other.data[kind])
                    if slot.key not in own
                    and slot.key[0] != "point"
                    and slot.key[0] in claim.figures
                    and len(slot.key) != 3
                }
                assert claim.predicate is not None
                read = (data, claim.predicate, claim.data[evidence])
                assert outcome(*read, others) == outcome(*read, {})
