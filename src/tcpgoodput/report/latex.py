"""Small pieces of LaTeX: numbers and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with significant digits, thin spaces between thousands, 10ⁿ if need be."""
    if value is None or math.isnan(value):
        return "---"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    if -4 <= exponent < 7:
        text = f"{value:.{max(digits - 1 - exponent, 0)}f}"
        whole, point, decimals = text.partition(".")
        sign, whole = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
        grouped = f"{int(whole):,}".replace(",", r"\,") if len(whole) > 4 else whole
        return f"${sign}{grouped}{point}{decimals}$"
    mantissa = value / 10**exponent
    return rf"${mantissa:.{digits - 1}f}\times10^{{{exponent}}}$"


def longtable(
    columns: str, headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str
) -> str:
    """Return a table that may run over pages; all texts are LaTeX already."""
    head = " & ".join(rf"\textbf{{{heading}}}" for heading in headings) + r" \\"
    body = "\n".join(" & ".join(row) + r" \\" for row in rows)
    return rf"""\begin{{longtable}}{{{columns}}}
\caption{{{caption}}}\label{{{label}}}\\
\toprule
{head}
\midrule
\endfirsthead
\toprule
{head}
\midrule
\endhead
\midrule
\multicolumn{{{len(headings)}}}{{r}}{{\textit{{continued on the next page}}}}\\
\endfoot
\bottomrule
\endlastfoot
{body}
\end{{longtable}}
"""


def table(
    columns: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    label: str,
    *,
    listed: str = "",
    place: str = "tbp",
) -> str:
    """Return a table that floats, `listed` under a shorter caption; all texts are LaTeX already."""
    shorter = f"[{listed}]" if listed else ""
    return rf"""\begin{{table}}[{place}]
\centering
\caption{shorter}{{{caption}}}
\label{{{label}}}
\small
{tabular(columns, headings, rows)}\end{{table}}
"""


def tabular(columns: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table that stays on one page; all texts are LaTeX already."""
    head = " & ".join(rf"\textbf{{{heading}}}" for heading in headings) + r" \\"
    body = "\n".join(" & ".join(row) + r" \\" for row in rows)
    return rf"""\begin{{tabular}}{{{columns}}}
\toprule
{head}
\midrule
{body}
\bottomrule
\end{{tabular}}
"""
