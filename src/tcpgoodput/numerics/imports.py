"""Imports of others, without what they load on the chance that it is wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def absent(module: str) -> Iterator[None]:
    """Let imports of a module that nobody has imported yet fail meanwhile."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # how Python marks what is not there
    try:
        yield
    finally:
        del sys.modules[module]
