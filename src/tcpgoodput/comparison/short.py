"""Short names of scenarios, for dots and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def short_names(scenarios: Iterable[str]) -> dict[str, str]:
    """Return what stands before an id's first hyphen, or the whole id where others begin so."""
    names = list(dict.fromkeys(scenarios))
    heads = Counter(name.partition("-")[0] for name in names)
    return {name: head if heads[head := name.partition("-")[0]] == 1 else name for name in names}
