"""Which simulated points deserve a second look, and whether that is expected."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from tcpgoodput.engines.closeness import LEAST_FACTOR
from tcpgoodput.engines.starts import DEPENDS
from tcpgoodput.engines.traps import TRAPPED

BUDGET, STILL_WIDE, UNSTEADY, NO_VALUE = "budget", "still wide", "unsteady", "no value"

WORDS = {
    BUDGET: "{} have a wide interval because their budget of packets is spent, which is expected",
    STILL_WIDE: "{} have an interval that more packets did not narrow",
    UNSTEADY: "{} have no steady state or depend on how the connection starts",
    NO_VALUE: "{} have no value",
}
"""What the last words of a run say of the points of each kind."""


def doubt_of(row: Mapping[str, str]) -> str | None:
    """Return the kind of a measurement's reason, a key of `WORDS`; None: it has no reason.

    Args:
        row: of a table of measurements, as text.

    """
    reason = row["reason"]
    if not reason:
        return None
    if not row["goodput_pps"]:
        return NO_VALUE
    if reason.startswith((DEPENDS, TRAPPED)):
        return UNSTEADY
    most_packets = json.loads(row["setting"]).get("most_packets")
    is_spent = most_packets is None or LEAST_FACTOR * int(row["packets_sent"]) > most_packets
    return BUDGET if is_spent else STILL_WIDE


def in_words(kinds: Iterable[str]) -> str:
    """Return how many points there are of each kind, in words; the expected ones come first."""
    counted = Counter(kinds)
    return "; ".join(WORDS[kind].format(counted[kind]) for kind in WORDS if counted[kind])
