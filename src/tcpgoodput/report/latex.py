"""Formatting of numbers, tables and floats as LaTeX, with the templates in `paper/tables/`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from tcpgoodput.configuration import refused
from tcpgoodput.configuration.markup import converted, escaped, to_latex


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as LaTeX, rounded to `digits` significant digits.

    Thin spaces group the digits of whole parts with more than four digits. Numbers below 1e-4 and
    from 1e7 on have a power of ten. None and NaN become a dash.
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


GROUPED = 10_000
"""Smallest count whose digits are printed in groups of three; chosen by hand."""


def count(value: float) -> str:
    """Return a count as LaTeX, with all its digits; thin spaces group those of long counts."""
    return f"{value:,.0f}".replace(",", r"\,") if value >= GROUPED else f"{value:g}"


def interval_cell(row: Mapping[Any, Any], name: str = "median") -> str:
    """Return a statistic of a row with its interval, if any, as LaTeX.

    If both ends are equal, all numbers have a digit more.
    """
    value, low, high = (row[f"{name}{end}_%"] for end in ("", "_low", "_high"))
    if math.isnan(low):
        return percent(value)
    more = int(percent(low) == percent(high))
    return f"{percent(value, more)} [{percent(low, more)}, {percent(high, more)}]"


def percent(value: float, more: int = 0) -> str:
    """Return an error in per cent as LaTeX, with two digits; below one per cent with one digit."""
    return number(value, (2 if value >= 1 else 1) + more)


FOLDER = Path("paper/tables")
SEPARATOR = re.compile(r"(?<!\\)&")
LONG_WORD = re.compile(r"\S{18,}")


def rendered(template: str, **values: Any) -> str:
    """Return a table or float: a template of `paper/tables/` with values filled in.

    `rows` has the lines of a table. Each line is a list of LaTeX cells, unless the template has a
    block `row` that formats a line.
    """
    try:
        return _environment().get_template(f"{template}.tex").render(values)
    except TemplateError as error:
        line = getattr(error, "lineno", 0)
        raise refused(FOLDER / f"{template}.tex", "", str(error), line) from None


def spaced(parts: Iterable[Sequence[Sequence[str]]]) -> list[list[str]]:
    """Return the lines of several parts of a table; each part but the first begins lower."""
    lines: list[list[str]] = []
    for part in parts:
        for number_in_part, (first, *others) in enumerate(part):
            space = r"\addlinespace " if lines and number_in_part == 0 else ""
            lines.append([space + first, *others])
    return lines


def breakable(text: str) -> str:
    """Return text in which LaTeX may break long words, such as paths, after / or _."""
    return LONG_WORD.sub(lambda word: re.sub(r"(?<=[/_])(?=\w)", "\u200b", word[0]), text)


def breakable_prose(text: str) -> str:
    """Return text in which LaTeX may break long words after / or _, except in formulas."""
    return converted(text, prose=breakable)


def folded(text: str) -> str:
    """Return a text of several lines as one line, with single spaces."""
    return " ".join(text.split())


def cells(text: str) -> list[str]:
    """Return the cells of a line of a LaTeX table, which `&` separates."""
    return [folded(cell) for cell in SEPARATOR.split(text)]


@cache
def _environment() -> Environment:
    environment = Environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=FileSystemLoader(FOLDER),
    )
    environment.filters |= {
        "cells": cells,
        "escaped": lambda text: escaped(breakable(text)),
        "folded": folded,
        "latex": lambda text: to_latex(breakable_prose(text)),
        "number": number,
    }
    return environment
