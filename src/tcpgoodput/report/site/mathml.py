"""Formulas as MathML, which a browser draws by itself: no script, no font, nothing to fetch.

An extension of Sphinx. Its own renderers need a script from the network, or a LaTeX.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

UPRIGHT_LETTER = re.compile(r"\\mathrm\{(\w)\}")
"""Which a browser would slant, as it does single letters."""

NAME = r"<mi>(?:exp|ln|log|sin|cos)</mi>"
BEFORE_A_NAME = re.compile(rf"(?<=</mi>|</mn>)(?={NAME})")
BEHIND_A_NAME = re.compile(rf"(?P<name>{NAME})(?=<m[infrs])")
SPACE = '<mspace width="0.167em" />'
"""Between a function's name and what is beside it, where TeX has one."""


def setup(app: Any) -> dict[str, Any]:
    """Make the renderer known to Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def mathml(latex: str, display: str = "inline") -> str:
    """Return a formula.

    Raises:
        ValueError: it aligns its lines, which the converter cannot.

    """
    if r"\begin{align" in latex:
        raise ValueError(f"write one formula to a line, not an alignment: {latex}")
    formula = convert(UPRIGHT_LETTER.sub(r"\\text{\1}", latex.strip()), display=display)
    return BEHIND_A_NAME.sub(rf"\g<name>{SPACE}", BEFORE_A_NAME.sub(SPACE, formula))


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode
