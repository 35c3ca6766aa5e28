"""How the simulator's functions are compiled, and time as whole ticks of 2^-38 s.

numba keeps a function's machine code until the file that it stands in changes; that a function it
calls has changed, in another file, it does not see. So the code is kept in a folder named after
the content of all the simulator's files.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config
from numba.extending import register_jitable

from tcpgoodput.compilation import kept

TICKS_PER_S = float(2**38)

NEVER = 2**62
"""A time that does not come; the clock reaches it after half a year."""

LONGEST_S = 2.0**23
"""What a simulation may last, 97 days: far enough from NEVER that no sum passes it."""


def ticks(seconds: float) -> int:
    """Return a duration in ticks, to the nearest."""
    return NEVER if seconds > LONGEST_S else math.floor(seconds * TICKS_PER_S + 0.5)


def seconds(ticks: int) -> float:
    """Return a number of ticks in seconds."""
    return ticks / TICKS_PER_S


PACKAGE = Path(__file__).parent


def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


CACHE = Path(config.CACHE_DIR or PACKAGE / "__pycache__") / f"simulator-{_digest()}"


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function into whatever compiled function calls it; called by Python it is Python.

    Nothing in the simulator allocates memory, so numba's reference counts, which cost more than
    all the rest, are left out. Records and arrays are passed in by reference. That Python calls
    none of these as compiled code saves a quarter of the compiling.
    """
    return register_jitable(
        error_model="numpy",
        forceinline=True,
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(function)


def entry_point(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls: without the interpreter's lock, and kept on disk."""
    elsewhere = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE)
    try:
        return kept(nogil=True, error_model="numpy", _nrt=False)(function)
    finally:
        config.CACHE_DIR = elsewhere
