"""Loops over the time steps of the capacity C(t), compiled by numba.

Other modules import this module inside functions, because the import takes long.
"""

from __future__ import annotations

import numpy as np

from tcpgoodput.compilation import kept

_compiled = kept(nogil=True, error_model="numpy")


@_compiled
def oscillate(cosines, sines, of_cosines, of_sines, mean, amounts):  # type: ignore[no-untyped-def]
    """Fill `amounts` with mean + of_cosines * cosines + of_sines * sines, in a single loop.

    These are the packets that a sinusoidal capacity carries in each step.
    """
    for k in range(amounts.size):
        amounts[k] = mean + of_cosines * cosines[k] + of_sines * sines[k]


@_compiled
def alternate(position, turns, of_high, of_low, amounts):  # type: ignore[no-untyped-def]
    """Fill `amounts` with the integrals of a square wave over successive steps of `turns` periods.

    Each period begins with the high level. The first step begins at `position`, in periods.
    `of_high` and `of_low` are the integrals over a whole period of a constant high or low level.
    """
    reached = _alternated(position, of_high, of_low)
    for k in range(amounts.size):
        before = reached
        reached = _alternated(position + (k + 1) * turns, of_high, of_low)
        amounts[k] = reached - before


@_compiled
def _alternated(position, of_high, of_low):  # type: ignore[no-untyped-def]
    """Return the integral of a square wave from 0 to a position, in periods; see `alternate`."""
    periods = np.floor(position)
    high = min(position - periods, 0.5)
    low = position - periods - high
    return periods * (of_high + of_low) / 2 + high * of_high + low * of_low


@_compiled
def autoregress(value, weight, innovations, values):  # type: ignore[no-untyped-def]
    """Fill `values` with v(1), v(2), … of v(k+1) = weight v(k) + innovations[k]; return the last.

    The recursion starts at v(0) = `value`.
    """
    for k in range(innovations.size):
        value = weight * value + innovations[k]
        values[k] = value
    return value


@_compiled
def integrate_held(levels, start, stride, amounts):  # type: ignore[no-untyped-def]
    """Fill `amounts` with the integrals of a process over successive steps of `stride` units.

    The process keeps each element of `levels` for a unit of time. The first step begins at time
    `start` in [0, 1), during the first level. `levels` must contain the levels up to the end of the
    last step.
    """
    end = start
    last = int(end)
    for k in range(amounts.size):
        begin = end
        first = last
        end = start + (k + 1) * stride
        last = int(end)
        if first == last:
            amounts[k] = levels[first] * stride
        else:
            amount = levels[first] * (first + 1 - begin) + levels[last] * (end - last)
            for i in range(first + 1, last):
                amount += levels[i]
            amounts[k] = amount


def compile_all() -> None:
    """Call every compiled loop once with two steps, so that numba caches the compiled code."""
    two = np.ones(2)
    oscillate(two, two, 1.0, 1.0, 1.0, two.copy())
    alternate(0.0, 0.5, 1.0, 1.0, two.copy())
    autoregress(0.0, 0.5, two, two.copy())
    integrate_held(two, 0.0, 0.5, two.copy())
