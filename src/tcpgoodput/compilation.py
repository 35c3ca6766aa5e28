"""numba's compiler, loaded without the linear algebra that nobody here compiles.

Before its first function numba asks whether scipy has a BLAS, and loads half of scipy for the
answer: a third of what a short job takes. It is told no, unless scipy is there already.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LINEAR_ALGEBRA = "scipy.linalg"
WHO_ASKS = "numba.np.arraymath"


@contextmanager
def _absent(module: str) -> Iterator[None]:
    """Let imports of a module that nobody has imported yet fail meanwhile."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # how Python marks what is not there
    try:
        yield
    finally:
        del sys.modules[module]


with _absent(LINEAR_ALGEBRA):
    importlib.import_module(WHO_ASKS)

from numba import config, njit  # noqa: E402

__all__ = ["config", "njit"]
