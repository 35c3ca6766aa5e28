"""Compilation of the simulator's functions, and time as whole ticks of 2^-38 s.

numba caches a function's machine code until its own file changes, but does not notice changes of
functions in other files that it calls. So the cache folder is named after a digest of all files of
the simulator.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numba import config
from numba.extending import register_jitable

from tcpgoodput.compilation import kept

TICKS_PER_S = float(2**38)

NEVER = 2**62
"""Time in ticks that is never reached; the clock would reach it after half a year."""

LONGEST_S = 2.0**23
"""Longest simulation in seconds (97 days). Sums of such times in ticks do not exceed NEVER."""


def ticks(seconds: float) -> int:
    """Return a duration in ticks, rounded to the nearest; NEVER above LONGEST_S."""
    return NEVER if seconds > LONGEST_S else math.floor(seconds * TICKS_PER_S + 0.5)


def seconds(ticks: int) -> float:
    """Return a number of ticks in seconds."""
    return ticks / TICKS_PER_S


LARGEST_MASK = 2**32 - 1
"""Largest possible size of a ring (an array indexed modulo its size) minus one; see `mask_of`."""

PACKAGE = Path(__file__).parent


def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


CACHE = Path(config.CACHE_DIR or PACKAGE / "__pycache__") / f"simulator-{_digest()}"


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function for inlining into compiled callers; Python calls it uncompiled.

    The simulator allocates no memory, so numba's reference counts, which would dominate the run
    time, are omitted. Records and arrays are passed by reference. Compilation is a quarter faster
    without the wrappers that numba adds for calls from Python.
    """
    return register_jitable(
        error_model="numpy",
        forceinline=True,
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(function)


def entry_point(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls: without the interpreter lock, and with a disk cache."""
    elsewhere = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE)
    try:
        return kept(nogil=True, error_model="numpy", _nrt=False)(function)
    finally:
        config.CACHE_DIR = elsewhere


def record_type(fields: Sequence[tuple[str, str]]) -> np.dtype[np.void]:
    """Return the type of records with the given fields, which compiled code has as attributes."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


@compiled
def mask_of(ring):  # type: ignore[no-untyped-def]
    """Return the mask that turns a number into an index of a ring, whose size is a power of two.

    The mask is the size minus one. `LARGEST_MASK` tells the compiler that it is not negative;
    otherwise the compiler would check the sign of each index.
    """
    return (ring.size - 1) & LARGEST_MASK
