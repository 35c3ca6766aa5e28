"""numba's compiler, loaded without the linear algebra that nobody here compiles.

Before its first function numba asks whether scipy has a BLAS, and loads half of scipy for the
answer: a third of what a short job takes. It is told no, unless scipy is there already.
"""

from __future__ import annotations

import importlib

from tcpgoodput.imports import absent

LINEAR_ALGEBRA = "scipy.linalg"
WHO_ASKS = "numba.np.arraymath"

with absent(LINEAR_ALGEBRA):
    importlib.import_module(WHO_ASKS)

from numba import config, njit  # noqa: E402

__all__ = ["config", "njit"]
