"""Entries of `paper/numbers.yaml`: which rows of which table of results the report's numbers are.

`report.numbers` computes the numbers; this module checks the entries without a run.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from tcpgoodput.configuration import ConfigurationError, Document, Problem, validated
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.project.manifest import CELLS, REFERENCE, read_columns
from tcpgoodput.scenario.types import Part, PlainText, Text

COUNTS = ("count", "share")
"""Further words for `take`: number of rows, and share of rows within the bounds in per cent."""

Cell = str | bool | int | float | None
Cells = dict[Text, Cell | list[Cell]]


class Selection(Part):
    """A number of the report: which rows of a table it comes from, and what is taken of them."""

    table: PlainText = Field(
        "", description="path of a CSV table below results/, or from data/ on, without .csv"
    )
    where: Cells = Field(
        default_factory=dict,
        description="rows that count: each named column has the value, or one of several; null is "
        "an empty cell",
    )
    without: Cells = Field(
        default_factory=dict, description="rows that do not count, by a value of any named column"
    )
    once: list[Text] = Field(
        default_factory=list,
        description="columns; of rows with the same values in these, only the first counts",
    )
    take: Text = Field(
        "",
        description="a column, whose cell in a single row is the number; or a statistic: count, "
        "share (of rows within the bounds, in per cent), min, max, median, q90, worst",
    )
    of: Text | None = Field(None, description="the column of which a statistic is taken")
    divided_by: Text | None = Field(None, description="a column by which the values are divided")
    times: float = Field(1, description="factor of the values, such as 100 for per cent")
    error: Literal["signed", "size", "relative"] | None = Field(
        None,
        description="values are ratios: take 100 ln(ratio); or its size; or 100 |ratio - 1|",
    )
    at_most: float | None = Field(None, description="count and share: largest value that counts")
    above: float | None = Field(None, description="count and share: values above this count")
    smaller_than: Text | None = Field(
        None, description="count: values below the size of this earlier number of the file count"
    )
    empty: bool = Field(False, description="true: there may be no row, which gives a count of 0")
    interval: Literal["median"] | None = Field(
        None,
        description="95 % interval that the table does not have: of the median of the rows",
    )
    clusters: Text | None = Field(
        None, description="column; rows with the same value of it are not independent"
    )
    half_width: Text | None = Field(None, description="column with the interval's half-width")
    digits: int | None = Field(None, description="significant digits; null: a count, in full")


class Group(Selection):
    """Numbers with common keys. A number's own keys replace these, except in `where`."""

    numbers: dict[Text, Selection]


class NumbersFile(Part):
    """Content of `paper/numbers.yaml`."""

    groups: list[Group]


def selections(document: Document) -> dict[str, tuple[Selection, Key]]:
    """Return the numbers of `paper/numbers.yaml`, each with its group's keys, and their places."""
    found: dict[str, tuple[Selection, Key]] = {}
    for index, group in enumerate(validated(NumbersFile, document).groups):
        common = {key: getattr(group, key) for key in group.model_fields_set - {"numbers"}}
        for name, own in group.numbers.items():
            place = ("groups", index, "numbers", name)
            if name in found:
                raise ConfigurationError(
                    [document.problem(place, "another number has this name; rename it")]
                )
            keys = common | {key: getattr(own, key) for key in own.model_fields_set}
            found[name] = Selection(**keys | {"where": group.where | own.where}), place
    return found


STATISTICS = ("min", "max", "median", "q90", "worst")
"""Words for `take` that stand for a statistic of the column `of`."""

DERIVED = (
    *("claims/readings", "claims/second_reader", "linux/runs", "referees/kernel"),
    *("referees/pairs", "recorded/views", "ns2/explained", "heldout/medians"),
)
"""Tables in no file, which `report.derived` joins from others."""

OF_FIGURES = "/loss_events"
"""End of the names of further derived tables, one for each figure."""


def check_numbers(document: Document) -> int:
    """Check that the tables and columns exist from which numbers are taken; return their number.

    The columns are those of the last run in `results/`, else those of the reference results.
    """
    found = selections(document)
    names = {selection.table for selection, _ in found.values()}
    columns = dict(_columns(names))
    problems: set[Problem] = set()
    for selection, place in found.values():
        table = selection.table
        if table in DERIVED or table.endswith(OF_FIGURES):
            continue
        if table not in columns:
            message = f"no table of results is called {table!r}"
            message += alternatives(table, sorted({*_released(), *DERIVED}))
            problems.add(document.problem(_stated(document, place, "table"), message))
            continue
        for key, column, words in _named(selection):
            allowed = [*columns[table], *words]
            if columns[table] and column not in allowed:
                message = f"{table} has no column {column!r}{alternatives(column, allowed)}"
                stated = _stated(document, place, *key)
                problems.add(document.problem(stated, message))
    if problems:
        raise ConfigurationError(problems)
    return len(found)


def _named(selection: Selection) -> Iterator[tuple[Key, str, tuple[str, ...]]]:
    """Yield each key that names a column, the column, and words that are allowed in its place."""
    yield ("take",), selection.take, (*STATISTICS, *COUNTS)
    for key in ("of", "divided_by", "clusters", "half_width"):
        if column := getattr(selection, key):
            yield (key,), column, ()
    for key in ("where", "without"):
        for column in getattr(selection, key):
            yield (key, column), column, ()
    for position, column in enumerate(selection.once):
        yield ("once", position), column, ()


def _stated(document: Document, place: Key, *key: str | int) -> Key:
    """Return the place of a number's key: that of the number itself, or that of its group."""
    own = (*place, *key)
    return own if own in document.lines else (*place[:2], *key)


def _columns(tables: set[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the tables that exist, each with its columns; without columns if they are unknown."""
    released = _released()
    for table in sorted(tables):
        folder = Path() if table.startswith("data/") else Path("results")
        if (file := folder / f"{table}.csv").is_file():
            with file.open(encoding="utf-8", newline="") as stream:
                yield table, next(csv.reader(stream), [])
        elif table in released:
            yield table, released[table]


def _released() -> dict[str, list[str]]:
    """Return the columns of the released tables by the tables' names; empty without these."""
    file = REFERENCE.with_name(CELLS)
    if not file.is_file():
        return {}
    return {
        path.removeprefix("results/").removesuffix(".csv"): columns
        for path, columns in read_columns(file).items()
        if path.endswith(".csv")
    }
