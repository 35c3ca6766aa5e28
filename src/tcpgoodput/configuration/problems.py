"""Problems found in configuration, and the error that reports all of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPORT_PROBLEMS = 8
REPORT_CHARACTERS = 1200


BEGINNING = 3
"""Smallest number of letters that `nearest` accepts as the beginning of a longer name; chosen by
hand."""


@dataclass(frozen=True, order=True)
class Problem:
    """A problem in a file: its line and key, and a message.

    Line 0 and an empty key mean the whole file.
    """

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"

    def record(self) -> dict[str, Any]:
        """Return the problem for output as JSON; a line or key of None means the whole file."""
        line, key = self.line or None, self.key or None
        return {"file": self.file, "line": line, "key": key, "message": self.message}


class ConfigurationError(Exception):
    """Invalid input; the exception holds every problem that was found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__(self.report())

    def report(self) -> str:
        """Return the first problems as text, one in each line.

        At most `REPORT_PROBLEMS` problems are shown, in at most `REPORT_CHARACTERS` characters. If
        problems are left out, the last line has their number.
        """
        lines: list[str] = []
        budget = REPORT_CHARACTERS - len("and 99999 more problems")
        for problem in self.problems[:REPORT_PROBLEMS]:
            line = _shortened(str(problem), max(budget, 0) if not lines else 400)
            if len(line) + 1 > budget:
                break
            lines.append(line)
            budget -= len(line) + 1
        if rest := len(self.problems) - len(lines):
            lines.append(f"and {rest} more problem{'s' if rest > 1 else ''}")
        return "\n".join(lines)


class WrongKey(ValueError):
    """Error of a schema's check across several keys, with the key at which to report it.

    Without it, the error is reported at the mapping to which the check belongs.
    """

    def __init__(self, key: tuple[str, ...], message: str) -> None:
        """Store the key, relative to the mapping of the check, and the message."""
        self.key = key
        super().__init__(message)


@contextmanager
def collecting(problems: list[Problem]) -> Iterator[None]:
    """Catch a `ConfigurationError` in the context, and add its problems to a list."""
    try:
        yield
    except ConfigurationError as error:
        problems += error.problems


def refused(file: Path | str, key: str, message: str, line: int = 0) -> ConfigurationError:
    """Return a `ConfigurationError` with a single problem; the caller raises the error."""
    return ConfigurationError([Problem(str(file), line, key, message)])


def nearest(name: str, allowed: Sequence[str]) -> str:
    """Return `; did you mean ...?` with the allowed name most similar to `name`.

    The text is empty if no allowed name is similar or begins with `name`. If no name is similar in
    upper and lower case, the two count as the same.
    """
    spelled = {other.lower(): other for other in allowed}
    alike = difflib.get_close_matches(name, allowed, n=1, cutoff=0.6)
    if not alike:
        lowered = name.lower()
        matches = difflib.get_close_matches(lowered, spelled, n=1, cutoff=0.6)
        if not matches and len(name) >= BEGINNING:
            matches = [other for other in spelled if other.startswith(lowered)]
        alike = [spelled[match] for match in matches]
    return f"; did you mean {alike[0]}?" if alike else ""


def choices(allowed: Iterable[str]) -> str:
    """Return the allowed names as text for the end of a message."""
    return "allowed: " + (", ".join(allowed) or "none, for there are none")


def _shortened(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: max(characters - 1, 0)] + "…"
