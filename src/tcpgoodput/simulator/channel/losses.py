"""Losses as alternating good and bad runs of packets, or of slots that last one packet time.

All packets of a bad run are lost. A step is a packet or a slot; a position counts packets or ticks.
`c` is the record of the path's state, `a` are the arrays of the run, and `rng` is the source of
random numbers.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.channel.state import INDEPENDENT, LISTED, NO_LOSS, PER_SLOT
from tcpgoodput.simulator.compiled import NEVER, compiled


@compiled
def is_lost(c, a, at, rng):  # type: ignore[no-untyped-def]
    """Return whether a packet is lost that reaches the path's lossy part at time `at` (ticks)."""
    if c.loss == NO_LOSS:
        return False
    position = at if c.loss == PER_SLOT else c.crossed
    c.crossed += 1
    if position - c.bad_until >= c.far_ahead:
        jump(c, position, rng)
    while position >= c.bad_until:
        next_bad_run(c, a, rng)
    return position >= c.bad_from


@compiled
def next_bad_run(c, a, rng):  # type: ignore[no-untyped-def]
    """Draw the next good run, and the bad run after it; or read them if they are listed.

    The bad run is from `c.bad_from` to `c.bad_until`, which is not included.
    """
    if c.loss == LISTED:
        c.bad_from = a.bad_runs[c.bad_run, 0]
        c.bad_until = a.bad_runs[c.bad_run, 1]
        c.bad_run += 1
    elif c.loss == INDEPENDENT:
        c.bad_from = c.bad_until + _good_run(c, rng) - c.loss_step
        c.bad_until = c.bad_from + c.loss_step
    else:
        c.bad_from = c.bad_until + _good_run(c, rng)
        c.bad_until = c.bad_from + _bad_run(c, rng)


@compiled
def jump(c, position, rng):  # type: ignore[no-untyped-def]
    """Draw the state at a position many runs ahead, and the rest of the run at that position.

    A good run begins at `bad_until`. k steps later the state is bad with probability α/(α+β) (1 -
    (1-α-β)^k), where α = `good_to_bad` and β = `bad_to_good`. Run lengths are geometric, so the
    rest of a run has the distribution of a whole run.
    """
    both = c.good_to_bad + c.bad_to_good
    steps = (position - c.bad_until) // c.loss_step
    bad = c.good_to_bad / both * (1 - (1 - both) ** float(steps))
    c.bad_from = c.bad_until + steps * c.loss_step
    if rng.random() >= bad:
        c.bad_from += _good_run(c, rng)
    c.bad_until = c.bad_from + _bad_run(c, rng)


@compiled
def _good_run(c, rng):  # type: ignore[no-untyped-def]
    steps = _steps(c, c.good_to_bad, c.log_stays_good, rng)
    c.excess_good_runs += 1.0 - c.good_to_bad * steps
    return c.loss_step * steps


@compiled
def _bad_run(c, rng):  # type: ignore[no-untyped-def]
    steps = _steps(c, c.bad_to_good, c.log_stays_bad, rng)
    c.excess_bad_runs += 1.0 - c.bad_to_good * steps
    return c.loss_step * steps


@compiled
def _steps(c, leaving, log_stays, rng):  # type: ignore[no-untyped-def]
    """Draw the length of a run that ends after each step with probability `leaving`.

    `log_stays` is log(1 - leaving).
    """
    if leaving >= 1.0:
        return 1
    steps = math.floor(math.log1p(-rng.random()) / log_stays)
    return 1 + int(min(steps, NEVER / 4 / c.loss_step))
