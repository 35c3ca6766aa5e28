"""Formulas as MathML, which a browser draws by itself: no script, no font, nothing to fetch.

An extension of Sphinx. Its own renderers need a script from the network, or a LaTeX.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def setup(app: Any) -> dict[str, Any]:
    """Make the renderer known to Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    formula = convert(node.astext().strip(), display="block")
    writer.body.append(f'<div class="math">{formula}</div>\n')
    raise nodes.SkipNode
