"""Delay after the bottleneck, read from a trace: constant in each step; packets stay in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.trace import even_steps, read_delay_trace
from tcpgoodput.scenario.vocabulary import Trace
from tcpgoodput.simulator.channel.state import PERIODIC
from tcpgoodput.simulator.compiled import compiled, ticks


def fill_delay(
    c: Any, scenario: Scenario, stream: np.random.Generator, phase: float | None
) -> list[int]:
    """Write the parameters of the delay from a trace into the record of the path's state.

    Call this function after `fill_capacity`: if the capacity follows a trace too, both traces start
    at the same recorded time.

    Returns:
        The delay in ticks in each step of the trace; empty if the delay follows no trace.

    """
    if scenario.delay is None:
        return []
    times, delays = read_delay_trace(scenario.delay.file)
    count = even_steps(times)
    step_s = float(times[-1]) / count
    middles = step_s * (np.arange(count) + 0.5)
    held = delays[np.searchsorted(times[:-1], middles, side="right") - 1]
    c["delay_step"] = max(1, ticks(step_s))
    # If the capacity also follows a trace, start both traces at the same recorded time.
    if isinstance(scenario.capacity, Trace):
        assert c["capacity"] == PERIODIC
        place = int(c["step_number"] * c["step"] - c["step_until"])
    elif phase is None:
        place = int(stream.integers(count * int(c["delay_step"])))
    else:
        place = int(phase * count * int(c["delay_step"]))
    number, within = divmod(place, int(c["delay_step"]))
    c["delay_number"] = number % count
    c["delay_until"] = -within
    c["may_express"] = False  # the fast code (`express`) supports only constant delays
    return [ticks(float(delay_s)) for delay_s in held]


@compiled
def delay_at(c, delays, time):  # type: ignore[no-untyped-def]
    """Return the delay after the bottleneck at `time`, in ticks; `time` must not decrease."""
    while c.delay_until <= time < c.horizon:
        c.delay_until += c.delay_step
        c.backward = delays[c.delay_number]
        c.delay_number += 1
        if c.delay_number == delays.size:
            c.delay_number = 0
    return c.backward
