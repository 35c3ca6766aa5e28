"""Formulas as MathML, which browsers render without scripts, fonts or network access.

This module is a Sphinx extension. Sphinx's own renderers need a script from the network, or LaTeX.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

UPRIGHT_LETTER = re.compile(r"\\mathrm\{(\w)\}")
r"""Pattern of an upright single letter, `\mathrm{x}`. It is converted as text, because browsers
show MathML's identifiers of one letter in italics."""

LARGE = r"\\[bB]igg?[lr]?\s*"
OPENING = re.compile(LARGE + r"(?=[(\[]|\\(?:\{|lbrace|langle|lfloor|lceil))")
CLOSING = re.compile(LARGE + r"(?=[)\]]|\\(?:\}|rbrace|rangle|rfloor|rceil))")
r"""Patterns of commands such as `\Big` before a bracket. They become `\left` and `\right`, because
the converter enlarges only the first bracket of a pair."""

NUMBER = re.compile(r"\s*\\tag\{([^{}]*)\}")
"""Pattern of the number of a displayed formula. The converter would set it right behind the
formula."""

NAME = r"<mi>(?:exp|ln|log|sin|cos)</mi>"
BEFORE_A_NAME = re.compile(rf"(?<=</mi>|</mn>)(?={NAME})")
BEHIND_A_NAME = re.compile(rf"(?P<name>{NAME})(?=<m[infrs])")
SPACE = '<mspace width="0.167em" />'
"""MathML of the space between a function's name and its neighbours, as in TeX."""


def setup(app: Any) -> dict[str, Any]:
    """Register this module's renderer of formulas with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def mathml(latex: str, display: str = "inline") -> str:
    """Return a formula as MathML; `display` is `inline` or `block`.

    Aligned lines raise `ValueError`, because the converter does not support them.
    """
    if r"\begin{align" in latex:
        raise ValueError(f"write one formula to a line, not an alignment: {latex}")
    latex = CLOSING.sub(r"\\right", OPENING.sub(r"\\left", latex.strip()))
    formula = convert(UPRIGHT_LETTER.sub(r"\\text{\1}", latex), display=display)
    return BEHIND_A_NAME.sub(rf"\g<name>{SPACE}", BEFORE_A_NAME.sub(SPACE, formula))


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(displayed(node.astext()))
    raise nodes.SkipNode


def displayed(latex: str) -> str:
    """Return a displayed formula as HTML, with its number at the right if it has one."""
    number = NUMBER.search(latex)
    formula = mathml(NUMBER.sub("", latex), "block")
    if number is None:
        return f'<div class="math">{formula}</div>\n'
    shown = f'<span class="number">({number[1]})</span>'
    return f'<div class="math numbered"><div>{formula}</div>{shown}</div>\n'
