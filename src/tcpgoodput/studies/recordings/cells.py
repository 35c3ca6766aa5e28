"""A column of a table: the texts of its cells, and messages about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.configuration import ConfigurationError, Problem
from tcpgoodput.configuration.problems import ENOUGH_PROBLEMS, quoted

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table in a user's file."""

    path: Path
    name: str
    """The column's name; its number as text if the file has no heading."""
    texts: pd.Series
    """The texts of the cells; the index is the number of the line."""

    @property
    def called(self) -> str:
        """The name that messages use for the column."""
        return f"column {self.name[:60]}"

    def numbers(self) -> Array:
        """Return the cells as numbers, shape (n,).

        Raises:
            ConfigurationError: a cell is no finite number.

        """
        values = np.asarray(pd.to_numeric(self.texts, errors="coerce"), dtype=float)
        self.refuse(~np.isfinite(values), "needs a number, has {}")
        return values

    def refuse(self, wrong: NDArray[np.bool_] | pd.Series, message: str) -> None:
        """Refuse the column if some of its cells are wrong.

        Args:
            wrong: for each cell, whether it is wrong.
            message: the message; `{}` stands for the cell's text.

        Raises:
            ConfigurationError: a cell is wrong; the first ones are listed.

        """
        if (bad := self.texts[wrong]).size:
            self.raise_for((line, message.format(quoted(text))) for line, text in bad.items())

    def raise_for(self, problems: Iterable[tuple[int, str]]) -> NoReturn:
        """Raise a ConfigurationError with a message for each of the first given lines."""
        first = islice(problems, ENOUGH_PROBLEMS)
        raise ConfigurationError(
            Problem(str(self.path), line, "", f"{self.called}: {message}")
            for line, message in first
        )
