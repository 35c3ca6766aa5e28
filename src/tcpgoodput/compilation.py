"""Decorator for functions compiled by numba, with a cache on disk."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

from numba import config, njit


def kept(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator `njit` with a cache of the compiled code on disk.

    The `options` are those of `njit`. If neither the package's folder nor the user's cache is
    writable, each process compiles the code again.
    """
    if config.DISABLE_JIT:
        _warn(
            "not compiling, so that simulations take a hundred times as long: unset "
            "NUMBA_DISABLE_JIT"
        )

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # numba finds no writable folder
            _warn(
                "compiling, which takes up to a minute each time: no folder for compiled code can "
                "be written; NUMBA_CACHE_DIR names another"
            )
            return njit(**options)(function)

    return compiled


@functools.cache
def _warn(message: str) -> None:
    """Log a warning, once in each process."""
    logging.getLogger(__name__).warning(message)
