"""What ns-2 prints, read strictly."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tcpgoodput.engines.base import Unavailable


@dataclass(frozen=True)
class Printed:
    """What a run tells of its measured time, in the order of its lines."""

    measured_s: float
    acknowledged: int
    sent: int
    retransmitted: int
    timeouts: int
    cuts: int
    """Of the window: one for each timeout and each fast retransmit."""
    crossed: int
    """Packets sent since the start."""


NAMES = tuple(Printed.__dataclass_fields__)


def read(text: str) -> Printed:
    """Read the lines that a run prints.

    Raises:
        Unavailable: they are not all there, or not what they should be.

    """
    lines = text.splitlines()
    if lines == ["unfinished"]:
        raise Unavailable("ns-2: the transfer has not ended in the time that it was given")
    words = [line.split(" ") for line in lines]
    if [word[0] for word in words] != list(NAMES) or any(len(word) != 2 for word in words):
        line = next(
            (a for a, name in zip(lines, NAMES, strict=False) if a.split(" ")[0] != name),
            lines[-1] if lines else "",
        )
        raise Unavailable(f"ns-2 printed {len(lines)} lines, not {len(NAMES)}; see {line!r}")
    try:
        measured_s, *counts = float(words[0][1]), *(int(word) for _, word in words[1:])
    except ValueError as error:
        raise Unavailable(f"ns-2 printed what is no number: {error}") from None
    if not (math.isfinite(measured_s) and measured_s > 0) or min(counts) < 0:
        raise Unavailable(f"ns-2 printed a number out of range: {', '.join(lines)}")
    printed = Printed(measured_s, *counts)
    if not printed.retransmitted <= printed.sent <= printed.crossed:
        raise Unavailable(f"ns-2's counts contradict each other: {', '.join(lines)}")
    return printed
