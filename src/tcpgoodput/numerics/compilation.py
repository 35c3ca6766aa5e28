"""numba's compiler, loaded without the linear algebra that nobody here compiles.

Before its first function numba asks whether scipy has a BLAS, and loads half of scipy for the
answer: a third of what a short job takes. It is told no, unless scipy is there already.
"""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable
from typing import Any

from tcpgoodput.numerics.imports import absent

LINEAR_ALGEBRA = "scipy.linalg"
WHO_ASKS = "numba.np.arraymath"

with absent(LINEAR_ALGEBRA):
    importlib.import_module(WHO_ASKS)

from numba import config, njit  # noqa: E402

__all__ = ["config", "kept", "njit"]


def kept(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator that keeps compiled code on disk, where a folder takes it.

    Neither the package's folder nor the user's cache may be writable: then each process compiles.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # numba finds no folder
            _say_that_nothing_is_kept()
            return njit(**options)(function)

    return compiled


@functools.cache
def _say_that_nothing_is_kept() -> None:
    logging.getLogger(__name__).warning(
        "compiling, which takes half a minute each time: no folder for compiled code can be "
        "written; NUMBA_CACHE_DIR names another"
    )
