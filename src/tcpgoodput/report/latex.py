"""Formatting of numbers as LaTeX."""

from __future__ import annotations

import math


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as LaTeX, rounded to significant digits.

    Numbers of more than four digits are grouped by thin spaces. Very small and very large numbers
    have a power of ten. None and NaN become a dash.

    Args:
        value: the number.
        digits: the number of significant digits.

    """
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
