"""Docstrings in Google's form, as Sphinx reads them.

An extension of Sphinx, in place of its own `napoleon`: that takes the words before a colon in the
docstring of an attribute for its type.
"""

from __future__ import annotations

from typing import Any

from sphinx.ext.napoleon import Config, GoogleDocstring

SETTINGS = Config(napoleon_use_rtype=False)


def setup(app: Any) -> dict[str, Any]:
    """Read docstrings so, but those of attributes."""
    app.connect("autodoc-process-docstring", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if what not in ("attribute", "property"):
        lines[:] = GoogleDocstring(lines, SETTINGS, app, what, name, thing, options).lines()
